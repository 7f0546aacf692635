/** The part of the schema that describes effect ledgers. */
import { severities } from "../model/verdict.ts";
import { contractOf, heard, type Keys, ref, type Schema } from "./schema-keys.ts";
import { objectOf } from "./schema-rules.ts";
import { checkNames } from "./sugar/ledger.ts";

/** Keys under which a pattern may stand, or a map that says more beside it. */
const longer = ["lookup", "compensation", "recheck"] as const;

export function ledgerSchema(): Schema {
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
  const maps = heard(contractOf("effects", block));
  const inside = (name: string): Schema => objectOf(maps.get(name) ?? (new Map() as Keys));
  const nested = (key: string): Schema | null => {
    if (longer.some((word) => word === key)) return { anyOf: [ref("pattern"), inside(`"${key}"`)] };
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
