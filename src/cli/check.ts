/**
 * `check --contracts FILE… TRACES…` — judges recorded traces and shows what broke, as timelines or for machines.
 *
 * The report goes to stdout, everything about the files to stderr, so that a script can keep either. No
 * network and no clock: the same files and options give the same bytes.
 */

import { configWithoutFile } from "../config/load.ts";
import type { ContractSource } from "../model/entry.ts";
import { loadContracts } from "../rules/load.ts";
import { longTrials } from "../rules/trials.ts";
import { readContracts } from "../service/contract-files.ts";
import { type AnswerOptions, answer } from "./answers.ts";
import { type FoundConfig, findConfig } from "./config-file.ts";
import { ExitCode } from "./exit-code.ts";
import { findingsOf } from "./findings.ts";
import { formatOf, reportAs, tracedFormats } from "./formats.ts";
import { InputError, inputErrorText } from "./input-error.ts";
import { judgeTraces, recordedSettings } from "./judge-traces.ts";
import { loadTraces } from "./load-traces.ts";
import { progressOn } from "./progress.ts";
import { showProblems } from "./show-problems.ts";
import { type FailOn, failOnWords, summarize } from "./summary.ts";
import type { Terminal } from "./terminal.ts";

export interface CheckOptions extends AnswerOptions {
  /** Files, folders or globs; over those that the configuration names. */
  readonly contracts: readonly string[];
  /** null: no configuration, the defaults. */
  readonly config: string | null;
  /** `processors.toolorder.decision_wait=1s`, laid over the configuration. */
  readonly set: readonly string[];
  readonly format: string;
  readonly failOn: string;
  /** Also print what was decided about each event, and by what. */
  readonly trace: boolean;
  /** Files, folders, globs, or `-` for standard input. */
  readonly traces: readonly string[];
}

/**
 * 0 nothing above the threshold, 1 violations, 3 only undecided ones; 2 a usage, file or contract error, or an
 * approval that is of no use: then the report is written all the same.
 */
export async function check(options: CheckOptions, terminal: Terminal): Promise<ExitCode> {
  try {
    return await run(options, terminal);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    terminal.err(inputErrorText(error).trimEnd());
    return ExitCode.badInput;
  } finally {
    terminal.status(null);
  }
}

async function run(options: CheckOptions, terminal: Terminal): Promise<ExitCode> {
  const format = formatOf(options.format);
  const failOn = failOnOf(options.failOn);
  if (options.trace && !tracedFormats.includes(format)) {
    throw new InputError(
      "--trace",
      `the format ${format} has no place for it`,
      `Use --format ${tracedFormats.join(" or ")}, or leave --trace out.`,
    );
  }
  const answers = await answer(options, terminal);
  if (answers === null) return ExitCode.badInput;
  const found = configOf(options, terminal);
  if (found === null) return ExitCode.badInput;
  const settings = recordedSettings(found.config.toolorder.core);
  const sources = contractsOf(options, found, terminal);
  if (sources === null) return ExitCode.badInput;

  const traces = await loadTraces(options.traces, terminal);
  const judged = judgeTraces(sources, settings, traces, progressOn(terminal, "judging", "events"));
  for (const name of judged.idleMappings) {
    terminal.err(
      `warning: mapping ${name} met no span and no log record of these traces: check its \`when\` against their names and attributes`,
    );
  }
  if (options.today !== null) showProblems(longTrials(judged.set, options.today), sources, terminal);
  const answered = answers.apply(findingsOf(judged.runs, judged.filesOf), judged.set.contracts);
  const summary = summarize(judged.runs, answered.findings, failOn, answered.badInput);
  const report = reportAs(
    format,
    {
      runs: judged.runs,
      tools: judged.set.tools,
      untimed: judged.untimed,
      findings: answered.findings,
      summary,
      contracts: judged.set.contracts,
      baseline: answered.baseline,
      trace: options.trace,
    },
    terminal.color,
  );
  terminal.out(report.trimEnd());
  return summary.exitCode;
}

function failOnOf(word: string): FailOn {
  const known = failOnWords.find((candidate) => candidate === word);
  if (known !== undefined) return known;
  throw new InputError("--fail-on", `there is no severity named "${word}"`, `Use ${failOnWords.join(", ")}.`);
}

/** The configuration, where one is named; `check` looks for none, so that a trace means the same anywhere. */
function configOf({ config, set }: CheckOptions, terminal: Terminal): FoundConfig | null {
  if (config !== null) return findConfig(config, set, terminal);
  const { config: found, problems } = configWithoutFile(terminal.env, set);
  showProblems(problems, [], terminal);
  return found === null ? null : { config: found, file: null, base: process.cwd() };
}

/** Null after every problem was shown. A check without a contract would pass whatever the trace holds. */
function contractsOf(
  options: CheckOptions,
  { config, file, base }: FoundConfig,
  terminal: Terminal,
): readonly ContractSource[] | null {
  if (options.contracts.length === 0 && file === null) {
    throw new InputError(
      "check",
      "no contract is named",
      "Name one with --contracts FILE, or a configuration with --config FILE.",
    );
  }
  const { sources, problems } =
    options.contracts.length > 0
      ? readContracts(options.contracts, process.cwd())
      : readContracts(config.toolorder.contracts, base);
  const errors = problems.map((problem) => ({ ...problem, level: "error" as const }));
  showProblems(errors, sources, terminal);
  if (errors.length > 0) return null;
  const loaded = loadContracts(sources, recordedSettings(config.toolorder.core).language);
  showProblems(loaded.problems, sources, terminal);
  return loaded.set === null ? null : sources;
}

/** Every file is one part of one stream: a run is a trace, whichever files its spans are in. */
