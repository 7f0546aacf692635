/** What is wrong with a machine as a whole, though each transition alone is right. */
import type { Range } from "../../model/load-error.ts";
import { didYouMean } from "../../source/suggest.ts";
import { canonical } from "../canonical.ts";
import type { Pattern } from "../pattern.ts";
import type { Transition } from "../program.ts";
import type { RuleParts } from "./rule-parts.ts";

export interface Placed {
  readonly transition: Transition;
  readonly range: Range;
}

/**
 * Two transitions that surely match one event from one state. Surely: same name and kinds, no guard or the
 * same, and what one asks beyond that the other asks too. Patterns that merely may overlap are seen when an
 * event meets both.
 */
export function refuseAmbiguous(rule: RuleParts, placed: readonly Placed[]): void {
  for (const [index, later] of placed.entries()) {
    const earlier = placed.slice(0, index).find((other) => overlap(other.transition, later.transition));
    if (earlier === undefined) continue;
    rule.reader.problems.error(
      later.range,
      "ambiguous-transition",
      `from "${later.transition.from}" an event that is ${later.transition.on.text} meets the transition on line ${earlier.range.line} too`,
      "Give the two patterns that cannot both match, or guards under when that exclude each other.",
    );
  }
}

function overlap(a: Transition, b: Transition): boolean {
  if (a.from !== b.from) return false;
  if (canonical([a.when, a.owner]) !== canonical([b.when, b.owner])) return false;
  const anyName = a.on.name === null || b.on.name === null;
  if (!anyName && canonical(a.on.name) !== canonical(b.on.name)) return false;
  if (!shareKind(a.on, b.on)) return false;
  const [one, other] = [demands(a.on), demands(b.on)];
  return isSubset(one, other) || isSubset(other, one);
}

const shareKind = (a: Pattern, b: Pattern): boolean =>
  a.kinds === null || b.kinds === null || [...a.kinds].some((kind) => b.kinds?.has(kind));

function demands(pattern: Pattern): ReadonlySet<string> {
  const { tests, absent, where, anyOf, not } = pattern;
  return new Set([
    ...tests.map(canonical),
    ...absent.map((path) => `absent ${canonical(path)}`),
    ...where.map((comparison) => `where ${canonical(comparison)}`),
    ...(anyOf.length > 0 ? [`any ${canonical(anyOf)}`] : []),
    ...(not === null ? [] : [`not ${canonical(not)}`]),
  ]);
}

const isSubset = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  [...a].every((item) => b.has(item));

export function warnUnreachable(rule: RuleParts, placed: readonly Placed[], initial: string): void {
  const reached = new Set([initial]);
  for (let grew = true; grew; ) {
    const before = reached.size;
    for (const { transition } of placed) if (reached.has(transition.from)) reached.add(transition.to);
    grew = reached.size > before;
  }
  const warned = new Set<string>();
  for (const { transition, range } of placed) {
    if (reached.has(transition.from) || warned.has(transition.from)) continue;
    warned.add(transition.from);
    rule.reader.problems.warn(
      range,
      "unreachable-state",
      `no transition leads to the state "${transition.from}"`,
      `${didYouMean(transition.from, reached)}Otherwise add the transition that leads there.`,
    );
  }
}
