/** A place in a text: 1-based line and column, and how many characters the caret marks. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/**
 * One thing wrong in a file that a person wrote. Loaders return every one of them as data; `source/caret`
 * renders them with the line and a caret.
 */
export interface LoadProblem {
  readonly file: string;
  readonly range: Range;
  /** Stable word for the kind of problem, such as `unknown-key`; has its place in `docs/rule-errors.md`. */
  readonly code: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** How to cure it. */
  readonly advice: string;
  /** A warning does not stop the load. */
  readonly level: "error" | "warning";
}
