import type { AttributePlan } from "../model/attribute-plan.ts";
import type { LogRecord } from "../model/log-record.ts";
import type { Resource, Scope } from "../model/span.ts";
import { unixNano } from "../model/time.ts";
import type { Value } from "../model/value.ts";
import type { ValueReader } from "./any-value.ts";
import type { AttributeReader } from "./attribute-reader.ts";
import { type FieldFault, IdReader } from "./id-reader.ts";
import { type KeyTable, keyTable } from "./key-table.ts";
import type { ItemReader } from "./protobuf-request.ts";
import { noAttributes, traceFlags, wholeSelection, zeroTime } from "./span-defaults.ts";
import type { WireReader } from "./wire-reader.ts";

/**
 * Reads one OTLP `LogRecord`. Most log lines are no event: of those no value is kept. Whether one may be an event
 * is asked of its event name and its attributes' keys first; one that may is read whole, since all that it says
 * tells it from others.
 */
export class LogReader implements ItemReader<LogRecord> {
  readonly #reader: WireReader;
  readonly #values: ValueReader;
  readonly #attributes: AttributeReader;
  readonly #marks: KeyTable | null;
  readonly #ids: IdReader;

  constructor(reader: WireReader, values: ValueReader, attributes: AttributeReader, plan: AttributePlan) {
    this.#reader = reader;
    this.#values = values;
    this.#attributes = attributes;
    this.#ids = new IdReader(reader.view);
    this.#marks = plan.log === undefined ? null : keyTable(plan.log);
  }

  fault(): FieldFault | null {
    return this.#ids.idFault;
  }

  read(end: number, resource: Resource, scope: Scope): LogRecord | null {
    const reader = this.#reader;
    const first = reader.position;
    const wanted = this.#mayBeEvent(end);
    reader.position = first;
    const keys = wanted ? whole : nothing;
    let time = zeroTime;
    let observedTime = zeroTime;
    let severity = 0;
    let severityText = "";
    let body: Value = null;
    let attributes: Map<string, Value> | null = null;
    let droppedAttributes = 0;
    let flags = 0;
    let eventName = "";
    let traceAt = 0;
    let traceLength = 0;
    let spanAt = 0;
    let spanLength = 0;
    this.#ids.begin();

    while (reader.position < end) {
      const tag = reader.tag(end);
      switch (tag) {
        case logTag.attributes:
          attributes = this.#attributes.read(reader.payload(end), keys, attributes);
          break;
        case logTag.body: {
          const stop = reader.payload(end);
          if (wanted) body = this.#values.anyValue(stop, 0, body);
          else this.#values.skipValue(stop, 0);
          break;
        }
        case logTag.time:
          time = unixNano(reader.fixed64(end));
          break;
        case logTag.observedTime:
          observedTime = unixNano(reader.fixed64(end));
          break;
        case logTag.severity:
          severity = reader.uint32(end) | 0;
          break;
        case logTag.severityText:
          severityText = this.#text(end);
          break;
        case logTag.droppedAttributes:
          droppedAttributes = reader.uint32(end);
          break;
        case logTag.flags:
          flags = reader.fixed32(end) & traceFlags;
          break;
        case logTag.traceId: {
          const stop = reader.payload(end);
          traceAt = reader.position;
          traceLength = stop - traceAt;
          reader.position = stop;
          break;
        }
        case logTag.spanId: {
          const stop = reader.payload(end);
          spanAt = reader.position;
          spanLength = stop - spanAt;
          reader.position = stop;
          break;
        }
        case logTag.eventName:
          eventName = this.#text(end);
          break;
        default:
          reader.skip(tag, end);
      }
    }

    const lost = this.#attributes.takeDropped();
    const traceId = this.#ids.recordTraceId(traceAt, traceLength);
    const spanId = this.#ids.recordSpanId(spanAt, spanLength);
    if (this.#ids.faulty || !wanted) return null;
    return {
      time,
      observedTime,
      severity,
      severityText,
      body,
      attributes: attributes ?? noAttributes,
      droppedAttributes: droppedAttributes + lost,
      flags,
      traceId,
      spanId,
      eventName,
      resource,
      scope,
    };
  }

  /** Looks at keys alone, without a value being read. */
  #mayBeEvent(end: number): boolean {
    const marks = this.#marks;
    if (marks === null) return true;
    const reader = this.#reader;
    let named = false;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === logTag.eventName) {
        const stop = reader.payload(end);
        named = stop > reader.position;
        reader.position = stop;
      } else if (tag === logTag.attributes) {
        const stop = reader.payload(end);
        if (this.#isMarked(stop, marks)) return true;
        reader.position = stop;
      } else {
        reader.skip(tag, end);
      }
    }
    return named;
  }

  #isMarked(end: number, marks: KeyTable): boolean {
    const reader = this.#reader;
    let marked = false;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag !== keyTag) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.payload(end);
      marked = marks.find(reader.view, reader.position, stop) !== null;
      reader.position = stop;
    }
    return marked;
  }

  #text(end: number): string {
    const reader = this.#reader;
    const stop = reader.payload(end);
    const text = this.#values.text(reader.position, stop);
    reader.position = stop;
    return text;
  }
}

const whole = keyTable(wholeSelection);
const nothing = keyTable({ exact: new Set(), prefixes: [] });

const keyTag = (1 << 3) | 2;
const logTag = {
  time: (1 << 3) | 1,
  severity: (2 << 3) | 0,
  severityText: (3 << 3) | 2,
  body: (5 << 3) | 2,
  attributes: (6 << 3) | 2,
  droppedAttributes: (7 << 3) | 0,
  flags: (8 << 3) | 5,
  traceId: (9 << 3) | 2,
  spanId: (10 << 3) | 2,
  observedTime: (11 << 3) | 1,
  eventName: (12 << 3) | 2,
} as const;
