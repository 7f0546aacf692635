/**
 * Plain values, as attributes, arguments and results hold them.
 *
 * Objects are read with `Object.hasOwn` only, and decoders build them without a prototype where they can:
 * `__proto__` and `constructor` are ordinary attribute names here.
 */
export type Value =
  | null
  | boolean
  | number
  /** An integer beyond 2^53, kept to the last digit. Integers that fit are numbers. */
  | bigint
  | string
  | Bytes
  | readonly Value[]
  | ValueObject;

export interface ValueObject {
  readonly [key: string]: Value;
}

/** OTLP `bytesValue`. Source: protobuf `bytes`, JSON base64. */
export type Bytes = Uint8Array;

export function isObject(value: Value | undefined): value is ValueObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

export function isArray(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** Own property of an object value, else undefined. */
export function member(value: Value | undefined, key: string): Value | undefined {
  if (isObject(value)) return Object.hasOwn(value, key) ? value[key] : undefined;
  if (isArray(value) && /^(?:0|[1-9]\d{0,8})$/.test(key)) return value[Number(key)];
  return undefined;
}

/**
 * Follows a path of keys. Keys that themselves hold dots (`agent.state.version` as one attribute) are tried
 * as the longest run of segments first, so that `attr.agent.state.version` finds the attribute of that name.
 */
export function readPath(value: Value | undefined, path: readonly string[]): Value | undefined {
  if (path.length === 0) return value;
  for (let take = path.length; take > 0; take -= 1) {
    const found = member(value, take === 1 ? (path[0] ?? "") : path.slice(0, take).join("."));
    if (found === undefined) continue;
    const rest = readPath(found, path.slice(take));
    if (rest !== undefined) return rest;
  }
  return undefined;
}

/**
 * One text for one value: keys sorted, numbers in shortest form, bigint in full, bytes in hex. Equal values
 * have equal text, so it serves for hashing, binding and de-duplication. Not JSON for bytes and bigint.
 */
export function canonicalText(value: Value | undefined): string {
  if (value === undefined) return "";
  if (value === null || typeof value === "boolean" || typeof value === "number") return String(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Uint8Array) return `#${Buffer.from(value).toString("hex")}`;
  if (isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  const object = value as ValueObject;
  return `{${Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(object[key])}`)
    .join(",")}}`;
}
