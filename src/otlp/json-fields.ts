import { type UnixNano, unixNano } from "../model/time.ts";
import { DecodeError } from "./decode-error.ts";
import type { Fault, Findings } from "./findings.ts";
import { zeroTime } from "./span-defaults.ts";

/** An object of parsed JSON. Read by known keys only. */
export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads fields of OTLP/JSON objects: camelCase keys, snake_case ones accepted and counted, null as absent.
 *
 * A field of the wrong type marks a fault and reads as its default, so that the span can be refused alone
 * without an exception; whoever refuses it takes the mark.
 */
export class JsonFields {
  readonly #findings: Findings;
  /** Path of the span or resource that is being read, for messages; asked for only when one is needed. */
  place: () => string = () => "the request";
  #fault: Fault | null = null;
  #faultPlace = "";

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** The first fault since it was asked last, and its path below `place`. */
  takeFault(): { readonly fault: Fault; readonly field: string } | null {
    if (this.#fault === null) return null;
    const taken = { fault: this.#fault, field: this.#faultPlace };
    this.#fault = null;
    return taken;
  }

  refuse(fault: Fault, field: string): void {
    if (this.#fault !== null) return;
    this.#fault = fault;
    this.#faultPlace = field;
  }

  get(object: JsonObject, camel: string, snake: string): unknown {
    const value = object[camel];
    if (value !== undefined && value !== null) return value;
    const other = object[snake];
    if (other === undefined || other === null) return undefined;
    if (camel !== snake) this.#findings.flaw("snake_case_key");
    return other;
  }

  text(object: JsonObject, camel: string, snake: string): string {
    const value = this.get(object, camel, snake);
    if (value === undefined) return "";
    if (typeof value === "string") return this.wellFormed(value);
    this.refuse(notText, camel);
    return "";
  }

  /** A message field; where there is none, one without fields. `place` is its path below the item. */
  object(owner: JsonObject, key: string, place: string): JsonObject {
    const value = owner[key];
    if (value === undefined || value === null) return noObject;
    if (isJsonObject(value)) return value;
    this.refuse(notObject, place);
    return noObject;
  }

  /** Half a surrogate pair is no character: it becomes U+FFFD, as bytes that are no UTF-8 do. */
  wellFormed(text: string): string {
    if (text.isWellFormed()) return text;
    this.#findings.flaw("invalid_utf8");
    return text.toWellFormed();
  }

  /** uint32: counts and flags. */
  count(object: JsonObject, camel: string, snake: string): number {
    const value = this.get(object, camel, snake);
    if (value === undefined) return 0;
    const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= 0xffff_ffff) {
      return number;
    }
    this.refuse(notCount, camel);
    return 0;
  }

  /** An enum: its number, or its name, which the standard forbids; unknown names are 0. */
  enumeration(object: JsonObject, key: string, names: ReadonlyMap<string, number>, snake = key): number {
    const value = this.get(object, key, snake);
    if (value === undefined) return 0;
    if (typeof value === "number" && Number.isInteger(value)) return value | 0;
    if (typeof value === "string") {
      if (/^-?\d{1,20}$/.test(value)) return Number(value) | 0;
      this.#findings.flaw("enum_name");
      return names.get(value) ?? 0;
    }
    this.refuse(notEnum, key);
    return 0;
  }

  /** A `fixed64` timestamp: decimal text, or a number where the sender wrote one. */
  time(object: JsonObject, camel: string, snake: string): UnixNano {
    const value = this.get(object, camel, snake);
    if (value === undefined) return zeroTime;
    if (typeof value === "string" && /^\d{1,20}$/.test(value)) {
      const time = BigInt(value);
      if (time <= maxUint64) return unixNano(time);
    } else if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 64) {
      return unixNano(BigInt(value));
    }
    this.refuseHalves(value, camel);
    this.refuse(notTime, camel);
    return zeroTime;
  }

  /** A 64-bit integer written as two halves comes from a sender that forgot a setting: all its data is like that. */
  refuseHalves(value: unknown, field: string): void {
    if (!isJsonObject(value) || !("low" in value) || !("high" in value)) return;
    throw new DecodeError(
      `JSON body: ${this.place()}.${field} is an object with low and high halves. OTLP/JSON wants a 64-bit ` +
        'integer as decimal text, such as "1544712660000000001": turn the exporter\'s long-bits mode off',
    );
  }
}

const noObject: JsonObject = {};
const maxUint64 = 2n ** 64n - 1n;

const valueFault = (cause: string, cure: string): Fault => ({ reason: "value", cause, cure });

export const notText = valueFault("is not text", "send a JSON string");
export const notList = valueFault("is not an array", "send a JSON array");
export const notObject = valueFault("is not an object", "send a JSON object");
const notCount = valueFault("is not a whole number from 0 to 4294967295", "send an unsigned 32-bit number");
const notEnum = valueFault("is not a number", "send enums as their numbers");
const notTime = valueFault(
  "is not a time in nanoseconds since 1970",
  'send the nanoseconds as decimal text, such as "1544712660000000001"',
);
