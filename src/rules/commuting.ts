/**
 * Work that may be done in any order (`commutes:`): which two events do not disturb each other, whichever comes
 * first. What nobody lists does not commute.
 */
import type { Event } from "../model/event.ts";
import { isArray, type Value } from "../model/value.ts";
import { compileMatcher, openContext, settledContext } from "./match.ts";
import type { Path, Pattern } from "./pattern.ts";
import { readPredicate } from "./read.ts";
import { because, type Match, no, yes } from "./truth.ts";
import { keyText } from "./values.ts";

/** How results of the same work are put together. `fields`: each writes its own. */
export const mergeWords = ["union", "increment", "maximum", "minimum", "fields"] as const;
export type Merge = (typeof mergeWords)[number];

/** One entry of `commutes:`. */
export interface Commutes {
  readonly match: Pattern;
  /** Where such an event names its resource; null: its field `resource`. */
  readonly resource: Path | null;
  readonly as: Merge;
  /** Two of them commute only where these differ; null: always. */
  readonly by: Path | null;
}

/** Whether two events commute by any entry; their order then decides nothing. `settled`: no span to come changes them. */
export type Commuting = (a: Event, b: Event, settled: boolean) => Match;

export function compileCommutes(entries: readonly Commutes[]): Commuting {
  const compiled = entries.map(({ match, by }) => ({ matcher: compileMatcher(match), by }));
  return (a, b, settled) => {
    let result: Match = no;
    for (const { matcher, by } of compiled) {
      const context = settled ? settledContext : openContext;
      const both = and(matcher(a, context), matcher(b, context));
      if (both.truth === "false") continue;
      const found = by === null ? both : and(both, differ(a, b, by, settled));
      if (found.truth === "true") return found;
      if (found.truth === "unknown") result = found;
    }
    return result;
  };
}

const and = (first: Match, second: Match): Match =>
  first.truth === "false" || second.truth === "true"
    ? first
    : second.truth === "false"
      ? second
      : first.truth === "unknown"
        ? first
        : second;

/** Nothing in common: an event that names none writes all of it. */
function differ(a: Event, b: Event, by: Path, settled: boolean): Match {
  const [x, y] = [readPredicate(a, by, settled), readPredicate(b, by, settled)];
  if (x.is === "absent" || y.is === "absent") return no;
  if (x.is === "unknown") return because("unknown", x.code);
  if (y.is === "unknown") return because("unknown", y.code);
  const [left, right] = [partsOf(x.value), partsOf(y.value)];
  if (left.length === 0 || right.length === 0) return no;
  return left.some((part) => right.includes(part)) ? no : yes;
}

const partsOf = (value: Value): readonly string[] =>
  (isArray(value) ? value : [value]).flatMap((part) => keyText(part) ?? []);

/** Every path that telling two events apart reads, for what must be kept of them. */
export const readsOfCommutes = ({ resource, by }: Commutes): readonly Path[] => [
  ...(resource === null ? [] : [resource]),
  ...(by === null ? [] : [by]),
];
