/**
 * What a span or span event says of itself by attributes that no framework owns (docs/attributes.md): fields of
 * its event, and signals beside it. The configuration may name other attributes for any of them.
 */
import { agentSignals, fieldAttributes } from "../../model/attribute-names.ts";
import { signalAttributes } from "../../model/attribute-table.ts";
import type { Attributes } from "../../model/span.ts";
import type { Value } from "../../model/value.ts";
import { decodeBounded, isPresent } from "./values.ts";

/** A signal that an attribute states beside what its span or span event is. */
export interface StatedSignal {
  readonly kind: string;
  readonly at: "start" | "end" | "within";
  readonly fields: ReadonlyMap<string, Value>;
}

export interface Stated {
  readonly fields: Map<string, Value>;
  readonly signals: readonly StatedSignal[];
}

export interface Identity {
  /** Every attribute it reads, for the decoders. */
  readonly keys: readonly string[];
  read(attributes: Attributes): Stated;
}

type Place =
  | { readonly field: (typeof fieldAttributes)[number]; readonly rank: number }
  | { readonly signal: (typeof signalAttributes)[number]; readonly rank: number };

/** `names`: field or kind of signal → attributes instead of the built-in ones. */
export function createIdentity(names: ReadonlyMap<string, readonly string[]>): Identity {
  const places = new Map<string, Place>();
  for (const field of fieldAttributes) {
    for (const [rank, key] of (names.get(field.is) ?? field.names).entries()) {
      places.set(key, { field, rank });
    }
  }
  for (const signal of signalAttributes) {
    const keys = names.get(signal.is) ?? agentSignals.get(signal.is) ?? [];
    for (const [rank, key] of keys.entries()) places.set(key, { signal, rank });
  }
  return { keys: [...places.keys()], read: (attributes) => read(attributes, places) };
}

const noSignals: readonly StatedSignal[] = [];

function read(attributes: Attributes, places: ReadonlyMap<string, Place>): Stated {
  const fields = new Map<string, Value>();
  let ranks: Map<string, number> | null = null;
  let found: Map<string, StatedSignal | null> | null = null;
  for (const [key, value] of attributes) {
    const place = places.get(key);
    if (place === undefined || !isPresent(value)) continue;
    ranks ??= new Map();
    const name = "field" in place ? place.field.is : place.signal.is;
    if ((ranks.get(name) ?? Number.POSITIVE_INFINITY) < place.rank) continue;
    ranks.set(name, place.rank);
    if ("field" in place) fields.set(name, typed(decodeBounded(value).value, place.field.type));
    else {
      found ??= new Map();
      found.set(name, stated(place.signal, value));
    }
  }
  const signals = found === null ? noSignals : [...found.values()].filter((signal) => signal !== null);
  return { fields, signals };
}

/** Some exporters make text of every value: what is a number or a truth by its meaning becomes one again. */
function typed(value: Value, type: (typeof fieldAttributes)[number]["type"]): Value {
  if (typeof value !== "string") return value;
  if (type === "boolean") return yes.has(value) ? true : no.has(value) ? false : value;
  if (type !== "int" || !/^-?\d{1,30}$/.test(value)) return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

const no: ReadonlySet<Value> = new Set<Value>([false, "false", "False", "0", 0, 0n]);
const yes: ReadonlySet<Value> = new Set<Value>([true, "true", "True", "1", 1, 1n]);

function stated({ is, at, gives }: (typeof signalAttributes)[number], value: Value): StatedSignal | null {
  if (no.has(value)) return null;
  const named = gives !== null && !yes.has(value);
  return { kind: is, at, fields: named ? new Map([[gives, value]]) : new Map() };
}

/** By the built-in names alone. */
export const builtInIdentity = createIdentity(new Map());
