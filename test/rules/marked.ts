/**
 * Contracts with the place of an expected problem marked in them: `kind: «gaet»` is loaded as `kind: gaet`, and
 * one problem must have exactly the range between the marks.
 */
import type { LoadProblem, Range } from "../../src/model/load-error.ts";
import { type LoadOptions, loadContracts } from "../../src/rules/load.ts";

export interface Marked {
  readonly text: string;
  readonly ranges: readonly Range[];
}

export function unmark(marked: string): Marked {
  const ranges: Range[] = [];
  const lines = marked.split("\n").map((line, index) => {
    let plain = "";
    let start: number | null = null;
    for (const char of line) {
      if (char === "«") start = plain.length;
      else if (char === "»" && start !== null) {
        ranges.push({ line: index + 1, column: start + 1, length: plain.length - start });
        start = null;
      } else plain += char;
    }
    return plain;
  });
  return { text: lines.join("\n"), ranges };
}

export function load(text: string, options: LoadOptions = {}): ReturnType<typeof loadContracts> {
  return loadContracts([{ file: "test.yaml", text }], options);
}

export const errorsOf = (problems: readonly LoadProblem[]): readonly LoadProblem[] =>
  problems.filter((problem) => problem.level === "error");

/** The one rule of a contract that must load. */
export function oneRule(rule: string, options: LoadOptions = {}) {
  const { set, problems } = load(`contract: test\nrules:\n  - ${rule}\n`, options);
  const made = set?.contracts[0]?.rules[0];
  if (made === undefined)
    throw new Error(`did not load: ${problems.map(({ message }) => message).join("; ")}`);
  return made;
}
