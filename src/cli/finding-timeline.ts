import { type Event, readField } from "../model/event.ts";
import { canonicalText } from "../model/value.ts";
import type { InstanceVerdict } from "../model/verdict.ts";
import { actionOf } from "../processor/publish.ts";
import type { JudgedRule, JudgedRun } from "../processor/report.ts";
import type { Path } from "../rules/pattern.ts";
import type { ToolTraits } from "../rules/rule.ts";
import { keyText } from "../rules/values.ts";
import { markDetections } from "../timeline/detection-marks.ts";
import { type Timeline, timelineOf } from "../timeline/view-model.ts";
import { byCalls } from "./effect-calls.ts";
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
  { run, judged, instance: found }: Finding,
  { runs, tools, untimed }: ShownRuns,
): Timeline {
  const { contract, rule } = judged;
  const { events, instance } = byCalls(scopeEvents(run, judged, found, runs), found);
  const timeline = timelineOf({
    events,
    instance,
    rule: timelineRule(contract, rule, actionOf(rule, instance.verdict), instance, events),
    tools,
    timed: !untimed.has(run.run),
  });
  return { ...timeline, rows: markDetections(timeline.rows, run.detections, events) };
}

/** The finding in a line: what failed, or why it is not decided. */
export function findingLine({ verdict, failure, reason }: Timeline): string {
  return printable(verdict === "inconclusive" && reason !== "" ? `not decided: ${reason}` : failure);
}

/** `incident`; `incident (conversation c-7)`, `(key T-1)` or `(all runs)` for a rule of a wider scope. */
export function scopeName(run: JudgedRun, { scope, scopeKey }: JudgedRule): string {
  const wider = scope === "all" ? "all runs" : `${scope} ${scopeKey}`;
  const itself = scope === "run" || (scope === "conversation" && scopeKey === run.run);
  return printable(itself ? run.run : `${run.run} (${wider})`);
}

function scopeEvents(
  run: JudgedRun,
  { rule, scope, scopeKey }: JudgedRule,
  instance: InstanceVerdict,
  runs: readonly JudgedRun[],
): readonly Event[] {
  if (scope === "run") return run.events;
  if (scope === "conversation") {
    // A run that names no conversation is one by itself.
    return runs
      .filter((other) => (other.conversation ?? other.run) === scopeKey)
      .flatMap((other) => other.events);
  }
  const ofScope = rule.scope;
  if (ofScope.is === "key") {
    return runs.flatMap((other) => other.events.filter((event) => keyOf(event, ofScope.path) === scopeKey));
  }
  // Everything is too much to look at: only the runs that the verdict speaks of.
  const named = new Set([
    instance.anchor,
    instance.witness,
    ...instance.involved,
    ...instance.nearMisses.map(({ event }) => event),
  ]);
  return runs
    .filter((other) => other === run || other.events.some(({ id }) => named.has(id)))
    .flatMap((other) => other.events);
}

function keyOf(event: Event, path: Path): string | null {
  const reading = readField(event, path);
  return reading.is === "value" ? (keyText(reading.value) ?? canonicalText(reading.value)) : null;
}
