import type { KeySelection } from "../model/attribute-plan.ts";

/**
 * Finds a wanted key among the bytes of a message without making a string of it. Most keys on a span are
 * unwanted; those cost a hash of five bytes and, as a rule, an empty slot.
 *
 * The hash is tuned once per selection: a few multipliers are tried and the one with the fewest shared slots
 * stays. Keys in one slot are compared one after the other, so that a bad hash costs time, never a wrong key.
 */
export class KeyTable {
  readonly #names: readonly string[];
  /** All keys, one behind the other; key `i` is `#starts[i] … #starts[i + 1]`. */
  readonly #text: DataView;
  readonly #starts: Int32Array;
  /** Slot → index of its first key, or -1. */
  readonly #slots: Int32Array;
  /** Key → next key of the same slot, or -1. */
  readonly #next: Int32Array;
  readonly #multiplier: number;
  readonly #mask: number;
  readonly #prefixes: readonly Uint8Array[];
  /** 1 for every byte that a prefix begins with. */
  readonly #prefixStarts = new Uint8Array(256);
  readonly #all: boolean;

  constructor(selection: KeySelection) {
    const names = [...selection.exact];
    const keys = names.map(utf8);
    this.#names = names;
    this.#text = viewOf(Uint8Array.from(keys.flatMap((key) => [...key])));
    this.#starts = Int32Array.from([0, ...runningTotal(keys.map((key) => key.length))]);
    this.#all = selection.prefixes.includes("");
    this.#prefixes = this.#all ? [] : selection.prefixes.map(utf8);
    for (const [first] of this.#prefixes) if (first !== undefined) this.#prefixStarts[first] = 1;
    this.#mask = 2 ** Math.ceil(Math.log2(Math.max(16, names.length * 8))) - 1;
    this.#multiplier = bestMultiplier(keys, this.#mask);
    this.#slots = new Int32Array(this.#mask + 1).fill(-1);
    this.#next = new Int32Array(names.length).fill(-1);
    for (const [index, key] of keys.entries()) {
      const slot = hash(viewOf(key), 0, key.length, this.#multiplier) & this.#mask;
      this.#next[index] = this.#slots[slot] as number;
      this.#slots[slot] = index;
    }
  }

  /** The wanted key that these bytes spell: its text, `unnamed` when only a prefix wants it, null when unwanted. */
  find(bytes: DataView, start: number, end: number): string | typeof unnamed | null {
    let index = this.#slots[hash(bytes, start, end, this.#multiplier) & this.#mask] as number;
    while (index >= 0) {
      if (this.#spells(index, bytes, start, end)) return this.#names[index] as string;
      index = this.#next[index] as number;
    }
    if (this.#all) return unnamed;
    if (start === end || this.#prefixStarts[bytes.getUint8(start)] === 0) return null;
    for (const prefix of this.#prefixes) {
      if (startsWith(prefix, bytes, start, end)) return unnamed;
    }
    return null;
  }

  #spells(index: number, bytes: DataView, start: number, end: number): boolean {
    const text = this.#text;
    const from = this.#starts[index] as number;
    const length = end - start;
    if ((this.#starts[index + 1] as number) - from !== length) return false;
    // From the end, four bytes at a time: keys share their beginnings (`gen_ai.tool.`).
    let at = length;
    for (; at >= 4; at -= 4) {
      if (text.getInt32(from + at - 4) !== bytes.getInt32(start + at - 4)) return false;
    }
    for (; at > 0; at -= 1) {
      if (text.getUint8(from + at - 1) !== bytes.getUint8(start + at - 1)) return false;
    }
    return true;
  }
}

/** The key is wanted by its prefix; the caller makes its text. */
export const unnamed = Symbol("unnamed");

const tables = new WeakMap<KeySelection, KeyTable>();

/** The table of a selection, built at its first use. */
export function keyTable(selection: KeySelection): KeyTable {
  let table = tables.get(selection);
  if (table === undefined) {
    table = new KeyTable(selection);
    tables.set(selection, table);
  }
  return table;
}

function hash(bytes: DataView, start: number, end: number, multiplier: number): number {
  const length = end - start;
  if (length === 0) return 0;
  const word =
    bytes.getUint8(end - 1) |
    (bytes.getUint8(start + (length >>> 1)) << 8) |
    (bytes.getUint8(start + (length >>> 2)) << 16) |
    (bytes.getUint8(end - 1 - (length >>> 2)) << 24);
  const mixed = Math.imul(word ^ Math.imul(length, 0x9e3779b1), multiplier);
  return mixed ^ (mixed >>> 15);
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Odd, unrelated; the first wins when several do equally well. */
const multipliers = [
  0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1, 0xcc9e2d51, 0x1b873593, 0x2545f491, 0x5bd1e995,
] as const;

function bestMultiplier(keys: readonly Uint8Array[], mask: number): number {
  let best: number = multipliers[0];
  let fewest = Number.POSITIVE_INFINITY;
  for (const multiplier of multipliers) {
    const used = new Set(keys.map((key) => hash(viewOf(key), 0, key.length, multiplier) & mask));
    const shared = keys.length - used.size;
    if (shared < fewest) {
      fewest = shared;
      best = multiplier;
    }
  }
  return best;
}

function startsWith(prefix: Uint8Array, bytes: DataView, start: number, end: number): boolean {
  if (end - start < prefix.length) return false;
  for (let at = 0; at < prefix.length; at += 1) {
    if (prefix[at] !== bytes.getUint8(start + at)) return false;
  }
  return true;
}

const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");

function runningTotal(lengths: readonly number[]): number[] {
  let total = 0;
  return lengths.map((length) => {
    total += length;
    return total;
  });
}
