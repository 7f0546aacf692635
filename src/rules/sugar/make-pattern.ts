/** Patterns as kinds of rules make them, where the rule does not write them itself. */
import type { Value } from "../../model/value.ts";
import { anyEvent, type Pattern, type ValueTest } from "../pattern.ts";

/** Equal to one of these. */
export function oneValue(values: readonly Value[]): ValueTest {
  const tests = values.map((value) => ({ op: "equals", value }) as const);
  const [only, ...more] = tests;
  return only !== undefined && more.length === 0 ? only : { op: "one_of", tests };
}

/** A signal of this kind; `fields` are what it must say, by field. */
export function signal(
  kind: string,
  fields: Readonly<Record<string, string | readonly string[]>> = {},
): Pattern {
  const said = Object.entries(fields).map(([field, value]) => [field, [value].flat()] as const);
  const words = said.map(([field, values]) => `${field}: ${values.join(" or ")}`);
  return {
    ...anyEvent,
    kinds: new Set([kind]),
    tests: said.map(([field, values]) => ({ path: [field], test: oneValue(values) })),
    text: words.length === 0 ? kind : `${kind} (${words.join(", ")})`,
  };
}

export const oneOf = (patterns: readonly Pattern[]): Pattern => ({
  ...anyEvent,
  anyOf: patterns,
  namesStatus: patterns.some(({ namesStatus }) => namesStatus),
  text: [...new Set(patterns.map(({ text }) => text))].join(" or "),
});
