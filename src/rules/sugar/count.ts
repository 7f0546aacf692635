/** Rules about how often something happens, and about what comes first, last or at all. */
import type { Path, Pattern } from "../pattern.ts";
import type { Count } from "../program.ts";
import { alphabetOf } from "./declare.ts";
import { counting } from "./make-count.ts";
import { link } from "./make-link.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

interface Options {
  readonly distinct: readonly Path[];
  readonly bind: readonly Path[];
  readonly window: Count["window"];
}

function options(rule: RuleParts): Options {
  return {
    distinct: rule.paths("distinct"),
    bind: rule.paths("bind"),
    window: rule.reader.duration("window", rule.plainNumbersAreMilliseconds),
  };
}

function inWords(of: Pattern, bounds: string, { distinct, bind }: Options): string {
  const what =
    distinct.length > 0 ? `different ${distinct.map((path) => path.join(".")).join(" and ")} of ` : "";
  const per = bind.length > 0 ? ` per ${bind.map((path) => path.join(".")).join(" and ")}` : "";
  return `${bounds} ${what}${of.text}${per}`;
}

function count(rule: RuleParts): Built | null {
  const { reader } = rule;
  const of = rule.pattern("of");
  const min = reader.wholeNumber("min", 0);
  const max = reader.wholeNumber("max", 0);
  const rest = options(rule);
  if (!reader.has("min") && !reader.has("max")) {
    reader.problems.error(
      reader.node.range,
      "missing-key",
      "a count needs min or max",
      "Add max: for a ceiling, min: for a floor; kind metric_count only measures.",
    );
    return null;
  }
  if (min !== null && max !== null && min > max) {
    reader.problems.error(
      reader.rangeOf("max"),
      "impossible-bounds",
      `no number is at least ${min} and at most ${max}`,
      "Make max at least min.",
    );
  }
  if (of === null) return null;
  const bounds = [min === null ? "" : `at least ${min}`, max === null ? "" : `at most ${max}`]
    .filter(Boolean)
    .join(" and ");
  return {
    program: counting(of, { min, max, ...rest }),
    expected: inWords(of, bounds, rest),
    subjects: [of],
  };
}

function numbered(
  rule: RuleParts,
  synonym: "min" | null,
  bounds: (n: number) => readonly [number | null, number | null, string],
): Built | null {
  const { reader } = rule;
  const of = rule.pattern("of");
  const n = reader.wholeNumber("n", 0);
  const same = synonym === null ? null : reader.wholeNumber(synonym, 0);
  if (synonym !== null && reader.has("n") && reader.has(synonym)) {
    reader.problems.error(
      reader.rangeOf(synonym),
      "set-twice",
      `n and ${synonym} are two words for one thing`,
      "Keep one of them.",
    );
  }
  const rest = options(rule);
  if (of === null) return null;
  const [min, max, words] = bounds(n ?? same ?? 1);
  if (max !== null && max < 0) {
    reader.problems.error(
      reader.rangeOf("n"),
      "impossible-bounds",
      "nothing happens fewer than 0 times",
      "Use n: 1 for never.",
    );
    return null;
  }
  return { program: counting(of, { min, max, ...rest }), expected: inWords(of, words, rest), subjects: [of] };
}

function metricCount(rule: RuleParts): Built | null {
  const of = rule.pattern("of");
  const rest = options(rule);
  if (of === null) return null;
  return {
    program: counting(of, { ...rest, measures: "count" }),
    expected: inWords(of, "any number of", rest),
    subjects: [of],
  };
}

/** How long each waits for what it was built on, from the last finish among its causal parents to its start. */
function metricWait(rule: RuleParts): Built | null {
  const of = rule.pattern("of");
  if (of === null) return null;
  return {
    program: counting(of, { measures: "wait" }),
    expected: `measures how long ${of.text} waits once all that it was built on has finished`,
    subjects: [of],
  };
}

/** At least one, and every other call comes after, or before, one. */
function atTheEdge(rule: RuleParts, edge: "init" | "end"): Built | null {
  const of = rule.pattern("of");
  if (of === null) return null;
  const others: Pattern = { ...alphabetOf(of), not: of, text: `any call but ${of.text}` };
  return {
    program: {
      kernel: "fold",
      parts: [
        counting(of, { min: 1 }),
        edge === "init"
          ? link("past", "some", others, of, { code: "not_first" })
          : link("future", "some", others, of, { code: "not_last" }),
      ],
    },
    expected: `${of.text} ${edge === "init" ? "first" : "last"}`,
    subjects: [of],
  };
}

function choice(rule: RuleParts, exclusive: boolean): Built | null {
  const of = rule.patternList("of", 2);
  const [one] = of ?? [];
  if (of === null || one === undefined) return null;
  const names = of.map((pattern) => pattern.text);
  const union: Pattern = {
    ...alphabetOf(...of),
    kinds: null,
    anyOf: of,
    text: names.join(" or "),
    namesStatus: of.some((pattern) => pattern.namesStatus),
  };
  const some = counting(union, { min: 1 });
  const pairs = of.flatMap((first) =>
    of.filter((second) => second !== first).map((second) => link("any", "none", first, second)),
  );
  return {
    program: exclusive ? { kernel: "fold", parts: [some, ...pairs] } : some,
    expected: exclusive ? `exactly one kind of ${names.join(" or ")}` : `${names.join(" or ")}`,
    subjects: of,
  };
}

export const countKinds: readonly RuleKind[] = [
  { kind: "count", category: "workflow", build: count },
  {
    kind: "existence",
    category: "workflow",
    build: (rule) => numbered(rule, "min", (n) => [n, null, `at least ${n}`]),
  },
  {
    kind: "absence",
    category: "workflow",
    build: (rule) => numbered(rule, null, (n) => [null, n - 1, n === 1 ? "no" : `fewer than ${n}`]),
  },
  {
    kind: "exactly",
    category: "workflow",
    build: (rule) => numbered(rule, null, (n) => [n, n, `exactly ${n}`]),
  },
  { kind: "metric_count", category: "workflow", build: metricCount },
  { kind: "metric_wait", category: "workflow", build: metricWait },
  { kind: "init", category: "workflow", build: (rule) => atTheEdge(rule, "init") },
  { kind: "end", category: "workflow", build: (rule) => atTheEdge(rule, "end") },
  { kind: "choice", category: "workflow", build: (rule) => choice(rule, false) },
  { kind: "exclusive_choice", category: "workflow", build: (rule) => choice(rule, true) },
];
