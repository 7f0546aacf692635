import { createHash } from "node:crypto";

/** Words for people; they change no verdict. */
const wordKeys: ReadonlySet<string> = new Set(["text"]);

/**
 * One text for one compiled thing: sets and maps sorted, big integers in full, words for people left out. What
 * has equal text judges equally, so comments, formatting and the order of keys change no revision.
 */
export function canonical(value: unknown): string {
  if (value instanceof Set) return `s[${[...value].map(canonical).sort().join(",")}]`;
  if (value instanceof Map) {
    return `m{${[...value]
      .map(([key, held]) => `${canonical(key)}:${canonical(held)}`)
      .sort()
      .join(",")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([key, held]) => !wordKeys.has(key) && held !== undefined);
    return `{${entries
      .map(([key, held]) => `${JSON.stringify(key)}:${canonical(held)}`)
      .sort()
      .join(",")}}`;
  }
  return typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "");
}

/** 16 hex digits: 64 bits are plenty to tell the revisions of one rule apart. */
export function revisionOf(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("hex").slice(0, 16);
}
