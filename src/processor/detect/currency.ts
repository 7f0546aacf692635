/**
 * What was current when: the decisions, turns, runs and versions of one conversation, looked up once for all
 * reasons for which a result can be stale (docs/causality.md#stale-results).
 */
import type { Event } from "../../model/event.ts";
import type { Boundary, Order, OrderEvidence, Point, Truth } from "../../model/order.ts";
import type { IdentitySource } from "../../model/output.ts";
import type { Value } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import type { ToolTraits } from "../../rules/rule.ts";
import type { DetectInput } from "./detector.ts";

/** Why a call was no longer current at some point of its life, or may not have been. */
export interface Overtaken {
  readonly by: Event;
  readonly truth: "true" | "unknown";
  readonly code: Code | null;
  readonly identity: IdentitySource;
  readonly order: OrderEvidence;
  /** True where nothing that is still to come takes it back: then it need not wait for its past. */
  readonly stands: boolean;
}

/** One conversation, as all reasons see it. */
export interface Currency {
  readonly order: Order;
  readonly tools: ReadonlyMap<string, ToolTraits>;
  readonly byId: ReadonlyMap<string, Event>;
  readonly events: readonly Event[];
  /** Calls that ran, with who decided them. */
  readonly calls: readonly Event[];
  readonly cancels: readonly Event[];
  readonly supersessions: readonly Event[];
  readonly userTurns: readonly Event[];
}

export function currencyOf({ events, order, tools }: DetectInput): Currency {
  const of = (kind: string): Event[] => events.filter((event) => event.kind === kind);
  return {
    order,
    tools,
    events,
    byId: new Map(events.map((event) => [event.id, event])),
    calls: events.filter(hasRun),
    cancels: of("cancel_requested"),
    supersessions: of("superseded"),
    userTurns: of("user_turn"),
  };
}

const notRun: ReadonlySet<string> = new Set(["awaiting", "rejected_invalid", "requested"]);

/** Calls only: a call that was only asked for, or refused before it ran, has no result and no effect. */
export function hasRun(event: Event): boolean {
  return event.kind === "tool_call" && !notRun.has(event.status);
}

export const point = (event: Event, boundary: Boundary): Point => ({ event, boundary });
export const started = (event: Event): Point => point(event, "started_at");
export const finished = (event: Event): Point => point(event, "finished_at");

export interface Asked {
  readonly truth: Truth;
  readonly code: Code | null;
  readonly order: OrderEvidence;
}

/** Whether p surely comes before q. A tie proves nothing: a finding has to be certain. */
export function surely({ order }: Currency, p: Point, q: Point): Asked {
  // Where no edge contradicts a clock, what its stamps tell needs no walk over the edges.
  const plain = order.refuted === true || order.causalOnly === true ? null : byStamps(order, p, q);
  if (plain === "before") return certain(p.event.clockAssumed ? "assumed_clock" : "clock");
  if (plain === "after") return never;
  const { truth, evidence, code } = order.before(p, q, "forbidden");
  const assumed = evidence === "decision_sequence" || code === "clock_contradiction";
  const stamped = truth !== "true" && assumed && areNumbered(p, q) ? byStamps(order, p, q) : null;
  if (stamped === "before") return certain(p.event.clockAssumed ? "assumed_clock" : "clock");
  if (stamped === "after") return never;
  return { truth, order: evidence, code: truth === "unknown" ? (code ?? "order_unknown") : null };
}

/**
 * Order takes it that what was decided first begins first. Here the question is whether it did: of two numbered
 * events on one clock, their own stamps tell.
 */
const areNumbered = (p: Point, q: Point): boolean => p.event.fields.has("seq") && q.event.fields.has("seq");

function byStamps(order: Order, p: Point, q: Point): "before" | "after" | null {
  if (p.event.clock !== q.event.clock) return null;
  const [from, to] = [order.stamp(p), order.stamp(q)];
  if (from === null || to === null) return null;
  if (from.latest < to.earliest) return "before";
  return to.latest < from.earliest ? "after" : null;
}

export const certain = (evidence: OrderEvidence): Asked => ({ truth: "true", order: evidence, code: null });
export const never: Asked = { truth: "false", order: "none", code: null };

/** Both must hold. What one of them leaves open stays open. */
export function both(a: Asked, b: () => Asked): Asked {
  if (a.truth === "false") return a;
  const second = b();
  if (second.truth === "false") return second;
  const open = a.truth === "unknown" ? a : second;
  return { ...open, order: second.order === "none" ? a.order : second.order };
}

/** The first that certainly overtook, else the first that may have. */
export function firstOf(found: Iterable<Overtaken | null>): Overtaken | null {
  let perhaps: Overtaken | null = null;
  for (const one of found) {
    if (one?.truth === "true") return one;
    perhaps ??= one;
  }
  return perhaps;
}

export function overtaken(
  by: Event,
  { truth, code, order }: Asked,
  identity: IdentitySource,
  stands: boolean,
): Overtaken | null {
  return truth === "false" ? null : { by, truth, code, identity, order, stands };
}

/** The value as the text it is compared by; null where it names nothing. */
export function textOf(value: Value | undefined): string | null {
  if (typeof value === "string") return value === "" ? null : value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : null;
}

export function field(event: Event, name: string): string | null {
  return textOf(event.fields.get(name));
}

export function numberOf(text: string | null): bigint | null {
  return text !== null && /^-?\d{1,18}$/.test(text) ? BigInt(text) : null;
}

/** Where a call's intention began: the model turn that asked for it, else its own start. */
export function decidedAt({ byId }: Currency, call: Event): Event {
  return (call.decidedBy === null ? undefined : byId.get(call.decidedBy)) ?? call;
}

/** The earliest by its stamp, then by id: events of one trace are listed so, but not those of several. */
export function earliest(events: readonly Event[]): Event | null {
  let first: Event | null = null;
  for (const event of events) {
    if (first === null || compareStarts(event, first) < 0) first = event;
  }
  return first;
}

export function compareStarts(a: Event, b: Event): number {
  const [x, y] = [stampOf(a), stampOf(b)];
  if (x !== y) return x === null ? 1 : y === null || x < y ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

export function stampOf({ start }: Event): bigint | null {
  if (typeof start === "string") return null;
  return "at" in start ? start.at : start.earliest;
}
