/**
 * `test FILE…` — runs contract cases, as unit tests of contracts: one line a case with what differed, then a
 * summary. Exits 1 when a case failed, 2 when a file cannot be read as cases.
 */
import type { LoadProblem } from "../model/load-error.ts";
import { renderProblem } from "../source/caret.ts";
import { differences } from "./case-compare.ts";
import { caseSources, ruleOfProblem } from "./case-contract.ts";
import { type ContractCase, readCaseFile } from "./case-file.ts";
import { caseInput } from "./case-input.ts";
import { prepareCase } from "./case-run.ts";
import { ExitCode } from "./exit-code.ts";
import { caseFiles, expandFiles, readText } from "./files.ts";
import { InputError, inputErrorText } from "./input-error.ts";
import { colour, plain, type Style } from "./style.ts";
import type { Terminal } from "./terminal.ts";

export interface CaseResult {
  readonly id: string;
  /** Empty: the case holds. */
  readonly failures: readonly string[];
  /** Rule kinds and scopes that this version does not have, where that is why the case failed. */
  readonly absent: readonly string[];
}

export async function test(files: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    if (files.length === 0) {
      throw new InputError("test", "no case file is named", "Name files, a folder or a glob.");
    }
    const results: CaseResult[] = [];
    const style = terminal.color ? colour : plain;
    for (const file of expandFiles(files, caseFiles)) {
      const { cases } = readCaseFile(file, await readText(file));
      const width = Math.max(...cases.map(({ id }) => id.length));
      for (const contractCase of cases) {
        const result = await runCase(contractCase);
        results.push(result);
        for (const line of caseLines(result, width, style)) terminal.out(line);
      }
    }
    terminal.out("");
    for (const line of summaryLines(results, style)) terminal.out(line);
    return results.some(({ failures }) => failures.length > 0) ? ExitCode.violations : ExitCode.ok;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    terminal.err(inputErrorText(error).trimEnd());
    return ExitCode.badInput;
  }
}

/** Every snapshot of one case, in turn. */
export async function runCase(contractCase: ContractCase): Promise<CaseResult> {
  const { id, snapshots } = contractCase;
  const sources = await caseSources(contractCase);
  const prepared = prepareCase(contractCase, sources, await caseInput(contractCase));
  if (!prepared.loaded) {
    return {
      id,
      failures: prepared.problems.map((problem) => problemText(contractCase, problem, sources)),
      absent: prepared.problems.flatMap((problem) => absentWord(contractCase, problem) ?? []),
    };
  }
  const states = prepared.run.snapshots();
  const failures = snapshots.flatMap((snapshot, index) => {
    const state = states[index];
    const found =
      state === undefined ? ["was not reached"] : differences(snapshot.expect, state, prepared.set);
    return snapshots.length === 1 ? found : found.map((text) => `snapshot ${index + 1}: ${text}`);
  });
  return { id, failures, absent: [] };
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

/** `kind lease`, `scope all`: what of the case this version lacks; null where the problem is another. */
function absentWord(contractCase: ContractCase, problem: LoadProblem): string | null {
  if (problem.code !== "not-in-this-version") return null;
  const { kind, scope } =
    contractCase.rules?.find((rule) => rule.id === ruleOfProblem(contractCase, problem)) ?? {};
  if (!problem.message.includes("scope"))
    return problem.message.includes("kind") ? `kind ${kind}` : problem.message;
  return typeof scope === "object" && scope !== null ? `scope ${Object.keys(scope)[0]}` : `scope ${scope}`;
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
  const waiting = failed.filter(({ absent }) => absent.length > 0);
  const counts = `${results.length - failed.length} ok, ${failed.length} failed`;
  const line = failed.length === 0 ? style.green(counts) : style.red(counts);
  if (waiting.length === 0) return [line];
  const words = [...new Set(waiting.flatMap(({ absent }) => absent))].sort();
  const ids = (word: string): string =>
    waiting.flatMap(({ id, absent }) => (absent.includes(word) ? [id] : [])).join(", ");
  return [
    `${line}, ${waiting.length} of them for what is not in this version:`,
    ...words.map((word) => `  ${word}: ${ids(word)}`),
  ];
}
