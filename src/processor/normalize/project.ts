/**
 * Cuts values down to the paths that rules name (docs/decisions/03-facts-before-events.md): what no rule
 * reads is never kept. Which paths a projection lacked is answered by `notKept`, for rules that came after
 * the fact.
 */
import type { SpanFact } from "../../model/span-fact.ts";
import { isArray, isObject, type Value, type ValueObject } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import type { Path } from "../../rules/pattern.ts";
import type { Projection } from "../../rules/rule.ts";

/**
 * The parts of a value under the paths (an empty path keeps it whole). An object of which nothing is named
 * becomes an empty one, and anything else null: captured, and absent under every path.
 */
export function projectValue(value: Value | undefined, paths: readonly Path[]): Value | undefined {
  if (value === undefined || paths.some((path) => path.length === 0)) return value;
  if (isArray(value)) return paths.some((path) => /^\d+$/.test(path[0] ?? "")) ? value : null;
  if (!isObject(value)) return null;
  const kept: Record<string, Value> = Object.create(null);
  for (const [key, inner] of groupByMember(value, paths)) {
    const part = projectValue(value[key], inner);
    if (part !== undefined) kept[key] = part;
  }
  return kept;
}

/** Member of the value → what paths ask of it. Keys may hold dots themselves, so every run of segments is tried. */
function groupByMember(value: ValueObject, paths: readonly Path[]): ReadonlyMap<string, Path[]> {
  const groups = new Map<string, Path[]>();
  for (const path of paths) {
    for (let take = 1; take <= path.length; take += 1) {
      const key = path.slice(0, take).join(".");
      if (!Object.hasOwn(value, key)) continue;
      const group = groups.get(key) ?? [];
      group.push(path.slice(take));
      groups.set(key, group);
    }
  }
  return groups;
}

/**
 * The fact as rules of a later revision must see it: paths that they read and that its projection lacked are
 * unknown (`not_kept`), never absent.
 */
export function notKept(fact: SpanFact, had: Projection, wanted: Projection): SpanFact {
  if (had.all || had.id === wanted.id || fact.kind === null) return fact;
  const hidden = new Map<string, Code>(fact.hidden);
  const lacked = (root: "args" | "result"): void => {
    for (const path of wanted[root]) {
      const kept = had[root].some((own) => own.every((segment, index) => segment === path[index]));
      if (!kept) hidden.set([root, ...path].join("."), "not_kept");
    }
  };
  if (fact.args !== undefined) lacked("args");
  if (fact.hasResult) lacked("result");
  for (const key of wanted.attr) if (!had.attr.has(key)) hidden.set(`attr.${key}`, "not_kept");
  if (hidden.size === fact.hidden.size) return fact;
  return {
    ...fact,
    hidden,
    flaws: fact.flaws.includes("not_kept") ? fact.flaws : [...fact.flaws, "not_kept"],
  };
}
