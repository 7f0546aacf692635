/**
 * Quarantine of callbacks (docs/causality.md#callbacks): what fits no request is held; it is released where its
 * request turns up, and expires when the conversation closes without one. Each of these is told once.
 */
import type { CallbackDisposition, DetectionOutput, Output } from "../model/output.ts";
import type { UnixNano } from "../model/time.ts";
import type { Finding } from "./detect/detector.ts";
import type { JudgedScope } from "./scopes.ts";

/** How it stands when it is found. What its agent admitted is in use: nothing holds it. */
export function dispositionAtFirst({ reason, event }: Finding): CallbackDisposition {
  if (reason === "missing") return "expired";
  const word = event.fields.get("disposition");
  const used = word === "admitted" || word === "applied" || event.fields.get("applied") === true;
  return used ? "admitted" : "quarantined";
}

const holding: readonly string[] = ["unknown", "name_disagrees"];

/** What was told as held, and is released or expired by now. */
export function tellHeld(scope: JudgedScope, findings: readonly Finding[], at: UnixNano): Output[] {
  const outputs: Output[] = [];
  for (const run of scope.runs) {
    for (const told of [...run.detected]) {
      const held = heldBy(told);
      if (held === null || run.detected.has(`over ${told}`)) continue;
      const event = scope.events.find(({ id }) => id === held.event);
      if (event === undefined) continue;
      const still = findings.find(
        (one) => one.detector === "callback" && one.reason === held.reason && one.event.id === held.event,
      );
      if (still !== undefined && dispositionAtFirst(still) !== "quarantined") continue;
      if (still !== undefined && scope.closed === null) continue;
      run.detected.add(`over ${told}`);
      outputs.push({
        type: "detection",
        detector: "callback",
        reason: held.reason,
        tool: event.name ?? "unknown",
        effect: "unknown",
        event: event.id,
        by: still?.by?.id ?? null,
        run: run.traceId,
        conversation: event.conversation,
        at,
        applied: null,
        evidence: { identity: "attribute", order: "none", note: still === undefined ? released : expired },
        disposition: still === undefined ? "released" : "expired",
      } satisfies DetectionOutput);
    }
  }
  return outputs;
}

const released = "Its request turned up.";
const expired = "Its conversation closed, and its request had not turned up.";

function heldBy(told: string): { readonly reason: string; readonly event: string } | null {
  for (const reason of holding) {
    const prefix = `callback ${reason} `;
    if (told.startsWith(prefix)) return { reason, event: told.slice(prefix.length) };
  }
  return null;
}
