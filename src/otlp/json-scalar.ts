import type { Bytes } from "../model/value.ts";
import type { Fault } from "./findings.ts";

/** The scalar kinds of `AnyValue` in JSON. Each reads one and answers null for what is none. */

/** int64, as a number or as decimal text. A number where it is exact, else a bigint. */
export function readInteger(value: unknown): number | bigint | null {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  const isWhole =
    typeof value === "string"
      ? /^-?\d{1,20}$/.test(value)
      : typeof value === "number" && Number.isInteger(value);
  if (!isWhole) return null;
  const exact = BigInt(value as string | number);
  if (exact !== BigInt.asIntN(64, exact)) return null;
  const number = Number(exact);
  return Number.isSafeInteger(number) ? number : exact;
}

/** A number, the names that protobuf's JSON mapping gives to those that JSON lacks, or a number as text. */
export function readDouble(value: unknown): number | null {
  if (typeof value === "number") return value;
  const isNumber =
    typeof value === "string" && /^(?:NaN|-?Infinity|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(value);
  return isNumber ? Number(value) : null;
}

/** Standard or URL-safe base64, padded or not. */
export function readBase64(value: unknown): Bytes | null {
  if (typeof value !== "string") return null;
  const bytes = Buffer.from(value, "base64");
  const padding = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
  const digits = value.length - padding;
  // `Buffer.from` passes over what is not base64: then fewer bytes come out than the length promises.
  const whole = bytes.length === Math.floor((digits * 3) / 4) && digits % 4 !== 1;
  return whole ? new Uint8Array(bytes) : null;
}

const fault = (cause: string, cure: string): Fault => ({ reason: "value", cause, cure });

export const notAnyValue = fault(
  "is not an AnyValue object",
  'send an object such as {"stringValue": "text"}',
);
export const notBool = fault("is neither true nor false", "send a JSON boolean");
export const notInteger = fault(
  "is not a 64-bit integer",
  "send whole numbers from -2^63 to 2^63-1, as decimal text or as a number",
);
export const notDouble = fault("is not a number", 'send a number, or "NaN", "Infinity" or "-Infinity"');
export const notBase64 = fault("is not base64", "send bytes as base64 text");
