/** Patterns that no event can match, and what that does to their rule. */
import type { Value } from "../model/value.ts";
import { canonical } from "./canonical.ts";
import { accepts, covers, excludes, literalsAt, testsOf } from "./lint-cover.ts";
import type { LintPlaces } from "./lint-places.ts";
import type { Path, PathTest, Pattern, ValueTest } from "./pattern.ts";
import type { Program } from "./program.ts";
import type { Rule } from "./rule.ts";
import { compareValues } from "./values.ts";
import { builtInKinds, toolKinds } from "./words.ts";

export function lintDead(rule: Rule, places: LintPlaces): void {
  for (const { pattern, keys, effect } of rolesOf(rule.program)) {
    const reason = impossible(pattern);
    if (reason === null) continue;
    places.warnRule(
      rule,
      keys,
      "dead-pattern",
      `no event can be ${pattern.text}: ${reason}; ${effect}`,
      "Correct the pattern: as it stands the rule does not do what it says.",
    );
  }
}

interface Role {
  readonly pattern: Pattern;
  /** Where the user may have written it. */
  readonly keys: readonly string[];
  /** What becomes of the rule. */
  readonly effect: string;
}

const laterKeys = ["before", "after", "trigger", "second", "for", "anchor", "of"];
const earlierKeys = ["require", "first", "from", "before", "witness", "expect", "forbid", "all"];

function rolesOf(program: Program): readonly Role[] {
  switch (program.kernel) {
    case "link":
      return [
        {
          pattern: program.anchor,
          keys: program.need === "past" ? ["second", "anchor", "after", "before", "of"] : laterKeys,
          effect: "the rule never judges anything",
        },
        ...(program.need === "apart"
          ? []
          : [
              {
                pattern: program.witness,
                keys: earlierKeys,
                effect:
                  program.quant === "some" ? "the rule is always violated" : "the rule is never violated",
              },
            ]),
        ...program.unlessBetween.map(({ match }) => ({
          pattern: match,
          keys: ["unless_between"],
          effect: "it breaks nothing",
        })),
      ];
    case "count":
      return [
        {
          pattern: program.of,
          keys: ["of"],
          effect: (program.min ?? 0) > 0 ? "the rule is always violated" : "the rule is never violated",
        },
      ];
    case "machine":
      return program.transitions.map(({ on }) => ({
        pattern: on,
        keys: ["transitions", "steps"],
        effect: "this step is never taken",
      }));
    case "fold":
      return program.parts.flatMap(rolesOf);
    case "guard":
      return [
        { pattern: program.if, keys: ["if"], effect: "the rule never judges anything" },
        ...rolesOf(program.then),
      ];
    case "stretch":
      return [
        ...[program.after, program.before].flatMap((pattern) =>
          pattern === null
            ? []
            : [{ pattern, keys: ["scope"], effect: "the rule never judges what it means" }],
        ),
        ...rolesOf(program.then),
      ];
  }
}

/** Why nothing can match, in words; null where something may. */
export function impossible(pattern: Pattern): string | null {
  return (
    emptyKinds(pattern) ??
    statusOfNoKind(pattern) ??
    valuesThatExclude(pattern) ??
    absentAndTested(pattern) ??
    negated(pattern) ??
    deadBranches(pattern)
  );
}

const emptyKinds = ({ kinds }: Pattern): string | null =>
  kinds !== null && kinds.size === 0 ? "it names no kind" : null;

/** Only calls are asked for without running, or refused before they run. */
const ofCalls: ReadonlySet<string> = new Set(["requested", "rejected_invalid"]);

function statusOfNoKind(pattern: Pattern): string | null {
  const { kinds } = pattern;
  const statuses = literalsAt(pattern, ["status"]);
  if (kinds === null || statuses === null) return null;
  const callable = [...kinds].some((kind) => toolKinds.has(kind) || !builtInKinds.has(kind));
  if (callable || !statuses.every((status) => ofCalls.has(String(status)))) return null;
  return `the status ${statuses.join(" or ")} is one of calls, never of ${[...kinds].join(" or ")}`;
}

/** Every test by its path; comparisons of the event with a constant are tests too. */
function testsByPath(pattern: Pattern): ReadonlyMap<string, readonly PathTest[]> {
  const compared = pattern.where.flatMap(({ left, op, right }): readonly PathTest[] => {
    if (!("side" in left) || !("literal" in right)) return [];
    const value = right.literal;
    const test: Readonly<Record<typeof op, ValueTest>> = {
      "==": { op: "equals", value },
      "!=": { op: "ne", value },
      "<": { op: "lt", value },
      "<=": { op: "le", value },
      ">": { op: "gt", value },
      ">=": { op: "ge", value },
    };
    return [{ path: left.path, test: test[op] }];
  });
  const byPath = new Map<string, PathTest[]>();
  for (const one of [...testsOf(pattern), ...compared].flatMap(single)) {
    const key = canonical(one.path);
    byPath.set(key, [...(byPath.get(key) ?? []), one]);
  }
  return byPath;
}

/** Tests that must all hold, apart. */
function single({ path, test }: PathTest): readonly PathTest[] {
  if (test.op === "all") return test.tests.flatMap((one) => single({ path, test: one }));
  if (test.op === "fields") {
    return test.fields.flatMap((field) => single({ path: [...path, ...field.path], test: field.test }));
  }
  return [{ path, test }];
}

function valuesThatExclude(pattern: Pattern): string | null {
  for (const tests of testsByPath(pattern).values()) {
    const path = tests[0]?.path ?? [];
    const name = path.join(".");
    const listed = tests.flatMap(({ test }) => literalsOf(test));
    const [values] = listed;
    if (values?.every((value) => tests.some(({ test }) => !accepts(test, path, value))) === true) {
      return `${name} cannot be ${values.map(String).join(" or ")} and meet the rest`;
    }
    if (
      tests.some(({ test }) => test.op === "exists" && !test.wanted) &&
      tests.some(({ test }) => needsOne(test))
    ) {
      return `${name} must be there and must not`;
    }
    const range = emptyRange(tests.map(({ test }) => test));
    if (range !== null) return `${name} cannot be ${range}`;
  }
  return null;
}

function literalsOf(test: ValueTest): readonly (readonly Value[])[] {
  if (test.op === "equals") return [[test.value]];
  if (test.op !== "one_of") return [];
  const parts = test.tests.map(literalsOf);
  return parts.every((part) => part.length === 1) ? [parts.flatMap((part) => part[0] ?? [])] : [];
}

const needsOne = (test: ValueTest): boolean => test.op !== "exists" || test.wanted;

type Bound = ValueTest & { readonly op: "gt" | "ge" | "lt" | "le" };

const isLower = (test: ValueTest): test is Bound => test.op === "gt" || test.op === "ge";
const isUpper = (test: ValueTest): test is Bound => test.op === "lt" || test.op === "le";

function emptyRange(tests: readonly ValueTest[]): string | null {
  for (const low of tests.filter(isLower)) {
    for (const high of tests.filter(isUpper)) {
      const order = compareValues(low.value, high.value);
      const touches = order === 0 && (low.op === "gt" || high.op === "lt");
      if (order === 1 || touches)
        return `${words[low.op]} ${String(low.value)} and ${words[high.op]} ${String(high.value)}`;
    }
  }
  return null;
}

const words: Readonly<Record<Bound["op"], string>> = {
  gt: "above",
  ge: "at least",
  lt: "below",
  le: "at most",
};

function absentAndTested(pattern: Pattern): string | null {
  const tested = [...testsByPath(pattern).values()].flatMap((tests) =>
    tests.some(({ test }) => needsOne(test)) ? [tests[0]?.path ?? []] : [],
  );
  const clash = pattern.absent.find((path) => tested.some((other) => startsWith(other, path)));
  return clash === undefined ? null : `${clash.join(".")} must be there and must not`;
}

const startsWith = (path: Path, start: Path): boolean => start.every((part, index) => path[index] === part);

function negated(pattern: Pattern): string | null {
  if (pattern.not === null || !covers(pattern.not, { ...pattern, not: null })) return null;
  return "its not takes out everything that it asks for";
}

function deadBranches(pattern: Pattern): string | null {
  if (pattern.anyOf.length === 0) return null;
  const outer = { ...pattern, anyOf: [], not: null };
  const dead = pattern.anyOf.every((branch) => impossible(branch) !== null || excludes(outer, branch));
  return dead ? "none of its any_of can be met" : null;
}
