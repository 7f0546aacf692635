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

  const refute = (edge: DirectEdge): void => {
    const [from, to] = [clockDomain(edge.from, policy), clockDomain(edge.to, policy)];
    if (from === to) pairs.add(pairKey(edge.from.id, edge.to.id));
    else domains.add(pairKey(from, to));
    const ids = [edge.from.id, edge.to.id].sort();
    found.set(ids.join("\n"), ids);
  };

  for (const edge of graph.edges) if (contradicts(edge, offsets, policy)) refute(edge);
  for (const edge of neighbouringDecisions(graph, policy)) {
    if (contradicts(edge, offsets, policy)) refute(edge);
  }
  for (const edge of graph.refuted) {
    pairs.add(pairKey(edge.from.id, edge.to.id));
    const ids = [edge.from.id, edge.to.id].sort();
    found.set(ids.join("\n"), ids);
  }
  for (const ids of offsets.stepped) found.set(ids.join("\n"), ids);

  const none = domains.size === 0 && pairs.size === 0;
  return {
    has(a, b) {
      if (none) return false;
      if (pairs.has(pairKey(a.id, b.id))) return true;
      return domains.size > 0 && domains.has(pairKey(clockDomain(a, policy), clockDomain(b, policy)));
    },
    anomalies: [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, events]) => ({ anomaly: "clock_contradiction", events })),
  };
}

function pairKey(a: string, b: string): string {
  return a < b ? `${a}\n${b}` : `${b}\n${a}`;
}

function contradicts(edge: DirectEdge, offsets: Offsets, policy: ClockPolicy): boolean {
  const never = (): boolean => false;
  const from = reach(
    { event: edge.from, boundary: edge.fromFinish ? "finished_at" : "started_at" },
    policy,
    never,
  );
  const to = reach({ event: edge.to, boundary: "started_at" }, policy, never);
  if (typeof from === "string" || typeof to === "string") return false;
  const [fromClock, toClock] = [clockDomain(edge.from, policy), clockDomain(edge.to, policy)];
  if (fromClock === toClock) return compareOnOneClock(to, from) === "before";
  const offset = policy.inferOffset ? offsets.between(fromClock, toClock, edge.to.run) : null;
  if (offset === null) return compareAcrossClocks(to, from, policy.skew) === "before";
  return to.hi !== null && from.lo !== null && to.hi - offset.least <= from.lo;
}

/**
 * Every event of one decision with every event of the next. A group may be large, so only the latest start of
 * the earlier and the earliest of the later one are paired, a clock at a time, unless those two contradict
 * each other on one clock: then every such pair has to be known by itself.
 */
function* neighbouringDecisions(graph: CausalGraph, policy: ClockPolicy): Generator<DirectEdge> {
  for (const groups of graph.decisions) {
    for (let i = 1; i < groups.length; i += 1) {
      const earlier = extremes(groups[i - 1] ?? [], policy, "latest");
      const later = extremes(groups[i] ?? [], policy, "earliest");
      for (const [fromClock, from] of earlier) {
        for (const [toClock, to] of later) {
          yield edgeOf(from, to);
          if (fromClock !== toClock || startOf(from) <= startOf(to)) continue;
          yield* pairsOnClock(groups[i - 1] ?? [], groups[i] ?? [], fromClock, policy);
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
  for (const from of earlier) {
    if (clockDomain(from, policy) !== clock) continue;
    for (const to of later) if (clockDomain(to, policy) === clock) yield edgeOf(from, to);
  }
}

function edgeOf(from: Event, to: Event): DirectEdge {
  return { from, fromFinish: false, to, evidence: "decision_sequence" };
}

function extremes(
  group: readonly Event[],
  policy: ClockPolicy,
  wanted: "latest" | "earliest",
): Map<string, Event> {
  const found = new Map<string, Event>();
  for (const event of group) {
    if (typeof event.start === "string") continue;
    const clock = clockDomain(event, policy);
    const known = found.get(clock);
    if (known === undefined || better(event, known, wanted)) found.set(clock, event);
  }
  return found;
}

function better(event: Event, known: Event, wanted: "latest" | "earliest"): boolean {
  const [a, b] = [startOf(event), startOf(known)];
  if (a === b) return event.id < known.id;
  return wanted === "latest" ? a > b : a < b;
}

function startOf(event: Event): bigint {
  if (typeof event.start === "string") return 0n;
  return "at" in event.start ? event.start.at : event.start.earliest;
}
