/**
 * What people have said about findings before this check: approvals, and the baseline. Read before anything is
 * judged, so that a broken file stops the check at once; applied after.
 */
import { writeFileSync } from "node:fs";
import type { LoadProblem } from "../model/load-error.ts";
import type { Contract } from "../rules/rule.ts";
import { applyApprovals, isDay, readApprovals } from "./approvals.ts";
import {
  type AppliedBaseline,
  applyBaseline,
  type BaselineEntry,
  baselineText,
  readBaseline,
} from "./baseline.ts";
import { readText, writeError } from "./files.ts";
import type { Finding } from "./findings.ts";
import { InputError } from "./input-error.ts";
import { showProblems } from "./show-problems.ts";
import type { Terminal } from "./terminal.ts";

export interface AnswerOptions {
  /** File of approvals; null: none. */
  readonly approvals: string | null;
  /** The day on which the check counts as run, `YYYY-MM-DD`: approvals end, and `check` asks no clock. */
  readonly today: string | null;
  /** Known drift; null: none. */
  readonly baseline: string | null;
  /** Write the baseline from what is found, instead of comparing with it. */
  readonly writeBaseline: boolean;
}

export interface Answers {
  apply(findings: readonly Finding[], contracts: readonly Contract[]): Answered;
}

export interface Answered {
  readonly findings: readonly Finding[];
  readonly baseline: AppliedBaseline | null;
  /** An approval is an error. */
  readonly badInput: boolean;
}

/** Null after every problem was shown. */
export async function answer(options: AnswerOptions, terminal: Terminal): Promise<Answers | null> {
  const approvals = await approvalsOf(options, terminal);
  if (approvals === null) return null;
  const baseline = await baselineOf(options, terminal);
  return {
    apply(findings, contracts) {
      const approved = approvals(findings, contracts);
      const known = baseline(approved.findings);
      return { findings: known?.findings ?? approved.findings, baseline: known, badInput: approved.badInput };
    },
  };
}

type Approve = (
  findings: readonly Finding[],
  contracts: readonly Contract[],
) => { readonly findings: readonly Finding[]; readonly badInput: boolean };

async function approvalsOf(
  { approvals: file, today }: AnswerOptions,
  terminal: Terminal,
): Promise<Approve | null> {
  if (today !== null && !isDay(today)) {
    throw new InputError("--today", `"${today}" is not a day`, "Write year, month and day: 2026-12-31.");
  }
  if (file === null) return (findings) => ({ findings, badInput: false });
  if (today === null) {
    throw new InputError(
      "--approvals",
      "approvals end on a day, and no day is given",
      'Add --today "$(date +%F)": a check asks no clock, so that the same files and options give the same result.',
    );
  }
  const text = await readText(file);
  const show = (problems: readonly LoadProblem[]): void => showProblems(problems, [{ file, text }], terminal);
  const { approvals, problems } = readApprovals(file, text);
  show(problems);
  if (problems.length > 0) return null;
  return (findings, contracts) => {
    const applied = applyApprovals(findings, approvals, contracts, today, file);
    show(applied.problems);
    return { findings: applied.findings, badInput: applied.problems.length > 0 };
  };
}

type Compare = (findings: readonly Finding[]) => AppliedBaseline | null;

async function baselineOf(
  { baseline: file, writeBaseline }: AnswerOptions,
  terminal: Terminal,
): Promise<Compare> {
  if (file === null) {
    if (!writeBaseline) return () => null;
    throw new InputError("--write-baseline", "no baseline is named", "Name its file with --baseline FILE.");
  }
  if (writeBaseline) return (findings) => write(file, findings, terminal);
  const entries = readBaseline(file, await readText(file));
  return (findings) => {
    const applied = applyBaseline(findings, entries);
    for (const line of goneLines(applied.gone)) terminal.err(line);
    return applied;
  };
}

function write(file: string, findings: readonly Finding[], terminal: Terminal): AppliedBaseline {
  const text = baselineText(findings);
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw writeError(file, error);
  }
  const applied = applyBaseline(findings, readBaseline(file, text));
  terminal.err(`${file}: ${applied.known} finding${applied.known === 1 ? "" : "s"} written`);
  const blocking = findings.filter(
    ({ tier, standing }) => tier === "blocking" && standing.is === "open",
  ).length;
  if (blocking > 0) {
    terminal.err(`note: ${blocking} blocking left out: what blocks needs a repair or an approval`);
  }
  return applied;
}

/** What is over is good news, and it says that the baseline can shrink. */
function goneLines(gone: readonly BaselineEntry[]): readonly string[] {
  return gone.map(({ contract, rule, file, event, count }) => {
    const what = event === null ? "" : ` at ${event}`;
    const often = count === 1 ? "" : ` (${count} times)`;
    return `note: known and gone: ${contract}/${rule}${what} in ${file}${often}; --write-baseline takes it out`;
  });
}
