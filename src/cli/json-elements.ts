import type { Value } from "../model/value.ts";
import type { PlainElement } from "./plain-list.ts";

/**
 * The elements of a JSON array with the line each begins on. `text` must be valid JSON: then strings and
 * brackets are all that has to be followed.
 */
export function jsonElements(text: string, array: readonly Value[], from = 0): readonly PlainElement[] {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let expecting = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === "\n") line += 1;
    if (letter === undefined || /\s/.test(letter)) continue;
    if (at < from) continue;
    if (depth === 1 && expecting && letter !== "]") {
      lines.push(line);
      expecting = false;
    }
    switch (letter) {
      case '"':
        for (at += 1; text[at] !== '"' && at < text.length; at += 1) if (text[at] === "\\") at += 1;
        break;
      case "[":
      case "{":
        depth += 1;
        if (depth === 1) expecting = true;
        break;
      case "]":
      case "}":
        depth -= 1;
        break;
      case ",":
        if (depth === 1) expecting = true;
        break;
      default:
        break;
    }
    if (at >= from && depth === 0 && letter === "]") break;
  }
  return array.map((value, index) => ({ value, line: lines[index] ?? 1 }));
}
