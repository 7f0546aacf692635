/**
 * Timelines show what happened: an effect event that was made of a call stands for that call, and is no row of its
 * own.
 */
import type { Event } from "../model/event.ts";
import type { InstanceVerdict } from "../model/verdict.ts";

export interface Shown {
  readonly events: readonly Event[];
  readonly instance: InstanceVerdict;
}

/** The same, with calls in place of the effect events that were made of them. */
export function byCalls(events: readonly Event[], instance: InstanceVerdict): Shown {
  const calls = new Map<string, string>();
  for (const { id, fields } of events) {
    const call = fields.get("event_id");
    if (fields.has("ledger") && typeof call === "string" && call !== id) calls.set(id, call);
  }
  if (calls.size === 0) return { events, instance };
  const callOf = (id: string): string => calls.get(id) ?? id;
  return {
    events: events.filter(({ id }) => !calls.has(id)),
    instance: {
      ...instance,
      anchor: instance.anchor === null ? null : callOf(instance.anchor),
      witness: instance.witness === null ? null : callOf(instance.witness),
      involved: [...new Set(instance.involved.map(callOf))],
      nearMisses: instance.nearMisses.map(({ event, code }) => ({ event: callOf(event), code })),
    },
  };
}
