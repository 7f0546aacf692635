import type { AttributePlan } from "../model/attribute-plan.ts";
import type { Resource, Scope, Span, SpanEvent, SpanLink } from "../model/span.ts";
import { unixNano } from "../model/time.ts";
import type { Value } from "../model/value.ts";
import type { ValueReader } from "./any-value.ts";
import type { AttributeReader } from "./attribute-reader.ts";
import { type FieldFault, IdReader } from "./id-reader.ts";
import { type KeyTable, keyTable } from "./key-table.ts";
import type { ItemReader } from "./protobuf-request.ts";
import { knownFlags, noAttributes, noEvents, noLinks, zeroTime } from "./span-defaults.ts";
import type { WireReader } from "./wire-reader.ts";

/** Reads one OTLP `Span`. */
export class SpanReader implements ItemReader<Span> {
  readonly #reader: WireReader;
  readonly #values: ValueReader;
  readonly #attributes: AttributeReader;
  readonly #spanKeys: KeyTable;
  readonly #eventKeys: KeyTable;
  readonly #ids: IdReader;

  constructor(reader: WireReader, values: ValueReader, attributes: AttributeReader, plan: AttributePlan) {
    this.#reader = reader;
    this.#values = values;
    this.#attributes = attributes;
    this.#ids = new IdReader(reader.view);
    this.#spanKeys = keyTable(plan.span);
    this.#eventKeys = keyTable(plan.event);
  }

  /** A link's id counts only where nothing else is at fault. */
  fault(hasBadValue: boolean): FieldFault | null {
    return this.#ids.idFault ?? (hasBadValue ? null : this.#ids.linkFault);
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
    this.#ids.begin();
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
    const traceId = this.#ids.traceId(traceAt, traceLength);
    const spanId = this.#ids.spanId(spanAt, spanLength);
    const parentSpanId = this.#ids.parentSpanId(parentAt, parentLength);
    if (this.#ids.faulty) return null;
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
    const traceId = this.#ids.linkTraceId(traceAt, traceLength);
    const spanId = this.#ids.linkSpanId(spanAt, spanLength);
    return traceId === "" || spanId === "" ? null : { traceId, spanId };
  }

  #text(end: number): string {
    const stop = this.#reader.payload(end);
    const text = this.#values.text(this.#reader.position, stop);
    this.#reader.position = stop;
    return text;
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
