/**
 * A file that grows past 300 lines usually holds two things. Where one thing is that long, it is named here
 * with the reason, and the name goes when the file shrinks.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Files, isTypeScript, readFiles } from "../support/repository.ts";

/** A test is mostly its table, and a table is read by the row. */
const mostLines = (path: string): number => (path.startsWith("test/") ? 450 : 300);

/** Path → why one thing is this long. */
const longOnes: Readonly<Record<string, string>> = {
  "src/source/yaml-source.ts": "one walk from the parser's tree to ours, with every refusal at its place",
  "src/processor/normalize/event-fact.ts": "one fact field by field, a line or two each",
  "test/processor/assemble/assemble.test.ts": "one table: spans, and the events that must come of them",
  "test/processor/normalize/dialect-rows.ts": "one table: what each dialect reads from which span",
};

function tooLong(files: Files, exceptions: Readonly<Record<string, string>>): readonly string[] {
  const problems: string[] = [];
  const lengths = new Map([...files].map(([path, code]) => [path, code.trimEnd().split("\n").length]));
  for (const [path, lines] of lengths) {
    const allowed = Object.hasOwn(exceptions, path);
    if (lines > mostLines(path) && !allowed)
      problems.push(`${path}: ${lines} lines: split it, or say here why not`);
    if (lines <= mostLines(path) && allowed)
      problems.push(`${path}: ${lines} lines: needs no exception any more`);
  }
  for (const path of Object.keys(exceptions)) {
    if (!files.has(path)) problems.push(`${path}: has an exception and is not there`);
    if ((exceptions[path] ?? "").length < 20) problems.push(`${path}: an exception needs its reason`);
  }
  return problems;
}

describe("files", () => {
  it("hold one thing, or say why it is long", () => {
    const files = new Map(["src", "test", "bench"].flatMap((folder) => [...readFiles(folder, isTypeScript)]));
    assert.ok(files.size >= 20, `only ${files.size} files`);
    assert.deepEqual(tooLong(files, longOnes), []);
  });

  it("are measured", () => {
    const lines = (count: number): string => "const x = 1;\n".repeat(count);
    const reason = "a table of the standard, kept whole";
    assert.deepEqual(tooLong(new Map([["a.ts", lines(300)]]), {}), []);
    assert.equal(tooLong(new Map([["a.ts", lines(301)]]), {}).length, 1);
    assert.deepEqual(tooLong(new Map([["test/a.test.ts", lines(450)]]), {}), []);
    assert.equal(tooLong(new Map([["test/a.test.ts", lines(451)]]), {}).length, 1);
    assert.deepEqual(tooLong(new Map([["a.ts", lines(301)]]), { "a.ts": reason }), []);
    assert.equal(tooLong(new Map([["a.ts", lines(301)]]), { "a.ts": "long" }).length, 1);
    assert.equal(tooLong(new Map([["a.ts", lines(270)]]), { "a.ts": reason }).length, 1);
    assert.equal(tooLong(new Map([["a.ts", lines(1)]]), { "b.ts": reason }).length, 1);
  });
});
