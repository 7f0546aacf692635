import type { Pattern, ValueTest } from "./pattern.ts";

/** Longest made id; it becomes a metric label. */
const maxLength = 120;

/**
 * The id of a rule that has none: its kind and the names it speaks of, so that it stays the same while they
 * do. A second rule of the same kind and names gets `-2`. Adds the id to `taken`.
 */
export function ruleId(kind: string, subjects: readonly Pattern[], taken: Set<string>): string {
  const base = [kind, ...subjects.map(shortName)].join("-").slice(0, maxLength);
  let id = base;
  for (let number = 2; taken.has(id); number += 1) id = `${base}-${number}`;
  taken.add(id);
  return id;
}

function shortName(pattern: Pattern): string {
  const name = pattern.name === null ? [...(pattern.kinds ?? ["any"])].join("-") : textOf(pattern.name);
  return name.replace(/[^\w.-]+/g, "_") || "any";
}

function textOf(test: ValueTest): string {
  switch (test.op) {
    case "equals":
      return String(test.value);
    case "one_of":
      return test.tests.map(textOf).join("-");
    case "glob":
      return test.glob;
    case "matches":
      return test.pattern;
    default:
      return test.op;
  }
}
