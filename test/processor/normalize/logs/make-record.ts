/** Log records for tests, with everything left out that a test does not speak of. */
import type { LogRecord } from "../../../../src/model/log-record.ts";
import type { SpanFact } from "../../../../src/model/span-fact.ts";
import { unixNano } from "../../../../src/model/time.ts";
import type { Value } from "../../../../src/model/value.ts";
import {
  createLogNormalizer,
  type LogNormalizerOptions,
} from "../../../../src/processor/normalize/logs/normalize-log.ts";
import { keepAll } from "../../../captures/judge-run.ts";
import { at } from "../make-span.ts";

export interface RecordSketch {
  /** Milliseconds after `epoch`; null: the record has no time of its own. */
  readonly at?: number | null;
  readonly observed?: number;
  readonly event?: string;
  readonly body?: Value;
  readonly attributes?: Readonly<Record<string, Value>>;
  readonly trace?: string;
  readonly span?: string;
  readonly scope?: string;
  readonly resource?: Readonly<Record<string, Value>>;
  readonly eventName?: string;
}

export function makeRecord(sketch: RecordSketch): LogRecord {
  const named = sketch.event === undefined ? {} : { "event.name": sketch.event };
  return {
    time: sketch.at === null ? unixNano(0n) : at(sketch.at ?? 0),
    observedTime: sketch.observed === undefined ? unixNano(0n) : at(sketch.observed),
    severity: 9,
    severityText: "INFO",
    body: sketch.body ?? null,
    attributes: new Map(Object.entries({ ...named, ...sketch.attributes })),
    droppedAttributes: 0,
    flags: 0,
    traceId: sketch.trace ?? "",
    spanId: sketch.span ?? "",
    eventName: sketch.eventName ?? "",
    resource: { attributes: new Map(Object.entries(sketch.resource ?? {})), droppedAttributes: 0 },
    scope: { name: sketch.scope ?? "", version: "", attributes: new Map() },
  };
}

export function factOf(sketch: RecordSketch, options: Partial<LogNormalizerOptions> = {}): SpanFact | null {
  const normalizer = createLogNormalizer({ projection: keepAll, mappings: [], ...options });
  return normalizer.normalize(makeRecord(sketch), at(60_000), null);
}
