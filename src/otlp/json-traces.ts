import type { AttributePlan } from "../model/attribute-plan.ts";
import type { Resource, Scope, Span, SpanEvent, SpanLink } from "../model/span.ts";
import { DecodeError } from "./decode-error.ts";
import type { DecodeLimits } from "./decode-limits.ts";
import type { Fault, Findings } from "./findings.ts";
import { type IdFaults, idFaults, spanIdLength, textIdFault, traceIdLength } from "./id-fault.ts";
import { isJsonObject, JsonFields, type JsonObject, notList, notObject, notText } from "./json-fields.ts";
import { JsonValues } from "./json-value.ts";
import { knownFlags, noEvents, noLinks, wholeSelection, zeroSpanId, zeroTraceId } from "./span-defaults.ts";

/** Reads the objects of one parsed request. */
export class JsonTraces {
  readonly #plan: AttributePlan;
  readonly #findings: Findings;
  readonly #fields: JsonFields;
  readonly #values: JsonValues;
  readonly #spans: Span[] = [];
  #resourceIndex = 0;
  #scopeIndex = 0;
  #spanIndex = 0;

  constructor(findings: Findings, plan: AttributePlan, limits: DecodeLimits) {
    this.#plan = plan;
    this.#findings = findings;
    this.#fields = new JsonFields(findings);
    this.#values = new JsonValues(this.#fields, findings, limits);
  }

  request(root: unknown): readonly Span[] {
    if (!isJsonObject(root)) {
      const kind = root === null ? "null" : Array.isArray(root) ? "an array" : `a ${typeof root}`;
      throw new DecodeError(
        `JSON body: the root is ${kind} and must be an object. Send one ExportTraceServiceRequest: {"resourceSpans": […]}`,
        0,
      );
    }
    const list = this.#upperList(root, "resourceSpans", "resource_spans", "");
    for (const [index, entry] of list.entries()) {
      if (entry === null) continue;
      this.#resourceIndex = index;
      this.#resourceSpans(this.#upperObject(entry, this.#resourcePath()));
    }
    return this.#spans;
  }

  #resourceSpans(entry: JsonObject): void {
    const first = this.#spans.length;
    this.#fields.place = () => `${this.#resourcePath()}.resource`;
    const resource = this.#resource(entry);
    const refused = this.#fields.takeFault();
    const list = this.#upperList(entry, "scopeSpans", "scope_spans", `${this.#resourcePath()}.`);
    for (const [index, scopeEntry] of list.entries()) {
      if (scopeEntry === null) continue;
      this.#scopeIndex = index;
      this.#scopeSpans(this.#upperObject(scopeEntry, this.#scopePath()), resource);
    }
    if (refused !== null) this.#refuseFrom(first, refused, () => `${this.#resourcePath()}.resource`);
  }

  #scopeSpans(entry: JsonObject, resource: Resource): void {
    const first = this.#spans.length;
    this.#fields.place = () => `${this.#scopePath()}.scope`;
    const scope = this.#scope(entry);
    const refused = this.#fields.takeFault();
    const list = this.#upperList(entry, "spans", "spans", `${this.#scopePath()}.`);
    this.#fields.place = () => `${this.#scopePath()}.spans[${this.#spanIndex}]`;
    for (let index = 0; index < list.length; index += 1) {
      const span = list[index];
      if (span === null) continue;
      this.#spanIndex = index;
      this.#span(span, resource, scope);
    }
    if (refused !== null) this.#refuseFrom(first, refused, () => `${this.#scopePath()}.scope`);
  }

  #resource(entry: JsonObject): Resource {
    const resource = this.#optionalObject(entry, "resource");
    const attributes = this.#values.attributes(resource, wholeSelection, "attributes");
    const dropped = this.#fields.count(resource, "droppedAttributesCount", "dropped_attributes_count");
    return { attributes, droppedAttributes: dropped + this.#values.takeDropped() };
  }

  #scope(entry: JsonObject): Scope {
    const scope = this.#optionalObject(entry, "scope");
    const attributes = this.#values.attributes(scope, wholeSelection, "attributes");
    this.#values.takeDropped();
    return {
      name: this.#fields.text(scope, "name", "name"),
      version: this.#fields.text(scope, "version", "version"),
      attributes,
    };
  }

  #span(value: unknown, resource: Resource, scope: Scope): void {
    const span = isJsonObject(value) ? this.#readSpan(value, resource, scope) : null;
    if (span === null) this.#fields.refuse(notObject, "");
    const refused = this.#fields.takeFault();
    if (refused !== null) {
      const { place } = this.#fields;
      const { field } = refused;
      this.#findings.reject(refused.fault, () => (field === "" ? place() : `${place()}.${field}`));
    } else if (span !== null) {
      this.#spans.push(span);
    }
  }

  #readSpan(span: JsonObject, resource: Resource, scope: Scope): Span {
    const fields = this.#fields;
    const values = this.#values;
    const traceId = this.#traceId(span, "traceId", traceFaults, true);
    const spanId = this.#spanId(span, "spanId", "span_id", spanFaults, true);
    const parentSpanId = this.#spanId(span, "parentSpanId", "parent_span_id", parentFaults, false);
    const status = this.#optionalObject(span, "status");
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
      const traceId = this.#traceId(link, "links.traceId", linkTraceFaults, false);
      const spanId = this.#spanId(link, "spanId", "span_id", linkSpanFaults, false);
      if (traceId !== "" && spanId !== "" && this.#values.keep("links")) links.push({ traceId, spanId });
    }
    return links;
  }

  #traceId(owner: JsonObject, path: string, faults: IdFaults, needed: boolean): string {
    const value = this.#fields.get(owner, "traceId", "trace_id");
    if (typeof value === "string" && traceIdText.test(value)) {
      const id = value.toLowerCase();
      if (id !== zeroTraceId) return id;
    }
    return this.#noId(value, path, faults, traceIdLength, needed);
  }

  #spanId(owner: JsonObject, camel: string, snake: string, faults: IdFaults, needed: boolean): string {
    const value = this.#fields.get(owner, camel, snake);
    if (typeof value === "string" && spanIdText.test(value)) {
      const id = value.toLowerCase();
      if (id !== zeroSpanId) return id;
    }
    const path = faults === linkSpanFaults ? "links.spanId" : camel;
    return this.#noId(value, path, faults, spanIdLength, needed);
  }

  /** Always empty. Marks a fault, unless the id may be missing and is: absent, empty or all zero. */
  #noId(value: unknown, path: string, faults: IdFaults, want: number, needed: boolean): "" {
    const text = value ?? "";
    const fault = typeof text === "string" ? textIdFault(faults, text, want) : notText;
    const missing = fault === faults.empty || fault === faults.zero;
    if (needed || !missing) this.#fields.refuse(fault, path);
    return "";
  }

  #optionalObject(owner: JsonObject, key: string): JsonObject {
    const value = owner[key];
    if (value === undefined || value === null) return noObject;
    if (isJsonObject(value)) return value;
    this.#fields.refuse(notObject, key === "status" ? key : "");
    return noObject;
  }

  #optionalList(owner: JsonObject, key: string): readonly unknown[] {
    const value = owner[key];
    if (value === undefined || value === null) return noList;
    if (Array.isArray(value)) return value;
    this.#fields.refuse(notList, key);
    return noList;
  }

  /** A list above the spans: what is not a list there hides spans that nobody could count. */
  #upperList(owner: JsonObject, camel: string, snake: string, path: string): readonly unknown[] {
    const value = this.#fields.get(owner, camel, snake);
    if (value === undefined) return noList;
    if (Array.isArray(value)) return value;
    throw new DecodeError(`JSON body: ${path}${camel} is not an array; send a JSON array`);
  }

  #upperObject(value: unknown, path: string): JsonObject {
    if (isJsonObject(value)) return value;
    throw new DecodeError(`JSON body: ${path} is not an object; send a JSON object`);
  }

  /** A resource or scope that cannot be kept takes its spans with it: rules may ask for what it said. */
  #refuseFrom(
    first: number,
    refused: { readonly fault: Fault; readonly field: string },
    place: () => string,
  ): void {
    const count = this.#spans.length - first;
    this.#spans.length = first;
    if (count === 0) return;
    const { fault, field } = refused;
    this.#findings.reject(fault, () => (field === "" ? place() : `${place()}.${field}`), count);
  }

  #resourcePath(): string {
    return `resourceSpans[${this.#resourceIndex}]`;
  }

  #scopePath(): string {
    return `${this.#resourcePath()}.scopeSpans[${this.#scopeIndex}]`;
  }
}

const traceFaults = idFaults("trace_id", traceIdLength);
const spanFaults = idFaults("span_id", spanIdLength);
const parentFaults = idFaults("parent_span_id", spanIdLength);
const linkTraceFaults = idFaults("link_id", traceIdLength);
const linkSpanFaults = idFaults("link_id", spanIdLength);

const traceIdText = /^[0-9a-fA-F]{32}$/;
const spanIdText = /^[0-9a-fA-F]{16}$/;

const noObject: JsonObject = {};
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
