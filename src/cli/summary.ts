import type { DetectionOutput, DetectorName, StaleReason } from "../model/output.ts";
import { type Severity, severities, type Verdict } from "../model/verdict.ts";
import type { JudgedRun } from "../processor/report.ts";
import type { Finding, Tier } from "./findings.ts";

/** The least severity that fails a check; `never`: none does. */
export type FailOn = Severity | "never";
export const failOnWords: readonly FailOn[] = [...severities, "never"];

export interface CheckSummary {
  readonly runs: number;
  /** Calls that ran: not those that were refused before, are awaiting, or were only asked for. */
  readonly toolCalls: number;
  /** Violated instances, approved and known ones too; one for a rule without an anchor. */
  readonly violations: Readonly<Record<Severity, number>>;
  readonly inconclusive: number;
  /** Stale results by reason, and how many detections of every kind there are. */
  readonly staleResults: Readonly<Record<StaleReason, number>>;
  readonly detections: Readonly<Partial<Record<DetectorName, number>>>;
  /** Verdicts by what they said, one a rule and scope. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Findings that nobody has answered for, by what they ask. */
  readonly tiers: Readonly<Record<Tier, number>>;
  readonly approved: number;
  readonly known: number;
  readonly failOn: FailOn;
  /** 0 nothing above the threshold, 1 violations, 2 an approval that is an error, 3 only undecided ones. */
  readonly exitCode: 0 | 1 | 2 | 3;
}

const didNotRun: ReadonlySet<string> = new Set(["awaiting", "rejected_invalid", "requested"]);

/** @param badInput whether something about the files was an error, although all could be judged. */
export function summarize(
  runs: readonly JudgedRun[],
  findings: readonly Finding[],
  failOn: FailOn,
  badInput = false,
): CheckSummary {
  const judged = runs.flatMap((run) => run.verdicts);
  const violations = { critical: 0, high: 0, medium: 0, low: 0 };
  const verdicts = { violated: 0, inconclusive: 0, pending: 0, satisfied: 0, vacuous: 0 };
  const standing = { open: 0, approved: 0, known: 0, new: 0 };
  const tiers = { blocking: 0, review: 0, drift: 0 };
  for (const { result } of judged) verdicts[result.verdict] += 1;
  for (const finding of findings) {
    if (finding.verdict === "violated") violations[finding.judged.rule.severity] += 1;
    standing[finding.standing.is] += 1;
    if (!isAnswered(finding)) tiers[finding.tier] += 1;
  }
  const detections = runs.flatMap((run) => run.detections);
  return {
    runs: runs.length,
    toolCalls: runs
      .flatMap((run) => run.events)
      .filter((event) => event.kind === "tool_call" && !didNotRun.has(event.status)).length,
    violations,
    inconclusive: findings.filter(({ verdict }) => verdict === "inconclusive").length,
    staleResults: staleByReason(detections),
    detections: countBy(detections.map(({ detector }) => detector)),
    verdicts,
    tiers,
    approved: standing.approved,
    known: standing.known,
    failOn,
    exitCode: badInput ? 2 : exitCodeOf(findings, failOn),
  };
}

function staleByReason(detections: readonly DetectionOutput[]): Record<StaleReason, number> {
  const none: Record<StaleReason, number> = { superseded: 0, turn: 0, run: 0, version: 0, cancelled: 0 };
  const stale = detections.filter(({ detector }) => detector === "stale_result");
  return { ...none, ...countBy(stale.map(({ reason }) => reason)) };
}

function countBy<K extends string>(words: readonly K[]): Partial<Record<K, number>> {
  const counts: Partial<Record<K, number>> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function exitCodeOf(findings: readonly Finding[], failOn: FailOn): 0 | 1 | 3 {
  const failing = findings.filter((finding) => fails(finding, failOn));
  if (failing.some(({ verdict }) => verdict === "violated")) return 1;
  return failing.length > 0 ? 3 : 0;
}

/** Approved, or listed in the baseline. */
export function isAnswered({ standing }: Finding): boolean {
  return standing.is === "approved" || standing.is === "known";
}

/**
 * Preferences are drift and trials are rehearsals: neither fails a check. Where there is a baseline, what it
 * does not list fails whatever its severity, since that is what a baseline is for.
 */
export function fails(finding: Finding, failOn: FailOn): boolean {
  const { rule } = finding.judged;
  if (failOn === "never" || isAnswered(finding)) return false;
  if (finding.standing.is === "new") return true;
  if (rule.class === "preference" || rule.stage === "trial") return false;
  return severities.indexOf(rule.severity) <= severities.indexOf(failOn);
}

/** Why a finding does not fail the check. */
export function whyMild({ standing, judged }: Finding, { failOn }: CheckSummary): string {
  if (standing.is === "approved") {
    return `approved by ${standing.by} until ${standing.until}: ${standing.reason}`;
  }
  if (standing.is === "known") return "known from the baseline";
  if (judged.rule.stage === "trial") return "and on trial";
  if (judged.rule.class === "preference") return "and a preference";
  return failOn === "never"
    ? "and nothing fails this check"
    : `and ${judged.rule.severity} is below ${failOn}`;
}
