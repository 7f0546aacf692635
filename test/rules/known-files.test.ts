import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { load } from "./marked.ts";

/** Kinds and scopes of later versions; everything else in the case file must load. */
const laterCases = new Set(["S1-25", "S3-11", "S3-12", "S3-16"]);

describe("the rules of the semantics cases", () => {
  const { cases } = parse(readFileSync("test/cases/semantics-cases.yaml", "utf8"), { maxAliasCount: -1 }) as {
    cases: { id: string; events: Record<string, unknown>[]; rules: unknown[] }[];
  };
  it("are here", () => assert.ok(cases.length > 60));
  for (const { id, events, rules } of cases) {
    it(`${id} ${laterCases.has(id) ? "waits for a later version" : "loads"}`, () => {
      const { set, problems } = load(JSON.stringify({ contract: id, rules }), {
        declaredKinds: events.flatMap((event) => (typeof event.kind === "string" ? [event.kind] : [])),
        declaredFields: events.flatMap((event) => Object.keys(event)),
        plainNumbersAreMilliseconds: true,
      });
      const errors = problems.filter(({ level }) => level === "error").map(({ code }) => code);
      if (laterCases.has(id)) assert.deepEqual(new Set(errors), new Set(["not-in-this-version"]));
      else assert.equal(set?.contracts[0]?.rules.length, rules.length, errors.join());
    });
  }
});

describe("rule files that users got wrong", () => {
  const linesOf = (file: string): readonly number[] =>
    load(readFileSync(file, "utf8"))
      .problems.filter(({ level }) => level === "error")
      .map(({ range }) => range.line);

  it("misspelt keys are named, and nothing runs without the condition", () => {
    assert.deepEqual(linesOf("test/rules/data/R01.rules.yaml"), [3, 5]);
  });

  it("a key that silently overrode another is named", () => {
    assert.deepEqual(linesOf("test/rules/data/R05.rules.yaml"), [6, 7]);
  });

  for (const name of ["R03", "R06", "R10"]) {
    it(`${name}, which was right, loads`, () =>
      assert.deepEqual(linesOf(`test/rules/data/${name}.rules.yaml`), []));
  }
});
