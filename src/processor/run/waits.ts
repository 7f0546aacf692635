import type { DurationNano, UnixNano } from "../../model/time.ts";

/**
 * Waiting, with the times taken out in which we were down or refused work: what was refused is sent again
 * later and must not be judged missing meanwhile (docs/semantics.md 7, "Waiting").
 */
export interface DeafInterval {
  readonly from: UnixNano;
  readonly until: UnixNano;
}

/** Adds an interval; overlapping ones are joined, those that ended before `forget` are dropped. */
export function addDeaf(
  intervals: readonly DeafInterval[],
  added: DeafInterval,
  forget: UnixNano,
): DeafInterval[] {
  const kept: DeafInterval[] = [];
  let joined = added;
  for (const interval of intervals) {
    if (interval.until < forget) continue;
    if (interval.until < joined.from || interval.from > joined.until) kept.push(interval);
    else {
      joined = {
        from: interval.from < joined.from ? interval.from : joined.from,
        until: interval.until > joined.until ? interval.until : joined.until,
      };
    }
  }
  kept.push(joined);
  return kept.sort((a, b) => (a.from < b.from ? -1 : 1));
}

/** Nanoseconds heard between the two times: deaf intervals do not count. */
export function waited(since: UnixNano, now: UnixNano, deaf: readonly DeafInterval[]): DurationNano {
  let heard = now - since;
  for (const { from, until } of deaf) {
    const start = from > since ? from : since;
    const end = until < now ? until : now;
    if (end > start) heard -= end - start;
  }
  return (heard < 0n ? 0n : heard) as DurationNano;
}

/** The earliest time at which `waited(since, ·)` reaches `wait`, as far as deaf intervals are known. */
export function dueAfter(since: UnixNano, wait: DurationNano, deaf: readonly DeafInterval[]): UnixNano {
  let due: bigint = since + wait;
  for (const { from, until } of deaf) {
    if (until <= since || from >= due) continue;
    due += until - (from > since ? from : since);
  }
  return due as UnixNano;
}
