/**
 * Every form of rule against what it compiles to, and every mistake against what is said of it. Both lists of
 * answers are kept: a change of either shows as a difference that somebody looks at.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ruleKinds } from "../../../src/rules/sugar/kinds.ts";
import { rulesOf, written } from "./written.ts";

const kept = (file: string): ReadonlyMap<string, string> => {
  const parts = readFileSync(join(import.meta.dirname, file), "utf8")
    .trimEnd()
    .split(/\n(?=\{)/);
  return new Map(parts.map((part) => [part.split("\n")[0] ?? "", part]));
};

const compiled = kept("compiled.txt");
describe("what a rule compiles to (npm run update:programs)", () => {
  for (const rule of rulesOf("rules.txt")) {
    it(rule, () => {
      const now = written(rule);
      assert.doesNotMatch(now, /^ {2}error/m);
      assert.equal(now, compiled.get(rule));
    });
  }

  it("has a rule of every kind, and nothing that no rule gives", () => {
    const kinds = rulesOf("rules.txt").map((rule) => /kind: (\w+)/.exec(rule)?.[1]);
    assert.deepEqual(
      [...ruleKinds.keys()].filter((kind) => !kinds.includes(kind)),
      [],
    );
    assert.deepEqual([...compiled.keys()], rulesOf("rules.txt"));
  });
});

const refusals = kept("refusals.txt");
describe("what is said of a rule that is refused (npm run update:programs)", () => {
  for (const rule of rulesOf("refused.txt")) {
    it(rule, () => {
      const now = written(rule);
      assert.match(now, /^ {2}(error|warning)/m);
      assert.equal(now, refusals.get(rule));
    });
  }
});
