import type { LoadProblem, Range } from "../model/load-error.ts";

/** What a reader takes under a key, as far as it says. */
export type KeyShape =
  | { readonly is: "any" | "text" | "boolean" | "duration" | "list" | "refused" }
  | { readonly is: "pattern" | "patterns" | "paths" | "binds" | "comparisons" | "blockers" }
  | { readonly is: "words"; readonly words: readonly string[] }
  | { readonly is: "number"; readonly least: number };

/** Told every key that a reader asks for. `docs/contract.schema.json` is made from what is told here. */
export type KeyListener = (asked: {
  /** The map in the words of messages: `a rule of kind gate`. */
  readonly map: string;
  readonly key: string;
  readonly shape: KeyShape;
  /** Other words for the key. */
  readonly synonyms: readonly string[];
  readonly required: boolean;
}) => void;

/**
 * Collects what is wrong in one file. Checks go on after a problem, so that a person sees all of them at
 * once; a second problem of one code at one place is dropped, since an alias or a definition may be read
 * more than once.
 */
export class ProblemList {
  readonly file: string;
  readonly onKey: KeyListener | null;
  private readonly found = new Map<string, LoadProblem>();
  /** Places where the text itself is wrong: what follows from that says nothing new. */
  private readonly unreadable = new Set<string>();

  constructor(file: string, onKey: KeyListener | null = null) {
    this.file = file;
    this.onKey = onKey;
  }

  /** A problem of the text, before any meaning. */
  unreadableAt(range: Range, code: string, message: string, advice: string): void {
    this.error(range, code, message, advice);
    this.unreadable.add(`${range.line}:${range.column}`);
  }

  error(range: Range, code: string, message: string, advice: string): void {
    this.add({ file: this.file, range, code, message, advice, level: "error" });
  }

  warn(range: Range, code: string, message: string, advice: string): void {
    this.add({ file: this.file, range, code, message, advice, level: "warning" });
  }

  get all(): readonly LoadProblem[] {
    return [...this.found.values()];
  }

  get hasErrors(): boolean {
    return this.all.some((problem) => problem.level === "error");
  }

  private add(problem: LoadProblem): void {
    if (this.unreadable.has(`${problem.range.line}:${problem.range.column}`)) return;
    const key = `${problem.code}:${problem.range.line}:${problem.range.column}:${problem.message}`;
    if (!this.found.has(key)) this.found.set(key, problem);
  }
}

/** By file as given, then by place; a stable order, so that reports and tests can be compared. */
export function sortProblems(problems: readonly LoadProblem[], files: readonly string[]): LoadProblem[] {
  const place = new Map(files.map((file, index) => [file, index]));
  return [...problems].sort(
    (a, b) =>
      (place.get(a.file) ?? 0) - (place.get(b.file) ?? 0) ||
      a.range.line - b.range.line ||
      a.range.column - b.range.column,
  );
}
