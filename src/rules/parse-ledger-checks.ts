/** `checks:` of an effect ledger: what each check is held to where that differs from its block. */
import { severities } from "../model/verdict.ts";
import { didYouMean } from "../source/suggest.ts";
import type { SourceNode } from "../source/yaml-source.ts";
import { describe, readMap } from "./map-reader.ts";
import { readShared } from "./parse-shared.ts";
import type { Scope } from "./rule.ts";
import { type CheckName, checkNames } from "./sugar/ledger.ts";
import type { RuleKind } from "./sugar/rule-kind.ts";
import type { RuleParts } from "./sugar/rule-parts.ts";

/** The kind that severities and categories of checks default by. */
export const effectRule: RuleKind = { kind: "effects", category: "effect", build: () => null };

export type OwnWords = Partial<ReturnType<typeof readShared>>;

/** What each check is held to where it differs from the block: `false`, a severity, or keys of a rule. */
export function readChecks(rule: RuleParts, scope: Scope): ReadonlyMap<CheckName, OwnWords | false> {
  const { problems } = rule.reader;
  const node = rule.reader.get("checks");
  const reader = node === null ? null : readMap(node, '"checks"', problems);
  const found = new Map<CheckName, OwnWords | false>();
  for (const { key, keyRange, value } of reader?.node.entries.values() ?? []) {
    const name = checkNames.find((known) => known === key);
    if (name === undefined) {
      problems.error(
        keyRange,
        "unknown-word",
        `an effect ledger has no check "${key}"`,
        `${didYouMean(key, checkNames)}Checks are: ${checkNames.join(", ")}.`,
      );
      continue;
    }
    const own = readCheck(rule, name, value, scope);
    if (own !== null) found.set(name, own);
  }
  return found;
}

function readCheck(
  rule: RuleParts,
  name: CheckName,
  node: SourceNode,
  scope: Scope,
): OwnWords | false | null {
  const { problems } = rule.reader;
  if (node.is === "scalar" && node.value === false) return false;
  const severity = node.is === "scalar" ? severities.find((word) => word === node.value) : undefined;
  if (severity !== undefined) return { severity };
  if (node.is !== "map") {
    problems.error(
      node.range,
      "unknown-word",
      `the check "${name}" cannot be ${describe(node)}`,
      `Write false to leave it out, a severity (${severities.join(", ")}), or {severity: …, stage: trial}.`,
    );
    return null;
  }
  const parts = rule.inside(node, "a check");
  const shared = readShared(
    parts.reader,
    { ...rule.context, plainNumbersAreMilliseconds: rule.plainNumbersAreMilliseconds },
    effectRule,
    null,
    scope,
  );
  for (const key of ["must_apply", "code", "id"]) parts.refuse(key, "the check says it itself");
  parts.reader.done();
  const given = Object.entries(shared).filter(([key]) => parts.reader.has(wordOf(key)));
  return Object.fromEntries(given) as OwnWords;
}

/** `onUnknown` is written `on_unknown`. */
const wordOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
