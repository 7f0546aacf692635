import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { errorsOf, load, unmark } from "./marked.ts";

export interface ErrorRow {
  readonly name: string;
  /** The whole file; what is wrong stands between « and ». */
  readonly file: string;
  /** One code for each mark, in order. */
  readonly codes: readonly string[];
  /** What the message or the advice of the first must say. */
  readonly says?: RegExp;
}

export const rule = (text: string): string => `contract: test\nrules:\n  - ${text}\n`;
export const gate = (more: string): string => rule(`{kind: gate, require: a, before: b, ${more}}`);
export const pattern = (text: string): string => rule(`{kind: absence, of: ${text}}`);
export const machine = (transitions: string, more = ""): string =>
  rule(`{kind: machine, transitions: ${transitions}${more}}`);

/** One test a row: nothing loads, and exactly the marked problems are found, each with a cause and a cure. */
export function errorTable(subject: string, rows: readonly ErrorRow[]): void {
  describe(`load errors: ${subject}`, () => {
    for (const { name, file, codes, says } of rows) {
      it(name, () => {
        const { text, ranges } = unmark(file);
        const { set, problems } = load(text);
        const errors = errorsOf(problems);

        assert.equal(set, null);
        assert.deepEqual(
          errors.map(({ code }) => code),
          codes,
        );
        if (ranges.length > 0) {
          assert.deepEqual(
            errors.map(({ range }) => range),
            ranges,
          );
        }
        for (const { message, advice } of errors) assert.ok(message !== "" && advice !== "");
        const [first] = errors;
        if (says !== undefined) assert.match(`${first?.message}\n${first?.advice}`, says);
      });
    }
  });
}
