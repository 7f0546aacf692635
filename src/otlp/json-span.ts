import type { AttributePlan } from "../model/attribute-plan.ts";
import type { Resource, Scope, Span, SpanEvent, SpanLink } from "../model/span.ts";
import { isJsonObject, type JsonFields, type JsonObject, notList, notObject } from "./json-fields.ts";
import {
  JsonIds,
  linkSpanFaults,
  linkTraceFaults,
  parentFaults,
  spanFaults,
  traceFaults,
} from "./json-ids.ts";
import type { JsonItemReader } from "./json-request.ts";
import type { JsonValues } from "./json-value.ts";
import { knownFlags, noEvents, noLinks } from "./span-defaults.ts";

/** Reads one OTLP `Span` of a parsed request. */
export class JsonSpanReader implements JsonItemReader<Span> {
  readonly #plan: AttributePlan;
  readonly #fields: JsonFields;
  readonly #values: JsonValues;
  readonly #ids: JsonIds;

  constructor(fields: JsonFields, values: JsonValues, plan: AttributePlan) {
    this.#plan = plan;
    this.#fields = fields;
    this.#values = values;
    this.#ids = new JsonIds(fields);
  }

  read(span: JsonObject, resource: Resource, scope: Scope): Span {
    const fields = this.#fields;
    const values = this.#values;
    const traceId = this.#ids.traceId(span, "traceId", traceFaults, true);
    const spanId = this.#ids.spanId(span, "spanId", "span_id", spanFaults, true);
    const parentSpanId = this.#ids.spanId(span, "parentSpanId", "parent_span_id", parentFaults, false);
    const status = fields.object(span, "status", "status");
    const attributes = values.attributes(span, this.#plan.span, "attributes");
    const lost = values.takeDropped();
    return {
      traceId,
      spanId,
      parentSpanId,
      flags: fields.count(span, "flags", "flags") & knownFlags,
      traceState: fields.text(span, "traceState", "trace_state"),
      name: fields.text(span, "name", "name"),
      kind: fields.enumeration(span, "kind", spanKinds),
      start: fields.time(span, "startTimeUnixNano", "start_time_unix_nano"),
      end: fields.time(span, "endTimeUnixNano", "end_time_unix_nano"),
      attributes,
      droppedAttributes: fields.count(span, "droppedAttributesCount", "dropped_attributes_count") + lost,
      events: this.#events(span),
      droppedEvents: fields.count(span, "droppedEventsCount", "dropped_events_count"),
      links: this.#links(span),
      droppedLinks: fields.count(span, "droppedLinksCount", "dropped_links_count"),
      statusCode: fields.enumeration(status, "code", statusCodes),
      statusMessage: fields.text(status, "message", "message"),
      resource,
      scope,
    };
  }

  #events(span: JsonObject): readonly SpanEvent[] {
    const list = this.#optionalList(span, "events");
    if (list.length === 0) return noEvents;
    const events: SpanEvent[] = [];
    for (const [index, event] of list.entries()) {
      if (event === null) continue;
      const path = `events[${index}]`;
      if (!isJsonObject(event)) {
        this.#fields.refuse(notObject, path);
        continue;
      }
      const attributes = this.#values.attributes(event, this.#plan.event, `${path}.attributes`);
      const lost = this.#values.takeDropped();
      const read: SpanEvent = {
        name: this.#fields.text(event, "name", "name"),
        time: this.#fields.time(event, "timeUnixNano", "time_unix_nano"),
        attributes,
        droppedAttributes:
          this.#fields.count(event, "droppedAttributesCount", "dropped_attributes_count") + lost,
      };
      if (this.#values.keep("events")) events.push(read);
    }
    return events;
  }

  /** A link that points nowhere is left out: the standard allows empty and all-zero ids there. */
  #links(span: JsonObject): readonly SpanLink[] {
    const list = this.#optionalList(span, "links");
    if (list.length === 0) return noLinks;
    const links: SpanLink[] = [];
    for (const link of list) {
      if (link === null) continue;
      if (!isJsonObject(link)) {
        this.#fields.refuse(notObject, "links");
        continue;
      }
      const traceId = this.#ids.traceId(link, "links.traceId", linkTraceFaults, false);
      const spanId = this.#ids.spanId(link, "spanId", "span_id", linkSpanFaults, false);
      if (traceId !== "" && spanId !== "" && this.#values.keep("links")) links.push({ traceId, spanId });
    }
    return links;
  }

  #optionalList(owner: JsonObject, key: string): readonly unknown[] {
    const value = owner[key];
    if (value === undefined || value === null) return noList;
    if (Array.isArray(value)) return value;
    this.#fields.refuse(notList, key);
    return noList;
  }
}

const noList: readonly unknown[] = [];

const spanKinds: ReadonlyMap<string, number> = new Map([
  ["SPAN_KIND_UNSPECIFIED", 0],
  ["SPAN_KIND_INTERNAL", 1],
  ["SPAN_KIND_SERVER", 2],
  ["SPAN_KIND_CLIENT", 3],
  ["SPAN_KIND_PRODUCER", 4],
  ["SPAN_KIND_CONSUMER", 5],
]);
const statusCodes: ReadonlyMap<string, number> = new Map([
  ["STATUS_CODE_UNSET", 0],
  ["STATUS_CODE_OK", 1],
  ["STATUS_CODE_ERROR", 2],
]);
