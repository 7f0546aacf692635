import type { Event } from "../model/event.ts";
import { type InstanceVerdict, severities } from "../model/verdict.ts";
import { actionOf } from "../processor/publish.ts";
import type { JudgedRule, JudgedRun } from "../processor/report.ts";
import type { ToolTraits } from "../rules/rule.ts";
import { timelineOf } from "../timeline/view-model.ts";
import { paintSeverity, type Style } from "./style.ts";
import type { CheckSummary } from "./summary.ts";
import { timelineRule } from "./timeline-rule.ts";
import { timelineText } from "./timeline-text.ts";

export interface TextReportInput {
  readonly runs: readonly JudgedRun[];
  readonly summary: CheckSummary;
  readonly tools: ReadonlyMap<string, ToolTraits>;
  readonly untimed: ReadonlySet<string>;
  readonly style: Style;
}

/** Timelines of one rule in one run; a loop that breaks it a thousand times says nothing new after a few. */
const shownPerRule = 5;

/** One timeline a finding, worst first within a run, then one line that sums up. */
export function textReport(input: TextReportInput): string {
  const findings = input.runs.flatMap((run) => findingsOf(run, input));
  const separator = `${input.style.dim("─".repeat(78))}\n`;
  return [findings.join(`\n${separator}\n`), summaryLine(input)].filter((part) => part !== "").join("\n");
}

function findingsOf(run: JudgedRun, input: TextReportInput): readonly string[] {
  return run.verdicts
    .flatMap((judged) => {
      const found = judged.result.instances.filter(isFinding);
      return found.map((instance, index) => ({ judged, instance, index, of: found.length }));
    })
    .filter(({ index }) => index < shownPerRule)
    .sort((a, b) => rank(a) - rank(b))
    .map(({ judged, instance, index, of }) => {
      const text = finding(run, judged, instance, input);
      const last = index === shownPerRule - 1 && of > shownPerRule;
      return last
        ? `${text}\n${input.style.dim(`… and ${of - shownPerRule} more of ${judged.rule.id} in this run`)}\n`
        : text;
    });
}

const isFinding = ({ verdict }: InstanceVerdict): boolean =>
  verdict === "violated" || verdict === "inconclusive";

function rank({
  judged,
  instance,
}: {
  readonly judged: JudgedRule;
  readonly instance: InstanceVerdict;
}): number {
  return (instance.verdict === "violated" ? 0 : severities.length) + severities.indexOf(judged.rule.severity);
}

function finding(
  run: JudgedRun,
  judged: JudgedRule,
  instance: InstanceVerdict,
  input: TextReportInput,
): string {
  const { contract, rule } = judged;
  const events = scopeEvents(run, judged, input.runs);
  const timeline = timelineOf({
    events,
    instance,
    rule: timelineRule(contract, rule, actionOf(rule, instance.verdict), instance, events),
    tools: input.tools,
    timed: !input.untimed.has(run.run),
  });
  const where = judged.scope === "run" ? run.run : `${run.run} (conversation ${judged.scopeKey})`;
  return timelineText(timeline, where, `${rule.id} (${rule.file}:${rule.range.line})`, input.style);
}

function scopeEvents(run: JudgedRun, judged: JudgedRule, runs: readonly JudgedRun[]): readonly Event[] {
  if (judged.scope === "run") return run.events;
  return runs.filter((other) => other.conversation === judged.scopeKey).flatMap((other) => other.events);
}

function summaryLine({ summary, style }: TextReportInput): string {
  const stale = summary.staleResults.superseded + summary.staleResults.turn;
  const seen = [
    counted(summary.runs, "run"),
    counted(summary.toolCalls, "tool call"),
    ...(stale > 0 ? [counted(stale, "stale result")] : []),
  ].join(", ");
  const total = severities.reduce((sum, severity) => sum + summary.violations[severity], 0);
  const { satisfied, vacuous } = summary.verdicts;
  if (total === 0 && summary.inconclusive === 0) {
    if (satisfied + vacuous === 0) {
      return `${style.yellow("nothing judged")}: ${seen}, and no contract took part\n`;
    }
    const held = satisfied > 0 ? [`${counted(satisfied, "verdict")} satisfied`] : [];
    const idle = vacuous > 0 ? [`${counted(vacuous, "rule")} had nothing to judge`] : [];
    return `${style.green("ok")}: ${[seen, ...held, ...idle].join(", ")}\n`;
  }
  const bySeverity = severities
    .filter((severity) => summary.violations[severity] > 0)
    .map((severity) => paintSeverity(style, severity, `${summary.violations[severity]} ${severity}`));
  const parts = [
    ...(total > 0 ? [`${counted(total, "violation")} (${bySeverity.join(", ")})`] : []),
    ...(summary.inconclusive > 0 ? [style.yellow(`${summary.inconclusive} undecided`)] : []),
    ...(satisfied > 0 ? [`${satisfied} satisfied`] : []),
  ];
  return `${seen}: ${parts.join(", ")}\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
