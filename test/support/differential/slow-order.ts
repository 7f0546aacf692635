/**
 * What happened before what, by docs/semantics.md 10, the slow way: every pair of events, all paths, no memory.
 * Knows nothing of `src/processor/order`. Everything is in nanoseconds, as plain numbers.
 */
import type { Truth } from "../../../src/model/order.ts";
import type { EventSpec, PolicySpec } from "./language.ts";

export interface SlowPoint {
  readonly event: EventSpec;
  readonly end: boolean;
}

export const startOf = (event: EventSpec): SlowPoint => ({ event, end: false });
export const endOf = (event: EventSpec): SlowPoint => ({ event, end: true });

/** `required`: a tie helps; `sure`: it never proves anything. */
export type Use = "required" | "sure";

/** An instant lies in [lo, hi). `stamped`: these are its own digits. */
interface Stretch {
  readonly lo: number;
  readonly hi: number;
  readonly stamped: boolean;
}

interface Offset {
  readonly least: number;
  readonly most: number;
}

export interface SlowOrder {
  before(p: SlowPoint, q: SlowPoint, use: Use): Truth;
  /** Least and most time from p to q; null where no clock tells. */
  distance(p: SlowPoint, q: SlowPoint): readonly [number, number] | null;
  /** First and last instant of a point on its own clock; null where it has none. */
  stamp(p: SlowPoint): readonly [number, number] | null;
}

/** Of a scope that is closed: what has not ended never will. */
export function slowOrder(
  events: readonly EventSpec[],
  policy: PolicySpec,
  deployment: PolicySpec,
): SlowOrder {
  const byCause = reachable(events);
  const offsets = offsetsOf(events, deployment);
  const refuted = refutedClocks(events, deployment, offsets);

  const distrusted = (a: EventSpec, b: EventSpec): boolean =>
    refuted.some(([x, y, whole]) =>
      whole
        ? (a.host === x.host && b.host === y.host) || (a.host === y.host && b.host === x.host)
        : (a === x && b === y) || (a === y && b === x),
    );

  const offset = (p: EventSpec, q: EventSpec): Offset | null =>
    policy.inferOffset && p.run === q.run ? offsets(p.host, q.host, p.run) : null;

  function before(p: SlowPoint, q: SlowPoint, use: Use): Truth {
    const [forth, back] = [byCause(p, q), byCause(q, p)];
    if (forth && back) return "unknown";
    if (forth || back) return forth ? "true" : "false";
    const [from, to] = [placeOf(p, policy), placeOf(q, policy)];
    if (from === "never") return "false";
    if (to === "never") return "true";
    if (policy.evidence === "causal" || distrusted(p.event, q.event)) return "unknown";
    if (p.event.host === q.event.host) {
      if (from.hi <= to.lo) return "true";
      if (to.hi <= from.lo) return "false";
      return from.stamped && to.stamped && use === "required" ? tied(p, q) : "unknown";
    }
    const known = offset(p.event, q.event);
    const [least, most] =
      known === null
        ? [-(policy.skew ?? Number.POSITIVE_INFINITY), policy.skew ?? Number.POSITIVE_INFINITY]
        : [known.least, known.most];
    // The second clock is ahead of the first by some offset in between.
    if (from.hi - 1 < to.lo - most) return "true";
    return to.hi - 1 - least < from.lo ? "false" : "unknown";
  }

  /** A finish and a start of one clock tie, where their order is asked for. */
  function tied(p: SlowPoint, q: SlowPoint): Truth {
    if (policy.tie === "unknown" || !p.end || q.end) return "unknown";
    const [reverseFrom, reverseTo] = [placeOf(endOf(q.event), policy), placeOf(startOf(p.event), policy)];
    if (reverseFrom === "never" || reverseTo === "never") return "true";
    if (reverseTo.hi <= reverseFrom.lo) return "true";
    const [m, n] = [p.event.seq, q.event.seq];
    return p.event.run === q.event.run && m !== null && n !== null && m < n ? "true" : "unknown";
  }

  function distance(p: SlowPoint, q: SlowPoint): readonly [number, number] | null {
    const [from, to] = [placeOf(p, policy), placeOf(q, policy)];
    if (from === "never" || to === "never" || !Number.isFinite(from.hi + to.hi)) return null;
    if (p.event !== q.event && distrusted(p.event, q.event)) return null;
    const plain = [to.lo - (from.hi - 1), to.hi - 1 - from.lo] as const;
    if (p.event.host === q.event.host) return plain;
    const known = offset(p.event, q.event);
    if (policy.evidence === "causal" || (known === null && policy.skew === null)) return null;
    const { least, most } = known ?? { least: -(policy.skew ?? 0), most: policy.skew ?? 0 };
    return [plain[0] - most, plain[1] - least];
  }

  return {
    before,
    distance,
    stamp(p) {
      const at = placeOf(p, policy);
      return at === "never" || !Number.isFinite(at.hi) ? null : [at.lo, at.hi - 1];
    },
  };
}

function placeOf({ event, end }: SlowPoint, policy: PolicySpec): Stretch | "never" {
  const width = widthOf(event, policy);
  if (!end) return { lo: event.start, hi: event.start + width, stamped: true };
  if (event.end === null) return "never";
  // It ended before it began: all that is known of its end is that it came after its start.
  if (event.end < event.start) return { lo: event.start, hi: Number.POSITIVE_INFINITY, stamped: false };
  return { lo: event.end, hi: event.end + width, stamped: true };
}

function widthOf({ start }: EventSpec, { resolution }: PolicySpec): number {
  if (resolution !== null) return resolution;
  return start % 1_000_000 === 0 ? 1_000_000 : start % 1_000 === 0 ? 1_000 : 1;
}

/** An edge ends at the start of its second event. */
interface Edge {
  readonly from: SlowPoint;
  readonly to: EventSpec;
  readonly waited: boolean;
}

function edgesOf(events: readonly EventSpec[]): Edge[] {
  const named = (id: string, not: EventSpec): EventSpec[] => events.filter((e) => e.id === id && e !== not);
  return events.flatMap((to): Edge[] => [
    ...to.parents.flatMap((id) => named(id, to).map((from) => ({ from: endOf(from), to, waited: false }))),
    ...to.links.flatMap((id) => named(id, to).map((from) => ({ from: startOf(from), to, waited: false }))),
    ...named(to.parent ?? "", to).map((from) => ({ from: startOf(from), to, waited: to.sync })),
  ]);
}

function decisionEdges(events: readonly EventSpec[], neighboursOnly: boolean): Edge[] {
  const edges: Edge[] = [];
  for (const from of events) {
    for (const to of events) {
      if (from.run !== to.run || from.seq === null || to.seq === null || from.seq >= to.seq) continue;
      const [m, n] = [from.seq, to.seq];
      const between = events.some(({ run, seq }) => run === from.run && seq !== null && m < seq && seq < n);
      if (!neighboursOnly || !between) edges.push({ from: startOf(from), to, waited: false });
    }
  }
  return edges;
}

/** All paths over edges, and from the start of an event to its finish. */
function reachable(events: readonly EventSpec[]): (p: SlowPoint, q: SlowPoint) => boolean {
  const number = new Map(events.map((event, i) => [event, i * 2]));
  const nodeOf = ({ event, end }: SlowPoint): number => (number.get(event) ?? 0) + (end ? 1 : 0);
  const size = events.length * 2;
  const reach = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (__, j) => j === i + 1 && i % 2 === 0),
  );
  const edges = [...edgesOf(events), ...decisionEdges(events, false)];
  for (const { from, to } of edges) {
    const row = reach[nodeOf(from)];
    if (row !== undefined) row[nodeOf(startOf(to))] = true;
  }
  if (edges.length > 0) {
    for (let k = 0; k < size; k += 1) {
      for (const row of reach) {
        if (row[k] === true)
          reach[k]?.forEach((on, j) => {
            if (on) row[j] = true;
          });
      }
    }
  }
  return (p, q) => reach[nodeOf(p)]?.[nodeOf(q)] === true;
}

/** By how much the second clock is ahead of the first in a run: inside every pair that one of them waited for. */
function offsetsOf(
  events: readonly EventSpec[],
  deployment: PolicySpec,
): (first: string, second: string, run: string) => Offset | null {
  const pairs = edgesOf(events).filter(({ waited, from, to }) => waited && from.event.host !== to.host);
  return (first, second, run) => {
    let [least, most, found] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, false];
    for (const {
      from: { event: parent },
      to: child,
    } of pairs) {
      if (child.run !== run) continue;
      const hosts = [parent.host, child.host];
      if (!hosts.includes(first) || !hosts.includes(second)) continue;
      const [ps, pe] = [placeOf(startOf(parent), deployment), placeOf(endOf(parent), deployment)];
      const [cs, ce] = [placeOf(startOf(child), deployment), placeOf(endOf(child), deployment)];
      if (ps === "never" || pe === "never" || cs === "never" || ce === "never") continue;
      if (!pe.stamped || !ce.stamped) continue;
      // Child clock minus parent clock, each stamp being as wide as it is.
      const own = { least: ce.lo - (pe.hi - 1), most: cs.hi - 1 - ps.lo };
      const turned = parent.host === first ? own : { least: -own.most, most: -own.least };
      [least, most, found] = [Math.max(least, turned.least), Math.min(most, turned.most), true];
    }
    return found && least <= most ? { least, most } : null;
  };
}

/** Two events whose clocks one direct edge contradicts; `whole`: both clocks are not used again. */
function refutedClocks(
  events: readonly EventSpec[],
  deployment: PolicySpec,
  offsets: (first: string, second: string, run: string) => Offset | null,
): (readonly [EventSpec, EventSpec, boolean])[] {
  type Refuted = readonly [EventSpec, EventSpec, boolean];
  return [...edgesOf(events), ...decisionEdges(events, true)].flatMap(({ from, to }): Refuted[] => {
    const place = placeOf(from, deployment);
    // An end that nobody saw came after the start at least.
    const lo = place === "never" ? from.event.start : place.lo;
    const last = to.start + widthOf(to, deployment) - 1;
    if (from.event.host === to.host) return last < lo ? [[from.event, to, false]] : [];
    const known = deployment.inferOffset ? offsets(from.event.host, to.host, to.run) : null;
    const slack = known === null ? (deployment.skew ?? Number.POSITIVE_INFINITY) : -known.least;
    return last + slack < lo ? [[from.event, to, true]] : [];
  });
}
