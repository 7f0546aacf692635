/**
 * What is suspicious in contracts that load: evidence that proves little, rules that cannot be kept together,
 * rules that never speak or speak too late. Every finding is a warning with its place and cure; nothing here
 * changes what is judged. A function of the compiled rules and, for places, of the text.
 *
 * Careful rather than complete: what only may be wrong is not told.
 */
import type { ContractSource } from "../model/entry.ts";
import type { LoadProblem } from "../model/load-error.ts";
import { lintConflicts } from "./lint-conflicts.ts";
import { lintDead } from "./lint-dead.ts";
import { lintNames } from "./lint-names.ts";
import { LintPlaces } from "./lint-places.ts";
import { lintRule } from "./lint-rule.ts";
import type { RuleSet } from "./rule.ts";

/** `sources` are those that the set was loaded from. */
export function lintContracts(sources: readonly ContractSource[], set: RuleSet): readonly LoadProblem[] {
  const places = new LintPlaces(sources);
  for (const rule of set.contracts.flatMap(({ rules }) => rules)) {
    lintRule(rule, places);
    lintDead(rule, places);
  }
  lintConflicts(set.contracts, places);
  lintNames(set, places);
  return places.found;
}
