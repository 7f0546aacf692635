/** Short names of sugar: `plan_id` is `args.plan_id` of a call, and the field of that name where events have one. */

import type { SourceNode } from "../../source/yaml-source.ts";
import { parsePath } from "../parse-path.ts";
import type { Path, Pattern } from "../pattern.ts";
import { toolKinds } from "../words.ts";
import type { RuleParts } from "./rule-parts.ts";

/** `user`, `args.plan_id` and `result.x` as they are; a name that is no field is one of the arguments. */
export function pathOfName(rule: RuleParts, name: string, node: SourceNode): Path | null {
  const { vocabulary } = rule.context;
  const isShort = /^[\w-]+$/.test(name) && !vocabulary.fields.has(name) && name !== "tool";
  return isShort ? ["args", name] : parsePath(name, node.range, vocabulary, rule.reader.problems);
}

/** Whether a pattern speaks of calls, which have arguments and results, and not of signals alone. */
export function speaksOfCalls({ kinds, anyOf }: Pattern): boolean {
  if (kinds !== null) return [...kinds].some((kind) => toolKinds.has(kind));
  return anyOf.length === 0 || anyOf.some(speaksOfCalls);
}

/** Where a signal carries a value of this name: in its field, else among its `agent.*` attributes. */
export function pathInSignal(rule: RuleParts, name: string): Path {
  return rule.context.vocabulary.fields.has(name) ? [name] : ["attr", "agent", name];
}

/** Where evidence says this of itself: a call in its result, a signal in its fields. */
export function pathInEvidence(
  rule: RuleParts,
  name: string,
  witness: Pattern | null,
  node: SourceNode,
): Path | null {
  if (!/^[\w-]+$/.test(name)) {
    const own = name.startsWith("w.") ? name.slice(2) : name;
    return parsePath(own, node.range, rule.context.vocabulary, rule.reader.problems);
  }
  return witness !== null && !speaksOfCalls(witness) ? pathInSignal(rule, name) : ["result", name];
}
