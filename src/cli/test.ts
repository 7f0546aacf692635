/**
 * `test FILE…` — runs contract cases, as unit tests of contracts: one line a case with what differed, then a
 * summary, and with `--coverage` which rules the cases exercise. Exits 1 when a case failed, 2 when a file
 * cannot be read as cases.
 */
import { writeFileSync } from "node:fs";
import type { LoadProblem } from "../model/load-error.ts";
import type { Contract } from "../rules/rule.ts";
import { renderProblem } from "../source/caret.ts";
import { differences } from "./case-compare.ts";
import { caseSources, ruleOfProblem } from "./case-contract.ts";
import { type ContractCase, readCaseFile } from "./case-file.ts";
import { caseInput } from "./case-input.ts";
import { prepareCase } from "./case-run.ts";
import { type CaseCoverage, coverageLines, coverageOf } from "./coverage.ts";
import { ExitCode } from "./exit-code.ts";
import { caseFiles, expandFiles, readText, writeError } from "./files.ts";
import { InputError, inputErrorText } from "./input-error.ts";
import { colour, plain, type Style } from "./style.ts";
import type { Terminal } from "./terminal.ts";
import { type CaseFileResults, testJunit } from "./test-junit.ts";

export interface TestOptions {
  /** Where to write the results as JUnit XML; null: nowhere. */
  readonly junit: string | null;
  readonly coverage: boolean;
}

export interface CaseResult {
  readonly id: string;
  /** Where it stands: `semantics.yaml:31`. */
  readonly place: string;
  /** Empty: the case holds. */
  readonly failures: readonly string[];
  /** What it shows of the contracts that judged it; null where it was not judged, or by rules of its own. */
  readonly coverage: CaseCoverage | null;
}

export async function test(
  files: readonly string[],
  terminal: Terminal,
  { junit, coverage }: TestOptions = { junit: null, coverage: false },
): Promise<ExitCode> {
  try {
    if (files.length === 0) {
      throw new InputError("test", "no case file is named", "Name files, a folder or a glob.");
    }
    const byFile: CaseFileResults[] = [];
    const style = terminal.color ? colour : plain;
    for (const file of expandFiles(files, caseFiles)) {
      const { cases } = readCaseFile(file, await readText(file));
      const width = Math.max(...cases.map(({ id }) => id.length));
      const results: CaseResult[] = [];
      for (const contractCase of cases) {
        const result = await runCase(contractCase);
        results.push(result);
        for (const line of caseLines(result, width, style)) terminal.out(line);
      }
      byFile.push({ file, results });
    }
    if (junit !== null) writeJunit(junit, byFile);
    const results = byFile.flatMap((file) => file.results);
    terminal.out("");
    for (const line of summaryLines(results, style)) terminal.out(line);
    if (coverage) {
      terminal.out("");
      const covered = coverageOf(results.flatMap((result) => result.coverage ?? []));
      for (const line of coverageLines(covered, style)) terminal.out(line);
    }
    return results.some(({ failures }) => failures.length > 0) ? ExitCode.violations : ExitCode.ok;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    terminal.err(inputErrorText(error).trimEnd());
    return ExitCode.badInput;
  }
}

function writeJunit(file: string, byFile: readonly CaseFileResults[]): void {
  try {
    writeFileSync(file, testJunit(byFile));
  } catch (error) {
    throw writeError(file, error);
  }
}

/** Every snapshot of one case, in turn. */
export async function runCase(contractCase: ContractCase): Promise<CaseResult> {
  const { id, place, snapshots } = contractCase;
  const sources = await caseSources(contractCase);
  const prepared = prepareCase(contractCase, sources, await caseInput(contractCase));
  if (!prepared.loaded) {
    return {
      id,
      place,
      coverage: null,
      failures: prepared.problems.map((problem) => problemText(contractCase, problem, sources)),
    };
  }
  const states = prepared.run.snapshots();
  const failures = snapshots.flatMap((snapshot, index) => {
    const state = states[index];
    const found =
      state === undefined ? ["was not reached"] : differences(snapshot.expect, state, prepared.set);
    return snapshots.length === 1 ? found : found.map((text) => `snapshot ${index + 1}: ${text}`);
  });
  const judged = states.flatMap(({ runs }) => runs.flatMap((run) => run.verdicts));
  const coverage =
    contractCase.rules === null
      ? { contracts: namedContracts(contractCase, prepared.set.contracts), judged }
      : null;
  return { id, place, failures, coverage };
}

/** A contract that is written in the file of cases is one contract, though every case loads it anew. */
function namedContracts(
  { contracts: paths, place }: ContractCase,
  contracts: readonly Contract[],
): CaseCoverage["contracts"] {
  return contracts.map(({ name, file, rules }) => ({
    name,
    file: paths.includes(file) ? file : place.replace(/:\d+$/, ""),
    rules,
  }));
}

function problemText(
  contractCase: ContractCase,
  problem: LoadProblem,
  sources: readonly { readonly file: string; readonly text: string }[],
): string {
  if (contractCase.rules === null) {
    const text = sources.find(({ file }) => file === problem.file)?.text ?? "";
    return renderProblem(problem, text, false);
  }
  const rule = ruleOfProblem(contractCase, problem);
  return `${rule === null ? "" : `${rule}: `}${problem.message} [${problem.code}]`;
}

function caseLines({ id, failures }: CaseResult, width: number, style: Style): readonly string[] {
  const name = id.padEnd(width);
  const [first, ...rest] = failures;
  if (first === undefined) return [`${name}  ${style.green("ok")}`];
  return [
    `${name}  ${style.red("failed")}  ${first}`,
    ...rest.map((failure) => `${" ".repeat(width)}          ${failure}`),
  ];
}

function summaryLines(results: readonly CaseResult[], style: Style): readonly string[] {
  const failed = results.filter(({ failures }) => failures.length > 0);
  const counts = `${results.length - failed.length} ok, ${failed.length} failed`;
  const line = failed.length === 0 ? style.green(counts) : style.red(counts);
  return [line];
}
