/** Pieces of a contract to paste: they load as they stand, and say in `why` what they are for. */
import type { Pattern, ValueTest } from "../rules/pattern.ts";
import { toolKinds } from "../rules/words.ts";

export interface Paste {
  /** Under which key of the contract it goes. */
  readonly under: "rules" | "tools";
  /** True where the tool has an entry already, which this one takes the place of. */
  readonly replaces: boolean;
  /** YAML lines without indentation of their own. */
  readonly lines: readonly string[];
}

/** A word of YAML, in quotes where it needs them. */
export const word = (text: string): string =>
  /^[A-Za-z_][\w-]*$/.test(text) && !/^(?:true|false|null)$/i.test(text) ? text : JSON.stringify(text);

export interface GateWish {
  readonly id: string;
  /** Flow YAML of a pattern. */
  readonly require: string;
  readonly before: string;
  readonly bind?: string;
  readonly severity: string;
  readonly category: string;
  readonly more?: readonly string[];
  readonly why: string;
}

export function gatePaste(wish: GateWish, taken: Set<string>): Paste {
  const { require, before, bind, severity, category, more = [], why } = wish;
  return {
    under: "rules",
    replaces: false,
    lines: [
      `- id: ${word(freeId(wish.id, taken))}`,
      "  kind: gate",
      `  require: ${require}`,
      `  before: ${before}`,
      ...(bind === undefined ? [] : [`  bind: [${word(bind)}]`]),
      `  severity: ${severity}`,
      `  category: ${category}`,
      ...more,
      `  why: ${JSON.stringify(why)}`,
    ],
  };
}

/** Pieces of one sheet may all be pasted: each takes an id of its own, and keeps it. */
export function freeId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number += 1) id = `${wanted}-${number}`;
  taken.add(id);
  return id;
}

export const toolPattern = (tool: string, status?: string): string =>
  status === undefined ? `{tool: ${word(tool)}}` : `{tool: ${word(tool)}, status: ${status}}`;

/** A pattern as flow YAML; null where it holds more than names and plain values. */
export function patternYaml(pattern: Pattern, more: readonly string[] = []): string | null {
  const { kinds, name, tests } = pattern;
  if (pattern.absent.length + pattern.where.length + pattern.anyOf.length > 0 || pattern.not !== null)
    return null;
  const isTool = kinds !== null && [...kinds].every((kind) => toolKinds.has(kind)) && name !== null;
  const parts: string[] = [];
  if (!isTool && kinds !== null) parts.push(`kind: ${listOf([...kinds].map(word))}`);
  if (name !== null) {
    const names = plainValues(name);
    if (names === null) return null;
    parts.push(`${isTool ? "tool" : "name"}: ${listOf(names)}`);
  }
  for (const { path, test } of tests) {
    const values = plainValues(test);
    if (values === null) return null;
    parts.push(`${path.join(".")}: ${listOf(values)}`);
  }
  if (pattern.boundary !== null) parts.push(`boundary: ${pattern.boundary}`);
  parts.push(...more);
  return parts.length === 0 ? null : `{${parts.join(", ")}}`;
}

const listOf = (values: readonly string[]): string =>
  values.length === 1 ? (values[0] ?? "") : `[${values.join(", ")}]`;

function plainValues(test: ValueTest): readonly string[] | null {
  switch (test.op) {
    case "equals":
      return typeof test.value === "string"
        ? [word(test.value)]
        : typeof test.value === "number" || typeof test.value === "boolean"
          ? [String(test.value)]
          : null;
    case "one_of": {
      const parts = test.tests.map(plainValues);
      return parts.some((part) => part === null) ? null : parts.flatMap((part) => part ?? []);
    }
    case "glob":
      return [JSON.stringify(test.glob)];
    default:
      return null;
  }
}
