/**
 * Signals that name what they end: `cancel_requested` and `superseded` (docs/causality.md#cancelled).
 *
 * A signal is about the narrowest thing it names: a call, a decision, a turn, a run. One that stands on a call's
 * own span is about that call, and one that names nothing about its trace, from then back.
 */
import type { Event } from "../../model/event.ts";
import type { Point } from "../../model/order.ts";
import {
  type Asked,
  both,
  type Currency,
  certain,
  decidedAt,
  field,
  firstOf,
  never,
  type Overtaken,
  overtaken,
  started,
  surely,
} from "./currency.ts";

export function signalled(
  currency: Currency,
  signals: readonly Event[],
  call: Event,
  until: Point,
): Overtaken | null {
  if (signals.length === 0) return null;
  return firstOf(
    signals.map((signal) => overtaken(signal, ended(currency, signal, call, until), "signal", true)),
  );
}

function ended(currency: Currency, signal: Event, call: Event, until: Point): Asked {
  const own = standsOn(signal, call);
  if (own) {
    // Somewhere within the call: before its end by construction, however its stamps are, and after its start.
    return until.boundary === "finished_at" ? certain("parent_span") : never;
  }
  return both(about(currency, signal, call), () => surely(currency, started(signal), until));
}

function standsOn(signal: Event, call: Event): boolean {
  const [span] = signal.spans;
  return (
    span !== undefined &&
    signal !== call &&
    call.spans.some(({ traceId, spanId }) => traceId === span.traceId && spanId === span.spanId) &&
    identities.every((name) => field(signal, name) === field(call, name))
  );
}

const identities = ["request_id", "seq", "decision", "turn", "run_id"] as const;

/** Whether the signal is about this call, by the narrowest thing it names. */
function about(currency: Currency, signal: Event, call: Event): Asked {
  const request = field(signal, "request_id");
  if (request !== null) return same(request, field(call, "request_id"));
  if (signal.callId !== null) return same(signal.callId, call.callId);
  const decision = field(signal, "decision");
  if (decision !== null) return same(decision, field(call, "decision"));
  const number = field(signal, "seq");
  if (number !== null) {
    return number === field(call, "seq") && sameCounter(signal, call) ? certain("none") : never;
  }
  const turn = field(signal, "turn");
  if (turn !== null) return same(turn, field(call, "turn"));
  const run = field(signal, "run_id");
  if (run !== null) return same(run, field(call, "run_id"));
  // It names nothing: what its trace had decided by then.
  if (signal.run !== call.run) return never;
  return surely(currency, started(decidedAt(currency, call)), started(signal));
}

const same = (named: string, own: string | null): Asked => (named === own ? certain("none") : never);

/** Numbers of two runs, or of two traces that name no run, are not the same decisions. */
function sameCounter(a: Event, b: Event): boolean {
  const [x, y] = [field(a, "run_id"), field(b, "run_id")];
  return x === null || y === null ? a.run === b.run : x === y;
}
