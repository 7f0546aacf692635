/** Rules that cannot be kept together: each is right alone, and some step can never be taken rightly. */
import type { Boundary } from "../model/order.ts";
import { canonical } from "./canonical.ts";
import { covers } from "./lint-cover.ts";
import type { LintPlaces } from "./lint-places.ts";
import type { Pattern } from "./pattern.ts";
import type { Count, Link, Program } from "./program.ts";
import type { Contract, Rule } from "./rule.ts";

/** Contracts that judge other traffic cannot be at odds. */
export function lintConflicts(contracts: readonly Contract[], places: LintPlaces): void {
  const groups = new Map<string, Rule[]>();
  for (const { appliesTo, rules } of contracts) {
    const key = canonical(appliesTo);
    groups.set(key, [...(groups.get(key) ?? []), ...rules]);
  }
  for (const rules of groups.values()) {
    warnCycles(rules, places);
    warnContradictions(rules, places);
  }
}

interface Held<T extends Program> {
  readonly rule: Rule;
  readonly part: T;
}

/** What a rule always asks: conditions that its own anchor brings about do not limit it. */
function alwaysAsked(program: Program): readonly (Link | Count)[] {
  switch (program.kernel) {
    case "link":
    case "count":
      return [program];
    case "fold":
      return program.parts.flatMap(alwaysAsked);
    case "guard":
      return alwaysAsked(program.then).filter(
        (part) => part.kernel === "link" && covers(program.if, part.anchor),
      );
    default:
      return [];
  }
}

function held(rules: readonly Rule[]): readonly Held<Link | Count>[] {
  return rules.flatMap((rule) => alwaysAsked(rule.program).map((part) => ({ rule, part })));
}

const isLink = (one: Held<Link | Count>): one is Held<Link> => one.part.kernel === "link";
const isCount = (one: Held<Link | Count>): one is Held<Count> => one.part.kernel === "count";

const placeOf = (rule: Rule): string => `"${rule.id}" (${rule.file}:${rule.range.line})`;

function warnCycles(rules: readonly Rule[], places: LintPlaces): void {
  const needs = held(rules)
    .filter(isLink)
    .filter(({ part }) => part.need === "past" && part.quant === "some");
  const next = needs.map(({ part }) =>
    needs.flatMap(({ part: other }, index) => (covers(other.anchor, part.witness) ? [index] : [])),
  );
  const told = new Set<string>();
  for (const start of needs.keys()) {
    const cycle = shortestCycle(start, next);
    if (cycle === null) continue;
    const links = cycle.flatMap((index) => needs[index] ?? []);
    const byRule = [...new Set(links.map(({ rule }) => rule))];
    const key = byRule.map(placeOf).sort().join();
    const last = [...byRule].sort(byPlace).at(-1);
    if (told.has(key) || last === undefined) continue;
    told.add(key);
    const others = byRule.filter((rule) => rule !== last).map(placeOf);
    const way = [...links.map(({ part }) => part.anchor.text), links[0]?.part.anchor.text].join(" needs ");
    places.warnRule(
      last,
      ["kind", "before", "after", "require"],
      links.length === 2 ? "contradicting-rules" : "ordering-cycle",
      `${way} before it, so the first of them is always a violation${others.length === 0 ? "" : `: see ${others.join(" and ")}`}`,
      links.length === 1
        ? "Name what tells the one that is needed from the one that needs it."
        : "Remove one of them, or name the status or result that breaks the circle.",
    );
  }
}

const byPlace = (a: Rule, b: Rule): number =>
  (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
  a.range.line - b.range.line ||
  a.range.column - b.range.column;

/** The way back to `start` with the fewest steps, by their indices; null where there is none. */
function shortestCycle(start: number, next: readonly (readonly number[])[]): readonly number[] | null {
  const from = new Map<number, number>();
  let edge: readonly number[] = [start];
  while (edge.length > 0) {
    const following: number[] = [];
    for (const at of edge) {
      for (const to of next[at] ?? []) {
        if (to === start) return wayTo(at, start, from);
        if (from.has(to)) continue;
        from.set(to, at);
        following.push(to);
      }
    }
    edge = following;
  }
  return null;
}

function wayTo(end: number, start: number, from: ReadonlyMap<number, number>): readonly number[] {
  const way: number[] = [];
  for (let at: number | undefined = end; at !== undefined && at !== start; at = from.get(at)) way.unshift(at);
  return [start, ...way];
}

/** Two events in an order that a rule asks for or forbids; `any`: in either. */
interface Pair {
  readonly first: Pattern;
  readonly second: Pattern;
  readonly boundaries: readonly [Boundary, Boundary] | "any";
}

function pairOf(link: Link): Pair | null {
  switch (link.need) {
    case "past":
      return {
        first: link.witness,
        second: link.anchor,
        boundaries: [link.witnessBoundary, link.anchorBoundary],
      };
    case "future":
      return {
        first: link.anchor,
        second: link.witness,
        boundaries: [link.anchorBoundary, link.witnessBoundary],
      };
    case "any":
      return { first: link.anchor, second: link.witness, boundaries: "any" };
    case "apart":
      return null;
  }
}

/** Only what is forbidden without conditions surely meets what another rule asks for. */
const isPlain = (link: Link): boolean =>
  link.bind.length === 0 &&
  link.where.length === 0 &&
  link.within === null &&
  link.noSooner == null &&
  (link.also ?? []).length === 0 &&
  link.validUntil === null &&
  link.unlessBetween.length === 0;

function forbids(ban: Link, wanted: Link): boolean {
  const [banned, asked] = [pairOf(ban), pairOf(wanted)];
  if (banned === null || asked === null) return false;
  if (banned.boundaries === "any") {
    return (
      (covers(banned.first, asked.first) && covers(banned.second, asked.second)) ||
      (covers(banned.first, asked.second) && covers(banned.second, asked.first))
    );
  }
  return (
    canonical(banned.boundaries) === canonical(asked.boundaries) &&
    covers(banned.first, asked.first) &&
    covers(banned.second, asked.second)
  );
}

function warnContradictions(rules: readonly Rule[], places: LintPlaces): void {
  const parts = held(rules);
  const links = parts.filter(isLink);
  const wanted = links.filter(({ part }) => part.quant === "some" && part.need !== "apart");
  const bans = links.filter(({ part }) => part.quant === "none" && isPlain(part));
  const limits = parts
    .filter(isCount)
    .filter(
      ({ part }) =>
        part.max !== null && part.bind.length + part.distinct.length === 0 && part.window === null,
    );
  const floors = parts.filter(isCount).filter(({ part }) => (part.min ?? 0) > 0);
  const told = new Set<string>();
  const tell = (a: Rule, b: Rule, message: string): void => {
    const [earlier, later] = byPlace(a, b) <= 0 ? [a, b] : [b, a];
    const key = `${placeOf(earlier)} ${placeOf(later)}`;
    if (a === b || told.has(key)) return;
    told.add(key);
    places.warnRule(
      later,
      ["kind"],
      "contradicting-rules",
      `${message}: see ${placeOf(earlier)}`,
      "Remove one of the two, or narrow it to the events it is about.",
    );
  };
  for (const { rule, part } of wanted) {
    for (const ban of bans) {
      if (forbids(ban.part, part)) {
        tell(
          rule,
          ban.rule,
          `one rule asks for what the other forbids, so no ${part.anchor.text} can be right`,
        );
      }
    }
    for (const limit of limits) {
      if (limit.part.max === 0 && covers(limit.part.of, part.witness)) {
        tell(rule, limit.rule, `${part.anchor.text} needs ${part.witness.text}, which may never happen`);
      }
    }
  }
  for (const { rule, part } of floors) {
    for (const limit of limits) {
      if ((limit.part.max ?? 0) < (part.min ?? 0) && covers(limit.part.of, part.of)) {
        tell(
          rule,
          limit.rule,
          `no number of ${part.of.text} is at least ${part.min} and at most ${limit.part.max}`,
        );
      }
    }
  }
}
