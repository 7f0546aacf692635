/**
 * What a signal is about where it does not say so itself: the call or model turn on whose span it stands, else
 * the one that its span links to. Of a call it takes call id and decision, of a model turn the decision.
 */
import type { Event, SpanRef } from "../../model/event.ts";
import type { Value } from "../../model/value.ts";
import { keyOf } from "./graph.ts";

/** Kinds that spans make by themselves; all others are signals. */
const spanKinds: ReadonlySet<string> = new Set([
  "tool_call",
  "retrieval",
  "model_turn",
  "agent_run",
  "step",
  "final_answer",
]);

const owning: ReadonlySet<string> = new Set(["tool_call", "retrieval", "model_turn"]);

export function withOwners(events: readonly Event[]): readonly Event[] {
  if (events.every(({ kind }) => spanKinds.has(kind))) return events;
  const owners = new Map<string, Event>();
  for (const event of events) {
    if (!owning.has(event.kind)) continue;
    for (const span of event.spans) owners.set(refKey(span), event);
  }
  return events.map((event) => (spanKinds.has(event.kind) ? event : withOwner(event, owners)));
}

function withOwner(signal: Event, owners: ReadonlyMap<string, Event>): Event {
  const owner = ownerOf(signal, owners);
  if (owner === null) return signal;
  const isCall = owner.kind !== "model_turn";
  const callId = signal.callId ?? (isCall ? owner.callId : null);
  const decision = owner.fields.get("decision") ?? (isCall ? undefined : owner.id);
  const fields = new Map<string, Value>(signal.fields);
  if (decision !== undefined && !fields.has("decision")) fields.set("decision", decision);
  return { ...signal, callId, fields };
}

/** Several links to different calls or turns say nothing. */
function ownerOf({ spans, fields, links, callId }: Event, owners: ReadonlyMap<string, Event>): Event | null {
  const [own] = spans;
  const standing = own === undefined ? undefined : owners.get(refKey(own));
  if (standing !== undefined) return standing;
  const saysItself = callId !== null || stating.some((name) => fields.has(name));
  if (saysItself) return null;
  const linked = new Set(
    links.map((link) => owners.get(refKey(link))).filter((event) => event !== undefined),
  );
  const [only] = linked;
  return linked.size === 1 && only !== undefined ? only : null;
}

const stating = ["request_id", "decision", "seq"] as const;

const refKey = ({ traceId, spanId }: SpanRef): string => keyOf(traceId, spanId);
