/**
 * One anchor beside one candidate: whether the candidate is a witness in the sense of docs/semantics.md 4, in
 * three values, and, where it is not, what it lacks. Parts are asked in a fixed order, the cheap ones first;
 * the first that fails names the code.
 */
import type { Event } from "../../model/event.ts";
import type { OrderEvidence, OrderUse, Point, Relation } from "../../model/order.ts";
import type { Code } from "../../model/verdict.ts";
import { type Commuting, compileCommutes } from "../commuting.ts";
import { compareAll, readOperand } from "../comparison.ts";
import { compileMatcher, type Matcher } from "../match.ts";
import type { Blocker, Link, OrderCondition } from "../program.ts";
import { because, type Match, no, yes } from "../truth.ts";
import { readInstant } from "../values.ts";
import { before, type Kernel, mayChange, point } from "./context.ts";
import { bindMatch, readKey } from "./keys.ts";

export interface Examined {
  readonly truth: Match["truth"];
  /** Why it is no witness, or may be none. Null: it is one, or is not even near. */
  readonly code: Code | null;
  readonly evidence: OrderEvidence;
  /** Whether an event that the answer hangs on may still change. */
  readonly mayChange: boolean;
}

export interface CompiledLink {
  readonly link: Link;
  readonly anchor: Matcher;
  readonly witness: Matcher;
  readonly blockers: readonly CompiledBlocker[];
  /** Whether the order of two events decides nothing (`commutes:`). */
  readonly commuting: Commuting | null;
}

export interface CompiledBlocker {
  readonly blocker: Blocker;
  readonly matcher: Matcher;
}

export function compileLink(link: Link): CompiledLink {
  return {
    link,
    anchor: compileMatcher(link.anchor),
    witness: compileMatcher(link.witness),
    blockers: link.unlessBetween.map((blocker) => ({ blocker, matcher: compileMatcher(blocker.match) })),
    commuting: link.commutes === undefined ? null : compileCommutes(link.commutes),
  };
}

/** `bound`: the two are already known to share the link's key. */
export function examine(compiled: CompiledLink, kernel: Kernel, a: Event, w: Event, bound = false): Examined {
  const { link } = compiled;
  let unknown: Match | null = null;
  let evidence: OrderEvidence = "none";
  let hangs = mayChange(kernel, a) || mayChange(kernel, w);
  const fails = (part: Match): boolean => {
    if (part.truth === "unknown") unknown ??= part;
    return part.truth === "false";
  };
  const failed = (part: Match): Examined => ({ ...part, evidence, mayChange: hangs });

  const matched = compiled.witness(w, kernel.match);
  if (fails(matched)) return failed(matched);
  const keys = bound ? yes : bindMatch(a, w, link.bind, kernel.match.settled);
  if (fails(keys)) return failed(keys);
  const ordered = inOrder(link, kernel, a, w);
  evidence = ordered.evidence;
  if (fails(ordered)) return failed(ordered);
  for (const condition of link.also ?? []) {
    const besides = alsoOrdered(condition, link, kernel, a, w);
    if (fails(besides)) return failed(besides);
  }
  const where = compareAll(link.where, { a, w }, kernel.match.settled);
  if (fails(where)) return failed(because("false", where.code ?? "wrong_entity"));
  for (const near of [isWithin(link, kernel, a, w), isNoSooner(link, kernel, a, w)]) {
    if (fails(near)) return failed(near);
  }
  const valid = isValid(link, kernel, a, w);
  if (fails(valid)) return failed(valid);
  for (const blocker of compiled.blockers) {
    const free = notBlocked(blocker, link, kernel, a, w);
    hangs ||= free.mayChange;
    if (fails(free)) return failed(free);
  }
  return { ...(unknown ?? yes), evidence, mayChange: hangs };
}

function useOf(link: Link): OrderUse {
  return link.quant === "none" ? "forbidden" : "required";
}

function inOrder(link: Link, kernel: Kernel, a: Event, w: Event): Match & { evidence: OrderEvidence } {
  if (link.need === "any") return { ...yes, evidence: "none" };
  const ap = point(a, link.anchorBoundary);
  const wp = point(w, link.witnessBoundary);
  const past = link.need === "past";
  const relation = past ? before(kernel, wp, ap, useOf(link)) : before(kernel, ap, wp, useOf(link));
  if (relation.truth === "true" && isEndless(wp))
    return { ...endless(kernel, relation), evidence: relation.evidence };
  if (relation.truth === "true") return { ...yes, evidence: relation.evidence };
  if (relation.truth === "unknown") {
    return { ...because("unknown", relation.code ?? "order_unknown"), evidence: relation.evidence };
  }
  const code = past ? missedThePast(link, kernel, a, w) : missedTheFuture(kernel, a, w);
  return { ...because("false", code), evidence: relation.evidence };
}

/** A tie helps what the rule asks for, also where the rule asks that it does not come before. */
function alsoOrdered(
  { first, second, holds }: OrderCondition,
  link: Link,
  kernel: Kernel,
  a: Event,
  w: Event,
): Match {
  const at = ({ of, boundary }: OrderCondition["first"]): Point => point(of === "a" ? a : w, boundary);
  const wanted = holds === (link.quant === "some");
  const relation = before(kernel, at(first), at(second), wanted ? "required" : "forbidden");
  if (relation.truth === "unknown") return because("unknown", relation.code ?? "order_unknown");
  return (relation.truth === "true") === holds ? yes : because("false", holds ? "overlap" : null);
}

const isEndless = ({ boundary, event }: Point): boolean => boundary === "finished_at" && event.end === "open";

/** A finish that has not come is later than the anchor, but nobody knows that it comes; one that never did met nothing. */
function endless(kernel: Kernel, { evidence }: Relation): Match {
  const over = !kernel.open || evidence === "never_finished";
  return over ? because("false", "witness_never_finished") : because("unknown", "order_unknown");
}

/** Began after the anchor's point: late. Had begun before, but not ended: overlap, or it never ended at all. */
function missedThePast(link: Link, kernel: Kernel, a: Event, w: Event): Code {
  const began = before(kernel, point(a, link.anchorBoundary), point(w, "started_at"), "required");
  if (link.witnessBoundary === "started_at" || began.truth === "true") return "witness_late";
  return w.end === "open" && !kernel.open ? "witness_never_finished" : "overlap";
}

/** What came before the trigger is no near miss of a response to it; what ran beside it is. */
function missedTheFuture(kernel: Kernel, a: Event, w: Event): Code | null {
  const earlier = before(kernel, point(w, "finished_at"), point(a, "started_at"), "required");
  return earlier.truth === "true" ? null : "overlap";
}

function isWithin(link: Link, kernel: Kernel, a: Event, w: Event): Match {
  if (link.within === null) return yes;
  const code: Code = link.need === "future" ? "deadline_missed" : "expired";
  const ap = point(a, link.anchorBoundary);
  const wp = point(w, link.witnessBoundary);
  const [from, to] = link.need === "future" ? [ap, wp] : [wp, ap];
  const apart = kernel.view.order.distance(from, to);
  if (apart === null) {
    const endless = to.boundary === "finished_at" && to.event.end === "open" && !kernel.open;
    return endless ? because("false", code) : because("unknown", "order_unknown");
  }
  if (apart.most <= link.within) return yes;
  return apart.least > link.within ? because("false", code) : because("unknown", "order_unknown");
}

/** The least time between the two points; only for links that ask for an order. */
function isNoSooner(link: Link, kernel: Kernel, a: Event, w: Event): Match {
  const least = link.noSooner ?? null;
  if (least === null) return yes;
  const ap = point(a, link.anchorBoundary);
  const wp = point(w, link.witnessBoundary);
  const [from, to] = link.need === "future" ? [ap, wp] : [wp, ap];
  const apart = kernel.view.order.distance(from, to);
  if (apart === null) return because("unknown", "order_unknown");
  if (apart.least >= least) return yes;
  return apart.most < least ? because("false", "retry_too_soon") : because("unknown", "order_unknown");
}

/** Whether what the witness (or the anchor) says of its own end of validity covers the anchor's point. */
function isValid(link: Link, kernel: Kernel, a: Event, w: Event): Match {
  if (link.validUntil === null) return yes;
  const { operand, unit } = link.validUntil;
  const reading = readOperand(operand, { a, w }, kernel.match.settled);
  if (reading.is === "unknown") return because("unknown", reading.code);
  if (reading.is === "absent") return because("false", "missing_attribute");
  const until = readInstant(reading.value, unit);
  if (until === null) return because("unknown", "data_incomplete");
  const at = anchorOnClockOf("side" in operand && operand.side === "w" ? w : a, link, kernel, a, w);
  if (at === null) return because("unknown", "order_unknown");
  if (at.latest <= until) return yes;
  return at.earliest > until ? because("false", "expired") : because("unknown", "order_unknown");
}

/** The anchor's point as the clock that wrote the time would have stamped it: skew between two hosts widens it. */
function anchorOnClockOf(
  owner: Event,
  link: Link,
  kernel: Kernel,
  a: Event,
  w: Event,
): { readonly earliest: bigint; readonly latest: bigint } | null {
  const { order } = kernel.view;
  const ap = point(a, link.anchorBoundary);
  if (owner.clock === a.clock) return order.stamp(ap);
  // Its start has a stamp even where its end cannot be believed; both are of one clock.
  const from = point(w, "started_at");
  const [stamp, apart] = [order.stamp(from), order.distance(from, ap)];
  if (stamp === null || apart === null) return null;
  return { earliest: stamp.latest + apart.least, latest: stamp.earliest + apart.most };
}

/** True when no blocker lies between; false with the blocker's code when one surely does. */
function notBlocked(
  compiled: CompiledBlocker,
  link: Link,
  kernel: Kernel,
  a: Event,
  w: Event,
): Match & { readonly mayChange: boolean } {
  let result = yes;
  let hangs = false;
  for (const b of kernel.index.candidates(compiled.blocker.match)) {
    if (b === a || b === w) continue;
    const blocks = isBlocker(compiled, link, kernel, a, w, b);
    if (blocks.truth === "true") return { ...because("false", compiled.blocker.code), mayChange: hangs };
    if (blocks.truth === "unknown") {
      hangs ||= mayChange(kernel, b);
      if (result.truth === "true") result = because("unknown", blocks.code ?? "order_unknown");
    }
  }
  return { ...result, mayChange: hangs };
}

function isBlocker(
  { blocker, matcher }: CompiledBlocker,
  link: Link,
  kernel: Kernel,
  a: Event,
  w: Event,
  b: Event,
): Match {
  const parts = [
    (): Match => matcher(b, kernel.match),
    (): Match => (blocker.bound ? boundBlocker(link, kernel, a, b) : yes),
    (): Match => (blocker.inside === true ? liesInside : liesBetween)(link, kernel, a, w, b),
    (): Match => compareAll(blocker.where, { a, w, b, e: b }, kernel.match.settled),
  ];
  let result = yes;
  for (const part of parts) {
    const match = part();
    if (match.truth === "false") return no;
    if (match.truth === "unknown" && result.truth === "true") result = match;
  }
  return result;
}

/** A blocker that sugar made concerns the anchor's own entity: it holds the key at the anchor's paths. */
export function boundBlocker(link: Link, kernel: Kernel, a: Event, b: Event): Match {
  const paths = link.bind.map((pair) => pair.anchor);
  const [own, other] = [readKey(a, paths, kernel.match.settled), readKey(b, paths, kernel.match.settled)];
  if (own.is === "absent" || other.is === "absent") return no;
  if (own.is === "unknown") return because("unknown", own.code);
  if (other.is === "unknown") return because("unknown", other.code);
  return own.text === other.text ? yes : no;
}

/** The earlier of the two points of a link, and the later one. */
function ends(link: Link, a: Event, w: Event): readonly [Point, Point] {
  const ap = point(a, link.anchorBoundary);
  const wp = point(w, link.witnessBoundary);
  return link.need === "future" ? [ap, wp] : [wp, ap];
}

/** It began after the earlier point, and was over before the later one. */
function liesInside(link: Link, kernel: Kernel, a: Event, w: Event, b: Event): Match {
  const [first, last] = ends(link, a, w);
  let result = yes;
  for (const [p, q] of [
    [first, point(b, "started_at")],
    [point(b, "finished_at"), last],
  ] as const) {
    const { truth, code } = before(kernel, p, q, "required");
    if (truth === "false") return no;
    if (truth === "unknown") result = because("unknown", code ?? "order_unknown");
  }
  return result;
}

/** Between, unless it surely finished before the earlier point or surely started after the later one. */
function liesBetween(link: Link, kernel: Kernel, a: Event, w: Event, b: Event): Match {
  const [first, last] = ends(link, a, w);
  const over = before(kernel, point(b, "finished_at"), first, "blocker");
  if (over.truth === "true") return no;
  const after = before(kernel, last, point(b, "started_at"), "blocker");
  if (after.truth === "true") return no;
  if (over.truth === "unknown") return because("unknown", over.code ?? "order_unknown");
  return after.truth === "unknown" ? because("unknown", after.code ?? "order_unknown") : yes;
}
