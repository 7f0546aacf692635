/**
 * Cuts values down to the paths that rules name (docs/decisions/03-facts-before-events.md): what no rule
 * reads is never kept.
 */
import { isArray, isObject, type Value, type ValueObject } from "../../model/value.ts";
import type { Path } from "../../rules/pattern.ts";

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
