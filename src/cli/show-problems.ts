import type { ContractSource } from "../model/entry.ts";
import type { LoadProblem } from "../model/load-error.ts";
import { renderProblem } from "../source/caret.ts";
import type { Terminal } from "./terminal.ts";

/** Writes every problem with its line and caret to standard error. */
export function showProblems(
  problems: readonly LoadProblem[],
  sources: readonly ContractSource[],
  terminal: Pick<Terminal, "err" | "errColor">,
): void {
  for (const problem of problems) {
    const text = sources.find(({ file }) => file === problem.file)?.text ?? "";
    terminal.err(renderProblem(problem, text, terminal.errColor));
  }
}
