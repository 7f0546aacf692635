import type { Value } from "../model/value.ts";

/** One element of a list, with the text it was written as and the line that begins on. */
export interface JsonElement {
  readonly value: Value;
  readonly text: string;
  readonly line: number;
}

/**
 * The elements of the JSON array that begins at or after `from`. `text` must be valid JSON: then strings and
 * brackets are all that has to be followed.
 */
export function jsonElements(text: string, array: readonly Value[], from = 0): readonly JsonElement[] {
  const spans: { readonly begin: number; readonly end: number }[] = [];
  let depth = 0;
  let begin = 0;
  for (let at = text.indexOf("[", from); at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"') {
      for (at += 1; text[at] !== '"' && at < text.length; at += 1) if (text[at] === "\\") at += 1;
    } else if (letter === "[" || letter === "{") {
      depth += 1;
      if (depth === 1) begin = at + 1;
    } else if (letter === "]" || letter === "}") {
      depth -= 1;
    }
    const ends = (depth === 1 && letter === ",") || (depth === 0 && letter === "]");
    if (!ends) continue;
    spans.push({ begin, end: at });
    begin = at + 1;
    if (depth === 0) break;
  }
  let line = 1;
  let seen = 0;
  return array.map((value, index) => {
    const { begin: start, end } = spans[index] ?? { begin: 0, end: 0 };
    const lead = text.slice(start, end).match(/^\s*/)?.[0].length ?? 0;
    for (; seen < start + lead; seen += 1) if (text[seen] === "\n") line += 1;
    return { value, text: text.slice(start + lead, end), line };
  });
}
