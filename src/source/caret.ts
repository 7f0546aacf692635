import type { SourceRange } from "./yaml-source.ts";

/** What is shown of a problem; any load problem fits. */
export interface ShownProblem {
  readonly file: string;
  readonly range: SourceRange;
  readonly code: string;
  readonly message: string;
  readonly advice: string;
  readonly level: "error" | "warning";
}

/** Longest piece of a line that is shown; one-line files of a megabyte exist. */
const maxShown = 160;

/**
 * A problem as a person reads it: place, message and code, the line, carets under what is meant, and the
 * cure. Several lines, without a newline at the end.
 *
 *   payments.yaml:3:28: no tool named "aprove" is declared in this file [unknown-tool]
 *     3 |   - { kind: gate, require: aprove, before: refund }
 *       |                            ^^^^^^
 *     advice: Did you mean "approve"? Otherwise add it under tools.
 */
export function renderProblem(problem: ShownProblem, source: string, color: boolean): string {
  const paint = painter(color);
  const { line, column, length } = problem.range;
  const warning = problem.level === "warning" ? "warning: " : "";
  const head = `${problem.file}:${line}:${column}: ${warning}`;
  const lines = [
    `${paint.bold(head)}${printable(problem.message)} ${paint.dim(`[${problem.code}]`)}`,
    ...excerpt(
      lineOf(source, line),
      line,
      column,
      length,
      problem.level === "error" ? paint.red : paint.yellow,
    ),
  ];
  if (problem.advice !== "") lines.push(`  ${paint.cyan("advice:")} ${printable(problem.advice)}`);
  return lines.join("\n");
}

function excerpt(
  text: string,
  line: number,
  column: number,
  length: number,
  mark: (text: string) => string,
): readonly string[] {
  if (text.trim() === "") return [];
  const from = column > maxShown ? column - 1 - maxShown / 2 : 0;
  const shown = printable(text.slice(from, from + maxShown));
  // Tabs stay tabs, so that the caret stands under its character at any tab width.
  const lead = text.slice(from, column - 1).replace(/[^\t]/g, " ");
  const carets = "^".repeat(Math.max(1, Math.min(length, maxShown - lead.length)));
  const number = String(line);
  return [`  ${number} | ${shown}`, `  ${" ".repeat(number.length)} | ${lead}${mark(carets)}`];
}

function lineOf(source: string, line: number): string {
  let from = 0;
  for (let at = 1; at < line; at += 1) {
    const next = source.indexOf("\n", from);
    if (next < 0) return "";
    from = next + 1;
  }
  const end = source.indexOf("\n", from);
  return source.slice(from, end < 0 ? undefined : end).replace(/\r$/, "");
}

/** Control characters and direction marks of a file never reach the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => (char === "\t" ? char : "\ufffd"));
}

interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

function painter(color: boolean): Paint {
  const sgr = (open: number, close: number) => (text: string) =>
    color ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: sgr(1, 22), dim: sgr(2, 22), red: sgr(31, 39), yellow: sgr(33, 39), cyan: sgr(36, 39) };
}
