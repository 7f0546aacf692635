/**
 * Attribute values as instrumentations really write them: JSON as text, JSON inside JSON, Python's repr, and
 * text that a length limit cut. What cannot be read stays text and says so by a flaw; nothing here throws.
 */
import { hash } from "node:crypto";
import { canonicalText, isArray, isObject, type Value } from "../../model/value.ts";
import { parsePythonRepr } from "./python-repr.ts";

export interface Decoded {
  readonly value: Value;
  /** `truncated`: JSON that was cut; `unparseable`: text that begins like JSON and is none. */
  readonly flaw: "truncated" | "unparseable" | null;
}

/** Deeper values come from no tool, and recursion over them must stay bounded. */
const deepest = 64;

/** Integers that a double would round: only then is the slower reviver worth its price. */
const longInteger = /\d{16}/;
const wholeNumber = /^-?\d+$/;

/**
 * As `decodeValue`, for values that are kept: what nests deeper than any tool's values do stays text, so that
 * nothing later walks into it.
 */
export function decodeBounded(value: Value): Decoded {
  const decoded = decodeValue(value);
  return isBounded(decoded.value) ? decoded : { value: "", flaw: "unparseable" };
}

export function isBounded(value: Value | undefined): boolean {
  return value === undefined || nestsWithin(value, deepest);
}

/**
 * Reads text that begins with `{`, `[` or `"` as JSON, twice, since several SDKs encode twice. Other values
 * come back as they are. Integers beyond 2^53 keep every digit.
 */
export function decodeValue(value: Value): Decoded {
  if (typeof value !== "string") return { value, flaw: null };
  const first = decodeText(value);
  if (typeof first.value !== "string" || first.value === value) return first;
  const second = decodeText(first.value);
  return second.flaw === null ? second : { value: first.value, flaw: null };
}

function decodeText(text: string): Decoded {
  const trimmed = text.trim();
  if (!looksEncoded(trimmed)) return { value: text, flaw: null };
  const parsed = parseJson(trimmed) ?? parsePythonRepr(trimmed);
  if (parsed !== undefined) return { value: parsed, flaw: null };
  if (trimmed.startsWith('"')) return { value: text, flaw: null };
  const closed = trimmed.endsWith(trimmed.startsWith("{") ? "}" : "]");
  return { value: text, flaw: closed ? "unparseable" : "truncated" };
}

/** `[INFO] done` is text; `[1, …`, `[{…` and `{…` mean to be JSON. */
function looksEncoded(text: string): boolean {
  if (text.startsWith("{") || text.startsWith('"')) return text.length > 1;
  return /^\[\s*(?:[[{"'\d\]-]|true\b|false\b|null\b|None\b|True\b|False\b)/.test(text);
}

function parseJson(text: string): Value | undefined {
  try {
    return longInteger.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keepDigits(_key: string, value: Value, context?: { readonly source?: string }): Value {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || Number.isSafeInteger(value)) return value;
  return wholeNumber.test(source) ? BigInt(source) : value;
}

function nestsWithin(value: Value, depth: number): boolean {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return true;
  if (depth === 0) return false;
  const inner = isArray(value) ? value : Object.values(value);
  return inner.every((item) => nestsWithin(item, depth - 1));
}

/** Equal values, equal hash, whichever spelling of them came over the wire. 128 bits, hex. */
export function hashOf(value: Value): string {
  return hash("sha256", canonicalText(value), "hex").slice(0, 32);
}

/** Text, or the digits of a number; null for anything else and for empty text. */
export function textOf(value: Value | undefined): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (typeof value === "number" || typeof value === "bigint") return value.toString();
  return null;
}

/** Whether a value says anything: null, blank text and nothing do not. */
export function isPresent(value: Value | undefined): value is Exclude<Value, null> {
  return value !== undefined && value !== null && !(typeof value === "string" && value.trim() === "");
}

/** The named members of an object as text, the first that has one. */
export function firstText(value: Value | undefined, ...keys: readonly string[]): string | null {
  if (!isObject(value)) return null;
  for (const key of keys) {
    const text = Object.hasOwn(value, key) ? textOf(value[key]) : null;
    if (text !== null) return text;
  }
  return null;
}
