/**
 * What detectors found, as fields of the events it is about, so that every rule can read it:
 * `{tool: send_mail, stale: superseded}` (docs/causality.md#fields).
 *
 * A field lists the reasons that are certain. A reason that may be is not listed: the field is then hidden in
 * part, with the code, and one that a later arrival may still bring is unsettled. A rule so never reads a reason
 * as absent that is only not known.
 */
import type { Event } from "../../model/event.ts";
import type { Value } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import type { Detector, Finding } from "./detector.ts";
import { detectors } from "./detectors.ts";

export interface FieldInput {
  readonly findings: readonly Finding[];
  /** Fields that a loaded rule reads: no other is set. */
  readonly wanted: ReadonlySet<string>;
  /** Whether nothing that could change what is known of the event at that point can still come. */
  readonly settled: (event: Event, at: Detector["settledAt"]) => boolean;
}

/** The same events with their fields, in the same order; the very same list where none has any. */
export function withFields(events: readonly Event[], input: FieldInput): readonly Event[] {
  const used = detectors.filter(({ field }) => field !== null && input.wanted.has(field));
  if (used.length === 0) return events;
  const byEvent = Map.groupBy(input.findings, ({ event }) => event);
  let changed = false;
  const made = events.map((event) => {
    const next = withOwn(event, used, byEvent.get(event) ?? [], input);
    changed ||= next !== event;
    return next;
  });
  return changed ? made : events;
}

function withOwn(
  event: Event,
  used: readonly Detector[],
  findings: readonly Finding[],
  { settled }: FieldInput,
): Event {
  const fields = new Map<string, Value>();
  const hidden = new Map<string, Code>();
  const unsettled = new Set<string>();
  for (const detector of used) {
    const { field, name } = detector;
    if (field === null || !detector.about(event)) continue;
    const done = settled(event, detector.settledAt);
    if (!done) unsettled.add(field);
    const own = findings.filter((finding) => finding.detector === name);
    const listed = own.filter((finding) => finding.truth === "true" && (done || finding.stands === true));
    if (listed.length > 0) fields.set(field, [...new Set(listed.map(({ reason }) => reason))]);
    const open = own.find(({ truth }) => truth === "unknown");
    if (open !== undefined) hidden.set(field, open.code ?? "order_unknown");
  }
  if (fields.size + hidden.size + unsettled.size === 0) return event;
  return {
    ...event,
    fields: merged(event.fields, fields),
    hidden: merged(event.hidden, hidden),
    unsettled: unsettled.size === 0 ? event.unsettled : event.unsettled.union(unsettled),
  };
}

function merged<V>(own: ReadonlyMap<string, V>, more: ReadonlyMap<string, V>): ReadonlyMap<string, V> {
  return more.size === 0 ? own : new Map([...own, ...more]);
}
