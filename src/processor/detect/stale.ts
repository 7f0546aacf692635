import type { Event } from "../../model/event.ts";
import type { Order } from "../../model/order.ts";

/**
 * Stale results, derived from the model turns that are in the spans
 * (docs/metrics.md#toolorder_stale_results_total):
 *
 *   superseded  a later model turn of the same agent invocation asked for the same tool again, and that call
 *               had started before this one finished
 *   turn        a newer user turn of the conversation (a `user_turn` event, or a later trace with its own
 *               model turn) had begun before this call finished
 *
 * Calls of one model turn are concurrent, never stale. Only certain order counts: what ties or hangs on skew
 * is no finding. A call whose deciding model turn is not known is never stale here.
 */
export interface StaleResult {
  readonly reason: "superseded" | "turn";
  readonly call: Event;
  readonly by: Event;
}

/** `events`: those of one conversation, in any order. At most one finding a call and reason. */
export function staleResults(events: readonly Event[], order: Order): StaleResult[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  const calls: DecidedCall[] = [];
  for (const event of events) {
    if (event.kind !== "tool_call" || event.decidedBy === null) continue;
    const turn = byId.get(event.decidedBy);
    if (turn !== undefined) calls.push({ call: event, turn });
  }
  const starters = userTurns(events);
  const found: StaleResult[] = [];
  const bySlot = Map.groupBy(calls, ({ call }) => call.name ?? "");
  for (const decided of calls) {
    if (!hasFinished(decided.call)) continue;
    const superseding = (bySlot.get(decided.call.name ?? "") ?? []).find((other) =>
      supersedes(other, decided, order),
    );
    if (superseding !== undefined) {
      found.push({ reason: "superseded", call: decided.call, by: superseding.call });
    }
    const newer = starters.find((starter) => overtakes(starter, decided, order));
    if (newer !== undefined) found.push({ reason: "turn", call: decided.call, by: newer });
  }
  return found;
}

interface DecidedCall {
  readonly call: Event;
  readonly turn: Event;
}

function supersedes(other: DecidedCall, { call, turn }: DecidedCall, order: Order): boolean {
  return (
    other.turn.id !== turn.id &&
    other.turn.run === turn.run &&
    turn.invocation !== null &&
    other.turn.invocation === turn.invocation &&
    surely(order, turn, "started_at", other.turn, "started_at") &&
    surely(order, other.call, "started_at", call, "finished_at")
  );
}

/**
 * The model turn must be of the call's own trace: where every step is a trace of its own, a later trace is no
 * newer user turn.
 */
function overtakes(starter: Event, { call, turn }: DecidedCall, order: Order): boolean {
  return (
    turn.run === call.run &&
    (starter.kind === "user_turn" || starter.run !== call.run) &&
    surely(order, turn, "started_at", starter, "started_at") &&
    surely(order, starter, "started_at", call, "finished_at")
  );
}

/** What begins a user turn: its own events where there are any, else the first model turn of each trace. */
function userTurns(events: readonly Event[]): Event[] {
  const explicit = events.filter((event) => event.kind === "user_turn");
  if (explicit.length > 0) return explicit;
  const first = new Map<string, Event>();
  for (const event of events) {
    if (event.kind !== "model_turn") continue;
    const known = first.get(event.run);
    if (known === undefined || startOf(event) < startOf(known)) first.set(event.run, event);
  }
  return [...first.values()];
}

function surely(
  order: Order,
  a: Event,
  from: "started_at" | "finished_at",
  b: Event,
  to: "started_at" | "finished_at",
): boolean {
  const relation = order.before({ event: a, boundary: from }, { event: b, boundary: to }, "forbidden");
  return relation.truth === "true";
}

function hasFinished({ end }: Event): boolean {
  return typeof end === "object";
}

function startOf({ start }: Event): bigint {
  if (typeof start === "string") return 0n;
  return "at" in start ? start.at : start.earliest;
}
