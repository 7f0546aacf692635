import type { CompletenessSource } from "./completeness.ts";
import type { OrderEvidence } from "./order.ts";

/** Worst first, the order in which they fold (docs/semantics.md 3). */
export const verdicts = ["violated", "inconclusive", "pending", "satisfied", "vacuous"] as const;
export type Verdict = (typeof verdicts)[number];

export const severities = ["critical", "high", "medium", "low"] as const;
export type Severity = (typeof severities)[number];

export const categories = [
  "safety_gate",
  "information_dependency",
  "read_before_write",
  "evidence",
  "effect",
  "causality",
  "workflow",
] as const;
export type Category = (typeof categories)[number];

/** What a reader of a verdict should do. Source: docs/semantics.md 8. */
export type Action = "block" | "block_or_approve" | "warn" | "record" | "none";

/** Codes that a rule has only where it says so with `code:`; those of effects and of causality. */
export const domainCodes = [
  "duplicate_effect",
  "key_reuse",
  "in_flight_twice",
  "blind_retry",
  "unresolved_effect",
  "not_compensated",
  "stale_apply",
  "superseded_applied",
  "unknown_callback",
  "duplicate_callback",
  "identity_reuse",
  "forced_write",
  "nondeterministic",
  "stale_dispatch",
  "wrong_owner",
  "retry_too_soon",
] as const;

/** Codes that only what is not known has. */
export const undecidedCodes = [
  "clock_contradiction",
  "causal_cycle",
  "invalid_interval",
  "time_out_of_range",
  "not_captured",
  "not_kept",
  "data_incomplete",
  "scope_unknown",
  "order_unknown",
  "evicted",
  "monitor_failed",
] as const;

/**
 * Reason codes, as docs/semantics.md 12 lists them, best-ranked near miss first. The rank orders near misses
 * and folds codes: a witness that was in order and lost its force is nearer than one that came too late, and
 * that one nearer than one of another entity.
 */
export const codes = [
  "same_decision",
  "unenforced_order",
  "expired",
  "invalidated",
  "blocked",
  "witness_late",
  "overlap",
  "witness_never_finished",
  "wrong_entity",
  "unbound_key",
  "wrong_status",
  "missing_attribute",
  "witness_missing",
  "anchor_missing",
  "forbidden_after",
  "forbidden_pair",
  "deadline_missed",
  "count_exceeded",
  "count_below",
  "illegal_transition",
  "unlisted_event",
  "not_final",
  "sequence_differs",
  "not_first",
  "not_last",
  ...domainCodes,
  ...undecidedCodes,
] as const;
export type Code = (typeof codes)[number];

export interface NearMiss {
  /** Event id. */
  readonly event: string;
  readonly code: Code;
}

/** One judged anchor of one rule, with its key; a rule without an anchor (count, machine, a missing side) has one instance a key. */
export interface InstanceVerdict {
  /** Event id of the anchor; null where the verdict has none. */
  readonly anchor: string | null;
  /** Canonical text of the bind key; empty without `bind`. Part of the identity where there is no anchor. */
  readonly key: string;
  readonly verdict: Verdict;
  /** True when no further arrival can change it under the stated completeness. */
  readonly final: boolean;
  readonly code: Code | null;
  /** Event id of what met or broke it. */
  readonly witness: string | null;
  /** Ranked by code, start, id. Empty unless asked for: they cost a second pass. */
  readonly nearMisses: readonly NearMiss[];
  readonly evidence: OrderEvidence;
  readonly completeness: CompletenessSource | null;
  /** Names paths, codes and states, never values. */
  readonly reason: string;
  /** Events that were counted, stepped or listed: the machine's path, the counted events past the limit. */
  readonly involved: readonly string[];
  /** The number a count rule compared; absent elsewhere. */
  readonly value?: number;
  /** For a machine: the state it was in and the tools that state allowed. */
  readonly machine?: { readonly state: string; readonly allowed: readonly string[] };
}

/** The instances of one rule in one scope, folded. */
export interface RuleVerdict {
  readonly verdict: Verdict;
  readonly final: boolean;
  readonly code: Code | null;
  readonly instances: readonly InstanceVerdict[];
}
