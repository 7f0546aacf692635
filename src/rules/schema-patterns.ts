/** The part of the schema that describes patterns: which events a rule speaks about. */
import { anyText, ref, type Schema } from "./schema-keys.ts";
import { builtInFields, builtInKinds, statusWords } from "./words.ts";

const textOrList = (item: Schema): Schema => ({ anyOf: [item, { type: "array", items: item, minItems: 1 }] });

const operators = {
  gt: { type: ["number", "string"] },
  ge: { type: ["number", "string"] },
  lt: { type: ["number", "string"] },
  le: { type: ["number", "string"] },
  ne: { type: ["number", "string", "boolean"] },
  exists: { type: "boolean" },
  matches: { type: "string" },
};

/** Keys of a pattern that are no fields; `test/rules/contract-schema.test.ts` holds them to the parser. */
export const patternKeys: Readonly<Record<string, Schema>> = {
  tool: textOrList(anyText),
  name: textOrList(anyText),
  kind: textOrList({ anyOf: [{ enum: [...builtInKinds].sort() }, { type: "string" }] }),
  boundary: { enum: ["started_at", "finished_at"] },
  absent: textOrList({ type: "string" }),
  where: textOrList({ type: ["string", "boolean"] }),
  any_of: { type: "array", items: ref("pattern"), minItems: 1 },
  not: ref("pattern"),
};

/** `pattern`, `value` and `status` of the definitions. Fields that a contract declares itself are let through. */
export function schemaOfPatterns(): Readonly<Record<string, Schema>> {
  const fields = [...builtInFields].filter((field) => !Object.hasOwn(patternKeys, field)).sort();
  return {
    pattern: {
      anyOf: [
        anyText,
        {
          type: "object",
          minProperties: 1,
          properties: {
            ...patternKeys,
            ...Object.fromEntries(
              fields.map((field) => [field, ref(field === "status" ? "status" : "value")]),
            ),
          },
          additionalProperties: ref("value"),
        },
      ],
    },
    known_pattern: {
      description:
        "A pattern of a contract that declares no fields: every key is a word or a field of events.",
      anyOf: [
        anyText,
        {
          type: "object",
          propertyNames: { anyOf: [{ enum: [...Object.keys(patternKeys), ...fields] }, { pattern: "\\." }] },
          properties: { any_of: { items: ref("known_pattern") }, not: ref("known_pattern") },
        },
      ],
    },
    known_outcome: {
      additionalProperties: { propertyNames: { anyOf: [{ enum: fields }, { pattern: "\\." }] } },
    },
    status: {
      anyOf: [
        { enum: [...statusWords.keys()] },
        { type: "array", items: { enum: [...statusWords.keys()] }, minItems: 1 },
        { type: "object", properties: operators, additionalProperties: false, minProperties: 1 },
      ],
    },
    value: {
      anyOf: [
        anyText,
        { type: "array", items: ref("value"), minItems: 1 },
        { type: "object", minProperties: 1, properties: operators, additionalProperties: false },
        {
          type: "object",
          minProperties: 1,
          propertyNames: { not: { enum: Object.keys(operators) } },
          additionalProperties: ref("value"),
        },
      ],
    },
  };
}
