/**
 * Start signals: a small span, child of a tool call's, that says that the call has begun
 * (docs/agent.md#start-signals). It is read as a copy of that call's span which has not ended, so that the two are
 * one event whichever comes first.
 */
import {
  startSignal,
  startSignalDropped,
  startSignalParent,
  startSignalRemote,
  startSignalsResource,
  startSignalValue,
} from "../../model/attribute-names.ts";
import type { Attributes, Resource, Span } from "../../model/span.ts";
import type { SpanFact } from "../../model/span-fact.ts";
import { unixNano } from "../../model/time.ts";
import { textOf } from "./values.ts";

/** For the attribute plan. */
export const startSignalKeys: readonly string[] = [
  startSignal,
  startSignalParent,
  startSignalRemote,
  startSignalDropped,
];

/** OTLP span flags: the parent's place is known, and it is in another process. */
const remoteIsKnown = 0x100;
const parentIsRemote = 0x200;

/** The span that has begun, as it would have been sent then; null where the span is no start signal. */
export function begunSpan(span: Span): Span | null {
  if (textOf(span.attributes.get(startSignal)) !== startSignalValue || span.parentSpanId === "") return null;
  const parent = textOf(span.attributes.get(startSignalParent)) ?? "";
  const remote = span.attributes.get(startSignalRemote);
  const known = typeof remote === "boolean" ? remoteIsKnown | (remote ? parentIsRemote : 0) : 0;
  return {
    ...span,
    spanId: span.parentSpanId,
    parentSpanId: /^(?!0{16})[0-9a-f]{16}$/.test(parent) ? parent : "",
    flags: (span.flags & ~(remoteIsKnown | parentIsRemote)) | known,
    end: unixNano(0n),
    attributes: withoutSignal(span.attributes),
    events: [],
    statusCode: 0,
    statusMessage: "",
  };
}

function withoutSignal(attributes: Attributes): Attributes {
  return new Map([...attributes].filter(([key]) => !startSignalKeys.includes(key)));
}

/** Marks the fact of a span that has begun. That it has no end is no flaw. */
export function asStartSignal(fact: SpanFact, signal: Span): SpanFact {
  const lost = signal.attributes.has(startSignalDropped);
  return {
    ...fact,
    startSignal: true,
    startSignals: lost ? "some" : "all",
    flaws: fact.flaws.filter((flaw) => flaw !== "no_end"),
  };
}

/** Whether the processes of this resource say when their tool calls begin. */
export function sendsStartSignals(resource: Resource): boolean {
  const value = resource.attributes.get(startSignalsResource);
  return value === true || value === "true";
}
