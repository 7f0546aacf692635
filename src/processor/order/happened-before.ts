/**
 * What happened before what, in three values (docs/semantics.md 10).
 *
 * Evidence, strongest first: causal edges, one clock, two clocks with an inferred offset, two clocks with a
 * declared bound. Arrival order is never evidence. Whatever none of them can tell is unknown, and says why.
 *
 * The answers are a function of the set of events and the policy: the order of `events` changes nothing.
 *
 * Cost: making one is linear in the events; an answer takes constant time once the ancestors of its later
 * point were walked.
 */
import type { Event, Flaw } from "../../model/event.ts";
import type {
  ClockPolicy,
  Order,
  OrderAnomaly,
  OrderEvidence,
  OrderUse,
  Point,
  Relation,
} from "../../model/order.ts";
import { type DurationNano, durationNano, unixNano } from "../../model/time.ts";
import { buildCausalGraph } from "./causal-graph.ts";
import {
  type ClockAnswer,
  clockDomain,
  compareAcrossClocks,
  compareOnOneClock,
  type Reach,
  reach,
  type Span1D,
} from "./clock.ts";
import { inferOffsets, type OffsetInterval, type SyncPair } from "./offset-interval.ts";
import { findRefutations } from "./refutation.ts";

export interface OrderContext {
  /** The deployment's own policy, by which clocks are refuted whatever a rule's `clock` says; default: `policy`. */
  readonly deployment?: ClockPolicy;
  /** Whether a run is closed: what is still open in it never finished. Default: none is. */
  readonly closed?: (run: string) => boolean;
  /** Clients and their servers among the spans, for the offset of two clocks. Default: none. */
  readonly pairs?: readonly SyncPair[];
}

export function createOrder(
  events: readonly Event[],
  policy: ClockPolicy,
  context: OrderContext = {},
): Order & { readonly anomalies: readonly OrderAnomaly[] } {
  const deployment = context.deployment ?? policy;
  const closed = context.closed ?? (() => false);
  const place = new Map<Event, number>();
  events.forEach((event, i) => {
    place.set(event, i);
  });
  const graph = buildCausalGraph(events);
  const offsets = inferOffsets(graph.edges, context.pairs ?? [], deployment);
  const refuted = findRefutations(graph, offsets, deployment);

  const reaches: (Reach | undefined)[] = [];
  const reachOf = (point: Point): Reach => {
    const node = nodeOf(point);
    if (node === null) return reach(point, policy, closed);
    const known = reaches[node];
    if (known !== undefined) return known;
    const made = reach(point, policy, closed);
    reaches[node] = made;
    return made;
  };
  /** Null: no event of this scope, so that nothing but clocks speaks of it. */
  const nodeOf = ({ event, boundary }: Point): number | null => {
    const at = place.get(event);
    return at === undefined ? null : at * 2 + (boundary === "finished_at" ? 1 : 0);
  };
  const offsetOf = (p: Point, q: Point): OffsetInterval | null => {
    if (!policy.inferOffset || p.event.run !== q.event.run) return null;
    return offsets.between(clockDomain(p.event, policy), clockDomain(q.event, policy), p.event.run);
  };

  function before(p: Point, q: Point, use: OrderUse): Relation {
    const [from, to] = [reachOf(p), reachOf(q)];
    if (from === "none" || to === "none") return unknown("order_unknown");
    const caused = byCause(p, q);
    // That the end never came is more than what its edges say: kernels ask for it.
    if (caused?.truth === "true" && to === "never") return { truth: "true", evidence: "never_finished" };
    if (caused !== null) return caused;
    if (from === "never") return { truth: "false", evidence: "never_finished" };
    if (to === "never") {
      // What happens at all happens before what never does.
      const happens = p.boundary === "started_at" || p.event.end !== "open";
      return happens ? { truth: "true", evidence: "never_finished" } : unknown("order_unknown");
    }
    const timed = byClock(p, q, from, to, use);
    if (policy.evidence === "any") return timed;
    return unknown(timed.truth === "true" ? "unenforced_order" : "order_unknown");
  }

  function byCause(p: Point, q: Point): Relation | null {
    const [from, to] = [nodeOf(p), nodeOf(q)];
    if (from === null || to === null) return null;
    const forward = graph.reaches(from, to);
    const backward = graph.reaches(to, from);
    if (forward && backward) return unknown("causal_cycle");
    if (forward) return { truth: "true", evidence: graph.evidence(from, to) };
    if (backward) return { truth: "false", evidence: graph.evidence(to, from) };
    return null;
  }

  function byClock(p: Point, q: Point, from: Span1D, to: Span1D, use: OrderUse): Relation {
    if (refuted.has(p.event, q.event)) return unknown("clock_contradiction");
    if (clockDomain(p.event, policy) === clockDomain(q.event, policy)) {
      const evidence = p.event.clockAssumed || q.event.clockAssumed ? "assumed_clock" : "clock";
      const answer = compareOnOneClock(from, to);
      return answer === "tie" ? onTie(p, q, use) : decide(answer, evidence, p, q);
    }
    const offset = offsetOf(p, q);
    if (offset !== null) return decide(compareWithOffset(from, to, offset), "inferred_offset", p, q);
    return decide(compareAcrossClocks(from, to, policy.skew), "skew_bound", p, q);
  }

  /** Both points are stamps of one clock, and the intervals they stand for overlap. */
  function onTie(p: Point, q: Point, use: OrderUse): Relation {
    const meets = p.boundary === "finished_at" && q.boundary === "started_at";
    if (policy.tie === "unknown" || use !== "required" || !meets) return unknown("order_unknown");
    const true_: Relation = { truth: "true", evidence: "tie_rule" };
    const opened = reachOf({ event: p.event, boundary: "started_at" });
    const ended = reachOf({ event: q.event, boundary: "finished_at" });
    if (ended === "never") return true_;
    if (typeof opened === "string" || typeof ended === "string") return unknown("order_unknown");
    if (compareOnOneClock(opened, ended) === "before") return true_;
    // Both orders tie: the two are shorter than the unit, and only decision numbers tell them apart.
    const [first, second] = [graph.decision(p.event), graph.decision(q.event)];
    const numbered = first !== null && second !== null && first.orchestrator === second.orchestrator;
    return numbered && first.number < second.number ? true_ : unknown("order_unknown");
  }

  function distance(p: Point, q: Point): { least: DurationNano; most: DurationNano } | null {
    const [from, to] = [reachOf(p), reachOf(q)];
    if (typeof from === "string" || typeof to === "string") return null;
    if (from.lo === null || from.hi === null || to.lo === null || to.hi === null) return null;
    if (refuted.has(p.event, q.event)) return null;
    const least = to.lo - (from.hi - 1n);
    const most = to.hi - 1n - from.lo;
    const slack = slackBetween(p, q);
    if (slack === null) return null;
    return { least: durationNano(least - slack.most), most: durationNano(most - slack.least) };
  }

  /** What to take from the plain difference of two stamps, since their clocks differ by it. */
  function slackBetween(p: Point, q: Point): OffsetInterval | null {
    if (clockDomain(p.event, policy) === clockDomain(q.event, policy)) return { least: 0n, most: 0n };
    if (policy.evidence === "causal") return null;
    const offset = offsetOf(p, q);
    if (offset !== null) return offset;
    return policy.skew === null ? null : { least: -policy.skew, most: policy.skew };
  }

  return {
    causalOnly: policy.evidence === "causal",
    refuted: refuted.anomalies.length > 0,
    named: graph.named,
    before,
    distance,
    stamp(p) {
      const found = reachOf(p);
      if (typeof found === "string" || found.lo === null || found.hi === null) return null;
      return { earliest: unixNano(found.lo), latest: unixNano(found.hi - 1n) };
    },
    anomalies: [
      ...graph.cycles.map((ids): OrderAnomaly => ({ anomaly: "causal_cycle", events: ids })),
      ...refuted.anomalies,
    ],
  };
}

function compareWithOffset(p: Span1D, q: Span1D, offset: OffsetInterval): ClockAnswer {
  if (p.hi !== null && q.lo !== null && p.hi <= q.lo - offset.most) return "before";
  if (q.hi !== null && p.lo !== null && q.hi - offset.least <= p.lo) return "after";
  return "unknown";
}

function decide(answer: ClockAnswer, evidence: OrderEvidence, p: Point, q: Point): Relation {
  if (answer === "before") return { truth: "true", evidence };
  if (answer === "after") return { truth: "false", evidence };
  return unknown(flawCode(p.event) ?? flawCode(q.event) ?? "order_unknown");
}

function unknown(code: NonNullable<Relation["code"]>): Relation {
  return { truth: "unknown", evidence: "none", code };
}

function flawCode(event: Event): "invalid_interval" | "time_out_of_range" | null {
  const has = (flaw: Flaw): boolean => event.flaws.includes(flaw);
  if (event.end !== "unknown" && event.start !== "unknown") return null;
  if (has("end_before_start")) return "invalid_interval";
  return has("time_out_of_range") ? "time_out_of_range" : null;
}
