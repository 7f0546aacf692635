/** Protobuf by hand, for messages that no encoder would write. */

export const bytesOf = (...parts: readonly (number | string | Uint8Array)[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === "number" ? Buffer.from([part]) : Buffer.from(part as Uint8Array))),
    ),
  );

export function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

export const tag = (field: number, wire: number): Uint8Array => varint(field * 8 + wire);

/** A length-delimited field: a message, text or bytes. */
export function field(number: number, ...parts: readonly (number | string | Uint8Array)[]): Uint8Array {
  const payload = bytesOf(...parts);
  return bytesOf(tag(number, 2), varint(payload.length), payload);
}

export const int = (number: number, value: number | bigint): Uint8Array =>
  bytesOf(tag(number, 0), varint(value));

export function fixed64(number: number, value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return bytesOf(tag(number, 1), bytes);
}

export function fixed32(number: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytesOf(tag(number, 5), bytes);
}

export const traceIdBytes = Uint8Array.from({ length: 16 }, (_, index) => index + 1);
export const spanIdBytes = Uint8Array.from({ length: 8 }, (_, index) => index + 0xa1);
export const traceIdHex = "0102030405060708090a0b0c0d0e0f10";
export const spanIdHex = "a1a2a3a4a5a6a7a8";

/** The two ids that every span needs, and whatever else its fields are. */
export const spanOf = (...fields: readonly Uint8Array[]): Uint8Array =>
  bytesOf(field(1, traceIdBytes), field(2, spanIdBytes), ...fields);

/** A request with these spans, given as the payloads of their messages. */
export const requestOf = (...spans: readonly Uint8Array[]): Uint8Array =>
  field(1, field(2, ...spans.map((span) => field(2, span))));

/** A KeyValue in `attributes` of a span; the value is the payload of its AnyValue. */
export const attribute = (key: string, value: Uint8Array): Uint8Array =>
  field(9, field(1, key), field(2, value));

/** An AnyValue that wraps another in `depth` arrays and lists, in turn. */
export function nested(depth: number, innermost: Uint8Array): Uint8Array {
  let value = innermost;
  for (let level = 0; level < depth; level += 1) {
    value = level % 2 === 0 ? field(5, field(1, value)) : field(6, field(1, field(1, "k"), field(2, value)));
  }
  return value;
}
