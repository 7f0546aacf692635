import { isUtf8 } from "node:buffer";

/**
 * Turns UTF-8 bytes into strings, and gives back the same string object for short text that comes again: span
 * names, scope names, attribute values and keys repeat in every batch, and finding one costs less than making one.
 *
 * The table is direct-mapped and of fixed size: a collision replaces, nothing grows.
 *
 * Bytes that are not UTF-8 become U+FFFD, as TextDecoder does it, and are counted. The alternative, to refuse
 * the span, would lose evidence over a log message that somebody cut in the middle of a character.
 */
export class TextTable {
  readonly #slots: string[] = new Array<string>(slotCount).fill("");
  /** Strings that held bytes which are not UTF-8; the decoder takes the count and sets it back. */
  invalid = 0;

  read(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return "";
    return length <= longestShared ? this.#short(bytes, start, end) : this.#long(bytes, start, end);
  }

  #short(bytes: Buffer, start: number, end: number): string {
    let hash = end - start;
    let seen = 0;
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] as number;
      seen |= byte;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    if (seen >= 0x80) return this.#long(bytes, start, end);
    const slot = (hash ^ (hash >>> 15)) & (slotCount - 1);
    const known = this.#slots[slot] as string;
    if (sameAscii(known, bytes, start, end)) return known;
    const text = bytes.toString("latin1", start, end);
    this.#slots[slot] = text;
    return text;
  }

  #long(bytes: Buffer, start: number, end: number): string {
    const text = bytes.toString("utf8", start, end);
    // The search is free for text of one byte a character; U+FFFD may also have been sent as such.
    if (text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) this.invalid += 1;
    return text;
  }
}

/** Longer text seldom repeats, and hashing it costs as much as making it. */
const longestShared = 28;
/** 4,096 strings of at most 28 bytes: some 250 KB. A power of two. */
const slotCount = 4_096;

function sameAscii(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let at = start, index = 0; at < end; at += 1, index += 1) {
    if (text.charCodeAt(index) !== bytes[at]) return false;
  }
  return true;
}
