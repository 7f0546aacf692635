import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { readContracts } from "../../src/service/contract-files.ts";

describe("contract files", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "toolorder-contracts-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const found = (...patterns: readonly string[]) => {
    const { sources, problems } = readContracts(patterns, folder);
    return {
      texts: sources.map(({ text }) => text),
      problems: problems.map(({ level, code, file, message }) => ({ level, code, file, message })),
    };
  };

  it("are found by file, folder and glob, relative to the configuration, in alphabetical order", () => {
    write("b.yaml", "b");
    write("a.yml", "a");
    write("notes.md", "not a contract");
    mkdirSync(join(folder, "sub"));
    write("sub/c.yaml", "c");
    assert.deepEqual(found(".").texts, ["a", "b"]);
    assert.deepEqual(found("b.yaml").texts, ["b"]);
    assert.deepEqual(found("./b.yaml", "a.yml").texts, ["b", "a"]);
    assert.deepEqual(found("*.yaml").texts, ["b"]);
    assert.deepEqual(found("**/*.yaml").texts, ["b", "c"]);
    assert.deepEqual(found(join(folder, "sub")).texts, ["c"]);
  });

  it("are each read once, however often they are named", () => {
    write("a.yaml", "a");
    symlinkSync(join(folder, "a.yaml"), join(folder, "b.yaml"));
    assert.deepEqual(found("a.yaml", ".", "*.yaml").texts, ["a"]);
  });

  it("may be missing where a folder or a glob is named: a warning", () => {
    mkdirSync(join(folder, "empty"));
    for (const [pattern, message] of [
      ["empty", /the folder holds no contract/],
      ["nowhere", /there is no such file or folder/],
      ["none-*.yaml", /no contract file matches/],
    ] as const) {
      const { texts, problems } = found(pattern);
      assert.deepEqual(texts, []);
      assert.equal(problems.length, 1);
      assert.equal(problems[0]?.level, "warning");
      assert.equal(problems[0]?.code, "no-contracts");
      assert.equal(problems[0]?.file, pattern);
      assert.match(problems[0]?.message ?? "", message);
    }
  });

  it("must be readable where a file is named: an error with the reason", () => {
    symlinkSync(join(folder, "gone.yaml"), join(folder, "dangling.yaml"));
    symlinkSync(join(folder, "loop.yaml"), join(folder, "loop.yaml"));
    mkdirSync(join(folder, "folder.yaml"));
    for (const [pattern, reason] of [
      ["missing.yaml", /cannot be read: there is no such file/],
      ["dangling.yaml", /there is no such file/],
      ["f*.yaml", /it is a folder/],
    ] as const) {
      const [problem] = found(pattern).problems;
      assert.equal(problem?.level, "error", pattern);
      assert.equal(problem?.code, "unreadable-file");
      assert.match(problem?.message ?? "", reason);
    }
  });

  it("are all looked at, past one that cannot be read", () => {
    write("a.yaml", "a");
    const { texts, problems } = found("missing.yaml", "a.yaml", "gone.yaml");
    assert.deepEqual(texts, ["a"]);
    assert.equal(problems.length, 2);
  });

  it("bring what they include, by the way of each file, once, and apart from contracts", () => {
    mkdirSync(join(folder, "shared", "deep"), { recursive: true });
    write("a.yaml", "contract: a\ninclude: [shared/one.yaml, gone.yaml]\n");
    write("b.yaml", "contract: b\ninclude: [./shared/one.yaml, a.yaml]\n");
    write("shared/one.yaml", "include: [deep/two.yaml, ../a.yaml]\n");
    write("shared/deep/two.yaml", "define: {}\n");
    const { sources, problems } = readContracts(["."], folder);
    // What is missing the loader tells, at the place that includes it.
    assert.deepEqual(problems, []);
    assert.deepEqual(
      sources.map(({ file, included }) => [basename(file), included ?? false]),
      [
        ["a.yaml", false],
        ["b.yaml", false],
        ["one.yaml", true],
        ["two.yaml", true],
      ],
    );
  });
});
