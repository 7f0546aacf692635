import type { Value } from "../model/value.ts";
import type { ValueReader } from "./any-value.ts";
import { type KeyTable, unnamed } from "./key-table.ts";
import type { WireReader } from "./wire-reader.ts";

/** Reads `repeated KeyValue attributes`, one at a time, keeping those that a selection wants. */
export class AttributeReader {
  readonly #reader: WireReader;
  readonly #values: ValueReader;
  readonly #maxAttributes: number;
  #dropped = 0;

  constructor(reader: WireReader, values: ValueReader, maxAttributes: number) {
    this.#reader = reader;
    this.#values = values;
    this.#maxAttributes = maxAttributes;
  }

  /** How many wanted attributes were not kept since this was asked last, because there were too many. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** Reads one KeyValue that ends at `end` into `kept`, which is made when the first one is wanted. */
  read(end: number, table: KeyTable, kept: Map<string, Value> | null): Map<string, Value> | null {
    const reader = this.#reader;
    const { bytes } = reader;
    const start = reader.position;
    // As every encoder writes it: the key, then the value, and nothing else. Spelt out, since this is half of
    // all decoding; a length past the end of the message fails the comparison and takes the careful way.
    if (end - start > 3 && bytes[start] === keyTag) {
      const keyStart = start + 2;
      const keyEnd = keyStart + (bytes[start + 1] as number);
      if (keyEnd - keyStart < 0x80 && keyEnd + 1 < end && bytes[keyEnd] === valueTag) {
        let valueStart = keyEnd + 2;
        let length = bytes[keyEnd + 1] as number;
        let more = 0;
        if (length >= 0x80 && valueStart < end) {
          more = bytes[valueStart] as number;
          length = (length & 0x7f) | (more << 7);
          valueStart += 1;
        }
        if (more < 0x80 && valueStart + length === end) {
          reader.position = valueStart;
          const name = table.find(reader.view, keyStart, keyEnd);
          if (name === null) {
            this.#values.skipValue(end, 0);
            return kept;
          }
          const key = name === unnamed ? this.#values.text(keyStart, keyEnd) : name;
          return this.#keep(kept, key, this.#values.anyValue(end, 0, null));
        }
      }
    }
    return this.#readAnyShape(end, table, kept);
  }

  /** The same for fields in another order, repeated, missing or unknown: first the key, then what it decides. */
  #readAnyShape(end: number, table: KeyTable, kept: Map<string, Value> | null): Map<string, Value> | null {
    const reader = this.#reader;
    const start = reader.position;
    let keyStart = start;
    let keyEnd = start;
    let indexed = false;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag === keyTag) {
        keyEnd = reader.payload(end);
        keyStart = reader.position;
        reader.position = keyEnd;
      } else if (tag === strindexTag) {
        indexed = reader.uint32(end) !== 0;
      } else {
        reader.skip(tag, end);
      }
    }
    if (indexed) this.#values.strindexes += 1;
    const nameless = indexed && keyStart === keyEnd;
    const name = nameless ? null : table.find(reader.view, keyStart, keyEnd);
    let value: Value = null;
    reader.position = start;
    while (reader.position < end) {
      const tag = reader.tag(end);
      if (tag !== valueTag) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.payload(end);
      if (name === null) this.#values.skipValue(stop, 0);
      else value = this.#values.anyValue(stop, 0, value);
    }
    if (name === null) return kept;
    return this.#keep(kept, name === unnamed ? this.#values.text(keyStart, keyEnd) : name, value);
  }

  #keep(before: Map<string, Value> | null, key: string, value: Value): Map<string, Value> {
    const kept = before ?? new Map<string, Value>();
    const size = kept.size;
    if (size >= this.#maxAttributes && !kept.has(key)) {
      this.#dropped += 1;
      return kept;
    }
    if (!this.#values.keep()) return kept;
    kept.set(key, value);
    if (kept.size === size) this.#values.duplicateKeys += 1;
    return kept;
  }
}

const keyTag = (1 << 3) | 2;
const valueTag = (2 << 3) | 2;
const strindexTag = (3 << 3) | 0;
