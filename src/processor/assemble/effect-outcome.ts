/** What a call says of its effect (docs/effects.md, "Outcomes"). */
import { type Event, readField } from "../../model/event.ts";
import { type EffectLedger, type EffectOutcome, neverEnded } from "../../rules/ledger.ts";
import { found } from "./effect-fields.ts";
import { compileLedger, type LedgerTests } from "./ledger-tests.ts";

/** Why a call is no effect of its own, or has no end; null: it is an ordinary one. */
export function dispositionOf(event: Event, over: boolean): string | null {
  if (event.status === "refused" || event.status === "rejected_invalid") return "refused";
  if (event.end === "open" && over) return neverEnded;
  const word = event.fields.get("disposition");
  return word === "existing" || word === "in_progress" ? word : null;
}

export interface Told {
  readonly outcome: EffectOutcome;
  /** Whether another try may help; undefined where there is nothing to try again. */
  readonly retryable: boolean | undefined;
}

/** `idempotent`: trying again does no harm, so an unknown outcome counts as a failure. */
export function outcomeOf(
  event: Event,
  ledger: EffectLedger,
  disposition: string | null,
  idempotent: boolean,
): Told {
  if (disposition === "refused") return { outcome: "failed", retryable: false };
  // Another call holds the key: what becomes of it is not this call's to say.
  const outcome = disposition === "in_progress" ? "conflict" : (statedOutcome(event) ?? plainOutcome(event));
  if (outcome === "unknown" && idempotent) return { outcome: "failed", retryable: true };
  return { outcome, retryable: outcome === "failed" ? retryableOf(event, ledger) : undefined };
}

function retryableOf(event: Event, ledger: EffectLedger): boolean {
  const stated = event.fields.get("retryable");
  if (typeof stated === "boolean") return stated;
  const errorClass = readField(event, ["error_class"]);
  return !compileLedger(ledger).finalErrors.some((test) => test(errorClass).truth === "true");
}

const outcomes: readonly EffectOutcome[] = ["ok", "failed", "conflict", "unknown"];

/** What the call itself says, or the request that it sent: no answer leaves open what a status calls an error. */
function statedOutcome(event: Event): EffectOutcome | null {
  const stated = event.fields.get("outcome");
  return outcomes.find((word) => word === stated) ?? null;
}

export function plainOutcome(event: Event): EffectOutcome {
  switch (event.status) {
    case "success":
      return "ok";
    case "error":
    case "refused":
    case "rejected_invalid":
      return "failed";
    default:
      return "unknown";
  }
}

/** A lookup that went well says whether the effect is there; any other says nothing. */
export function lookupOutcome(event: Event, ledger: EffectLedger, tests: LedgerTests): EffectOutcome {
  if (event.status !== "success") return "unknown";
  const stated = statedOutcome(event);
  if (stated !== null) return stated;
  if (tests.notFound !== null) return tests.notFound(event) === null ? "ok" : "failed";
  if (ledger.paths.provider_id.length === 0 || event.result === undefined) return "ok";
  return found(event, ledger, "provider_id") === null ? "failed" : "ok";
}
