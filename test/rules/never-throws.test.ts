import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "../support/properties.ts";
import { load } from "./marked.ts";
import { ruleSamples } from "./rule-samples.ts";

describe("loading", () => {
  const files = [
    "test/rules/never-throws.test.ts",
    "examples/customer-access/contract.yaml",
    "test/rules/data/R06.rules.yaml",
    "test/cases/contracts/prerequisites.yaml",
    "test/cases/contracts/shared/consent.yaml",
    "test/rules/bad/five-faults.yaml",
  ];
  const every = ["contract: c", "rules:", ...[...ruleSamples.values()].map((rule) => `  - ${rule}`), ""];
  const texts = [...files.map((file) => readFileSync(file, "utf8")), every.join("\n")];

  it("never throws, whatever happens to a file", () => {
    const piece = fc.constantFrom(
      "",
      " ",
      "\n",
      ":",
      "- ",
      "[",
      "]",
      "{",
      "}",
      "&a ",
      "*a",
      "'",
      "~",
      "null",
      "0",
      "$x",
      "'*'",
      "<<: *a\n",
      "kind: gate",
      "then: {}",
      "if: ",
      "use: $x",
      "severity_when: ",
      "include: [a]\n",
      "scope: ",
    );
    const mutated = fc
      .tuple(
        fc.constantFrom(...texts),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 12 }), piece), { minLength: 1, maxLength: 4 }),
      )
      .map(([text, edits]) =>
        edits.reduce((now, [at, cut, put]) => {
          const from = at % (now.length + 1);
          return now.slice(0, from) + put + now.slice(from + cut);
        }, text),
      );
    fc.assert(
      fc.property(mutated, (text) => {
        const { set, problems } = load(text);
        const lines = text.split("\n").length;
        assert.equal(
          set === null,
          problems.some(({ level }) => level === "error"),
        );
        for (const { range, message, advice } of problems) {
          assert.ok(range.line >= 1 && range.line <= lines && range.column >= 1 && range.length >= 1);
          assert.ok(message !== "" && advice !== "");
        }
      }),
      { numRuns: 300 },
    );
  });

  it("never throws for any tree under any key", () => {
    const key = fc.constantFrom(
      "contract",
      "rules",
      "ordering",
      "conditional_ordering",
      "state_machines",
      "tools",
      "define",
      "applies_to",
      "kind",
      "require",
      "before",
      "after",
      "if",
      "then",
      "of",
      "bind",
      "where",
      "transitions",
      "steps",
      "any_of",
      "not",
      "args",
      "set",
      "__proto__",
      "toString",
    );
    const leaf = fc.constantFrom<unknown>(
      null,
      true,
      0,
      "a",
      "gate",
      "machine",
      "conditional",
      "$a",
      "*",
      "w.x < a.x",
      "/(/",
    );
    const { tree } = fc.letrec<{ tree: unknown; list: unknown; map: unknown }>((tie) => ({
      tree: fc.oneof({ depthSize: "medium" }, leaf, tie("list"), tie("map")),
      list: fc.array(tie("tree"), { maxLength: 4 }),
      map: fc.dictionary(key, tie("tree"), { maxKeys: 6 }),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        load(
          JSON.stringify({
            contract: "c",
            rules: [value],
            ordering: [value],
            state_machines: [value],
            tools: value,
            define: value,
          }),
        );
        load(JSON.stringify(value) ?? "");
      }),
      { numRuns: 500 },
    );
  });
});
