import type { SpanFact } from "../../model/span-fact.ts";
import type { Value } from "../../model/value.ts";

/** Bytes a fact is reckoned at: measured once at about 700 for a fact without content, plus its texts. */
export function sizeOf(fact: SpanFact): number {
  let size = 700 + 2 * fact.spanName.length + textSize(fact.args) + textSize(fact.result);
  for (const value of fact.attr.values()) size += 40 + textSize(value);
  for (const value of fact.fields.values()) size += 40 + textSize(value);
  for (const ask of fact.asks) size += 120 + textSize(ask.args);
  for (const answer of fact.answers) size += 120 + textSize(answer.result);
  return size + 200 * fact.signals.length;
}

function textSize(value: Value | undefined): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === "string") return 16 + value.length;
  if (typeof value !== "object") return 16;
  if (value instanceof Uint8Array) return 64 + value.length;
  let size = 32;
  for (const item of Object.values(value)) size += 24 + textSize(item as Value);
  return size;
}
