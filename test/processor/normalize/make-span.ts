/** Spans for tests, with everything left out that a test does not speak of. */
import type { Span, SpanEvent } from "../../../src/model/span.ts";
import { type UnixNano, unixNano } from "../../../src/model/time.ts";
import type { Value } from "../../../src/model/value.ts";

export interface SpanSketch {
  readonly name?: string;
  readonly trace?: string;
  readonly id?: string;
  readonly parent?: string;
  readonly scope?: string;
  /** OTLP SpanKind number. */
  readonly kind?: number;
  readonly attributes?: Readonly<Record<string, Value>>;
  readonly events?: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, Value>>;
  }[];
  /** 0 unset, 1 ok, 2 error. */
  readonly status?: number;
  readonly message?: string;
  readonly resource?: Readonly<Record<string, Value>>;
  /** Milliseconds after `epoch`; `end: null` has not ended. */
  readonly start?: number;
  readonly end?: number | null;
  readonly dropped?: number;
  readonly droppedEvents?: number;
  readonly traceState?: string;
  readonly flags?: number;
  /** Ids of spans of the same trace. */
  readonly links?: readonly string[];
}

export const epoch: UnixNano = unixNano(BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n);
export const at = (milliseconds: number): UnixNano =>
  unixNano(epoch + BigInt(Math.round(milliseconds * 1e6)));

export function makeSpan(sketch: SpanSketch): Span {
  const start = at(sketch.start ?? 0);
  return {
    traceId: sketch.trace ?? "t1",
    spanId: sketch.id ?? "s1",
    parentSpanId: sketch.parent ?? "",
    flags: sketch.flags ?? 0,
    traceState: sketch.traceState ?? "",
    name: sketch.name ?? "span",
    kind: sketch.kind ?? 1,
    start,
    end: sketch.end === null ? unixNano(0n) : at(sketch.end ?? (sketch.start ?? 0) + 10),
    attributes: new Map(Object.entries(sketch.attributes ?? {})),
    droppedAttributes: sketch.dropped ?? 0,
    events: (sketch.events ?? []).map(
      (event): SpanEvent => ({
        name: event.name,
        time: start,
        attributes: new Map(Object.entries(event.attributes)),
        droppedAttributes: 0,
      }),
    ),
    droppedEvents: sketch.droppedEvents ?? 0,
    links: (sketch.links ?? []).map((spanId) => ({ traceId: sketch.trace ?? "t1", spanId })),
    droppedLinks: 0,
    statusCode: sketch.status ?? 0,
    statusMessage: sketch.message ?? "",
    resource: { attributes: new Map(Object.entries(sketch.resource ?? {})), droppedAttributes: 0 },
    scope: { name: sketch.scope ?? "test", version: "", attributes: new Map() },
  };
}

export const exception = (type: string, message = ""): NonNullable<SpanSketch["events"]>[number] => ({
  name: "exception",
  attributes: { "exception.type": type, "exception.message": message },
});
