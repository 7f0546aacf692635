/** The part of the schema that describes rules, one definition a kind. */
import {
  anyText,
  contractOf,
  heard,
  type Keys,
  keysOfKind,
  path,
  ref,
  reference,
  type Schema,
  schemaOfShape,
  textOrList,
  under,
} from "./schema-keys.ts";
import { guardedKinds, ruleKinds } from "./sugar/kinds.ts";
import { statusWords } from "./words.ts";

/** Keys whose values are maps, or lists of maps, with keys of their own. */
function nestedIn(kind: string, key: string): Schema | null {
  const asMap = heard(contractOf("rules", { kind, [key]: {} }));
  const own = asMap.get(`"${key}"`);
  if (own !== undefined) return objectOf(own);
  const asList = heard(contractOf("rules", { kind, [key]: [{}] }));
  const entry = asList.get(`an entry of "${key}"`);
  if (entry === undefined) return null;
  const item = objectOf(entry);
  return { anyOf: [item, path, { type: "array", items: { anyOf: [path, item] } }] };
}

/** Keys that no reader tells more about, by what they hold. */
const byHand: Readonly<Record<string, Schema>> = {
  id: anyText,
  kind: anyText,
  scope: ref("scope"),
  transitions: { type: "array", items: ref("transition") },
  final: textOrList(anyText),
  initial: anyText,
  max_time: { type: "object", additionalProperties: ref("duration") },
  valid_until: { type: ["string", "number"] },
  [under]: { type: "object" },
  skew_ms: { anyOf: [{ type: ["number", "null"] }, { const: "none" }, ref("duration")] },
  severity: ref("severity"),
  category: ref("category"),
  code: ref("code"),
  clock: ref("clock"),
  same: ref("binds"),
  match: ref("pattern"),
  since: anyText,
  enter: { type: "object", additionalProperties: ref("phase") },
  order: { type: "object", additionalProperties: textOrList(anyText) },
  allow: { type: "object", additionalProperties: textOrList(ref("pattern")) },
  set: { type: "object", additionalProperties: anyText },
  current: ref("versions"),
  until_version_change: ref("versions"),
  severity_when: {
    anyOf: [
      {
        type: "object",
        minProperties: 1,
        propertyNames: { enum: [...statusWords.keys()] },
        additionalProperties: ref("severity"),
      },
      {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: { match: ref("pattern"), severity: ref("severity") },
          required: ["match", "severity"],
          additionalProperties: false,
        },
      },
    ],
  },
};

function propertiesOf(keys: Keys, nested: (key: string) => Schema | null): Readonly<Record<string, Schema>> {
  const shown = [...keys].filter(([, { shape }]) => shape.is !== "refused");
  return Object.fromEntries(
    shown.map(([key, { shape, required }]) => {
      // Where the word is taken for what identifies an event, it is no name of the rule.
      if (key === "id" && required) return [key, textOrList(path)];
      const hand = Object.hasOwn(byHand, key) ? byHand[key] : undefined;
      const plain = hand ?? (shape.is === "any" ? (nested(key) ?? true) : schemaOfShape(shape));
      return [key, plain];
    }),
  );
}

function requiredOf(keys: Keys): Readonly<Record<string, unknown>> {
  const needed = [...keys].filter(([, { required, shape }]) => required && shape.is !== "refused");
  const alone = needed.filter(([, { synonyms }]) => synonyms.length === 0).map(([key]) => key);
  const groups = needed
    .filter(([, { synonyms }]) => synonyms.length > 0)
    .map(([key, { synonyms }]) => ({ anyOf: [key, ...synonyms].map((word) => ({ required: [word] })) }));
  return {
    ...(alone.length === 0 ? {} : { required: alone.sort() }),
    ...(groups.length === 0 ? {} : { allOf: groups }),
  };
}

export function objectOf(keys: Keys, nested: (key: string) => Schema | null = () => null): Schema {
  return {
    type: "object",
    properties: propertiesOf(keys, nested),
    additionalProperties: false,
    ...requiredOf(keys),
  };
}

export function ruleOf(kind: string): Schema {
  const keys = keysOfKind(kind);
  const isGuarded = guardedKinds.some((name) => name === kind);
  const schema = objectOf(keys, (key) => nestedIn(kind, key));
  if (typeof schema === "boolean" || !isGuarded) return schema;
  // What stands under `then` may stand beside it too, and belongs to the rule inside.
  if (kind === "conditional") return conditionalOf();
  const { required: _required, allOf: _allOf, ...loose } = schema;
  const inside = propertiesOf(new Map([...keys].filter(([key]) => key !== "then" && key !== "if")), (key) =>
    nestedIn(kind, key),
  );
  const properties = {
    ...propertiesOf(keys, (key) => nestedIn(kind, key)),
    [under]: { type: "object", properties: inside, additionalProperties: false },
  };
  return { ...loose, properties, required: ["then"] };
}

/** Every key that some kind of rule takes. */
export function everyKey(): readonly string[] {
  return [...new Set([...ruleKinds.keys()].flatMap((kind) => [...keysOfKind(kind).keys()]))].sort();
}

/** Keys of rules whose values are maps, the same whatever the kind. */
const mapsOfRules = [
  "allow",
  "clock",
  "current",
  "enter",
  "max_time",
  "order",
  "scope",
  "severity_when",
].concat("transitions", "until_version_change");

/** Every key under which some kind of rule has patterns, or events that break a line. */
function patternPlaces(pattern: Schema, blockers: Schema): Readonly<Record<string, Schema>> {
  const places = new Map<string, Schema>([["if", pattern]]);
  for (const kind of ruleKinds.keys()) {
    for (const [key, { shape }] of keysOfKind(kind)) {
      if (shape.is === "pattern" || shape.is === "patterns") places.set(key, pattern);
      if (shape.is === "blockers") places.set(key, blockers);
    }
  }
  return Object.fromEntries([...places].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A rule whose kind is not known here, or a part of one: the names of its keys are held, and the maps under them. */
export function looseRule(): Schema {
  const maps = Object.fromEntries(mapsOfRules.map((key) => [key, byHand[key] ?? true]));
  const properties = { ...patternPlaces(textOrList(ref("pattern")), ref("blockers")), ...maps };
  return { type: "object", propertyNames: ref("rule_keys"), properties };
}

/** Any rule under a condition: its keys may stand in either map. */
function conditionalOf(): Schema {
  const properties = {
    if: ref("pattern"),
    [under]: { allOf: [ref("loose_rule")], type: "object", required: ["kind"] },
  };
  return { allOf: [ref("loose_rule")], type: "object", required: ["if", under], properties };
}

/** A rule, `$name` of a template, or `{use: $name, …}` with keys of the kind that the template has. */
export function anyRule(kinds: readonly string[]): Schema {
  return {
    if: { type: "string" },
    [under]: reference,
    else: {
      if: { required: ["use"] },
      [under]: { allOf: [ref("loose_rule")], properties: { use: reference } },
      else: {
        type: "object",
        required: ["kind"],
        properties: { kind: { enum: kinds } },
        allOf: kinds.map((kind) => ({
          if: { properties: { kind: { const: kind } }, required: ["kind"] },
          [under]: ref(`rule_${kind}`),
        })),
      },
    },
  };
}

/**
 * A second look at every place of a pattern, for contracts without fields of their own: there a key that is no
 * word and no field is misspelt.
 */
export function strictRule(): Schema {
  const known = textOrList(ref("known_pattern"));
  return {
    properties: {
      ...patternPlaces(known, textOrList(ref("known_blocker"))),
      enter: { additionalProperties: { additionalProperties: known } },
      allow: { additionalProperties: known },
      severity_when: { items: { properties: { match: ref("known_pattern") } } },
      scope: ref("strict_scope"),
      [under]: ref("strict_rule"),
      transitions: {
        items: {
          anyOf: [
            { type: "array", items: [true, ref("known_pattern"), true], minItems: 3, maxItems: 3 },
            { type: "object", properties: { on: ref("known_pattern"), owner: ref("known_pattern") } },
          ],
        },
      },
    },
  };
}

const isTemplate = (kinds: readonly string[]): Schema => ({
  type: "object",
  anyOf: [{ required: ["use"] }, { required: ["kind"], properties: { kind: { enum: kinds } } }],
});

/** Definitions are patterns, lists of paths, or templates of rules. */
export const definition = (kinds: readonly string[]): Schema => ({
  if: isTemplate(kinds),
  [under]: ref("loose_rule"),
});

export const strictDefinition = (kinds: readonly string[]): Schema => ({
  if: isTemplate(kinds),
  [under]: ref("strict_rule"),
  else: { anyOf: [{ type: "array" }, ref("known_pattern")] },
});

/** The patterns of an effect and of what it needs. */
export const strictEffect: Schema = {
  properties: { needs: { items: ref("strict_need") }, scope: ref("strict_scope") },
};

export function strictScope(): Schema {
  const known = textOrList(ref("known_pattern"));
  return { properties: { after: known, before: known, between: known } };
}

export const strictNeed: Schema = {
  additionalProperties: {
    if: { type: "object", required: ["from"] },
    [under]: ref("strict_rule"),
    else: ref("known_pattern"),
  },
};

export function prerequisites(): Schema {
  const keys = heard(JSON.stringify({ contract: "c", prerequisites: { e: {} } })).get('the effect "e"');
  const effect = keys === undefined ? true : objectOf(keys);
  if (typeof effect === "boolean") return { type: "object" };
  const need = {
    type: "object",
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: {
      if: { type: "object", required: ["from"] },
      [under]: ref("loose_rule"),
      else: ref("pattern"),
    },
  };
  const properties = { ...(effect.properties as object), needs: { type: "array", items: need } };
  return { type: "object", additionalProperties: { ...effect, properties } };
}
