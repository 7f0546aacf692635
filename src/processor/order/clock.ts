/**
 * What clocks say (docs/semantics.md 10.2 to 10.4). A stamp is the interval of time that its digits stand
 * for, and a boundary that nobody stamped is bounded by what surely came before and after it.
 */
import type { Event, Moment } from "../../model/event.ts";
import type { Boundary, ClockPolicy } from "../../model/order.ts";

const nanosPerMilli = 1_000_000n;
const nanosPerMicro = 1_000n;

/**
 * A point on its own clock, as [lo, hi): nanoseconds since 1970. Null: nothing bounds that side.
 * `exact` is true for a stamp of its own, whose width is only its unit: the one kind of interval that ties.
 */
export interface Span1D {
  readonly lo: bigint | null;
  readonly hi: bigint | null;
  readonly exact: boolean;
}

export type Reach =
  | Span1D
  /** The point does not come: an event that never finished. */
  | "never"
  /** The event has no such point: a call that was only asked for. */
  | "none";

/** What clocks ask of an event, or of a span that is none. */
export type Timed = Pick<Event, "id" | "run" | "start" | "end" | "clock" | "clockAssumed">;

/** Width of both stamps of an event: its start tells the unit, the end was made by adding to it. */
export function stampWidth(event: Pick<Timed, "start" | "end">, policy: ClockPolicy): bigint {
  if (policy.resolution !== null) return policy.resolution > 0n ? policy.resolution : 1n;
  const start = stamped(event.start) ?? stamped(event.end);
  if (start === null) return 1n;
  if (start % nanosPerMilli === 0n) return nanosPerMilli;
  return start % nanosPerMicro === 0n ? nanosPerMicro : 1n;
}

export function reach(
  point: { readonly event: Timed; readonly boundary: Boundary },
  policy: ClockPolicy,
  closed: (run: string) => boolean,
): Reach {
  const { event, boundary } = point;
  const width = stampWidth(event, policy);
  const started = boundary === "started_at";
  const own = started ? event.start : event.end;
  if (own === "none") return "none";
  if (own === "open" && closed(event.run)) return "never";
  const bounds = boundsOf(own, width);
  if (bounds !== null) return bounds;
  const other = boundsOf(started ? event.end : event.start, width);
  // What is not known of an end still comes after the start, and what is not known of a start before the end.
  return started
    ? { lo: null, hi: other?.hi ?? null, exact: false }
    : { lo: other?.lo ?? null, hi: null, exact: false };
}

function boundsOf(moment: Moment, width: bigint): Span1D | null {
  if (typeof moment === "string") return null;
  if ("at" in moment) return { lo: moment.at, hi: moment.at + width, exact: true };
  return { lo: moment.earliest, hi: moment.latest + width, exact: false };
}

function stamped(moment: Moment): bigint | null {
  if (typeof moment === "string") return null;
  return "at" in moment ? moment.at : moment.earliest;
}

export type ClockAnswer = "before" | "after" | "tie" | "unknown";

/** Two points of one clock. Adjacent intervals decide: [1, 2) is before [2, 3). */
export function compareOnOneClock(p: Span1D, q: Span1D): ClockAnswer {
  if (p.hi !== null && q.lo !== null && p.hi <= q.lo) return "before";
  if (q.hi !== null && p.lo !== null && q.hi <= p.lo) return "after";
  return p.exact && q.exact ? "tie" : "unknown";
}

/** Two points of two clocks that differ by at most `skew`; null: by nobody knows how much. */
export function compareAcrossClocks(p: Span1D, q: Span1D, skew: bigint | null): ClockAnswer {
  if (skew === null) return "unknown";
  if (p.hi !== null && q.lo !== null && p.hi - 1n + skew < q.lo) return "before";
  if (q.hi !== null && p.lo !== null && q.hi - 1n + skew < p.lo) return "after";
  return "unknown";
}

/** Which clock wrote an event's stamps. An assumed one can be switched off: then each event stands alone. */
export function clockDomain(event: Timed, policy: ClockPolicy): string {
  return event.clockAssumed && !policy.assumeClock ? `${event.clock}#${event.id}` : event.clock;
}
