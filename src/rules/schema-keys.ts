/** Which keys the maps of a contract take, heard from the loader itself, and what stands under them as a schema. */
import { loadContracts } from "./load.ts";
import type { KeyShape } from "./rule-error.ts";
import { guardedKinds } from "./sugar/kinds.ts";

export type Schema = boolean | { readonly [keyword: string]: unknown };

export const ref = (name: string): Schema => ({ $ref: `#/definitions/${name}` });
export const textOrList = (item: Schema): Schema => ({ anyOf: [item, { type: "array", items: item }] });
export const reference: Schema = { type: "string", pattern: "^\\$[A-Za-z_]" };
/** A field path. */
export const path: Schema = { type: "string" };
/** A keyword of JSON Schema and a key of rules. Spelt out it would look like a promise's. */
export const under = "then";
/** Text may be written as a number or a truth value: `007`, `on: 2026`. */
export const anyText: Schema = { type: ["string", "number", "boolean"] };

export function schemaOfShape(shape: KeyShape): Schema {
  switch (shape.is) {
    case "any":
    case "refused":
      return true;
    case "text":
      return anyText;
    case "boolean":
      return { type: "boolean" };
    case "duration":
      return ref("duration");
    case "list":
      return { type: "array" };
    case "words":
      return { enum: shape.words };
    case "number":
      return { type: "integer", minimum: shape.least };
    case "pattern":
      return ref("pattern");
    case "patterns":
      return { type: "array", items: ref("pattern") };
    case "paths":
      return textOrList(path);
    case "binds":
      return ref("binds");
    case "comparisons":
      return ref("comparisons");
    case "blockers":
      return ref("blockers");
  }
}

/** One key of one map, as all readers together told it. */
export interface Known {
  shape: KeyShape;
  required: boolean;
  synonyms: readonly string[];
}

export type Keys = Map<string, Known>;

/** Loads a text that need not be right, and hears which keys its maps could have had. */
export function heard(text: string): ReadonlyMap<string, Keys> {
  const maps = new Map<string, Keys>();
  loadContracts([{ file: "schema.yaml", text }], {
    onKey: ({ map, key, shape, required, synonyms }) => {
      const keys = maps.get(map) ?? new Map<string, Known>();
      maps.set(map, keys);
      const known = keys.get(key) ?? { shape, required: false, synonyms: [] };
      keys.set(key, known);
      // What says most wins, and what is refused stays so.
      const saysMore = known.shape.is === "any" || known.shape.is === "list" || shape.is === "refused";
      if (saysMore && shape.is !== "any" && known.shape.is !== "refused") known.shape = shape;
      known.required ||= required;
      if (synonyms.length > 0) known.synonyms = synonyms;
    },
  });
  return maps;
}

export const contractOf = (section: string, rule: unknown): string =>
  JSON.stringify({ contract: "c", [section]: [rule] });

/** Values that a key may take, where the reader does not say: a list, a map of lists, a word. */
const guesses: readonly unknown[] = [["x"], { x: ["x"] }, "x"];

function valueFor(shape: KeyShape, guess: unknown): unknown {
  if (shape.is === "pattern" || shape.is === "text") return "x";
  if (shape.is === "patterns") return ["x", "y"];
  return shape.is === "number" ? shape.least : guess;
}

/** Some readers stop where a key is missing: what they need is given, until they ask for nothing new. */
export function keysOfKind(kind: string): Keys {
  const known = kindKeys.get(kind);
  if (known !== undefined) return known;
  const isGuarded = guardedKinds.some((name) => name === kind);
  const inner = kind === "conditional" ? { kind: "ordering" } : {};
  const keys: Keys = new Map();
  kindKeys.set(kind, keys);
  for (let asked = -1; asked < keys.size; ) {
    asked = keys.size;
    for (const guess of guesses) {
      const needed = [...keys].filter(([, { required, shape }]) => required && shape.is !== "refused");
      const given = needed.map(([key, { shape }]) => [key, valueFor(shape, guess)] as const);
      const rule = { ...Object.fromEntries(given), kind, ...(isGuarded ? { [under]: inner } : {}) };
      const told = heard(contractOf("rules", rule)).get(`a rule of kind ${kind}`);
      for (const [key, one] of told ?? []) if (!keys.has(key)) keys.set(key, one);
    }
  }
  if (isGuarded) keys.set(under, { shape: { is: "any" }, required: true, synonyms: [] });
  return keys;
}

/** A schema asks for the keys of each kind several times. */
const kindKeys = new Map<string, Keys>();
