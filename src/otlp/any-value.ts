import type { Value } from "../model/value.ts";
import type { DecodeLimits } from "./decode-limits.ts";
import type { TextTable } from "./text-table.ts";
import type { WireReader } from "./wire-reader.ts";

/**
 * Reads OTLP `AnyValue`, `ArrayValue`, `KeyValueList` and `KeyValue` from protobuf.
 *
 * Nothing here throws for what is too deep or too much: it raises a mark, answers null and reads on, so that
 * the span around it can be refused alone. Recursion ends at `maxNesting`, whatever the bytes say.
 */
export class ValueReader {
  readonly #reader: WireReader;
  readonly #bytes: Buffer;
  readonly #texts: TextTable;
  readonly #limits: DecodeLimits;
  /** Set when a value was nested deeper than allowed; whoever refuses the span clears it. */
  tooDeep = false;
  /** Set when the request holds more values than allowed. */
  tooMany = false;
  strindexes = 0;
  duplicateKeys = 0;
  #kept = 0;

  constructor(reader: WireReader, bytes: Buffer, texts: TextTable, limits: DecodeLimits) {
    this.#reader = reader;
    this.#bytes = bytes;
    this.#texts = texts;
    this.#limits = limits;
  }

  /** Counts something that is kept; false when the request has no room for it. */
  keep(): boolean {
    this.#kept += 1;
    if (this.#kept <= this.#limits.maxValues) return true;
    this.tooMany = true;
    return false;
  }

  text(start: number, end: number): string {
    return this.#texts.read(this.#bytes, start, end);
  }

  /**
   * Reads an AnyValue that ends at `end`. `before` is what an earlier part of the same field gave: a message
   * field sent twice is the two merged, so a second array or list continues the first one.
   */
  anyValue(end: number, depth: number, before: Value): Value {
    const reader = this.#reader;
    const start = reader.position;
    // The usual case, alone in its message: a string.
    if (start < end && reader.bytes[start] === stringTag) {
      reader.position = start + 1;
      const stop = reader.payload(end);
      const from = reader.position;
      if (stop === end) {
        reader.position = end;
        return this.text(from, end);
      }
      reader.position = start;
    }
    let value = before;
    while (reader.position < end) {
      const tag = reader.tag(end);
      value = this.#member(tag, end, depth, value);
    }
    return value;
  }

  #member(tag: number, end: number, depth: number, before: Value): Value {
    const reader = this.#reader;
    switch (tag) {
      case stringTag: {
        const stop = reader.payload(end);
        const text = this.text(reader.position, stop);
        reader.position = stop;
        return text;
      }
      case boolTag:
        return reader.bool(end);
      case intTag:
        return reader.int64(end);
      case doubleTag:
        return reader.double(end);
      case arrayTag:
        return this.#array(reader.payload(end), depth + 1, before);
      case kvlistTag:
        return this.#list(reader.payload(end), depth + 1, before);
      case bytesTag: {
        const stop = reader.payload(end);
        const copy = new Uint8Array(reader.bytes.subarray(reader.position, stop));
        reader.position = stop;
        return copy;
      }
      case strindexTag:
        // An index into a string table that only profiles have: there is no value to read.
        this.strindexes += 1;
        reader.skip(tag, end);
        return null;
      default:
        reader.skip(tag, end);
        return before;
    }
  }

  #array(end: number, depth: number, before: Value): Value {
    const reader = this.#reader;
    if (depth > this.#limits.maxNesting) return this.#refuseDepth(end);
    const values: Value[] = Array.isArray(before) ? before : [];
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag !== lengthField1) {
        reader.skip(tag, end);
        continue;
      }
      const value = this.anyValue(reader.payload(end), depth, null);
      if (this.keep()) values.push(value);
    }
    return values;
  }

  #list(end: number, depth: number, before: Value): Value {
    const reader = this.#reader;
    if (depth > this.#limits.maxNesting) return this.#refuseDepth(end);
    const list = isList(before) ? before : emptyList();
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag !== lengthField1) {
        reader.skip(tag, end);
        continue;
      }
      this.#pair(reader.payload(end), depth, list);
    }
    return list;
  }

  #pair(end: number, depth: number, list: { [key: string]: Value }): void {
    const reader = this.#reader;
    let key = "";
    let value: Value = null;
    let indexed = false;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === lengthField1) {
        const stop = reader.payload(end);
        key = this.text(reader.position, stop);
        reader.position = stop;
      } else if (tag === lengthField2) {
        value = this.anyValue(reader.payload(end), depth, value);
      } else if (tag === keyStrindexTag) {
        indexed = reader.uint32(end) !== 0;
      } else {
        reader.skip(tag, end);
      }
    }
    if (indexed) this.strindexes += 1;
    if ((indexed && key === "") || !this.keep()) return;
    if (Object.hasOwn(list, key)) this.duplicateKeys += 1;
    list[key] = value;
  }

  #refuseDepth(end: number): null {
    this.tooDeep = true;
    this.#reader.position = end;
    return null;
  }

  /**
   * Passes over an AnyValue that nobody wants, still looking at its depth: which spans are refused must not
   * depend on which attributes the loaded contracts name. Values of one piece cost their length only.
   */
  skipValue(end: number, depth: number): void {
    const reader = this.#reader;
    // Every further level takes four bytes at least, the last one two.
    if (end - reader.position < 4 * (this.#limits.maxNesting - depth) + 2) {
      reader.position = end;
      return;
    }
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag !== arrayTag && tag !== kvlistTag) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.payload(end);
      if (depth >= this.#limits.maxNesting) {
        this.tooDeep = true;
        reader.position = end;
        return;
      }
      this.#skipElements(stop, depth + 1, tag === kvlistTag);
    }
  }

  #skipElements(end: number, depth: number, pairs: boolean): void {
    const reader = this.#reader;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag !== lengthField1) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.payload(end);
      if (!pairs) {
        this.skipValue(stop, depth);
        continue;
      }
      while (reader.position < stop) {
        const inner = reader.tag(stop);
        if (inner === lengthField2) this.skipValue(reader.payload(stop), depth);
        else reader.skip(inner, stop);
      }
    }
  }
}

/** Tags of AnyValue: field number << 3 | wire type. A field with another wire type is an unknown field. */
const stringTag = (1 << 3) | 2;
const boolTag = (2 << 3) | 0;
const intTag = (3 << 3) | 0;
const doubleTag = (4 << 3) | 1;
const arrayTag = (5 << 3) | 2;
const kvlistTag = (6 << 3) | 2;
const bytesTag = (7 << 3) | 2;
const strindexTag = (8 << 3) | 0;
const lengthField1 = (1 << 3) | 2;
const lengthField2 = (2 << 3) | 2;
const keyStrindexTag = (3 << 3) | 0;

/** No prototype: `__proto__` is a key like any other. */
const emptyList = (): { [key: string]: Value } =>
  ({ __proto__: null }) as unknown as { [key: string]: Value };

const isList = (value: Value): value is { [key: string]: Value } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
