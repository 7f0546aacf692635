/**
 * `prerequisites:` — what each effect needs, one gate or evidence rule a need, called `create_enrollment.proof`. A
 * map a workflow: nothing is shared but definitions.
 */
import type { Range } from "../model/load-error.ts";
import type { MapEntry, MapNode, SourceNode } from "../source/yaml-source.ts";
import { describe, type MapReader, readMap } from "./map-reader.ts";
import { type Draft, parseRules, type RuleContext } from "./parse-rule.ts";

/** Keys of an effect that each of its rules gets, unless the need has its own. */
const shared = [
  "severity",
  "category",
  "class",
  "stage",
  "why",
  "scope",
  "decision_wait",
  "on_unknown",
  "clock",
] as const;

export function parsePrerequisites(reader: MapReader, context: RuleContext): readonly Draft[] {
  const node = reader.get("prerequisites");
  const effects = node === null ? null : readMap(node, '"prerequisites"', context.problems);
  return effectsOf(effects?.node ?? null, context);
}

export function effectsOf(node: MapNode | null, context: RuleContext): readonly Draft[] {
  return [...(node?.entries.values() ?? [])].flatMap((effect) => {
    const reader = readMap(effect.value, `the effect "${effect.key}"`, context.problems);
    return reader === null ? [] : needsOf(effect, reader, context);
  });
}

function needsOf(effect: MapEntry, reader: MapReader, context: RuleContext): readonly Draft[] {
  const advice = "Add needs: a list of {name: pattern}, or {name: {from: pattern, current: {…}}}.";
  const given = reader.require("needs", advice);
  const needs = given === null ? [] : (reader.list("needs") ?? []);
  const same = reader.entry("same");
  const common = shared.flatMap((key) => reader.entry(key) ?? []);
  reader.done();
  return needs.flatMap((need) => {
    const [entry, ...more] = need.is === "map" ? need.entries.values() : [];
    if (entry === undefined || more.length > 0) {
      context.problems.error(
        need.range,
        "wrong-type",
        `a need is one name with what it asks, not ${need.is === "map" ? `${more.length + 1} names` : describe(need)}`,
        advice,
      );
      return [];
    }
    return parseRules(ruleOf(effect, entry, same, common), null, context);
  });
}

/** The rule that a need stands for, as if it had been written out. */
function ruleOf(
  effect: MapEntry,
  need: MapEntry,
  same: MapEntry | null,
  common: readonly MapEntry[],
): MapNode {
  const isEvidence = need.value.is === "map" && need.value.entries.has("from");
  const own: readonly MapEntry[] =
    isEvidence && need.value.is === "map"
      ? [...need.value.entries.values()]
      : [{ key: "require", keyRange: need.keyRange, value: need.value }];
  const entries = [
    ...common,
    ...(same === null ? [] : [same]),
    text("kind", isEvidence ? "evidence" : "gate", need.keyRange),
    text("id", `${effect.key}.${need.key}`, need.keyRange),
    text(isEvidence ? "for" : "before", effect.key, effect.keyRange),
    ...own,
  ];
  const map = new Map(entries.map((entry) => [entry.key, entry]));
  return { is: "map", entries: map, range: need.value.range };
}

function text(key: string, value: string, range: Range): MapEntry {
  const node: SourceNode = { is: "scalar", value, text: value, quoted: false, range };
  return { key, keyRange: range, value: node };
}
