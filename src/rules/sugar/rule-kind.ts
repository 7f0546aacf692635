/**
 * What a kind of rule is made of. A kind reads its own keys and answers with kernels; everything that all
 * kinds share (id, severity, scope, clock, …) is read elsewhere, once.
 */
import type { DurationNano } from "../../model/time.ts";
import type { Category, Severity } from "../../model/verdict.ts";
import type { Commutes } from "../commuting.ts";
import type { PatternContext } from "../parse-pattern.ts";
import type { Bind, Comparison, Pattern } from "../pattern.ts";
import type { Blocker, Link, Program } from "../program.ts";
import type { Scope, ToolTraits } from "../rule.ts";

import type { RuleParts } from "./rule-parts.ts";

export interface RuleKind {
  readonly kind: string;
  /** Where the rule names none. `by_tool`: a safety gate if the guarded tool is sensitive or acts, else workflow. */
  readonly category: Category | "by_tool";
  readonly build: (rule: RuleParts) => Built | null;
}

export interface Built {
  readonly program: Program;
  /** What it asks, in words. */
  readonly expected: string;
  /** The patterns that make its name. */
  readonly subjects: readonly Pattern[];
  /** The step that is guarded: its traits decide the category. */
  readonly guarded?: Pattern;
  /** What has to have happened: of a safety gate it should name a status. */
  readonly proof?: Pattern;
  readonly pairRequired?: boolean;
  /** `id` says something else in this kind, so the rule's is made. */
  readonly idIsTaken?: boolean;
  /** Where it says more than the category does. */
  readonly severity?: Severity;
  /** Where the rule names none. */
  readonly scope?: Scope;
}

export interface LinkOptions {
  readonly bind: readonly Bind[];
  readonly where: readonly Comparison[];
  readonly within: DurationNano | null;
  readonly noSooner?: DurationNano | null;
  readonly validUntil: Link["validUntil"];
  readonly unlessBetween: readonly Blocker[];
  readonly atLeast: number;
}

export type Need = Link["need"];

export interface KindContext extends PatternContext {
  /** Traits over all loaded contracts. */
  readonly tools: ReadonlyMap<string, ToolTraits>;
  /** What all loaded contracts declare to commute. */
  readonly commutes: readonly Commutes[];
}
