/** Takes protobuf messages apart by their schema and puts them together in other ways that mean the same. */
import protobuf from "protobufjs";

/** The fields of a message in the order in which they were written, submessages rearranged first. */
interface WireField {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/**
 * The same message with its fields in another order at every level (those of one number keep theirs) and with
 * unknown fields of every wire type in between: new numbers, and known numbers with a wire type they do not have.
 */
export function rearrange(
  bytes: Uint8Array,
  type: protobuf.Type,
  next: (below: number) => number,
): Uint8Array {
  const fields = split(bytes, (field, payload) => {
    const nested = type.fieldsById[field]?.resolve().resolvedType;
    return nested instanceof protobuf.Type ? rearrange(payload, nested, next) : payload;
  });
  const shuffled: WireField[] = [];
  const queues = new Map<number, WireField[]>();
  for (const field of fields) queues.set(field.number, [...(queues.get(field.number) ?? []), field]);
  while (queues.size > 0) {
    const numbers = [...queues.keys()];
    const number = numbers[next(numbers.length)] ?? 0;
    const queue = queues.get(number) ?? [];
    const field = queue.shift();
    if (field !== undefined) shuffled.push(field);
    if (queue.length === 0) queues.delete(number);
    if (next(4) === 0) shuffled.push(unknownField(type, next));
  }
  return Buffer.concat(shuffled.map((field) => field.bytes));
}

function unknownField(type: protobuf.Type, next: (below: number) => number): WireField {
  const strange = next(3) === 0;
  const known = Object.keys(type.fieldsById).map(Number);
  const number = strange ? (known[next(known.length)] ?? 1) : 100 + next(5_000);
  const expected = type.fieldsById[number]?.type;
  const wires = [0, 1, 2, 5].filter((wire) => wire !== wireOf(expected));
  const wire = wires[next(wires.length)] ?? 0;
  const writer = protobuf.Writer.create().uint32(((number << 3) | wire) >>> 0);
  if (wire === 0) writer.uint32(next(2 ** 31));
  else if (wire === 1) writer.double(next(100) / 7);
  else if (wire === 5) writer.float(next(100));
  else writer.bytes(Uint8Array.from({ length: next(20) }, () => next(256)));
  return { number, bytes: writer.finish() };
}

function wireOf(type: string | undefined): number | null {
  if (type === undefined) return null;
  if (["int32", "int64", "uint32", "bool"].includes(type)) return 0;
  if (["fixed64", "double"].includes(type)) return 1;
  return type === "fixed32" ? 5 : 2;
}

/** Splits into whole fields; `inside` may replace the payload of length-delimited ones. */
export function split(
  bytes: Uint8Array,
  inside: (field: number, payload: Uint8Array) => Uint8Array = (_, payload) => payload,
): WireField[] {
  const reader = protobuf.Reader.create(bytes);
  const fields: WireField[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    if ((tag & 7) !== 2) {
      reader.skipType(tag & 7);
      fields.push({ number: tag >>> 3, bytes: bytes.subarray(start, reader.pos) });
      continue;
    }
    const payload = inside(tag >>> 3, reader.bytes());
    fields.push({ number: tag >>> 3, bytes: protobuf.Writer.create().uint32(tag).bytes(payload).finish() });
  }
  return fields;
}

/** A small generator of whole numbers below a bound, so that a failing case is one seed. */
export function draws(seed: number): (below: number) => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}
