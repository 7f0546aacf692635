/** A span's stamps, believed only where they make sense (docs/semantics.md 11). */
import type { Flaw } from "../../model/event.ts";
import type { Span } from "../../model/span.ts";
import { hours, plus, type UnixNano, unixNano } from "../../model/time.ts";

/** Nobody's agent ran before this: a smaller number is milliseconds or seconds in a nanosecond field. */
const earliestSensible = unixNano(BigInt(Date.UTC(2000, 0, 1)) * 1_000_000n);
/** How far a clock may run ahead of ours and still be a clock. */
const furthestAhead = hours(24);

export interface SpanTimes {
  readonly start: UnixNano | null;
  readonly end: UnixNano | null;
  readonly ended: boolean;
  readonly flaws: readonly Flaw[];
}

export function timesOf(span: Pick<Span, "start" | "end">, at: UnixNano): SpanTimes {
  const sensible = (stamp: UnixNano): boolean =>
    stamp >= earliestSensible && stamp <= plus(at, furthestAhead);
  const start = sensible(span.start) ? span.start : null;
  const end = sensible(span.end) ? span.end : null;
  const flaws: Flaw[] = [];
  if ((span.start !== 0n && start === null) || (span.end !== 0n && end === null))
    flaws.push("time_out_of_range");
  if (span.end === 0n) return { start, end: null, ended: false, flaws: [...flaws, "no_end"] };
  if (start !== null && end !== null && end < start) {
    return { start, end: null, ended: true, flaws: [...flaws, "end_before_start"] };
  }
  return { start, end, ended: true, flaws };
}

/** `ot=th:c`: an upstream sampler kept only a part of the traces; `th:0` kept them all. */
export function isSampled(traceState: string): boolean {
  if (traceState === "") return false;
  const ours = traceState.split(",").find((entry) => entry.trim().startsWith("ot="));
  const threshold = /(?:^|[=;])th:([0-9a-f]+)/i.exec(ours?.trim().slice(3) ?? "")?.[1];
  return threshold !== undefined && !/^0+$/.test(threshold);
}
