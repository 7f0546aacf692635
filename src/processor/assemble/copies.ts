/**
 * Which of two copies of one span counts. Never the one that came first: the one that has ended, then the one that is
 * no start signal, then the later end, then the greater text, so that any order of arrival keeps the same copy
 * (docs/decisions/01-last-revision.md).
 */
import type { SpanFact } from "../../model/span-fact.ts";
import { canonicalText, type Value } from "../../model/value.ts";

export interface Preference {
  readonly keep: SpanFact;
  /** `conflicting`: two spans claim one id and say different things. `begun`: one is only the start signal of the other. */
  readonly difference: "identical" | "conflicting" | "begun";
}

export function preferred(a: SpanFact, b: SpanFact): Preference {
  if (a === b) return { keep: a, difference: "identical" };
  const first = textOfFact(a);
  const second = textOfFact(b);
  if (first === second) return { keep: a, difference: "identical" };
  const begun = (a.startSignal === true) !== (b.startSignal === true);
  const difference = begun ? "begun" : "conflicting";
  if (a.ended !== b.ended) return { keep: a.ended ? a : b, difference };
  if (begun) return { keep: a.startSignal === true ? b : a, difference };
  const endOfA = a.end ?? -1n;
  const endOfB = b.end ?? -1n;
  if (endOfA !== endOfB) return { keep: endOfA > endOfB ? a : b, difference };
  return { keep: first > second ? a : b, difference };
}

function textOfFact(fact: SpanFact): string {
  return canonicalText(plain(fact));
}

/** Facts hold maps, sets of nothing else, and undefined members: all of it as a plain value. */
function plain(value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (value instanceof Map) return [...value].map(([key, item]) => [plain(key), plain(item)]).sort(byText);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && !(value instanceof Uint8Array)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  }
  return value as Value;
}

function byText(a: Value, b: Value): number {
  const first = canonicalText(a);
  const second = canonicalText(b);
  return first < second ? -1 : first > second ? 1 : 0;
}
