import type { Event } from "../model/event.ts";
import { actionOf } from "../processor/publish.ts";
import type { JudgedRule, JudgedRun } from "../processor/report.ts";
import type { ToolTraits } from "../rules/rule.ts";
import { type Timeline, timelineOf } from "../timeline/view-model.ts";
import type { Finding } from "./findings.ts";
import { timelineRule } from "./timeline-rule.ts";
import { printable } from "./timeline-text.ts";

/** What findings are shown against. */
export interface ShownRuns {
  readonly runs: readonly JudgedRun[];
  readonly tools: ReadonlyMap<string, ToolTraits>;
  /** Runs that a plain list without times describes. */
  readonly untimed: ReadonlySet<string>;
}

/** What every format of `check` shows of a finding. */
export function findingTimeline(
  { run, judged, instance }: Finding,
  { runs, tools, untimed }: ShownRuns,
): Timeline {
  const { contract, rule } = judged;
  const events = scopeEvents(run, judged, runs);
  return timelineOf({
    events,
    instance,
    rule: timelineRule(contract, rule, actionOf(rule, instance.verdict), instance, events),
    tools,
    timed: !untimed.has(run.run),
  });
}

/** The finding in a line: what failed, or why it is not decided. */
export function findingLine({ verdict, failure, reason }: Timeline): string {
  return printable(verdict === "inconclusive" && reason !== "" ? `not decided: ${reason}` : failure);
}

/** `incident`, or `incident (conversation c-7)` for a rule of a wider scope. */
export function scopeName(run: JudgedRun, { scope, scopeKey }: JudgedRule): string {
  return printable(scope === "run" ? run.run : `${run.run} (${scope} ${scopeKey})`);
}

function scopeEvents(run: JudgedRun, judged: JudgedRule, runs: readonly JudgedRun[]): readonly Event[] {
  if (judged.scope === "run") return run.events;
  return runs.filter((other) => other.conversation === judged.scopeKey).flatMap((other) => other.events);
}
