/** What the kinds about causality share: the patterns they mean where a rule names nothing else, and their keys. */
import { anyEvent, type Bind, type Comparison, type Path, type Pattern, type Side } from "../pattern.ts";
import { toolKinds } from "../words.ts";
import { oneValue } from "./make-pattern.ts";
import type { LinkOptions, Need } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

/** The pattern, of events that say nothing under these paths. */
export const lacking = (pattern: Pattern, paths: readonly Path[]): Pattern => ({
  ...pattern,
  absent: [...pattern.absent, ...paths],
});

/** The pattern under this key, else the one that the kind means. Either makes the contract take part. */
export function patternOr(rule: RuleParts, key: string, usual: Pattern): Pattern | null {
  const given = rule.optionalPattern(key);
  if (given !== null) return given;
  if (rule.reader.has(key)) return null;
  rule.patterns.push(usual);
  return usual;
}

/** Calls of these tools; null where there are none. */
export function callsOf(names: Iterable<string>): Pattern | null {
  const tools = [...new Set(names)];
  if (tools.length === 0) return null;
  return { ...anyEvent, kinds: toolKinds, name: oneValue(tools), text: tools.join(" or ") };
}

/** Every declared tool that writes, or acts outside. */
export const writingTools = (rule: RuleParts): readonly string[] =>
  [...rule.context.tools]
    .filter(([, { effect }]) => effect === "write" || effect === "external")
    .map(([name]) => name);

/** The pattern under this key, else the calls that traits tell; an error where they tell none. */
export function callsUnder(
  rule: RuleParts,
  key: string,
  told: Pattern | null,
  trait: string,
): Pattern | null {
  if (told !== null) return patternOr(rule, key, told);
  const { reader } = rule;
  const given = rule.optionalPattern(key);
  // Not `require`: with traits the key may be left out.
  if (!reader.has(key)) {
    reader.problems.error(
      reader.node.range,
      "missing-key",
      `this rule needs the key "${key}": no tool has a trait that says it`,
      `Add ${key}: the calls that are meant, or give tools the trait ${trait}.`,
    );
  }
  return given;
}

/** Link options of a kind that has a key of its own; `bind` replaces it. */
export function keyedBy(
  rule: RuleParts,
  need: Need,
  quant: "some" | "none",
  anchor: Pattern | null,
  usual: readonly Bind[],
): LinkOptions {
  const options = rule.linkOptions(need, quant, anchor);
  return rule.reader.has("bind") ? options : { ...options, bind: usual };
}

export const bindOn = (...paths: readonly string[]): readonly Bind[] =>
  paths.map((path) => ({ anchor: path.split("."), witness: path.split(".") }));

/** Paths under this key, else the field that the kind means. */
export function pathsOr(rule: RuleParts, key: string, ...usual: readonly string[]): readonly Path[] {
  const given = rule.paths(key);
  const node = rule.reader.get(key);
  if (node === null) return usual.map((path) => path.split("."));
  if (node.is === "list" && node.items.length === 0) {
    rule.reader.problems.error(
      node.range,
      "list-too-short",
      `"${key}" needs at least 1 entry`,
      `Add a path, or leave ${key} out: then it is ${usual.join(" and ")}.`,
    );
  }
  return given;
}

export function compared(
  left: readonly [Side, Path],
  op: Comparison["op"],
  right: readonly [Side, Path],
): Comparison {
  const text = ([side, path]: readonly [Side, Path]): string => `${side}.${path.join(".")}`;
  return {
    left: { side: left[0], path: left[1] },
    op,
    right: { side: right[0], path: right[1] },
    text: `${text(left)} ${op} ${text(right)}`,
  };
}

export const inWords = (paths: readonly Path[]): string => paths.map((path) => path.join(".")).join(" and ");
