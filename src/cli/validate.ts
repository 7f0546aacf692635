/**
 * `validate [FILES…]` — says whether the configuration and the contracts would load, without loading them, and
 * what they come to: what each rule asks and keeps in memory, and with `--show-config` the configuration with every
 * default.
 *
 * What loads goes to standard output, every problem to standard error, so that a script can keep either. Exit
 * code 0 with warnings at most, 2 with one error anywhere.
 */
import { effectiveConfig } from "../config/effective.ts";
import type { ContractSource } from "../model/entry.ts";
import type { LoadProblem } from "../model/load-error.ts";
import { defaultSettings } from "../model/settings.ts";
import { explainRule } from "../rules/explain.ts";
import { lintContracts } from "../rules/lint.ts";
import { loadContracts } from "../rules/load.ts";
import { dayNumber } from "../rules/reviewed.ts";
import type { Contract, Rule } from "../rules/rule.ts";
import { sortProblems } from "../rules/rule-error.ts";
import { strictProblems } from "../rules/strict.ts";
import { longTrials } from "../rules/trials.ts";
import { type FoundContracts, readContracts } from "../service/contract-files.ts";
import { type FoundConfig, findConfig } from "./config-file.ts";
import { ExitCode } from "./exit-code.ts";
import { showProblems } from "./show-problems.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export interface ValidateOptions {
  /** Contract files, folders or globs; none: those that the configuration names. */
  readonly files: readonly string[];
  readonly config: string | undefined;
  /** More contracts, as other commands take them. */
  readonly contracts: readonly string[];
  readonly set: readonly string[];
  /** Also asks for `policy` and `reviewed`, and for `why` of critical rules. */
  readonly strict: boolean;
  /** Also prints the configuration as it runs. */
  readonly showConfig: boolean;
  /** The day that trials are counted to, `2026-05-31`. */
  readonly today: string;
}

export function validate(options: ValidateOptions, terminal: Terminal): ExitCode {
  if (dayNumber(options.today) === null) {
    terminal.err(`--today: "${options.today}" is no day. Write the year, the month and the day: 2026-05-31.`);
    return ExitCode.badInput;
  }
  const found = findConfig(options.config, options.set, terminal);
  // Contracts are read with the words of the default configuration where there is no other: better some
  // messages than none.
  const { sources, problems } = contractsOf(options, found);
  const loaded = loadContracts(sources, (found?.config.toolorder.core ?? defaultSettings).language);
  // Suspicious is only what loads: in a broken file it would be noise beside the errors.
  const suspicious = loaded.set === null ? [] : lintContracts(sources, loaded.set);
  const asked = loaded.set === null || !options.strict ? [] : strictProblems(loaded.set);
  const trials = loaded.set === null ? [] : longTrials(loaded.set, options.today);
  const all = [...problems, ...inPlace([...loaded.problems, ...suspicious, ...asked, ...trials], sources)];
  showProblems(all, sources, terminal);
  for (const source of sources) showFile(source, loaded.set?.contracts ?? [], all, terminal);
  if (found !== null && options.showConfig) showConfig(found, terminal);

  const errors = all.filter(({ level }) => level === "error").length;
  const rules = loaded.set?.contracts.flatMap((contract) => contract.rules).length;
  terminal.out(
    [
      counted(
        loaded.set?.contracts.length ?? sources.filter(({ included }) => included !== true).length,
        "contract",
      ),
      ...(rules === undefined ? [] : [counted(rules, "rule")]),
      counted(errors, "error"),
      counted(all.length - errors, "warning"),
    ].join(", ") + (found === null ? "; the configuration has errors" : ""),
  );
  return errors > 0 || found === null ? ExitCode.badInput : ExitCode.ok;
}

/** A file that is named and not there is an error; a configured folder may wait for its contracts. */
function contractsOf(options: ValidateOptions, found: FoundConfig | null): FoundContracts {
  const named = [...options.files, ...options.contracts];
  if (named.length === 0) {
    return found === null
      ? { sources: [], problems: [] }
      : readContracts(found.config.toolorder.contracts, found.base);
  }
  const { sources, problems } = readContracts(named, process.cwd());
  return { sources, problems: problems.map((problem) => ({ ...problem, level: "error" })) };
}

const inPlace = (
  problems: readonly LoadProblem[],
  sources: readonly ContractSource[],
): readonly LoadProblem[] =>
  sortProblems(
    problems,
    sources.map(({ file }) => file),
  );

function showConfig({ config, file }: FoundConfig, terminal: Terminal): void {
  terminal.out(`# configuration as it runs (${file ?? "defaults, no file"})`);
  terminal.out(effectiveConfig(config));
}

function showFile(
  { file }: ContractSource,
  contracts: readonly Contract[],
  problems: readonly LoadProblem[],
  terminal: Terminal,
): void {
  const here = problems.filter((problem) => problem.file === file);
  const errors = here.filter(({ level }) => level === "error").length;
  const warnings = here.length - errors;
  const verdict = errors === 0 ? "ok" : counted(errors, "error");
  terminal.out(`${file}: ${[verdict, ...(warnings > 0 ? [counted(warnings, "warning")] : [])].join(", ")}`);
  for (const contract of contracts.filter((candidate) => candidate.file === file)) {
    terminal.out(`  contract ${contract.name}`);
    const lines = table(contract.rules.map(cells));
    contract.rules.forEach((rule, i) => {
      terminal.out(`    ${lines[i] ?? rule.id}`);
      terminal.out(`      keeps ${explainRule(rule).keeps}`);
    });
  }
}

/** id, kind, severity, revision, what it asks. */
function cells(rule: Rule): readonly string[] {
  const marks = [rule.stage === "trial" ? "trial" : "", rule.class === "preference" ? "preference" : ""];
  const severity = [rule.severity, ...marks.filter((mark) => mark !== "")].join(" ");
  return [rule.id, rule.kind, severity, rule.revision.slice(0, 8), rule.expected];
}

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;
