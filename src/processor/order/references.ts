import type { Event, SpanRef } from "../../model/event.ts";
import { isArray, type Value } from "../../model/value.ts";

/**
 * Finds the event that a reference means. Causal parents, links and span parents name events by event id (ours,
 * then the one that the event states), by span id or by call id; each is tried in this order.
 *
 * A reference that more than one event could be meant by resolves to nothing: a call id is not unique, and an
 * edge that may be wrong is worse than none.
 */
export interface References {
  /** The event that owns this span; null when the span is no event, or is not here. */
  span(ref: SpanRef): Event | null;
  /** The event that a causal parent, link or parent of `from` names as text. */
  named(text: string, from: Event): Event | null;
}

export function indexReferences(events: readonly Event[]): References {
  const byId = new Map<string, Event>();
  const bySpan = new Map<string, Event>();
  const bySpanId = new Map<string, Event | null>();
  const byCall = new Map<string, Event | null>();
  const byCallInRun = new Map<string, Event | null>();
  /** By the id that an event states of itself, which others may know it by. */
  const byOwnId = new Map<string, Event | null>();
  const once = (map: Map<string, Event | null>, key: string, event: Event): void => {
    const known = map.get(key);
    map.set(key, known === undefined || known === event ? event : null);
  };

  for (const event of events) {
    byId.set(event.id, event);
    const own = event.fields.get("event_id");
    if (typeof own === "string") once(byOwnId, own, event);
    for (const span of event.spans) {
      const key = `${span.traceId}:${span.spanId}`;
      const known = bySpan.get(key);
      // A span may carry several events (a call that is also the final answer): the first by id stands for it.
      if (known === undefined || event.id < known.id) bySpan.set(key, event);
      once(bySpanId, span.spanId, event);
    }
    if (event.callId !== null) {
      once(byCall, event.callId, event);
      once(byCallInRun, `${event.run}:${event.callId}`, event);
    }
  }

  return {
    span: (ref) => {
      const key = `${ref.traceId}:${ref.spanId}`;
      return bySpan.get(key) ?? byId.get(key) ?? byId.get(ref.spanId) ?? null;
    },
    named(text, from) {
      const inRun = `${from.run}:${text}`;
      const exact = byId.get(text) ?? byId.get(inRun) ?? bySpan.get(text) ?? bySpan.get(inRun);
      if (exact !== undefined) return exact;
      const own = byOwnId.get(text);
      if (own !== undefined) return own;
      const span = bySpanId.get(text);
      if (span !== undefined) return span;
      const near = byCallInRun.get(`${from.run}:${text}`);
      if (near !== undefined) return near;
      return byCall.get(text) ?? null;
    },
  };
}

/** The texts of a field that holds one reference or a list of them. */
export function referenceTexts(value: Value | undefined): readonly string[] {
  const list = isArray(value) ? value : [value];
  return list.flatMap((item) => {
    if (typeof item === "string") return item === "" ? [] : [item];
    return typeof item === "number" || typeof item === "bigint" ? [String(item)] : [];
  });
}
