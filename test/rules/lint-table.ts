import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ContractSource } from "../../src/model/entry.ts";
import { lintContracts } from "../../src/rules/lint.ts";
import { loadContracts } from "../../src/rules/load.ts";
import { unmark } from "./marked.ts";

/** What is suspicious in contracts that must load. */
export function lint(...sources: readonly ContractSource[]) {
  const { set, problems } = loadContracts(sources);
  assert.notEqual(set, null, problems.map(({ message }) => message).join("; "));
  return set === null ? [] : lintContracts(sources, set);
}

export interface Row {
  readonly name: string;
  /** Lines of `rules:`; what is warned of stands between « and ». */
  readonly rules: string;
  readonly codes: readonly string[];
  readonly says?: RegExp;
  /** Lines before `rules:`. */
  readonly head?: string;
}

/** One test a row: exactly the marked places are warned of, with these codes. */
export function table(subject: string, rows: readonly Row[]): void {
  describe(`lint: ${subject}`, () => {
    for (const { name, rules, codes, says, head = "" } of rows) {
      it(`${codes.length === 0 ? "no: " : ""}${name}`, () => {
        const { text, ranges } = unmark(`contract: c\n${head}rules:\n${rules}\n`);
        const found = lint({ file: "test.yaml", text });
        assert.deepEqual(
          found.map(({ code }) => code),
          codes,
        );
        assert.deepEqual(
          found.map(({ range }) => range),
          ranges,
        );
        for (const { level, message, advice } of found) {
          assert.equal(level, "warning");
          assert.ok(message !== "" && advice !== "");
        }
        if (says !== undefined) assert.match(`${found[0]?.message}\n${found[0]?.advice}`, says);
      });
    }
  });
}
