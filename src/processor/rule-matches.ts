import type { Event } from "../model/event.ts";
import type { Output } from "../model/output.ts";
import type { UnixNano } from "../model/time.ts";
import { compilePattern } from "../rules/match.ts";
import type { Pattern } from "../rules/pattern.ts";
import type { Program } from "../rules/program.ts";
import type { Contract, Rule } from "../rules/rule.ts";
import { patternKeys } from "./rule-index.ts";

/**
 * Which side of which rule the events of a run matched, whatever came of it. A side that traffic never
 * matches is the mark of a misspelt name or of a tool that is gone, so this asks the patterns themselves and
 * not the verdicts: a check that came too late has been matched all the same.
 */
export interface MatchCounter {
  readonly byName: ReadonlyMap<string, readonly Side[]>;
  readonly byKind: ReadonlyMap<string, readonly Side[]>;
  readonly any: readonly Side[];
}

interface Side {
  readonly contract: Contract;
  readonly rule: Rule;
  readonly side: "anchor" | "witness";
  readonly matches: (event: Event) => boolean;
}

export function createMatchCounter(contracts: readonly Contract[]): MatchCounter {
  const byName = new Map<string, Side[]>();
  const byKind = new Map<string, Side[]>();
  const any: Side[] = [];
  for (const contract of contracts) {
    for (const rule of contract.rules) {
      for (const { side, pattern } of patternsOf(rule.program)) {
        const test = compilePattern(pattern);
        const entry = { contract, rule, side, matches: (event: Event) => test(event).truth === "true" };
        const keys = patternKeys(pattern);
        if (keys === null) any.push(entry);
        for (const name of keys?.names ?? []) push(byName, name, entry);
        for (const kind of keys?.kinds ?? []) push(byKind, kind, entry);
      }
    }
  }
  return { byName, byKind, any };
}

/** An event counts once for a side, also where several patterns of that side match it. */
export function countMatches(
  counter: MatchCounter,
  events: readonly Event[],
  takesPart: (contract: Contract) => boolean,
  at: UnixNano,
): Output[] {
  const counts = new Map<Rule, { anchor: number; witness: number }>();
  for (const event of events) {
    const matched = new Map<Rule, Set<string>>();
    for (const { contract, rule, side, matches } of sidesAbout(counter, event)) {
      if (matched.get(rule)?.has(side) === true || !takesPart(contract) || !matches(event)) continue;
      const sides = matched.get(rule) ?? new Set<string>();
      matched.set(rule, sides.add(side));
      const count = counts.get(rule) ?? { anchor: 0, witness: 0 };
      count[side] += 1;
      counts.set(rule, count);
    }
  }
  const outputs: Output[] = [];
  for (const [rule, count] of counts) {
    for (const side of ["anchor", "witness"] as const) {
      if (count[side] === 0) continue;
      outputs.push({
        type: "rule_match",
        contract: rule.contract,
        rule: rule.id,
        side,
        count: count[side],
        at,
      });
    }
  }
  return outputs;
}

function* sidesAbout({ byName, byKind, any }: MatchCounter, event: Event): Generator<Side> {
  if (event.name !== null) yield* byName.get(event.name) ?? [];
  yield* byKind.get(event.kind) ?? [];
  yield* any;
}

interface SidedPattern {
  readonly side: "anchor" | "witness";
  readonly pattern: Pattern;
}

function patternsOf(program: Program): readonly SidedPattern[] {
  switch (program.kernel) {
    case "link":
      return [
        { side: "anchor", pattern: program.anchor },
        { side: "witness", pattern: program.witness },
      ];
    case "count":
      return [{ side: "anchor", pattern: program.of }];
    case "machine":
      return program.transitions.map(({ on }) => ({ side: "anchor", pattern: on }));
    case "fold":
      return program.parts.flatMap(patternsOf);
    case "guard":
      return [{ side: "anchor", pattern: program.if }, ...patternsOf(program.then)];
    case "stretch":
      return patternsOf(program.then);
  }
}

function push(index: Map<string, Side[]>, key: string, side: Side): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [side]);
  else list.push(side);
}
