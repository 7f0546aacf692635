/**
 * `check --contracts FILE… TRACES…` — judges recorded traces and shows what broke as timelines.
 *
 * The report goes to stdout, everything about the files to stderr, so that a script can keep either. No
 * network and no clock: the same files give the same bytes.
 */

import { loadConfig } from "../config/load.ts";
import type { ContractSource } from "../model/entry.ts";
import { type CoreSettings, defaultSettings } from "../model/settings.ts";
import { loadContracts } from "../rules/load.ts";
import { renderProblem } from "../source/caret.ts";
import { contractFiles, expandFiles, readBytes, readText, stem, traceFiles } from "./files.ts";
import { InputError, inputErrorText } from "./input-error.ts";
import { judgeTraces } from "./judge-traces.ts";
import { jsonReport } from "./report-json.ts";
import { textReport } from "./report-text.ts";
import { colour, plain } from "./style.ts";
import { type FailOn, failOnWords, summarize } from "./summary.ts";
import { type LoadedTraces, readTraces } from "./traces.ts";

export interface CheckOptions {
  /** Files, folders or globs; over those that the configuration names. */
  readonly contracts: readonly string[];
  /** null: no configuration, the defaults. */
  readonly config: string | null;
  /** `processors.toolorder.decision_wait=1s`, laid over the configuration. */
  readonly set: readonly string[];
  readonly format: string;
  readonly failOn: string;
  /** Files, folders, globs, or `-` for standard input. */
  readonly traces: readonly string[];
}

/** What a command needs of a terminal. Both functions write the text as it is and add a line end. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
  /** Whether stdout takes colour: a terminal, and no `NO_COLOR`. */
  readonly color: boolean;
}

/** 0 nothing above the threshold, 1 violations, 2 usage, file or contract error, 3 only undecided ones. */
export async function check(options: CheckOptions, output: Output): Promise<0 | 1 | 2 | 3> {
  try {
    return await run(options, output);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    output.err(inputErrorText(error).trimEnd());
    return 2;
  }
}

async function run(options: CheckOptions, output: Output): Promise<0 | 1 | 2 | 3> {
  const format = formatOf(options.format);
  const failOn = failOnOf(options.failOn);
  const settings = await settingsOf(options, output);
  if (settings === null) return 2;
  if (options.traces.length === 0) {
    throw new InputError(
      "check",
      "no trace is named",
      "Name files, a folder or a glob, or - for standard input.",
    );
  }
  const sources = await contractsOf(options, settings.contracts);
  if (!reportProblems(sources, settings.core, output)) return 2;

  const traces = await tracesOf(options.traces, output);
  const judged = judgeTraces(sources, settings.core, traces);
  for (const name of judged.idleMappings) {
    output.err(
      `warning: mapping ${name} met no span of these traces: check its \`when\` against the spans' names and attributes`,
    );
  }
  const summary = summarize(judged.runs, failOn);
  const text =
    format === "json"
      ? jsonReport(judged.runs, summary)
      : textReport({
          runs: judged.runs,
          summary,
          tools: judged.set.tools,
          untimed: judged.untimed,
          style: output.color ? colour : plain,
        });
  output.out(text.trimEnd());
  return summary.exitCode;
}

function formatOf(format: string): "text" | "json" {
  if (format === "text" || format === "json") return format;
  throw ["junit", "sarif", "github"].includes(format)
    ? new InputError("--format", `${format} is not in this version`, "Use text or json.")
    : new InputError("--format", `there is no format named "${format}"`, "Use text or json.");
}

function failOnOf(word: string): FailOn {
  const known = failOnWords.find((candidate) => candidate === word);
  if (known !== undefined) return known;
  throw new InputError("--fail-on", `there is no severity named "${word}"`, `Use ${failOnWords.join(", ")}.`);
}

/** `check` judges one known workflow, so that an ordering without its later side is a violation (RULES 8). */
async function settingsOf(
  options: CheckOptions,
  output: Output,
): Promise<{ readonly core: CoreSettings; readonly contracts: readonly string[] } | null> {
  if (options.config === null)
    return { core: { ...defaultSettings, missingAfter: "violated" }, contracts: [] };
  const text = await readText(options.config);
  const { config, problems } = loadConfig(text, options.config, process.env, options.set);
  for (const problem of problems) output.err(renderProblem(problem, text, output.color));
  if (config === null) return null;
  return {
    core: { ...config.toolorder.core, missingAfter: "violated" },
    contracts: config.toolorder.contracts,
  };
}

async function contractsOf(
  options: CheckOptions,
  configured: readonly string[],
): Promise<readonly ContractSource[]> {
  const wanted = options.contracts.length > 0 ? options.contracts : configured;
  if (wanted.length === 0) {
    throw new InputError(
      "check",
      "no contract is named",
      "Name one with --contracts FILE, or a configuration with --config FILE.",
    );
  }
  return Promise.all(
    expandFiles(wanted, contractFiles).map(async (file) => ({ file, text: await readText(file) })),
  );
}

/** Shows every problem of the contracts; false when they do not load. */
function reportProblems(sources: readonly ContractSource[], settings: CoreSettings, output: Output): boolean {
  const { set, problems } = loadContracts(sources, settings.language);
  for (const problem of problems) {
    const source = sources.find(({ file }) => file === problem.file);
    output.err(renderProblem(problem, source?.text ?? "", output.color));
  }
  return set !== null;
}

async function tracesOf(patterns: readonly string[], output: Output): Promise<readonly LoadedTraces[]> {
  const loaded: LoadedTraces[] = [];
  const names = new Set<string>();
  for (const file of expandFiles(patterns, traceFiles)) {
    const traces = readTraces({ name: file, bytes: await readBytes(file) }, freeName(names, stem(file)));
    for (const refused of traces.refused) output.err(`warning: ${file}: ${refused}`);
    loaded.push(traces);
  }
  return loaded;
}

/** Two files of one name in two folders are two runs. */
function freeName(taken: Set<string>, wanted: string): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  taken.add(name);
  return name;
}
