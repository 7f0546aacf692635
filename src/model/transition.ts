import type { ConflictRecord } from "./output.ts";
import type { Code, Verdict } from "./verdict.ts";

/**
 * What was decided about one event of a run, and by what: one for each judged anchor, each step of a machine and each
 * call that was refused. "Why was this refused?" is answered from here alone (docs/causality.md#transitions). Holds
 * names, ids and codes; never arguments, results or keys.
 */
export interface Transition {
  /** Event id. */
  readonly event: string;
  readonly run: string;
  readonly kind: string;
  readonly name: string | null;
  /** Nanoseconds since 1970; null where its start is not known. */
  readonly at: bigint | null;
  /** The state's version, as the event names it. */
  readonly stateVersion: string | null;
  /** The step of the agent's own graph. */
  readonly node: string | null;
  /** What happened to it: refused by whoever was asked, else the worst that a rule says. */
  readonly decision: Decision;
  /** The first thing that decided so. */
  readonly code: Code | string | null;
  /** In words, from what stands below. */
  readonly reason: string;
  /** Every rule that judged it, the worst first. */
  readonly rules: readonly TransitionRule[];
  /** Ids of the events that this rests on: witnesses, near misses, what a detector compared it with. */
  readonly evidence: readonly string[];
  /** What detectors found, `stale_result superseded`. */
  readonly detections: readonly string[];
  /** Version conflicts among them, with both sides. */
  readonly conflicts: readonly ConflictRecord[];
  /** Id of the effect. */
  readonly effect: string | null;
  /** A reference to the idempotency key, never the key: two events with one key have one reference. */
  readonly keyRef: string | null;
  /** Which attempt it is, as it says, else counted among the calls of one name and key. */
  readonly attempt: number | null;
  readonly errorClass: string | null;
}

export type Decision = "refused" | "violated" | "inconclusive" | "allowed";

export interface TransitionRule {
  /** `contract/rule` */
  readonly rule: string;
  readonly verdict: Verdict;
  readonly code: Code | null;
  readonly reason: string;
  readonly witness: string | null;
  /** Of a machine: the state that it was in, and what that allowed. */
  readonly state?: { readonly was: string; readonly allowed: readonly string[] };
}

/** Decision numbers between the first and the last that one agent was seen to give, and that never came. */
export interface DecisionGap {
  /** The agent's run, and its name where it has one. */
  readonly of: string;
  readonly missing: readonly { readonly from: bigint; readonly to: bigint }[];
}
