import { conflictReasons, staleReasons } from "../model/output.ts";

/** Event kinds and fields that exist without being declared (docs/semantics.md 2). */

export const builtInKinds: ReadonlySet<string> = new Set([
  "tool_call",
  "retrieval",
  "model_turn",
  "agent_run",
  "step",
  "final_answer",
  "user_turn",
  "decision",
  "request",
  "callback",
  "cancel_requested",
  "superseded",
  "completed",
  "admitted",
  "applied",
  "marked_stale",
  "reconciled",
  "reducer_rejected",
  "reduced",
  "phase",
  "pause",
  "resume",
  "approval_requested",
  "approval",
  "disclosure",
  "acknowledgement",
  "version_change",
  "saga_failed",
  "effect_intended",
  "effect_call",
  "effect_observed",
  "effect_lookup",
  "compensation",
  "claim",
  "lease",
]);

/** What a name without a kind matches. */
export const toolKinds: ReadonlySet<string> = new Set(["tool_call", "retrieval"]);

/** Roots whose inside is a value of any shape. */
export const openRoots: ReadonlySet<string> = new Set(["args", "result", "attr"]);

export const builtInFields: ReadonlySet<string> = new Set([
  "id",
  "span",
  "kind",
  "name",
  "status",
  "result",
  "args",
  "attr",
  "start",
  "end",
  "host",
  "service",
  "agent",
  "source",
  "environment",
  "scope_name",
  "span_name",
  "run",
  "run_id",
  "conversation",
  "turn",
  "decision",
  "seq",
  "parents",
  "links",
  "parent",
  "call_id",
  "request_id",
  "request",
  "key",
  "input_hash",
  "outcome",
  "provider_id",
  "correlation_id",
  "base_version",
  "state_version",
  "version",
  "if_match",
  "resource",
  "field",
  "disposition",
  "applied",
  "event_id",
  "event_seq",
  "child_count",
  "node",
  "attempt",
  "actor",
  "user",
  "workflow",
  "evidence_id",
  "approval_id",
  "effect",
  "effect_key",
  "retryable",
  "compensable",
  "content_hash",
  "journal_hash",
  "state_hash",
  "rejection_reason",
  "error_class",
  "logical_time",
  "stale",
  "stale_effect",
  "stale_applied",
]);

/**
 * Fields that detectors fill, each a list of reasons: a test of one asks whether any reason meets it
 * (docs/causality.md#fields).
 */
export const detectedWords: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["stale", staleReasons],
  ["stale_effect", staleReasons],
  ["stale_applied", staleReasons],
  ["conflict", conflictReasons],
]);

export const detectedFields: ReadonlySet<string> = new Set(detectedWords.keys());

/** Fields that hold names: a `*` or `?` in their value is a glob, `/…/` a regular expression. */
export const nameFields: ReadonlySet<string> = new Set([
  "name",
  "agent",
  "service",
  "environment",
  "scope_name",
  "span_name",
  "node",
]);

/** Status words: the ten of an event, and other vocabularies' words for them. */
export const statusWords: ReadonlyMap<string, string> = new Map([
  ["success", "success"],
  ["succeeded", "success"],
  ["succeeded_unverified", "success"],
  ["error", "error"],
  ["failed", "error"],
  ["refused", "refused"],
  ["denied", "refused"],
  ["cancelled", "cancelled"],
  ["abandoned", "cancelled"],
  ["timeout", "timeout"],
  ["timed_out", "timeout"],
  ["awaiting", "awaiting"],
  ["awaiting_input", "awaiting"],
  ["rejected_invalid", "rejected_invalid"],
  ["requested", "requested"],
  ["unknown", "unknown"],
  ["unknown_end", "unknown"],
  ["running", "running"],
]);
