/**
 * The JSON Schema (draft 7) of contract files, for editors and for checks that run without this program. It is
 * made by listening to the loader: which keys each map takes, and what stands under them. What only the loader can
 * know (names that must exist, numbers that must agree) it does not say, so `validate` has the last word.
 */
import { categories, codes, severities } from "../model/verdict.ts";
import { effectOutcomes } from "./parse-tools.ts";
import {
  anyText,
  contractOf,
  heard,
  type Keys,
  type Known,
  path,
  ref,
  reference,
  type Schema,
  textOrList,
  under,
} from "./schema-keys.ts";
import { ledgerSchema, strictLedger } from "./schema-ledger.ts";
import { schemaOfPatterns } from "./schema-patterns.ts";
import {
  anyRule,
  definition,
  everyKey,
  looseRule,
  objectOf,
  prerequisites,
  ruleOf,
  strictDefinition,
  strictEffect,
  strictNeed,
  strictRule,
  strictScope,
} from "./schema-rules.ts";
import { guardedKinds, ruleKinds } from "./sugar/kinds.ts";
import { statusWords } from "./words.ts";

/** Rules of a list that names their kind. */
const sections = {
  ordering: "ordering",
  conditional_ordering: "conditional_ordering",
  state_machines: "machine",
};

export function contractSchema(): Schema {
  const kinds = [...new Set<string>([...ruleKinds.keys(), ...guardedKinds])].sort();
  const head = heard(
    JSON.stringify({
      contract: "c",
      applies_to: {},
      reviewed: {},
      tools: { x: {} },
      commutes: [{}],
      rules: [{ kind: "gate" }],
    }),
  );
  const nestedInHead = (key: string): Schema | null => {
    const own = head.get(`"${key}"`);
    return own === undefined ? null : objectOf(own);
  };
  const tool = head.get('the tool "x"') ?? new Map<string, Known>();
  const machine = heard(contractOf("state_machines", { transitions: [{}] })).get("a transition");
  const clock = heard(contractOf("rules", { kind: "absence", clock: {} })).get('"clock"');
  const phase = heard(
    contractOf("rules", { kind: "phases", initial: "a", order: { a: ["b"] }, enter: { b: {} } }),
  ).get('the phase "b"');
  const contract = objectOf(head.get("a contract") ?? new Map<string, Known>(), nestedInHead);
  if (typeof contract === "boolean") throw new Error("the loader reads no contract");
  const { required: _required, ...open } = contract;
  const properties = (contract.properties ?? {}) as Record<string, Schema>;
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "toolorder contract",
    description: "In which order an agent's tool calls must happen. toolorder validate says more.",
    ...open,
    properties: {
      ...properties,
      applies_to: appliesTo(properties.applies_to),
      tools: { type: "object", additionalProperties: { anyOf: [{ type: "null" }, ref("tool")] } },
      commutes: { type: "array", items: commutesSchema(head.get('an entry of "commutes"')) },
      define: { type: "object", additionalProperties: definition(kinds) },
      kinds: { type: "array", items: { type: "string" } },
      fields: { type: "array", items: { type: "string" } },
      rules: { type: "array", items: ref("rule") },
      prerequisites: prerequisites(),
      effects: { type: "array", items: ref("effect_ledger") },
      ...Object.fromEntries(
        Object.entries(sections).map(([key, kind]) => [key, { type: "array", items: ref(`rule_${kind}`) }]),
      ),
    },
    if: { not: { required: ["fields"] } },
    [under]: {
      properties: {
        define: { additionalProperties: strictDefinition(kinds) },
        prerequisites: { additionalProperties: strictEffect },
        effects: { items: ref("strict_ledger") },
        tools: { additionalProperties: { properties: { outcome: ref("known_outcome") } } },
        ...Object.fromEntries(
          ["rules", ...Object.keys(sections)].map((key) => [key, { items: ref("strict_rule") }]),
        ),
      },
    },
    definitions: {
      severity: { enum: severities },
      category: { enum: categories },
      code: { enum: codes },
      duration: { type: "string", pattern: "^\\d" },
      scope: {
        anyOf: [
          { enum: ["run", "trace", "conversation", "session", "all"] },
          objectOf(heard(contractOf("rules", { kind: "absence", scope: {} })).get("a scope") ?? new Map()),
          scopeOfStretch(),
        ],
      },
      binds: { anyOf: [reference, path, { type: "array", items: { anyOf: [path, ref("bind")] } }] },
      bind: {
        type: "object",
        properties: { a: path, w: path },
        required: ["a", "w"],
        additionalProperties: false,
      },
      blocker: {
        anyOf: [
          ref("pattern"),
          {
            type: "object",
            properties: { match: ref("pattern"), where: ref("comparisons") },
            required: ["match"],
            additionalProperties: false,
          },
        ],
      },
      blockers: textOrList(ref("blocker")),
      comparisons: textOrList({ type: "string" }),
      versions: {
        description:
          "What evidence is about, and which call shows the current one: load_catalog.result.version.",
        type: "object",
        additionalProperties: { type: "string", pattern: "\\.(?:args|result|attr)\\.|^\\$" },
      },
      ...(clock === undefined ? {} : { clock: objectOf(clock) }),
      tool: toolSchema(tool),
      phase: objectOf(phase ?? new Map()),
      transition: {
        anyOf: [
          { type: "array", items: [anyText, ref("pattern"), anyText], minItems: 3, maxItems: 3 },
          machine === undefined ? true : objectOf(machine),
        ],
      },
      ...schemaOfPatterns(),
      loose_rule: looseRule(),
      strict_rule: strictRule(),
      strict_need: strictNeed,
      strict_scope: strictScope(),
      strict_ledger: strictLedger(),
      known_blocker: {
        if: { type: "object", required: ["match"] },
        [under]: { properties: { match: ref("known_pattern"), where: true }, additionalProperties: false },
        else: ref("known_pattern"),
      },
      effect_ledger: ledgerSchema(),
      rule_keys: { enum: [...everyKey(), "if", under, "use"] },
      rule: anyRule(kinds),
      ...Object.fromEntries(kinds.map((kind) => [`rule_${kind}`, ruleOf(kind)])),
    },
  };
}

function appliesTo(schema: Schema | undefined): Schema {
  if (schema === undefined || typeof schema === "boolean") return { type: "object" };
  const { "resource.<attribute>": _shown, ...known } = (schema.properties ?? {}) as Record<string, Schema>;
  return {
    ...schema,
    properties: Object.fromEntries(Object.keys(known).map((key) => [key, textOrList(anyText)])),
    patternProperties: { "^resource\\.": textOrList(anyText) },
    minProperties: 1,
  };
}

function commutesSchema(keys: Keys | undefined): Schema {
  const schema = objectOf(keys ?? new Map());
  if (typeof schema === "boolean") return schema;
  const names = textOrList(anyText);
  return { ...schema, properties: { ...(schema.properties as object), tools: names, kind: names } };
}

function toolSchema(keys: Keys): Schema {
  const schema = objectOf(keys);
  if (typeof schema === "boolean") return schema;
  const outcome = {
    type: "object",
    propertyNames: { enum: [...new Set([...statusWords.keys(), ...effectOutcomes])] },
    additionalProperties: { type: "object", additionalProperties: ref("value") },
  };
  const properties = { ...(schema.properties as object), outcome };
  return { ...schema, properties };
}

function scopeOfStretch(): Schema {
  const keys = heard(contractOf("rules", { kind: "absence", scope: { after: "a" } })).get("a scope");
  if (keys === undefined) return false;
  const schema = objectOf(keys);
  if (typeof schema === "boolean") return schema;
  const properties = {
    ...(schema.properties as Record<string, Schema>),
    between: { type: "array", items: ref("pattern"), minItems: 2, maxItems: 2 },
  };
  return { ...schema, properties };
}

/** The file as it is written: one definition a line, so that a change shows where it is. */
export function contractSchemaText(): string {
  const { definitions, ...root } = contractSchema() as {
    readonly definitions: Readonly<Record<string, Schema>>;
  };
  const head = JSON.stringify(root, null, 2).replace(/\n\}$/, "");
  const lines = Object.entries(definitions).map(
    ([name, schema]) => `    "${name}": ${JSON.stringify(schema)}`,
  );
  return `${head},\n  "definitions": {\n${lines.join(",\n")}\n  }\n}\n`;
}
