/** Events, order and completeness by hand, for tests that ask the kernels without a pipeline. */
import type { CloseReason, Completeness } from "../../src/model/completeness.ts";
import type { Event, Flaw, Moment, Status } from "../../src/model/event.ts";
import type { ClockPolicy } from "../../src/model/order.ts";
import { type DurationNano, milliseconds, type UnixNano, unixNano } from "../../src/model/time.ts";
import type { Value } from "../../src/model/value.ts";
import type { Code } from "../../src/model/verdict.ts";

export const ms = (count: number): UnixNano => unixNano(BigInt(Math.round(count * 1_000_000)));

export interface EventSpec {
  readonly id: string;
  readonly kind?: string;
  readonly name?: string | null;
  readonly status?: Status;
  /** Milliseconds; a moment as it is. */
  readonly start?: number | Moment;
  readonly end?: number | Moment;
  readonly run?: string;
  readonly host?: string;
  readonly assumed?: boolean;
  readonly callId?: string;
  readonly args?: Value;
  readonly result?: Value;
  readonly attr?: Readonly<Record<string, Value>>;
  readonly fields?: Readonly<Record<string, Value>>;
  readonly hidden?: Readonly<Record<string, Code>>;
  readonly unsettled?: readonly string[];
  readonly flaws?: readonly Flaw[];
  readonly invocation?: string;
}

const moment = (value: number | Moment): Moment => (typeof value === "number" ? { at: ms(value) } : value);

export function event(spec: EventSpec): Event {
  const start = spec.start ?? 0;
  return {
    id: spec.id,
    kind: spec.kind ?? "tool_call",
    name: spec.name ?? null,
    status: spec.status ?? "success",
    start: moment(start),
    end: moment(spec.end ?? start),
    run: spec.run ?? "r1",
    conversation: null,
    clock: spec.host ?? "h1",
    clockAssumed: spec.assumed ?? false,
    callId: spec.callId ?? null,
    args: spec.args,
    result: spec.result,
    attr: new Map(Object.entries(spec.attr ?? {})),
    fields: new Map(Object.entries(spec.fields ?? {})),
    hidden: new Map(Object.entries(spec.hidden ?? {})),
    unsettled: new Set(spec.unsettled ?? []),
    flaws: spec.flaws ?? [],
    dialect: null,
    spans: [],
    parent: null,
    links: [],
    decidedBy: null,
    decisionIndex: 0,
    invocation: spec.invocation ?? null,
    arrivedAt: ms(0),
  };
}

/** Stamps without width, ties prove nothing: what the case files assume. */
export const plainClock: ClockPolicy = {
  skew: milliseconds(50),
  tie: "unknown",
  resolution: 1n as DurationNano,
  inferOffset: true,
  evidence: "any",
  assumeClock: true,
};

export function closedBy(reason: CloseReason, gap = false): Completeness {
  return { closed: reason, gap, complete: () => reason, passed: () => true };
}

/** Everything before this event time is here; `skew` is how far another clock may be behind. */
export function watermark(at: bigint, skew: bigint = 0n): Completeness {
  return {
    closed: null,
    gap: false,
    complete({ event: { start, end }, boundary }) {
      const found = boundary === "started_at" ? start : end;
      return typeof found === "object" && "at" in found && found.at + skew < at ? "watermark" : null;
    },
    passed: (instant) => instant + skew < at,
  };
}
