import type { AttributePlan } from "../model/attribute-plan.ts";
import type { Resource, Scope, Span, SpanEvent, SpanLink } from "../model/span.ts";
import { unixNano } from "../model/time.ts";
import type { Value } from "../model/value.ts";
import type { ValueReader } from "./any-value.ts";
import type { AttributeReader } from "./attribute-reader.ts";
import type { Fault } from "./findings.ts";
import { bytesIdFault, type IdFaults, idFaults, spanIdLength, traceIdLength } from "./id-fault.ts";
import { IdTable } from "./id-table.ts";
import { type KeyTable, keyTable } from "./key-table.ts";
import {
  knownFlags,
  noAttributes,
  noEvents,
  noLinks,
  zeroSpanId,
  zeroTime,
  zeroTraceId,
} from "./span-defaults.ts";
import type { WireReader } from "./wire-reader.ts";

/** Ids repeat within a batch and from batch to batch. Of fixed size. */
const sharedIds = new IdTable();

const traceFaults = idFaults("trace_id", traceIdLength);
const spanFaults = idFaults("span_id", spanIdLength);
const parentFaults = idFaults("parent_span_id", spanIdLength);
const linkTraceFaults = idFaults("link_id", traceIdLength);
const linkSpanFaults = idFaults("link_id", spanIdLength);

export interface FieldFault {
  readonly fault: Fault;
  /** Its field, below the span. */
  readonly field: string;
}

/** Reads one OTLP `Span`. */
export class SpanReader {
  readonly #reader: WireReader;
  readonly #values: ValueReader;
  readonly #attributes: AttributeReader;
  readonly #spanKeys: KeyTable;
  readonly #eventKeys: KeyTable;
  /** Why the last `read` answered null: the first id of the span, else of a link, that cannot be used. */
  idFault: FieldFault | null = null;
  linkFault: FieldFault | null = null;

  constructor(reader: WireReader, values: ValueReader, attributes: AttributeReader, plan: AttributePlan) {
    this.#reader = reader;
    this.#values = values;
    this.#attributes = attributes;
    this.#spanKeys = keyTable(plan.span);
    this.#eventKeys = keyTable(plan.event);
  }

  /** Reads the span that ends at `end`; null when an id of it is unusable. Always reads it whole. */
  read(end: number, resource: Resource, scope: Scope): Span | null {
    const reader = this.#reader;
    let traceAt = 0;
    let traceLength = 0;
    let spanAt = 0;
    let spanLength = 0;
    let parentAt = 0;
    let parentLength = 0;
    let traceState = "";
    let name = "";
    let flags = 0;
    let kind = 0;
    let start = zeroTime;
    let stop = zeroTime;
    let attributes: Map<string, Value> | null = null;
    let droppedAttributes = 0;
    let events: SpanEvent[] | null = null;
    let droppedEvents = 0;
    let links: SpanLink[] | null = null;
    let droppedLinks = 0;
    let lostAttributes = 0;
    this.idFault = null;
    this.linkFault = null;
    this.#statusCode = 0;
    this.#statusMessage = "";

    while (reader.position < end) {
      const tag = reader.tag(end);
      switch (tag) {
        case spanTag.attributes:
          attributes = this.#attributes.read(reader.payload(end), this.#spanKeys, attributes);
          break;
        case spanTag.traceId: {
          const limit = reader.payload(end);
          traceAt = reader.position;
          traceLength = limit - traceAt;
          reader.position = limit;
          break;
        }
        case spanTag.spanId: {
          const limit = reader.payload(end);
          spanAt = reader.position;
          spanLength = limit - spanAt;
          reader.position = limit;
          break;
        }
        case spanTag.parentSpanId: {
          const limit = reader.payload(end);
          parentAt = reader.position;
          parentLength = limit - parentAt;
          reader.position = limit;
          break;
        }
        case spanTag.name:
          name = this.#text(end);
          break;
        case spanTag.kind:
          kind = reader.uint32(end) | 0;
          break;
        case spanTag.start:
          start = unixNano(reader.fixed64(end));
          break;
        case spanTag.end:
          stop = unixNano(reader.fixed64(end));
          break;
        case spanTag.traceState:
          traceState = this.#text(end);
          break;
        case spanTag.flags:
          flags = reader.fixed32(end) & knownFlags;
          break;
        case spanTag.droppedAttributes:
          droppedAttributes = reader.uint32(end);
          break;
        case spanTag.events: {
          lostAttributes += this.#attributes.takeDropped();
          const event = this.#event(reader.payload(end));
          if (this.#values.keep()) {
            events ??= [];
            events.push(event);
          }
          break;
        }
        case spanTag.droppedEvents:
          droppedEvents = reader.uint32(end);
          break;
        case spanTag.links: {
          const link = this.#link(reader.payload(end));
          if (link !== null && this.#values.keep()) {
            links ??= [];
            links.push(link);
          }
          break;
        }
        case spanTag.droppedLinks:
          droppedLinks = reader.uint32(end);
          break;
        case spanTag.status:
          this.#status(reader.payload(end));
          break;
        default:
          reader.skip(tag, end);
      }
    }

    lostAttributes += this.#attributes.takeDropped();
    const traceId = this.#traceId(traceAt, traceLength, traceFaults, "trace_id");
    const spanId = this.#spanId(spanAt, spanLength, spanFaults, "span_id");
    const parentSpanId =
      parentLength === 0 ? "" : this.#optionalId(parentAt, parentLength, parentFaults, "parent_span_id");
    if (this.idFault !== null || this.linkFault !== null) return null;
    return {
      traceId,
      spanId,
      parentSpanId,
      flags,
      traceState,
      name,
      kind,
      start,
      end: stop,
      attributes: attributes ?? noAttributes,
      droppedAttributes: droppedAttributes + lostAttributes,
      events: events ?? noEvents,
      droppedEvents,
      links: links ?? noLinks,
      droppedLinks,
      statusCode: this.#statusCode,
      statusMessage: this.#statusMessage,
      resource,
      scope,
    };
  }

  #statusCode = 0;
  #statusMessage = "";

  #status(end: number): void {
    const reader = this.#reader;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === statusTag.code) this.#statusCode = reader.uint32(end) | 0;
      else if (tag === statusTag.message) this.#statusMessage = this.#text(end);
      else reader.skip(tag, end);
    }
  }

  #event(end: number): SpanEvent {
    const reader = this.#reader;
    let time = zeroTime;
    let name = "";
    let attributes: Map<string, Value> | null = null;
    let droppedAttributes = 0;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === eventTag.attributes) {
        attributes = this.#attributes.read(reader.payload(end), this.#eventKeys, attributes);
      } else if (tag === eventTag.time) time = unixNano(reader.fixed64(end));
      else if (tag === eventTag.name) name = this.#text(end);
      else if (tag === eventTag.droppedAttributes) droppedAttributes = reader.uint32(end);
      else reader.skip(tag, end);
    }
    droppedAttributes += this.#attributes.takeDropped();
    return { name, time, attributes: attributes ?? noAttributes, droppedAttributes };
  }

  /** Null for a link that points nowhere: the standard allows empty and all-zero ids there. */
  #link(end: number): SpanLink | null {
    const reader = this.#reader;
    let traceAt = 0;
    let traceLength = 0;
    let spanAt = 0;
    let spanLength = 0;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === linkTag.traceId || tag === linkTag.spanId) {
        const limit = reader.payload(end);
        if (tag === linkTag.traceId) {
          traceAt = reader.position;
          traceLength = limit - traceAt;
        } else {
          spanAt = reader.position;
          spanLength = limit - spanAt;
        }
        reader.position = limit;
      } else {
        reader.skip(tag, end);
      }
    }
    const traceId = this.#optionalTraceId(traceAt, traceLength);
    const spanId = this.#optionalId(spanAt, spanLength, linkSpanFaults, "links.span_id");
    return traceId === "" || spanId === "" ? null : { traceId, spanId };
  }

  #text(end: number): string {
    const stop = this.#reader.payload(end);
    const text = this.#values.text(this.#reader.position, stop);
    this.#reader.position = stop;
    return text;
  }

  #traceId(at: number, length: number, faults: IdFaults, field: string): string {
    if (length === traceIdLength) {
      const id = sharedIds.traceId(this.#reader.view, at);
      if (id !== zeroTraceId) return id;
    }
    this.#refuse(bytesIdFault(faults, length, traceIdLength), field);
    return "";
  }

  #spanId(at: number, length: number, faults: IdFaults, field: string): string {
    if (length === spanIdLength) {
      const id = sharedIds.spanId(this.#reader.view, at);
      if (id !== zeroSpanId) return id;
    }
    this.#refuse(bytesIdFault(faults, length, spanIdLength), field);
    return "";
  }

  #refuse(fault: Fault, field: string): void {
    if (fault.reason === "link_id") this.linkFault ??= { fault, field };
    else this.idFault ??= { fault, field };
  }

  /** An id that may be missing: empty for none and for all zero. */
  #optionalId(at: number, length: number, faults: IdFaults, field: string): string {
    if (length === 0) return "";
    if (length === spanIdLength) {
      const id = sharedIds.spanId(this.#reader.view, at);
      return id === zeroSpanId ? "" : id;
    }
    return this.#spanId(at, length, faults, field);
  }

  #optionalTraceId(at: number, length: number): string {
    if (length === 0) return "";
    if (length === traceIdLength) {
      const id = sharedIds.traceId(this.#reader.view, at);
      return id === zeroTraceId ? "" : id;
    }
    return this.#traceId(at, length, linkTraceFaults, "links.trace_id");
  }
}

/** Field number << 3 | wire type. A known field with another wire type is passed over like an unknown one. */
const spanTag = {
  traceId: (1 << 3) | 2,
  spanId: (2 << 3) | 2,
  traceState: (3 << 3) | 2,
  parentSpanId: (4 << 3) | 2,
  name: (5 << 3) | 2,
  kind: (6 << 3) | 0,
  start: (7 << 3) | 1,
  end: (8 << 3) | 1,
  attributes: (9 << 3) | 2,
  droppedAttributes: (10 << 3) | 0,
  events: (11 << 3) | 2,
  droppedEvents: (12 << 3) | 0,
  links: (13 << 3) | 2,
  droppedLinks: (14 << 3) | 0,
  status: (15 << 3) | 2,
  flags: (16 << 3) | 5,
} as const;
const eventTag = {
  time: (1 << 3) | 1,
  name: (2 << 3) | 2,
  attributes: (3 << 3) | 2,
  droppedAttributes: (4 << 3) | 0,
} as const;
const linkTag = { traceId: (1 << 3) | 2, spanId: (2 << 3) | 2 } as const;
const statusTag = { message: (2 << 3) | 2, code: (3 << 3) | 0 } as const;
