import type { Attributes, Span, SpanEvent, SpanLink } from "../model/span.ts";
import { isArray, type Value } from "../model/value.ts";
import type { ResourceGroup } from "./encode-trace.ts";
import { isWrittenAsInteger } from "./integer-form.ts";

/** OTLP/JSON: ids in hex, 64-bit integers as decimal strings, enums as numbers, other bytes in base64. */
export function encodeTraceJson(groups: readonly ResourceGroup[]): Uint8Array {
  const request = {
    resourceSpans: groups.map(({ resource, scopes }) => ({
      resource: {
        attributes: pairs(resource.attributes),
        ...unlessZero("droppedAttributesCount", resource.droppedAttributes),
      },
      scopeSpans: scopes.map(({ scope, spans }) => ({
        scope: { name: scope.name, version: scope.version, attributes: pairs(scope.attributes) },
        spans: spans.map(spanObject),
      })),
    })),
  };
  return new TextEncoder().encode(JSON.stringify(request));
}

function spanObject(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === "" ? {} : { parentSpanId: span.parentSpanId }),
    ...(span.traceState === "" ? {} : { traceState: span.traceState }),
    ...unlessZero("flags", span.flags),
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: String(span.start),
    endTimeUnixNano: String(span.end),
    attributes: pairs(span.attributes),
    ...unlessZero("droppedAttributesCount", span.droppedAttributes),
    events: span.events.map(eventObject),
    ...unlessZero("droppedEventsCount", span.droppedEvents),
    links: span.links.map((link: SpanLink) => ({ traceId: link.traceId, spanId: link.spanId })),
    ...unlessZero("droppedLinksCount", span.droppedLinks),
    status: { code: span.statusCode, ...(span.statusMessage === "" ? {} : { message: span.statusMessage }) },
  };
}

function eventObject(event: SpanEvent): object {
  return {
    timeUnixNano: String(event.time),
    name: event.name,
    attributes: pairs(event.attributes),
    ...unlessZero("droppedAttributesCount", event.droppedAttributes),
  };
}

const unlessZero = (key: string, value: number): object => (value === 0 ? {} : { [key]: value });

function pairs(attributes: Attributes): object[] {
  return [...attributes].map(([key, value]) => ({ key, value: valueObject(value) }));
}

function valueObject(value: Value): object {
  if (value === null) return {};
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "bigint":
      return { intValue: String(value) };
    case "number":
      return isWrittenAsInteger(value) ? { intValue: String(value) } : { doubleValue: jsonDouble(value) };
    default:
      break;
  }
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString("base64") };
  if (isArray(value)) return { arrayValue: { values: value.map(valueObject) } };
  const object = value;
  return {
    kvlistValue: {
      values: Object.keys(object).map((key) => ({ key, value: valueObject(object[key] ?? null) })),
    },
  };
}

/** JSON has no NaN and no infinity; protobuf's JSON mapping writes their names. `-0` would lose its sign as a number. */
function jsonDouble(value: number): number | string {
  if (Object.is(value, -0)) return "-0";
  return Number.isFinite(value) ? value : String(value);
}
