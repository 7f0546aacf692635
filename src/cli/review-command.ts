/**
 * `explain --review CONTRACT [TRACES…]` — the review sheet of a contract, from the contract alone or with what
 * recorded runs show. Traces are judged by the same core as in `check`, and closed at their end.
 */
import { ExitCode } from "./exit-code.ts";
import { type ExplainOptions, loadChosen } from "./explain-choice.ts";
import { InputError, inputErrorText } from "./input-error.ts";
import { judgeTraces, recordedSettings } from "./judge-traces.ts";
import { loadTraces } from "./load-traces.ts";
import { reviewOf } from "./review.ts";
import { reviewMarkdown, reviewText } from "./review-text.ts";
import { colour, plain } from "./style.ts";
import type { Terminal } from "./terminal.ts";

export interface ReviewOptions extends ExplainOptions {
  /** Files, folders, globs, or `-`; none: the contract alone. */
  readonly traces: readonly string[];
}

/** 0, or 2 where a file or option cannot be used. A gap is no failure: the sheet is for people. */
export async function review(options: ReviewOptions, terminal: Terminal): Promise<ExitCode> {
  try {
    return await run(options, terminal);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    terminal.err(inputErrorText(error).trimEnd());
    return ExitCode.badInput;
  }
}

async function run(options: ReviewOptions, terminal: Terminal): Promise<ExitCode> {
  const { format } = options;
  if (format !== "text" && format !== "markdown" && format !== "json") {
    throw new InputError("--format", `there is no format named "${format}"`, "Use text, markdown or json.");
  }
  const chosen = loadChosen(options, terminal);
  if (chosen === null) return ExitCode.badInput;
  const traces = options.traces.length === 0 ? null : await loadTraces(options.traces, terminal);
  const settings = recordedSettings(chosen.config.toolorder.core);
  const judged = traces === null ? null : judgeTraces(chosen.sources, settings, traces);
  const set = judged?.set ?? chosen.set;
  const names = new Set(chosen.contracts.map(({ contract }) => contract.name));
  const sheets = set.contracts
    .filter(({ name }) => names.has(name))
    .map((contract) => reviewOf(contract, set, judged?.runs ?? null));
  const style = terminal.color ? colour : plain;
  terminal.out(
    format === "json"
      ? JSON.stringify({ schema: "toolorder.review/1", contracts: sheets }, null, 2)
      : sheets
          .map((sheet) => (format === "text" ? reviewText(sheet, style) : reviewMarkdown(sheet)))
          .join("\n\n"),
  );
  return ExitCode.ok;
}
