import { type Severity, severities, type Verdict } from "../model/verdict.ts";
import type { JudgedRule, JudgedRun } from "../processor/report.ts";
import type { Rule } from "../rules/rule.ts";

/** The least severity that fails a check; `never`: none does. */
export type FailOn = Severity | "never";
export const failOnWords: readonly FailOn[] = [...severities, "never"];

export interface CheckSummary {
  readonly runs: number;
  /** Calls that ran: not those that were refused before, are awaiting, or were only asked for. */
  readonly toolCalls: number;
  /** Violated instances; one for a rule without an anchor. */
  readonly violations: Readonly<Record<Severity, number>>;
  readonly inconclusive: number;
  readonly staleResults: { readonly superseded: number; readonly turn: number };
  /** Verdicts by what they said, one a rule and scope. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** 0 nothing above the threshold, 1 violations, 3 only undecided ones. */
  readonly exitCode: 0 | 1 | 3;
}

const didNotRun: ReadonlySet<string> = new Set(["awaiting", "rejected_invalid", "requested"]);

export function summarize(runs: readonly JudgedRun[], failOn: FailOn): CheckSummary {
  const judged = runs.flatMap((run) => run.verdicts);
  const violations = { critical: 0, high: 0, medium: 0, low: 0 };
  const verdicts = { violated: 0, inconclusive: 0, pending: 0, satisfied: 0, vacuous: 0 };
  let inconclusive = 0;
  for (const { rule, result } of judged) {
    violations[rule.severity] += result.instances.filter(({ verdict }) => verdict === "violated").length;
    inconclusive += result.instances.filter(({ verdict }) => verdict === "inconclusive").length;
    verdicts[result.verdict] += 1;
  }
  const detections = runs.flatMap((run) => run.detections);
  return {
    runs: runs.length,
    toolCalls: runs
      .flatMap((run) => run.events)
      .filter((event) => event.kind === "tool_call" && !didNotRun.has(event.status)).length,
    violations,
    inconclusive,
    staleResults: {
      superseded: detections.filter(({ reason }) => reason === "superseded").length,
      turn: detections.filter(({ reason }) => reason === "turn").length,
    },
    verdicts,
    exitCode: exitCodeOf(judged, failOn),
  };
}

function exitCodeOf(judged: readonly JudgedRule[], failOn: FailOn): 0 | 1 | 3 {
  const failing = judged.filter(({ rule }) => counts(rule, failOn));
  if (failing.some(({ result }) => result.verdict === "violated")) return 1;
  return failing.some(
    ({ result }) =>
      result.instances.some(({ verdict }) => verdict === "inconclusive") || result.verdict === "inconclusive",
  )
    ? 3
    : 0;
}

/** Preferences are drift and trials are rehearsals: neither fails a check. */
function counts(rule: Rule, failOn: FailOn): boolean {
  if (failOn === "never" || rule.class === "preference" || rule.stage === "trial") return false;
  return severities.indexOf(rule.severity) <= severities.indexOf(failOn);
}
