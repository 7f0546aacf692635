/** Strong Kleene logic with a reason: what is unknown or false says why, in a code. */
import type { Truth } from "../model/order.ts";
import type { Code } from "../model/verdict.ts";
import { codes } from "../model/verdict.ts";

export interface Match {
  readonly truth: Truth;
  /** Why it is not true; null where nothing more can be said than that it does not match. */
  readonly code: Code | null;
}

export const yes: Match = { truth: "true", code: null };
export const no: Match = { truth: "false", code: null };

export const because = (truth: "false" | "unknown", code: Code | null): Match => ({ truth, code });

export const not = (match: Match): Match => {
  if (match.truth === "unknown") return match;
  return match.truth === "true" ? no : yes;
};

const rank = new Map<Code, number>(codes.map((code, i) => [code, i]));

/** Place of a code among near misses and in folds: the smaller, the nearer to what was asked. */
export const rankOf = (code: Code | null): number =>
  code === null ? codes.length : (rank.get(code) ?? codes.length);

export const nearer = (a: Code | null, b: Code | null): Code | null => (rankOf(a) <= rankOf(b) ? a : b);
