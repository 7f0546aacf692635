/**
 * `explain RULE` — what a rule asks, what it compiles to, when it can be decided, what it keeps and reads; of a
 * contract, every rule of it. The review sheet is `review-command.ts`.
 *
 * The explanation goes to standard output, problems of the files to standard error. Nothing is judged.
 */
import { explainRule } from "../rules/explain.ts";
import { ExitCode } from "./exit-code.ts";
import { type ExplainOptions, loadChosen } from "./explain-choice.ts";
import { explanationText } from "./explain-text.ts";
import { InputError, inputErrorText } from "./input-error.ts";
import { colour, plain } from "./style.ts";
import type { Terminal } from "./terminal.ts";

/** 0, or 2 where the files do not load or nothing has that name. */
export function explain(
  options: ExplainOptions & { readonly traces: readonly string[] },
  terminal: Terminal,
): ExitCode {
  try {
    const { format } = options;
    if (format !== "text" && format !== "json") {
      throw new InputError("--format", `there is no format named "${format}"`, "Use text or json.");
    }
    if (options.traces.length > 0) {
      throw new InputError(
        options.traces.join(" "),
        "traces say nothing about what a rule means",
        "Add --review for a sheet on the contract and its traces, or use check to judge them.",
      );
    }
    const chosen = loadChosen(options, terminal);
    if (chosen === null) return ExitCode.badInput;
    const found = chosen.contracts.flatMap(({ rules }) => rules.map(explainRule));
    const style = terminal.color ? colour : plain;
    terminal.out(
      format === "json"
        ? JSON.stringify({ schema: "toolorder.explain/1", rules: found }, null, 2)
        : found.map((one) => explanationText(one, style)).join("\n\n"),
    );
    return ExitCode.ok;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    terminal.err(inputErrorText(error).trimEnd());
    return ExitCode.badInput;
  }
}
