import type { Range } from "../model/load-error.ts";
import type { ClockPolicy } from "../model/order.ts";
import type { DurationNano } from "../model/time.ts";
import type { Category, Code, Severity } from "../model/verdict.ts";
import type { Commutes } from "./commuting.ts";
import type { EffectLedger } from "./ledger.ts";
import type { Path, Pattern, ValueTest } from "./pattern.ts";
import type { Program } from "./program.ts";

/** A rule, compiled. Immutable; state lives with the runs that it judges. */
export interface Rule {
  readonly contract: string;
  readonly id: string;
  /** Kind as the user wrote it: `gate`, `ordering`, `machine`, … */
  readonly kind: string;
  /** Optional heading for reports. */
  readonly title: string | null;
  readonly severity: Severity;
  readonly category: Category;
  readonly class: "invariant" | "preference";
  readonly stage: "enforced" | "trial";
  /** First day of its trial (`2026-05-31`), where it says so. */
  readonly since: string | null;
  readonly why: string | null;
  /** What the rule asks, in words: `check_requester_authorization before get_customer_plan`. */
  readonly expected: string;
  readonly scope: Scope;
  readonly onUnknown: "inconclusive" | "violate" | "satisfy";
  /** Only the keys that the rule sets; the rest is the deployment's. */
  readonly clock: Partial<ClockPolicy>;
  readonly decisionWait: DurationNano | null;
  /** A vacuous result is a violation (`anchor_missing`). */
  readonly mustApply: boolean;
  /** `ordering` only: what a run without the later side means; null: the deployment's word. */
  readonly missingAfter: "violated" | "vacuous" | null;
  /** True for `ordering`: the missing later side is decided at close (docs/semantics.md 8). */
  readonly pairRequired: boolean;
  /** Code of its violations, overriding what follows from the shape. */
  readonly code: Code | null;
  readonly program: Program;
  /** Event kinds it can be about; null: every kind. */
  readonly kinds: ReadonlySet<string> | null;
  /** Paths it reads, for projection and completeness. */
  readonly reads: readonly Path[];
  /** Hash of the compiled form: comments and formatting change nothing. Hex. */
  readonly revision: string;
  readonly file: string;
  readonly range: Range;
}

/** Over which events a rule is judged. */
export type Scope =
  | { readonly is: "run" }
  | { readonly is: "conversation" }
  /** Everything: what is judged there needs no close (counts, links with `within`). Never closes. */
  | { readonly is: "all" }
  /** All events whose value at this path is the same: one entity, in whatever run. Never closes. */
  | { readonly is: "key"; readonly path: Path };

/** One loaded contract file. */
export interface Contract {
  readonly name: string;
  readonly file: string;
  readonly description: string | null;
  readonly owner: string | null;
  readonly runbook: string | null;
  /** Address of the policy that it stands for. */
  readonly policy: string | null;
  /** Who looked at it last, and the day (`2026-05-31`). */
  readonly reviewed: { readonly by: string; readonly on: string } | null;
  /** Which events make it take part, all of them; empty when the file has no `applies_to`. */
  readonly appliesTo: readonly AppliesTest[];
  /** Without `applies_to`: any event that one of these patterns matches makes it take part. */
  readonly participants: readonly Pattern[];
  readonly tools: ReadonlyMap<string, ToolTraits>;
  /** What it declares to commute (`commutes:`). */
  readonly commutes: readonly Commutes[];
  /** What it declares of effects (`effects:`): by these, calls become effect events. */
  readonly ledgers: readonly EffectLedger[];
  readonly rules: readonly Rule[];
}

/**
 * One key of `applies_to`: `service`, `agent`, `environment`, or a resource attribute, which is kept beside the
 * span's own attributes as `attr.resource.<attribute>`.
 */
export interface AppliesTest {
  readonly path: Path;
  readonly test: ValueTest;
}

/** Traits of a tool, merged over all loaded contracts (two contracts that disagree are a load error). */
export interface ToolTraits {
  readonly access: "plain" | "sensitive" | null;
  readonly effect: "none" | "read" | "write" | "external" | "unknown";
  readonly resource: Path | null;
  readonly reads: string | null;
  readonly idempotent: boolean | null;
  readonly compensable: boolean | null;
  readonly cancel: string | null;
  /** What a later decision must ask to supersede a call of the tool; null: the deployment's word. */
  readonly slot: Slot | null;
  /** Status → tests that refine the outcome of a call. */
  readonly outcome: ReadonlyMap<string, readonly { readonly path: Path; readonly test: ValueTest }[]>;
  readonly note: string | null;
}

/** The same tool; the same tool and values at these paths; any tool of the same agent. */
export type Slot =
  | { readonly is: "tool" }
  | { readonly is: "any" }
  | { readonly is: "paths"; readonly paths: readonly Path[] };

/** Everything that was loaded together. */
export interface RuleSet {
  readonly contracts: readonly Contract[];
  readonly tools: ReadonlyMap<string, ToolTraits>;
  /** Work whose order decides nothing, over all contracts. `compileCommutes` makes a test of two events of it. */
  readonly commutes: readonly Commutes[];
  /** The effect ledgers of all contracts. */
  readonly ledgers: readonly EffectLedger[];
  /** Kinds and fields that contracts declare (`kinds:`, `fields:`). */
  readonly declaredKinds: ReadonlySet<string>;
  readonly declaredFields: ReadonlySet<string>;
  /** What must be kept of facts; made from every rule's reads. */
  readonly projection: Projection;
  /** Hash over all contracts' compiled forms. Hex. */
  readonly revision: string;
}

/**
 * The only arguments, results and attributes that survive normalising
 * (docs/decisions/03-facts-before-events.md).
 */
export interface Projection {
  /** Names the projection in journal entries. */
  readonly id: string;
  /** Keep everything (`check`, tests). */
  readonly all: boolean;
  /** Paths inside the arguments, without `args` itself; an empty path keeps the arguments whole. */
  readonly args: readonly Path[];
  /** Paths inside the result, without `result` itself; an empty path keeps it whole. */
  readonly result: readonly Path[];
  /**
   * Attribute keys; a key is kept whole. `attr.a.b` names the keys `a`, `a.b`: which of them a span has is not
   * known beforehand.
   */
  readonly attr: ReadonlySet<string>;
  /** Span names whose spans become events although they are nothing else (`span_name:` patterns), and whether steps are kept. */
  readonly spanNames: readonly ValueTest[];
  readonly steps: boolean;
  /** HTTP client spans are read for what the calls above them can have of them. Absent: no. */
  readonly http?: boolean;
}
