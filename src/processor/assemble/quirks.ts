/** What can be told only from the other calls of a trace. */
import type { Call } from "./call.ts";

/**
 * Laminar writes a TOOL span for a call whose arguments were refused before it ran: an error that was not fatal,
 * with empty input, in a trace that records other calls' input.
 */
export function settleLaminar(calls: readonly Call[]): void {
  const recording = new Set<string>();
  for (const call of calls) {
    if (call.anchor.fact.dialect === "laminar" && call.argsHash !== null)
      recording.add(call.anchor.fact.traceId);
  }
  for (const call of calls) {
    const { dialect, traceId, errorClass } = call.anchor.fact;
    if (dialect !== "laminar" || errorClass !== "non_fatal" || call.argsHash !== null) continue;
    if (call.outcome === "error" && recording.has(traceId)) call.outcome = "rejected_invalid";
  }
}

/** One call id on two calls of a trace: legal, and worth knowing (two parallel calls that share an id). */
export function noteCollisions(calls: readonly Call[]): void {
  const seen = new Map<string, Call>();
  for (const call of calls) {
    if (call.callId === null) continue;
    const key = `${call.anchor.fact.traceId}\n${call.callId}`;
    const other = seen.get(key);
    if (other === undefined) seen.set(key, call);
    else for (const each of [other, call]) each.flaws.add("call_id_collision");
  }
}
