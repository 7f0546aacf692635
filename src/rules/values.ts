/**
 * How values compare in contracts (docs/semantics.md 1, 4): strictly by type, except for keys, which compare
 * by value.
 */
import { canonicalText, isArray, isObject, type Value } from "../model/value.ts";

/** Equal in type and value. Numbers compare as numbers, whether they are kept as doubles or as big integers. */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b) === 0;
  if (typeof a !== typeof b || typeof a !== "object") return false;
  if (a === null || b === null) return false;
  if (isArray(a) && isArray(b)) {
    return a.length === b.length && a.every((item, i) => sameValue(item, b[i] ?? null));
  }
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key] ?? null, b[key] ?? null))
    );
  }
  return a instanceof Uint8Array && b instanceof Uint8Array && canonicalText(a) === canonicalText(b);
}

/**
 * Less than, equal or greater; null where the two have no order (other types, booleans, lists, NaN). Two texts
 * that are both RFC 3339 times with an offset compare as times, all other texts by code unit.
 */
export function compareValues(a: Value, b: Value): -1 | 0 | 1 | null {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b);
  if (typeof a !== "string" || typeof b !== "string") return null;
  const [x, y] = [parseInstant(a), parseInstant(b)];
  if (x !== null && y !== null) return x < y ? -1 : x > y ? 1 : 0;
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * One text for one key value: `5310` and `"5310"` have the same one. Null: such a value never binds (null,
 * empty text).
 */
export function keyText(value: Value | undefined): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") return value;
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value).toString() : String(value);
  // Not text: `true` and `"true"` stay apart, and so do a list and the text that shows it.
  return `\u0000${canonicalText(value)}`;
}

function isNumeric(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function compareNumbers(a: number | bigint, b: number | bigint): -1 | 0 | 1 | null {
  if (a < b) return -1;
  if (a > b) return 1;
  // JavaScript compares a number with a bigint exactly; only NaN is neither less, greater nor equal.
  return Number.isNaN(a) || Number.isNaN(b) ? null : 0;
}

const instant = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))$/;

/** Nanoseconds since 1970 of an RFC 3339 time with an offset; null for any other text. */
export function parseInstant(text: string): bigint | null {
  const found = instant.exec(text);
  if (found === null) return null;
  const part = (index: number): number => Number(found[index] ?? "0");
  const [year, month, day, hour, minute] = [part(1), part(2), part(3), part(4), part(5)];
  // A leap second reads as the instant after it, as most clocks have it.
  if (hour > 23 || minute > 59 || part(6) > 60 || part(10) > 23 || part(11) > 59) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const millis = date.getTime() + ((hour * 60 + minute) * 60 + part(6)) * 1000;
  const offset = (part(10) * 60 + part(11)) * (found[9] === "-" ? -1 : 1);
  const fraction = BigInt(`${found[7] ?? ""}000000000`.slice(0, 9));
  return (BigInt(millis) - BigInt(offset) * 60_000n) * 1_000_000n + fraction;
}

const unitNanos = { s: 1_000_000_000n, ms: 1_000_000n, ns: 1n } as const;

/** A time inside a result or argument; null when it is no time, or its unit or offset would be a guess. */
export function readInstant(value: Value, unit: "s" | "ms" | "ns" | null): bigint | null {
  if (typeof value === "string") return parseInstant(value);
  if (unit === null || !isNumeric(value)) return null;
  if (typeof value === "bigint") return value * unitNanos[unit];
  if (!Number.isFinite(value)) return null;
  const whole = Math.trunc(value);
  return BigInt(whole) * unitNanos[unit] + BigInt(Math.round((value - whole) * Number(unitNanos[unit])));
}
