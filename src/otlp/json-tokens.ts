/**
 * Bounds what `JSON.parse` builds of a body, before it does.
 *
 * Unlike the protobuf reader it makes objects of everything, unknown keys included, and three bytes (`{},`) ask
 * for an object of sixty: 64 MiB of them are 2.5 GB and many seconds. So the punctuation that makes objects,
 * elements and members is counted first. A body with fewer bytes than that cannot hold too much of it, so only
 * large ones are looked at; that is one pass over the bytes, a fraction of parsing them.
 */

/**
 * Openings of objects and arrays, commas and colons of one body. 64 MiB of ordinary spans, ten attributes each,
 * hold some seven million; as many cost a sender without good intent half a gigabyte at most, for a moment.
 */
export const maxJsonTokens = 8_000_000;

/** Whether the body holds more than `max` of them outside its strings. What is no JSON is counted as it comes. */
export function holdsMoreTokens(body: Uint8Array, max: number): boolean {
  if (body.length <= max) return false;
  let tokens = 0;
  for (let at = 0; at < body.length; at += 1) {
    switch (body[at]) {
      case quote:
        at = closingQuote(body, at + 1);
        break;
      case openBrace:
      case openBracket:
      case comma:
      case colon:
        tokens += 1;
        if (tokens > max) return true;
    }
  }
  return false;
}

function closingQuote(body: Uint8Array, start: number): number {
  let at = start;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;
