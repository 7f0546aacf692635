/**
 * Where detectors meet the pipeline: once a look they are asked about each conversation of a group, what they
 * found is put on the events that rules read, and what can no longer change is counted and recorded, once.
 */
import type { Event } from "../model/event.ts";
import type { DetectionOutput, Output } from "../model/output.ts";
import type { UnixNano } from "../model/time.ts";
import { dispositionAtFirst, tellHeld } from "./callbacks-held.ts";
import { effectOf } from "./count-events.ts";
import { type Use, usesOf } from "./detect/applied.ts";
import type { DetectInput, Detector, Finding } from "./detect/detector.ts";
import { detectAll, detectors } from "./detect/detectors.ts";
import { withFields } from "./detect/fields.ts";
import type { Orders } from "./evaluate.ts";
import { anchorOf } from "./identity.ts";
import { waited } from "./run/waits.ts";
import type { JudgedScope } from "./scopes.ts";
import type { Loaded, State } from "./state.ts";

/** What was found in the conversations of one group. */
export interface Detected {
  /** The scopes, their events with the fields that rules read. */
  readonly scopes: readonly JudgedScope[];
  /** Conversation → what was found in it. */
  readonly found: ReadonlyMap<JudgedScope, Conversation>;
  /** The event as rules read it. */
  readonly read: (event: Event) => Event;
}

interface Conversation {
  readonly input: DetectInput;
  readonly findings: readonly Finding[];
}

/** `always`: also where no rule reads what would be found. */
export function detect(
  state: State,
  scopes: readonly JudgedScope[],
  loaded: Loaded,
  orders: Orders,
  always: boolean,
): Detected {
  const found = new Map<JudgedScope, Conversation>();
  const same = { scopes, found, read: (event: Event) => event };
  if (!always && loaded.detected.size === 0) return same;
  const replaced = new Map<Event, Event>();
  for (const scope of scopes) {
    if (scope.is !== "conversation") continue;
    const input = inputOf(scope, loaded, orders);
    const findings = detectAll(input);
    found.set(scope, { input, findings });
    if (loaded.detected.size === 0) continue;
    const settled = settledIn(state, scope, loaded);
    const events = withFields(scope.events, { findings, wanted: loaded.detected, settled });
    events.forEach((event, i) => {
      const was = scope.events[i];
      if (was !== undefined && was !== event) replaced.set(was, event);
    });
  }
  if (replaced.size === 0) return same;
  const read = (event: Event): Event => replaced.get(event) ?? event;
  // Scopes that share one list of events go on sharing it: what is made of a list serves both.
  const lists = new Map<readonly Event[], readonly Event[]>();
  const listOf = (events: readonly Event[]): readonly Event[] => {
    const known = lists.get(events) ?? events.map(read);
    lists.set(events, known);
    return known;
  };
  const shown = scopes.map((scope): JudgedScope => ({ ...scope, events: listOf(scope.events) }));
  scopes.forEach((scope, i) => {
    const own = found.get(scope);
    const next = shown[i];
    if (own !== undefined && next !== undefined) found.set(next, own);
  });
  return { scopes: shown, found, read };
}

function inputOf(scope: JudgedScope, loaded: Loaded, orders: Orders): DetectInput {
  const runs = new Map(scope.runs.map((run) => [run.traceId, run]));
  const closed = (run: string): boolean => scope.closed !== null || runs.get(run)?.closed != null;
  return {
    events: scope.events,
    order: orders.of(scope),
    tools: loaded.set.tools,
    slot: { is: loaded.settings.slot ?? "tool" },
    gap: scope.gap,
    commute: (a, b) => loaded.commutes(a, b, closed(a.run) && closed(b.run)),
    closed,
  };
}

function settledIn(
  state: State,
  scope: JudgedScope,
  loaded: Loaded,
): (event: Event, at: Detector["settledAt"]) => boolean {
  const runs = new Map(scope.runs.map((run) => [run.traceId, run]));
  return (event, at) => {
    if (scope.closed !== null) return true;
    const closed = runs.get(event.run)?.closed != null;
    if (at === "close") return closed && scope.runsClosed !== null;
    if (at === "finished_at" && event.end === "open") return closed;
    if (state.watermark !== null) {
      const latest = latestOf(event, at);
      const skew = loaded.settings.clock.skew ?? 0n;
      return latest !== null && latest + skew < state.watermark;
    }
    const arrived = at === "finished_at" ? (event.endArrivedAt ?? event.arrivedAt) : event.arrivedAt;
    return closed || waited(arrived, state.now, state.deaf) >= loaded.settings.decisionWait;
  };
}

function latestOf(event: Event, at: "started_at" | "finished_at"): UnixNano | null {
  const moment = at === "started_at" ? event.start : event.end;
  if (typeof moment === "string") return null;
  return "at" in moment ? moment.at : moment.latest;
}

/** What of the conversation's findings can be told now and was not told before. */
export function tellDetections(
  state: State,
  scope: JudgedScope,
  loaded: Loaded,
  { input, findings }: Conversation,
): Output[] {
  if (findings.length === 0) return tellHeld(scope, findings, state.now);
  const runs = new Map(scope.runs.map((run) => [run.traceId, run]));
  const settled = settledIn(state, scope, loaded);
  const use = usesOf(input);
  const outputs: Output[] = [];
  for (const finding of findings) {
    if (finding.truth !== "true" || finding.echo === true) continue;
    const run = runs.get(finding.event.run);
    const id = `${finding.detector} ${finding.reason} ${anchorOf(finding.event)}`;
    if (run === undefined || run.detected.has(id) || !settled(finding.event, countedAt(finding))) continue;
    run.detected.add(id);
    outputs.push(detectionOf(finding, use(finding.event), loaded, state.now));
  }
  return [...outputs, ...tellHeld(scope, findings, state.now)];
}

/** A use that is seen stands, whatever else comes: it need not wait for the close. */
function countedAt({ detector }: Finding): Detector["settledAt"] {
  const at = detectors.find(({ name }) => name === detector)?.settledAt ?? "finished_at";
  return at === "close" ? "finished_at" : at;
}

export function detectionOf(finding: Finding, use: Use, loaded: Loaded, at: UnixNano): DetectionOutput {
  const { detector, reason, event, by, identity, order, note } = finding;
  return {
    type: "detection",
    detector,
    reason,
    tool: event.name ?? "unknown",
    effect: effectOf(loaded.set.tools.get(event.name ?? "")),
    event: event.id,
    by: by?.id ?? null,
    run: event.run,
    conversation: event.conversation,
    at,
    applied: detector === "stale_result" ? use.truth : detector === "stale_applied" ? "true" : null,
    evidence: { identity, order, note },
    ...(finding.conflict !== undefined && { conflict: finding.conflict }),
    ...(detector === "callback" && { disposition: dispositionAtFirst(finding) }),
  };
}

/** Every certain finding of a conversation as it stands, whether it was told or not. */
export function standing({ input, findings }: Conversation, loaded: Loaded, at: UnixNano): DetectionOutput[] {
  const use = usesOf(input);
  return findings
    .filter(({ truth, echo }) => truth === "true" && echo !== true)
    .map((finding) => detectionOf(finding, use(finding.event), loaded, at));
}
