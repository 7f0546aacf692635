import { severities } from "../model/verdict.ts";
import { decisionGaps } from "../processor/decision-gaps.ts";
import { transitionsOf } from "../processor/transitions.ts";
import { findingTimeline, type ShownRuns, scopeName } from "./finding-timeline.ts";
import { type Finding, tiers } from "./findings.ts";
import { paintSeverity, plain, type Style } from "./style.ts";
import { type CheckSummary, isAnswered } from "./summary.ts";
import { printable, timelineText } from "./timeline-text.ts";
import { transitionsText } from "./transitions-text.ts";

export interface ReportInput extends ShownRuns {
  /** Worst first. */
  readonly findings: readonly Finding[];
  readonly summary: CheckSummary;
  /** Also what was decided about each event (`--trace`). */
  readonly trace: boolean;
}

/** Timelines of one rule in one run; a loop that breaks it a thousand times says nothing new after a few. */
export const shownPerRule = 5;
/** Lines of one tier at the end; past this the timelines above say it better. */
const shownPerTier = 20;

/** One timeline a finding, worst first within a run; then what it comes to. */
export function textReport(input: ReportInput, style: Style): string {
  const byRun = Map.groupBy(input.findings, ({ run }) => run);
  const texts = input.runs.flatMap((run) => timelineTexts(byRun.get(run) ?? [], input, style));
  const separator = `${style.dim("─".repeat(78))}\n`;
  return [texts.join(`\n${separator}\n`), ...traceTexts(input, style), conclusion(input, style)]
    .filter((part) => part !== "")
    .join("\n");
}

function traceTexts({ runs, trace }: ReportInput, style: Style): readonly string[] {
  if (!trace) return [];
  const transitions = transitionsOf(runs);
  return runs.map(({ run, events }) =>
    transitionsText(run, transitions.get(run) ?? [], decisionGaps(events), style),
  );
}

/** The timelines of one run's findings, the first few of each rule. What has its answer is only listed at the end. */
function timelineTexts(findings: readonly Finding[], input: ReportInput, style: Style): readonly string[] {
  const open = findings.filter((finding) => !isAnswered(finding));
  const more = leftOut(open);
  return open.flatMap((finding) => {
    const rest = more.get(finding);
    if (rest === undefined) return [];
    const text = findingText(finding, input, style);
    return rest === 0
      ? [text]
      : [`${text}\n${style.dim(`… and ${rest} more of ${finding.judged.rule.id} in this run`)}\n`];
  });
}

/** The first few findings of each rule in each scope, with how many come after the last of them. */
export function leftOut(findings: readonly Finding[]): ReadonlyMap<Finding, number> {
  const shown = new Map<Finding, number>();
  for (const ofRule of Map.groupBy(findings, ({ judged }) => judged).values()) {
    const first = ofRule.slice(0, shownPerRule);
    first.forEach((finding, place) => {
      shown.set(finding, place === shownPerRule - 1 ? ofRule.length - shownPerRule : 0);
    });
  }
  return shown;
}

export function findingText(finding: Finding, shown: ShownRuns, style: Style = plain): string {
  const { run, judged } = finding;
  const { rule } = judged;
  return timelineText(
    findingTimeline(finding, shown),
    scopeName(run, judged),
    `${rule.id} (${rule.file}:${rule.range.line})`,
    style,
  );
}

/** One line that sums up, then what is to be done: what blocks, what somebody should look at, what is recorded. */
export function conclusion(input: ReportInput, style: Style = plain): string {
  return [
    summaryLine(input, style),
    ...openEffectLines(input, style),
    ...detectionLines(input, style),
    ...tierLines(input, style),
  ].join("\n");
}

/** Effects whose end nobody knows, each with what would close it. */
function openEffectLines({ runs }: ReportInput, style: Style): readonly string[] {
  const open = runs.flatMap(({ effectsOpen, run }) => effectsOpen.map((effect) => ({ ...effect, run })));
  if (open.length === 0) return [];
  const lines = open.map(({ ledger, state, tool, event, closedBy }) =>
    printable(`${state.padEnd(20)}  ${ledger}  ${tool ?? ""} (${event})  closed by ${closedBy}`),
  );
  return [...block(style.yellow(`Open effects: ${open.length}`), lines, style), ""];
}

/** What detectors found: whose, because of whom, and whether a stale result was used. */
function detectionLines({ runs }: ReportInput, style: Style): readonly string[] {
  const found = runs.flatMap(({ detections }) => detections);
  if (found.length === 0) return [];
  const lines = found.map(({ detector, reason, tool, event, by, applied }) => {
    const cause = by === null || by === event ? "" : `  by ${by}`;
    const use = applied === null || detector !== "stale_result" ? "" : `  ${used[applied]}`;
    return printable(`${detector.padEnd(16)}  ${reason}  ${tool} (${event})${cause}${use}`);
  });
  return [...block(style.yellow(`Detections: ${found.length}`), lines, style), ""];
}

const used = { true: "used", false: "not used", unknown: "use unknown" } as const;

const tierWords = { blocking: "Blocking", review: "Needs review", drift: "Drift" } as const;

/** Nothing where there is no finding; else every tier, an empty one too. */
function tierLines({ findings, summary }: ReportInput, style: Style): readonly string[] {
  if (findings.length === 0) return [];
  const lines = tiers.flatMap((tier) => {
    const open = findings.filter((finding) => finding.tier === tier && !isAnswered(finding));
    return block(style.bold(`${tierWords[tier]}: ${open.length}`), open.map(lineOf), style);
  });
  const approved = findings.flatMap((finding) => approvalLine(finding));
  return [
    ...(approved.length === 0 ? [] : block(style.bold(`Approved: ${approved.length}`), approved, style)),
    ...(summary.known === 0 ? [] : [style.bold(`Known from the baseline: ${summary.known}`)]),
    ...lines,
    "",
  ];
}

/** A heading and its lines, equal ones once with their number. */
function block(heading: string, lines: readonly string[], style: Style): readonly string[] {
  const rows = tally(lines);
  const more = rows.length - shownPerTier;
  return [
    heading,
    ...rows.slice(0, shownPerTier).map((row) => `  ${row}`),
    ...(more > 0 ? [style.dim(`  … and ${more} more`)] : []),
  ];
}

/** `critical  auth-gate  incident`: what somebody has to look for above. */
function lineOf({ run, judged, verdict, standing }: Finding): string {
  const { rule } = judged;
  const marks = [
    verdict === "inconclusive" ? "undecided" : "",
    rule.stage === "trial" ? "on trial" : "",
    rule.class === "preference" ? "preference" : "",
    standing.is === "new" ? "not in the baseline" : "",
  ].filter((mark) => mark !== "");
  const suffix = marks.length === 0 ? "" : `  (${marks.join(", ")})`;
  return `${rule.severity.padEnd(8)}  ${judged.contract.name}/${rule.id}  ${scopeName(run, judged)}${suffix}`;
}

function approvalLine({ standing, judged, run }: Finding): readonly string[] {
  if (standing.is !== "approved") return [];
  const { by, until, reason } = standing;
  const what = `${judged.contract.name}/${judged.rule.id}  ${scopeName(run, judged)}`;
  return [printable(`${what}  by ${by} until ${until}: ${reason}`)];
}

/** In the order of the first of each. */
function tally(lines: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line}  ×${count}`));
}

function summaryLine({ summary }: ReportInput, style: Style): string {
  const stale = summary.detections.stale_result ?? 0;
  const seen = [
    counted(summary.runs, "run"),
    counted(summary.toolCalls, "tool call"),
    ...(stale > 0 ? [counted(stale, "stale result")] : []),
  ].join(", ");
  const total = severities.reduce((sum, severity) => sum + summary.violations[severity], 0);
  const { satisfied, vacuous } = summary.verdicts;
  // Of scopes that never close; everything else has ended with the input.
  const pending = summary.verdicts.pending > 0 ? [`${summary.verdicts.pending} still pending`] : [];
  if (total === 0 && summary.inconclusive === 0) {
    if (satisfied + vacuous + pending.length === 0) {
      return `${style.yellow("nothing judged")}: ${seen}, and no contract took part\n`;
    }
    const held = satisfied > 0 ? [`${counted(satisfied, "verdict")} satisfied`] : [];
    const idle = vacuous > 0 ? [`${counted(vacuous, "rule")} had nothing to judge`] : [];
    return `${style.green("ok")}: ${[seen, ...held, ...idle, ...pending].join(", ")}\n`;
  }
  const bySeverity = severities
    .filter((severity) => summary.violations[severity] > 0)
    .map((severity) => paintSeverity(style, severity, `${summary.violations[severity]} ${severity}`));
  const parts = [
    ...(total > 0 ? [`${counted(total, "violation")} (${bySeverity.join(", ")})`] : []),
    ...(summary.inconclusive > 0 ? [style.yellow(`${summary.inconclusive} undecided`)] : []),
    ...(satisfied > 0 ? [`${satisfied} satisfied`] : []),
    ...pending,
  ];
  return `${seen}: ${parts.join(", ")}\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
