/**
 * Which model turn a call belongs to where no request says so, and what follows from a decision for the events
 * that belong to it (docs/causality.md#decision-identity).
 *
 * What the agent states wins: its own decision numbers, then links. Else the last model turn of the same agent
 * invocation, on the same clock, that had ended before the call began. Where another turn of the invocation was
 * under way just then (a stream of which the first call already runs), or the last one had answered instead of
 * asking, nothing is assumed.
 */
import { milliseconds, type UnixNano } from "../../model/time.ts";
import type { Value } from "../../model/value.ts";
import type { AncestryIndex } from "./ancestry.ts";
import type { Call } from "./call.ts";
import { decisionFields } from "./decision-fields.ts";
import { keyOf, type SpanNode } from "./graph.ts";
import { invocationOf, type Turn } from "./model-turns.ts";

/** Starts are floored to the millisecond: a call may seem to begin before the turn that asked for it ended. */
const slack = milliseconds(1);

/** The one model turn that the call's own spans link to; null for none, and for several. */
export function linkedTurn(call: Call, turns: ReadonlyMap<string, Turn>): Turn | null {
  const linked = new Set<Turn>();
  for (const { fact } of call.nodes) {
    for (const { traceId, spanId } of fact.links) {
      const turn = turns.get(keyOf(traceId, spanId));
      if (turn !== undefined) linked.add(turn);
    }
  }
  const [only] = linked;
  return linked.size === 1 && only !== undefined ? only : null;
}

interface Taken {
  readonly turn: Turn;
  readonly start: UnixNano;
  /** Latest end of this turn and all before it; null: one of them has none. */
  readonly allEndedBy: UnixNano | null;
}

/** Decides by time for the calls that nothing else decided. A call inside another was that one's own idea. */
export function decideByTime(calls: readonly Call[], turns: readonly Turn[], ancestry: AncestryIndex): void {
  let byInvocation: ReadonlyMap<string, readonly Taken[]> | null = null;
  for (const call of calls) {
    const { anchor } = call;
    if (call.decidedBy !== null || anchor.fact.kind !== "tool_call") continue;
    if (ancestry.invocation(anchor) === null || ancestry.of(anchor).insideTool) continue;
    byInvocation ??= inInvocations(turns);
    const taken = byInvocation.get(invocationOf(anchor, ancestry)) ?? [];
    const seq = stated(call, "seq", ancestry);
    const decision = stated(call, "decision", ancestry);
    const numbered = seq === undefined ? null : numberedTurn(seq, taken, ancestry);
    const turn = seq === undefined && decision === undefined ? lastEnded(call, taken) : numbered;
    if (turn === null) continue;
    call.decidedBy = turn.node;
    call.decidedByTime = true;
  }
}

function inInvocations(turns: readonly Turn[]): ReadonlyMap<string, readonly Taken[]> {
  const taken = new Map<string, Taken[]>();
  for (const turn of turns) {
    if (turn.start === null) continue;
    const list = taken.get(turn.invocation) ?? [];
    taken.set(turn.invocation, list);
    const before = list.at(-1);
    const { end } = turn.node.fact;
    const earlier = before === undefined ? end : before.allEndedBy;
    const allEndedBy = end === null || earlier === null ? null : end > earlier ? end : earlier;
    list.push({ turn, start: turn.start, allEndedBy });
  }
  return taken;
}

/** What the agent states of a call's decision, so that nothing is inferred beside it. */
function stated(call: Call, name: string, ancestry: AncestryIndex): Value | undefined {
  const own = call.nodes.find(({ fact }) => fact.fields.has(name))?.fact.fields.get(name);
  return own ?? ancestry.of(call.anchor).inherited.get(name);
}

/** The last turn that states the call's own decision number. */
function numberedTurn(seq: Value, taken: readonly Taken[], ancestry: AncestryIndex): Turn | null {
  return taken.findLast(({ turn }) => ancestry.of(turn.node).inherited.get("seq") === seq)?.turn ?? null;
}

function lastEnded({ anchor }: Call, taken: readonly Taken[]): Turn | null {
  const { start, clock } = anchor.fact;
  if (start === null) return null;
  const last = taken[countUntil(taken, start) - 1];
  if (last === undefined || last.allEndedBy === null || last.allEndedBy > start + slack) return null;
  const { fact } = last.turn.node;
  return fact.clock === clock && fact.finalAnswer !== "possible" ? last.turn : null;
}

/** How many began no later; they are in order of start. */
function countUntil(taken: readonly Taken[], until: UnixNano): number {
  let low = 0;
  let high = taken.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = taken[middle]?.start;
    if (start !== undefined && start <= until) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * What a call has of the turn that asked for it, where it does not say itself. Numbers make order, so they are
 * taken from a turn that is known to have asked, not from one that only stood before it.
 */
export function fieldsOfDecision(call: Call, ancestry: AncestryIndex, id: (node: SpanNode) => string) {
  const fields = new Map<string, Value>();
  if (call.decidedBy === null) return fields;
  const { inherited } = ancestry.of(call.decidedBy);
  for (const name of decisionFields) {
    const value = call.decidedByTime && name !== "decision" ? undefined : inherited.get(name);
    if (value !== undefined) fields.set(name, value);
  }
  if (!fields.has("decision")) fields.set("decision", id(call.decidedBy));
  return fields;
}
