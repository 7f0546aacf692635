import type { CloseReason } from "./completeness.ts";
import type { Flaw } from "./event.ts";
import type { OrderEvidence, Truth } from "./order.ts";
import type { UnixNano } from "./time.ts";
import type { Action, Category, InstanceVerdict, Severity, Verdict } from "./verdict.ts";

/**
 * What `step` gives back for one entry. The shell stores records, moves counters and writes log lines by
 * them; the core does none of that itself.
 */
export type Output =
  | ViolationOutput
  | RevisionOutput
  | InconclusiveOutput
  | ScopeClosedOutput
  | ContractClosedOutput
  | ContractMetricOutput
  | RunClosedOutput
  | CountOutput
  | DurationOutput
  | DetectionOutput
  | RuleMatchOutput
  | AlertOutput;

/** Which rule, in the words of metric labels. */
export interface RuleRef {
  readonly contract: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly category: Category;
}

export interface ScopeRef {
  readonly scope: "run" | "conversation" | "all" | "key";
  /** Trace id, conversation id, or the value of an entity. */
  readonly key: string;
}

/**
 * Which statement about an id an output is. An id is a violation's for life; what is said of it changes, and each
 * time a new record replaces the one before (docs/semantics.md 9, "Records").
 */
export interface RecordRef {
  /** `<id>.<n>`: the n-th record of this id, from 1. The same in a replay. */
  readonly record: string;
  /** The record that this one replaces: of the same id, or of one that was merged into it; null for a first one. */
  readonly supersedes: string | null;
}

/** An id became final violated for the first time: `toolorder_violations_total` +1. */
export interface ViolationOutput {
  readonly type: "violation";
  readonly record: ViolationRecord;
}

/** Source: docs/semantics.md 9. Plain data, JSON with bigint as decimal strings. */
export interface ViolationRecord extends RuleRef, ScopeRef, RecordRef {
  /** hash(contract, rule, rule revision, anchor): replays and retries upsert. Hex. */
  readonly id: string;
  readonly ruleRevision: string;
  readonly action: Action;
  readonly title: string | null;
  readonly expected: string;
  readonly why: string | null;
  readonly traceId: string;
  readonly conversation: string | null;
  readonly service: string | null;
  readonly agent: string | null;
  readonly instance: InstanceVerdict;
  /** `at` of the entry that made it final. */
  readonly at: UnixNano;
}

/**
 * A published final verdict changed: never a silent edit. What was inconclusive and turned out violated is a
 * `ViolationOutput` that names the record which it replaces; what turned out otherwise is `settled`.
 */
export interface RevisionOutput extends RecordRef {
  readonly type: "revision";
  readonly rule: RuleRef;
  readonly scope: ScopeRef;
  /** Violation id. */
  readonly id: string;
  readonly change: "withdrawn" | "merged" | "reinstated" | "settled";
  readonly instance: InstanceVerdict;
  readonly at: UnixNano;
}

/** An instance became final inconclusive: `toolorder_inconclusive_total` +1. */
export interface InconclusiveOutput extends RecordRef {
  readonly type: "inconclusive";
  readonly rule: RuleRef;
  readonly scope: ScopeRef;
  readonly id: string;
  readonly instance: InstanceVerdict;
  readonly at: UnixNano;
}

/**
 * A scope closed in which a contract took part. Its rules without a `verdict` output of their own are vacuous
 * there: with many rules most are, and one output for all of them is what that may cost.
 */
export interface ContractClosedOutput {
  readonly type: "contract_closed";
  readonly contract: string;
  readonly scope: ScopeRef;
}

/** What a rule that only measures found, when its scope first closed. */
export type ContractMetricOutput =
  | { readonly type: "contract_metric"; readonly of: "count"; readonly rule: RuleRef; readonly count: number }
  | {
      readonly type: "contract_metric";
      readonly of: "wait";
      readonly rule: RuleRef;
      readonly seconds: number;
    };

/** The fold of one rule when its scope closed: `toolorder_verdicts_total` +1. Never vacuous. */
export interface ScopeClosedOutput {
  readonly type: "verdict";
  readonly rule: RuleRef;
  readonly scope: ScopeRef;
  readonly verdict: Verdict;
}

export interface RunClosedOutput {
  readonly type: "run_closed";
  readonly run: string;
  readonly reason: CloseReason;
}

/** Plain counters. */
export type CountOutput =
  | { readonly type: "count"; readonly of: "tool_calls"; readonly tool: string; readonly status: string }
  | { readonly type: "count"; readonly of: "late"; readonly disposition: "reopened" | "forgotten" }
  | { readonly type: "count"; readonly of: "duplicate"; readonly disposition: "identical" | "conflicting" }
  | { readonly type: "count"; readonly of: "flaw"; readonly flaw: Flaw }
  | {
      readonly type: "count";
      readonly of: "anomaly";
      readonly anomaly: "clock_contradiction" | "causal_cycle";
    }
  | { readonly type: "count"; readonly of: "key_forgotten"; readonly reason: "ttl" | "bound" }
  /** A step that a machine did not allow, or a `reducer_rejected` signal, which is no rule's: its names are empty. */
  | {
      readonly type: "count";
      readonly of: "reducer_rejection";
      readonly contract: string;
      readonly rule: string;
      readonly reason: string;
    }
  /** Calls that one decision asked for, once its run is over. */
  | { readonly type: "count"; readonly of: "calls_per_decision"; readonly calls: number };

export type DurationOutput =
  | {
      readonly type: "duration";
      readonly of: "tool_call" | "dependency_wait";
      readonly tool: string;
      readonly seconds: number;
    }
  | { readonly type: "duration"; readonly of: "span_lag" | "decision_latency"; readonly seconds: number };

export const detectorNames = [
  "stale_result",
  "stale_effect",
  "stale_applied",
  "version_conflict",
  "callback",
] as const;
export type DetectorName = (typeof detectorNames)[number];

/** Why a result, or an effect, was no longer current. */
export const staleReasons = ["cancelled", "superseded", "version", "turn", "run"] as const;
export type StaleReason = (typeof staleReasons)[number];

/** How writes of one resource got in each other's way (docs/causality.md#version-conflicts). */
export const conflictReasons = ["refused", "forced", "lost_update", "several_owners"] as const;
export type ConflictReason = (typeof conflictReasons)[number];

/** What is wrong between a request and its answer (docs/causality.md#callbacks). */
export const callbackReasons = ["unknown", "name_disagrees", "duplicate", "missing"] as const;
export type CallbackReason = (typeof callbackReasons)[number];

/**
 * What becomes of such a callback. `admitted`: its agent says that it used it; `quarantined`: it is held;
 * `released`: its request turned up; `expired`: it did not until the conversation closed, or no answer came.
 */
export const callbackDispositions = ["quarantined", "released", "expired", "admitted"] as const;
export type CallbackDisposition = (typeof callbackDispositions)[number];

/** Both sides of a version conflict: names and versions, never what was written. */
export interface ConflictRecord {
  /** Null where the calls name none. */
  readonly resource: string | null;
  /** The version that both sides started from, or the older one; null where that cannot be told. */
  readonly commonBase: string | null;
  /** The write that the finding is about, then the other one, where it is known. */
  readonly sides: readonly ConflictSide[];
  /** Fields that both wrote, and whether they wrote the same; null where that was not kept. */
  readonly disputed: readonly { readonly field: string; readonly same: boolean | null }[];
}

export interface ConflictSide {
  /** Event id. */
  readonly event: string;
  readonly actor: string | null;
  readonly agent: string | null;
  readonly service: string | null;
  /** Id of the decision, else its number. */
  readonly decision: string | null;
  /** The version that it started from. */
  readonly base: string | null;
  /** The version that it brought about. */
  readonly result: string | null;
  readonly fields: readonly string[];
}

/**
 * By what an event was known to belong to another decision, turn, run or version. `attribute`: it says so
 * itself; `model_turn`: by the model turn that asked for it; `signal`: an event that names it; `trace`: a trace
 * of its own; `none`: nothing says it.
 */
export type IdentitySource = "attribute" | "model_turn" | "signal" | "trace" | "none";

/** Something a detector found (docs/causality.md): counted once, when nothing can change it any more. */
export interface DetectionOutput {
  readonly type: "detection";
  readonly detector: DetectorName;
  readonly reason: string;
  readonly tool: string;
  readonly effect: "read" | "write" | "unknown";
  /** Event ids. */
  readonly event: string;
  readonly by: string | null;
  readonly run: string;
  readonly conversation: string | null;
  readonly at: UnixNano;
  /** Whether a stale result was used; null for what has no use. */
  readonly applied: Truth | null;
  readonly evidence: {
    readonly identity: IdentitySource;
    readonly order: OrderEvidence;
    /** What would settle it, or make it surer. */
    readonly note: string;
  };
  /** Of a version conflict. */
  readonly conflict?: ConflictRecord;
  /** Of a callback. */
  readonly disposition?: CallbackDisposition;
}

/** Events of a closed run that one side of a rule is about. */
export interface RuleMatchOutput {
  readonly type: "rule_match";
  readonly count: number;
  readonly contract: string;
  readonly rule: string;
  readonly side: "anchor" | "witness";
  readonly at: UnixNano;
}

/** `toolorder_alert_active` of one rule rose or fell. */
export interface AlertOutput {
  readonly type: "alert";
  readonly rule: RuleRef;
  readonly reason: "violated" | "inconclusive";
  readonly active: boolean;
}
