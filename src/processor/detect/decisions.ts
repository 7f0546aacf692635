/**
 * Which of two calls was decided later (docs/causality.md#decision-identity).
 *
 * What the agent states comes first: decision numbers, counted within one orchestrator. Else the model turns
 * that asked for the calls, within one agent invocation: two sub-agents of one name are concurrent, and so are
 * two decisions that nothing relates.
 */
import type { Event } from "../../model/event.ts";
import type { IdentitySource } from "../../model/output.ts";
import { type Asked, type Currency, certain, field, never, numberOf, started, surely } from "./currency.ts";

export interface Later extends Asked {
  readonly identity: IdentitySource;
}

/** A decision as a call shows it: at most one number, at most one model turn. */
export interface Decision {
  /** Who counts, and the number. */
  readonly numbered: { readonly by: string; readonly number: bigint } | null;
  readonly turn: Event | null;
  /** Who takes turns. */
  readonly invocation: string | null;
}

export function decisionOf({ byId }: Currency, call: Event): Decision {
  const turn = call.decidedBy === null ? null : (byId.get(call.decidedBy) ?? null);
  const number = numberOf(field(call, "seq"));
  return {
    numbered: number === null ? null : { by: counterOf(call), number },
    turn,
    invocation: turn === null || turn.invocation === null ? null : `${turn.run}:${turn.invocation}`,
  };
}

/**
 * Who counts the decisions. A run that goes on in another trace counts on under the same id; two agents of one
 * run, or of a trace without an agent run, count for themselves.
 */
function counterOf(event: Event): string {
  const run = field(event, "run_id");
  if (run !== null) return `run ${run}\n${field(event, "agent") ?? ""}`;
  const { invocation, orchestrator = invocation } = event;
  return `${event.run}/${orchestrator ?? `\n${field(event, "agent") ?? ""}`}`;
}

/** Whether `other` was surely decided after `own`: never, for siblings and for what nothing relates. */
export function decidedLater(currency: Currency, own: Decision, other: Decision): Later {
  if (own.turn !== null && own.turn === other.turn) return { ...never, identity: "model_turn" };
  if (own.numbered !== null && other.numbered !== null && own.numbered.by === other.numbered.by) {
    const later = other.numbered.number > own.numbered.number;
    return { ...(later ? certain("decision_sequence") : never), identity: "attribute" };
  }
  if (own.turn === null || other.turn === null || own.invocation === null) {
    return { ...never, identity: "none" };
  }
  if (own.invocation !== other.invocation) return { ...never, identity: "none" };
  return { ...surely(currency, started(own.turn), started(other.turn)), identity: "model_turn" };
}

/** One text for calls that one decision asked for; null where nothing says which. */
export function decisionKey(currency: Currency, call: Event): string | null {
  const { numbered, turn } = decisionOf(currency, call);
  if (turn !== null) return `turn ${turn.id}`;
  return numbered === null ? null : `${numbered.by}\n${numbered.number}`;
}

/** Whether one decision asked for both: siblings run side by side, and neither makes the other out of date. */
export function siblings(currency: Currency, a: Event, b: Event): boolean {
  const [x, y] = [decisionOf(currency, a), decisionOf(currency, b)];
  if (x.turn !== null && x.turn === y.turn) return true;
  if (x.numbered === null || y.numbered === null) return false;
  return x.numbered.by === y.numbered.by && x.numbered.number === y.numbered.number;
}
