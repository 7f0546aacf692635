/**
 * Keeps integers of JSON to the last digit.
 *
 * `JSON.parse` rounds a bare `1544712660000000001`. OTLP/JSON accepts every 64-bit integer as a decimal string
 * too, so long integers are put into quotes before parsing. That is one pass over the text, needs no reviver
 * (which makes parsing some ten times slower and recurses as deep as the input), and happens only to a body
 * that holds such a number: SDKs write strings.
 */

/** Up to 15 digits are exact in a double, whatever they are. */
const longDigits = 16;

/**
 * Whether the body may hold a bare integer of 16 or more digits. Looks at every 16th byte, since a run of 16
 * digits cannot hide between two of them. Says yes too often (long digits within text), never too seldom.
 */
export function mayHoldLongInteger(body: Uint8Array): boolean {
  for (let at = longDigits - 1; at < body.length; at += longDigits) {
    if (!isDigit(body[at])) continue;
    let first = at;
    while (first > 0 && isDigit(body[first - 1])) first -= 1;
    let last = at;
    while (isDigit(body[last + 1])) last += 1;
    // A quote right before the digits opens a string: that is how SDKs write timestamps.
    if (last - first + 1 >= longDigits && body[first - 1] !== quote) return true;
    at += Math.floor((last - at) / longDigits) * longDigits;
  }
  return false;
}

/** The same JSON with long integers outside strings put into quotes. */
export function quoteLongIntegers(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
      continue;
    }
    if (code !== minus && !isDigit(code)) {
      at += 1;
      continue;
    }
    const stop = endOfNumber(text, at);
    const token = text.slice(at, stop);
    if (token.length >= longDigits && isLongInteger(token)) {
      parts.push(text.slice(copied, at), `"${token}"`);
      copied = stop;
    }
    at = stop;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

/** Of a run of number characters. One look for the first that is no digit: a pattern of digits would need a stack as long as the number. */
function isLongInteger(token: string): boolean {
  const digits = token.charCodeAt(0) === minus ? token.slice(1) : token;
  return digits.length >= longDigits && !digits.startsWith("0") && !/[-+.eE]/.test(digits);
}

/** The character behind the closing quote; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close === -1) return text.length;
    let slashes = 0;
    while (text.charCodeAt(close - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return close + 1;
    at = close + 1;
  }
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && isNumberPart(text.charCodeAt(at))) at += 1;
  return at;
}

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;

const isDigit = (code: number | undefined): boolean => code !== undefined && code >= 0x30 && code <= 0x39;

/** Digits, `+`, `-`, `.`, `e`, `E`. */
const isNumberPart = (code: number): boolean =>
  isDigit(code) || code === 0x2b || code === minus || code === 0x2e || code === 0x65 || code === 0x45;
