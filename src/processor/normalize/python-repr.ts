/**
 * Reads the text that Python's `repr` or `str` makes of a dict or list of plain values: single quotes, `None`,
 * `True`, `False`, tuples. LangChain (Python) hands tools' inputs to its tracers in this form. Gives up
 * (undefined) at the first thing it does not know, such as `datetime(…)`; linear in the text.
 */
import type { Value } from "../../model/value.ts";

const deepest = 64;

interface Cursor {
  readonly text: string;
  at: number;
}

class NotRepr extends Error {}

export function parsePythonRepr(text: string): Value | undefined {
  const cursor: Cursor = { text, at: 0 };
  try {
    const value = readValue(cursor, 0);
    skipSpace(cursor);
    return cursor.at === text.length ? value : undefined;
  } catch (error) {
    if (error instanceof NotRepr) return undefined;
    throw error;
  }
}

function readValue(cursor: Cursor, depth: number): Value {
  if (depth > deepest) throw new NotRepr();
  skipSpace(cursor);
  const next = cursor.text[cursor.at];
  if (next === "{") return readDict(cursor, depth);
  if (next === "[") return readList(cursor, "]", depth);
  if (next === "(") return readList(cursor, ")", depth);
  if (next === "'" || next === '"') return readString(cursor);
  return readWord(cursor);
}

function readDict(cursor: Cursor, depth: number): Value {
  const entries: [string, Value][] = [];
  cursor.at += 1;
  while (!take(cursor, "}")) {
    const key = readValue(cursor, depth + 1);
    if (typeof key !== "string" && typeof key !== "number") throw new NotRepr();
    expect(cursor, ":");
    entries.push([String(key), readValue(cursor, depth + 1)]);
    if (!take(cursor, ",")) {
      expect(cursor, "}");
      break;
    }
  }
  return Object.fromEntries(entries);
}

function readList(cursor: Cursor, close: string, depth: number): Value {
  const items: Value[] = [];
  cursor.at += 1;
  while (!take(cursor, close)) {
    items.push(readValue(cursor, depth + 1));
    if (!take(cursor, ",")) {
      expect(cursor, close);
      break;
    }
  }
  return items;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function readString(cursor: Cursor): string {
  const quote = cursor.text[cursor.at];
  let text = "";
  for (cursor.at += 1; cursor.at < cursor.text.length; cursor.at += 1) {
    const char = cursor.text[cursor.at] ?? "";
    if (char === quote) {
      cursor.at += 1;
      return text;
    }
    if (char !== "\\") {
      text += char;
      continue;
    }
    cursor.at += 1;
    const escaped = cursor.text[cursor.at] ?? "";
    const width = escaped === "x" ? 2 : escaped === "u" ? 4 : 0;
    if (width === 0) {
      text += escapes[escaped] ?? escaped;
      continue;
    }
    const code = Number.parseInt(cursor.text.slice(cursor.at + 1, cursor.at + 1 + width), 16);
    if (Number.isNaN(code)) throw new NotRepr();
    text += String.fromCharCode(code);
    cursor.at += width;
  }
  throw new NotRepr();
}

const words: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["None", null],
  ["True", true],
  ["False", false],
]);
const wordPattern = /[A-Za-z0-9_.+-]+/y;
const numberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function readWord(cursor: Cursor): Value {
  wordPattern.lastIndex = cursor.at;
  const word = wordPattern.exec(cursor.text)?.[0];
  if (word === undefined) throw new NotRepr();
  cursor.at += word.length;
  const known = words.get(word);
  if (known !== undefined) return known;
  if (!numberPattern.test(word)) throw new NotRepr();
  const number = Number(word);
  return /^[+-]?\d+$/.test(word) && !Number.isSafeInteger(number) ? BigInt(word) : number;
}

function skipSpace(cursor: Cursor): void {
  while (/\s/.test(cursor.text[cursor.at] ?? "")) cursor.at += 1;
}

function take(cursor: Cursor, char: string): boolean {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== char) return false;
  cursor.at += 1;
  return true;
}

function expect(cursor: Cursor, char: string): void {
  if (!take(cursor, char)) throw new NotRepr();
}
