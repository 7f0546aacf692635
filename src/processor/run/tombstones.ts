import { hours, type UnixNano } from "../../model/time.ts";

/**
 * Ids of runs that are forgotten: a span of one is counted, never judged, and never starts a second run.
 * Kept for 7 days and bounded in number; the oldest go first, and then such a span does start a run again.
 */
export interface Tombstones {
  readonly buried: Map<string, UnixNano>;
}

const keptFor = hours(7 * 24);
/** About 100 bytes each in a Map of 32-digit keys: 200,000 cost some 20 MB. */
const most = 200_000;

export function createTombstones(): Tombstones {
  return { buried: new Map() };
}

export function bury({ buried }: Tombstones, key: string, now: UnixNano): void {
  buried.delete(key);
  buried.set(key, now);
  for (const [oldest, at] of buried) {
    if (buried.size <= most && now - at < keptFor) break;
    buried.delete(oldest);
  }
}

export function isBuried({ buried }: Tombstones, key: string, now: UnixNano): boolean {
  const at = buried.get(key);
  return at !== undefined && now - at < keptFor;
}
