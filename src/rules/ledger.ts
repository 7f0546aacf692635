import type { Path, Pattern, ValueTest } from "./pattern.ts";

/**
 * One `effects:` block, compiled: which calls cause the effect, and where they say which one it is. `assemble` makes
 * effect events of ordinary calls by it (docs/effects.md); the rules that the block expands to speak of those.
 */
export interface EffectLedger {
  /** `<contract>.<block>`, unique among the loaded files: the field `ledger` of its events. */
  readonly id: string;
  readonly contract: string;
  /** The calls that cause the effect. */
  readonly tool: Pattern;
  /** Names of `tool`, where it names any: signals of that name are the ledger's. */
  readonly toolName: ValueTest | null;
  /** Calls that record what is intended; null: only `effect_intended` signals do. */
  readonly intent: Pattern | null;
  /** Calls that ask the provider what became of an effect. */
  readonly lookup: Pattern;
  /** Lookups that say that there is no such effect. */
  readonly notFound: Pattern | null;
  readonly compensation: Pattern | null;
  /** Calls that make somebody the one owner of a request. */
  readonly claim: Pattern | null;
  /** Where a field is read, first found wins; an empty list: the event's own field of that name. */
  readonly paths: Readonly<Record<LedgerField, readonly Path[]>>;
  /** Classes of errors after which nothing may be tried again. */
  readonly finalErrors: readonly ValueTest[];
}

/** What an effect event says of its effect. `effect` is what a compensation names, `claimant` who claims. */
export const ledgerFields = [
  "key",
  "request",
  "input_hash",
  "provider_id",
  "user",
  "workflow",
  "effect",
  "claimant",
] as const;
export type LedgerField = (typeof ledgerFields)[number];

/** Kinds of events that the ledger makes of ordinary calls. */
export const effectKinds = [
  "effect_intended",
  "effect_call",
  "effect_observed",
  "effect_lookup",
  "compensation",
  "claim",
] as const;
export type EffectKind = (typeof effectKinds)[number];

/** How an effect stands: what a call, a lookup or a compensation said of it. */
export type EffectOutcome = "ok" | "failed" | "conflict" | "unknown";

/** The kind of every rule that a block expands to. */
export const ledgerKind = "effects";

/** What makes a call no effect of its own; the field `disposition` of effect events. */
export const attemptWords = ["existing", "in_progress", "refused"] as const;
/** The call had not ended when its run was over. */
export const neverEnded = "never_ended";
