/**
 * How far two clocks are apart, inferred from children that their parents waited for
 * (docs/semantics.md 10.3).
 *
 * A synchronous child lies inside its parent in true time, so child clock minus parent clock lies in
 * [child.end − parent.end, child.start − parent.start]. All such pairs of the same two domains are intersected;
 * an empty intersection means that a clock was stepped, and nothing is inferred.
 */
import type { ClockPolicy } from "../../model/order.ts";
import type { DirectEdge } from "./causal-graph.ts";
import { clockDomain, stampWidth, type Timed } from "./clock.ts";

/** Nanoseconds that the second domain's clock is ahead of the first's, inclusive bounds. */
export interface OffsetInterval {
  readonly least: bigint;
  readonly most: bigint;
}

export interface Offsets {
  /** Offset of clock `to` minus clock `from` in one run; null when nothing tells it. */
  between(from: string, to: string, run: string): OffsetInterval | null;
  /** Events of pairs whose intersection came out empty, sorted by id. */
  readonly stepped: readonly (readonly string[])[];
}

/** A span and a child of another process that it waited for: a client and its server. They need not be events. */
export interface SyncPair {
  readonly parent: Timed;
  readonly child: Timed;
}

/** `pairs`: of real spans. Among `edges`, a plain event says of itself by `sync` that its parent waited for it. */
export function inferOffsets(
  edges: readonly DirectEdge[],
  pairs: readonly SyncPair[],
  policy: ClockPolicy,
): Offsets {
  const known = new Map<string, { interval: OffsetInterval; events: Set<string> }>();
  for (const { parent, child } of [...pairs, ...plainPairs(edges)]) {
    const [parentClock, childClock] = [clockDomain(parent, policy), clockDomain(child, policy)];
    if (parentClock === childClock) continue;
    const interval = offsetOf(parent, child, policy);
    if (interval === null) continue;
    const flip = parentClock > childClock;
    const key = flip ? keyOf(child.run, childClock, parentClock) : keyOf(child.run, parentClock, childClock);
    const forward = flip ? { least: -interval.most, most: -interval.least } : interval;
    const entry = known.get(key);
    known.set(key, {
      interval: entry === undefined ? forward : intersect(entry.interval, forward),
      events: new Set([...(entry?.events ?? []), parent.id, child.id]),
    });
  }
  return {
    between(from, to, run) {
      const flip = from > to;
      const found = known.get(flip ? keyOf(run, to, from) : keyOf(run, from, to))?.interval;
      if (found === undefined || found.least > found.most) return null;
      return flip ? { least: -found.most, most: -found.least } : found;
    },
    stepped: [...known.values()]
      .filter(({ interval }) => interval.least > interval.most)
      .map(({ events }) => [...events].sort()),
  };
}

function* plainPairs(edges: readonly DirectEdge[]): Generator<SyncPair> {
  for (const { from, to, evidence } of edges) {
    if (evidence === "parent_span" && to.fields.get("sync") === true) yield { parent: from, child: to };
  }
}

function keyOf(run: string, smaller: string, greater: string): string {
  return `${run}\n${smaller}\n${greater}`;
}

function intersect(a: OffsetInterval, b: OffsetInterval): OffsetInterval {
  return { least: a.least > b.least ? a.least : b.least, most: a.most < b.most ? a.most : b.most };
}

function offsetOf(parent: Timed, child: Timed, policy: ClockPolicy): OffsetInterval | null {
  const [outer, inner] = [stampsOf(parent, policy), stampsOf(child, policy)];
  if (outer === null || inner === null) return null;
  // Widths widen the interval: the true instants lie anywhere inside their stamps.
  return {
    least: inner.end - (outer.end + outer.width - 1n),
    most: inner.start + inner.width - 1n - outer.start,
  };
}

interface Stamps {
  readonly start: bigint;
  readonly end: bigint;
  readonly width: bigint;
}

/** Both stamps of an event; null where it lacks one of its own. */
function stampsOf(event: Timed, policy: ClockPolicy): Stamps | null {
  const { start, end } = event;
  if (typeof start === "string" || typeof end === "string") return null;
  if (!("at" in start) || !("at" in end)) return null;
  return { start: start.at, end: end.at, width: stampWidth(event, policy) };
}
