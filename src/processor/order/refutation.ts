/**
 * Clocks that a causal edge contradicts (docs/semantics.md 10, "Refutation").
 *
 * Only direct edges count, each by itself, and never a rule's own clock policy: so a refutation, once found,
 * stays found whatever else arrives.
 */
import type { Event } from "../../model/event.ts";
import type { ClockPolicy, OrderAnomaly } from "../../model/order.ts";
import type { CausalGraph, DirectEdge } from "./causal-graph.ts";
import { clockDomain, compareAcrossClocks, compareOnOneClock, reach } from "./clock.ts";
import type { Offsets } from "./offset-interval.ts";

export interface Refutations {
  /** Whether what the clocks of these two events say about them is believed no more. */
  has(a: Event, b: Event): boolean;
  readonly anomalies: readonly OrderAnomaly[];
}

export function findRefutations(graph: CausalGraph, offsets: Offsets, policy: ClockPolicy): Refutations {
  const domains = new Set<string>();
  const pairs = new Set<string>();
  const found = new Map<string, readonly string[]>();

  const report = ({ from, to }: DirectEdge): void => {
    const ids = [from.id, to.id].sort();
    found.set(pairKey(from.id, to.id), ids);
  };
  const refute = (edge: DirectEdge): void => {
    const [from, to] = [clockDomain(edge.from, policy), clockDomain(edge.to, policy)];
    if (from === to) pairs.add(pairKey(edge.from.id, edge.to.id));
    else domains.add(pairKey(from, to));
    report(edge);
  };

  for (const edge of [...graph.edges, ...neighbouringDecisions(graph, policy)]) {
    if (contradicts(edge, offsets, policy)) refute(edge);
  }
  for (const edge of graph.refuted) {
    pairs.add(pairKey(edge.from.id, edge.to.id));
    report(edge);
  }
  for (const ids of offsets.stepped) found.set(ids.join("\n"), ids);

  const none = domains.size + pairs.size === 0;
  return {
    has: (a, b) =>
      !none &&
      (pairs.has(pairKey(a.id, b.id)) ||
        domains.has(pairKey(clockDomain(a, policy), clockDomain(b, policy)))),
    anomalies: [...found.values()].sort().map((events) => ({ anomaly: "clock_contradiction", events })),
  };
}

const pairKey = (a: string, b: string): string => [a, b].sort().join("\n");

/** What has not ended may end at any time after its start, also in a closed run. */
const stillOpen = (): boolean => false;

function contradicts(edge: DirectEdge, offsets: Offsets, policy: ClockPolicy): boolean {
  const from = reach(
    { event: edge.from, boundary: edge.fromFinish ? "finished_at" : "started_at" },
    policy,
    stillOpen,
  );
  const to = reach({ event: edge.to, boundary: "started_at" }, policy, stillOpen);
  if (typeof from === "string" || typeof to === "string") return false;
  const [fromClock, toClock] = [clockDomain(edge.from, policy), clockDomain(edge.to, policy)];
  if (fromClock === toClock) return compareOnOneClock(to, from) === "before";
  const offset = policy.inferOffset ? offsets.between(fromClock, toClock, edge.to.run) : null;
  if (offset === null) return compareAcrossClocks(to, from, policy.skew) === "before";
  return to.hi !== null && from.lo !== null && to.hi - offset.least <= from.lo;
}

/**
 * Every event of one decision with every event of the next. A group may be large, so only the latest start of
 * the earlier and the earliest of the later one are paired, a clock at a time: if these two agree, all do. On one
 * clock each pair that does not has to be known by itself.
 */
function* neighbouringDecisions(graph: CausalGraph, policy: ClockPolicy): Generator<DirectEdge> {
  for (const groups of graph.decisions) {
    for (const [i, later] of groups.entries()) {
      const earlier = groups[i - 1] ?? [];
      const first = extremes(later, policy, "hi");
      for (const [clock, from] of extremes(earlier, policy, "lo")) {
        for (const [other, to] of first) {
          if (clock !== other) yield edgeOf(from.event, to.event);
          else if (to.at <= from.at) yield* pairsOnClock(earlier, later, clock, policy);
        }
      }
    }
  }
}

function* pairsOnClock(
  earlier: readonly Event[],
  later: readonly Event[],
  clock: string,
  policy: ClockPolicy,
): Generator<DirectEdge> {
  const onClock = (event: Event): boolean => clockDomain(event, policy) === clock;
  for (const from of earlier.filter(onClock)) {
    for (const to of later.filter(onClock)) yield edgeOf(from, to);
  }
}

function edgeOf(from: Event, to: Event): DirectEdge {
  return { from, fromFinish: false, to, evidence: "decision_sequence" };
}

interface Extreme {
  readonly event: Event;
  readonly at: bigint;
}

/** For each clock the start that began latest (`lo`), or that was over first (`hi`); of equal ones the first by id. */
function extremes(group: readonly Event[], policy: ClockPolicy, bound: "lo" | "hi"): Map<string, Extreme> {
  const found = new Map<string, Extreme>();
  for (const event of group) {
    const start = reach({ event, boundary: "started_at" }, policy, stillOpen);
    const at = typeof start === "string" ? null : start[bound];
    if (at === null) continue;
    const clock = clockDomain(event, policy);
    const known = found.get(clock);
    if (known === undefined || isFurther({ event, at }, known, bound)) found.set(clock, { event, at });
  }
  return found;
}

function isFurther(one: Extreme, known: Extreme, bound: "lo" | "hi"): boolean {
  const further = bound === "lo" ? one.at - known.at : known.at - one.at;
  return further === 0n ? one.event.id < known.event.id : further > 0n;
}
