/** The part of the schema that describes effect ledgers. */
import { severities } from "../model/verdict.ts";
import { contractOf, heard, type Keys, ref, type Schema, textOrList, under } from "./schema-keys.ts";
import { objectOf } from "./schema-rules.ts";
import { checkNames } from "./sugar/ledger.ts";

/** Keys under which a pattern may stand, or a map that says more beside it. */
const longer = ["lookup", "compensation", "recheck"] as const;

const block = {
  id: "a",
  tool: "t",
  key: "key",
  lookup: { by: "l", not_found: "l" },
  compensation: { by: "c" },
  recheck: { by: "r", void_by: ["resume"], same: ["x"] },
  retry: { max: 1 },
  checks: { one_effect: { severity: "high" } },
};

const eitherForm = (long: Schema, pattern: Schema): Schema => ({
  if: { type: "object", required: ["by"] },
  [under]: long,
  else: pattern,
});

/** The patterns of a ledger, in contracts without fields of their own. */
export function strictLedger(): Schema {
  const known = textOrList(ref("known_pattern"));
  const keys = heard(contractOf("effects", block)).get("an effect ledger") ?? new Map();
  const plain = [...keys].flatMap(([key, { shape }]): [string, Schema][] =>
    shape.is === "pattern" || shape.is === "patterns" ? [[key, known]] : [],
  );
  const inside = { properties: { by: known, not_found: known, void_by: known } };
  const long = longer.map((key): [string, Schema] => [key, eitherForm(inside, known)]);
  return { properties: Object.fromEntries([...plain, ...long]) };
}

export function ledgerSchema(): Schema {
  const maps = heard(contractOf("effects", block));
  const inside = (name: string): Schema => objectOf(maps.get(name) ?? (new Map() as Keys));
  const nested = (key: string): Schema | null => {
    if (longer.some((word) => word === key)) return eitherForm(inside(`"${key}"`), ref("pattern"));
    if (key === "retry") return inside('"retry"');
    return key === "checks"
      ? { type: "object", properties: checksSchema(inside("a check")), additionalProperties: false }
      : null;
  };
  const schema = objectOf(maps.get("an effect ledger") ?? new Map(), nested);
  if (typeof schema === "boolean") throw new Error("the loader reads no effect ledger");
  const known = schema.properties as Record<string, Schema>;
  const { id: _paths, ...properties } = known;
  // A key that the loader tells more about is no longer nested: these stand for it.
  const patterns = Object.fromEntries(longer.map((key) => [key, nested(key)]));
  return { ...schema, properties: { id: { type: ["string", "number"] }, ...properties, ...patterns } };
}

const checksSchema = (own: Schema): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    checkNames.map((name) => [name, { anyOf: [{ const: false }, { enum: severities }, own] }]),
  );
