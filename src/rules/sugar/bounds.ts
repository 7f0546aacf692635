/** Rules about how often and how fast: ceilings, rates, retries, repetitions. */
import { type DurationNano, durationNano, formatDuration } from "../../model/time.ts";
import type { Path, Pattern } from "../pattern.ts";
import type { Machine, Program, Transition } from "../program.ts";
import { alphabetOf } from "./declare.ts";
import { without } from "./evidence.ts";
import { counting } from "./make-count.ts";
import { link } from "./make-link.ts";
import { step } from "./make-machine.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

/** Most states that a rule may expand to: one an attempt. */
const mostSteps = 1_000;

const perKey = (bind: readonly Path[]): string =>
  bind.length === 0 ? "" : ` per ${bind.map((path) => path.join(".")).join(" and ")}`;

/** A ceiling, over the whole scope or, for a rate, over any stretch of time as long as the window. */
function ceiling(rule: RuleParts, isRate: boolean): Built | null {
  const { reader } = rule;
  const of = rule.pattern("of");
  if (!reader.has("max")) reader.require("max", "Add max: the most that is allowed.");
  const max = reader.wholeNumber("max", 0);
  if (isRate && !reader.has("window"))
    reader.require("window", "Add window: the time that max is counted over, such as 1m.");
  const window = reader.duration("window", rule.plainNumbersAreMilliseconds);
  const bind = rule.paths("bind");
  if (of === null || max === null || (isRate && window === null)) return null;
  return {
    program: counting(of, { max, bind, window }),
    expected: `at most ${max} ${of.text}${window === null ? "" : ` in ${formatDuration(window)}`}${perKey(bind)}`,
    subjects: [of],
  };
}

function counter(bind: readonly Path[], transitions: readonly Transition[], rest: Partial<Machine>): Machine {
  return {
    kernel: "machine",
    bind,
    initial: "0",
    transitions,
    unlisted: "ignore",
    onIllegal: "violate",
    final: null,
    maxTime: new Map(),
    code: null,
    judgedWithoutStep: true,
    ...rest,
  };
}

/** Reads a number of steps that become states. */
function steps(rule: RuleParts, key: string): number | null {
  const given = rule.reader.wholeNumber(key, 1);
  if (given === null || given <= mostSteps) return given;
  rule.reader.problems.error(
    rule.reader.rangeOf(key),
    "impossible-bounds",
    `"${key}" is more than the ${mostSteps} that this kind follows`,
    "Use max_calls for a ceiling as high as that.",
  );
  return null;
}

/** Never more than so many P one after the other with no other call between. */
function maxInARow(rule: RuleParts): Built | null {
  const { reader } = rule;
  const of = rule.pattern("of");
  if (!reader.has("max")) reader.require("max", "Add max: how many may follow one another.");
  const max = steps(rule, "max");
  const bind = rule.paths("bind");
  if (of === null || max === null) return null;
  const other = without(alphabetOf(of), of, `any call but ${of.text}`);
  const transitions = Array.from({ length: max + 1 }, (_, count) => [
    ...(count < max ? [step(`${count}`, of, `${count + 1}`)] : []),
    step(`${count}`, other, "0"),
  ]).flat();
  return {
    program: counter(bind, transitions, { code: "count_exceeded", judgedWithoutStep: bind.length === 0 }),
    expected: `at most ${max} ${of.text} in a row${perKey(bind)}`,
    subjects: [of],
  };
}

/** How often, for how long and how fast something may be tried. */
export interface RetryBound {
  readonly max: number | null;
  /** From the start of the first attempt to that of the last. */
  readonly deadline: DurationNano | null;
  readonly minGap: DurationNano | null;
  /** How much longer each gap is than the one before. */
  readonly factor: number | null;
}

/** So many attempts, for so long, and each a while after the one before, longer from time to time. */
function retryBound(rule: RuleParts): Built | null {
  const of = rule.pattern("of");
  const bound = readRetryBound(rule);
  const bind = rule.paths("bind");
  if (of === null || bound === null) return null;
  return { ...retryProgram(of, bind, bound), subjects: [of] };
}

/** Null where no bound is given, or one of them is wrong; then a problem is reported. */
export function readRetryBound(rule: RuleParts): RetryBound | null {
  const { reader } = rule;
  const max = steps(rule, "max");
  const deadline = reader.duration("deadline", rule.plainNumbersAreMilliseconds);
  const minGap = reader.duration("min_gap", rule.plainNumbersAreMilliseconds);
  const factor = readFactor(rule);
  if (!["max", "deadline", "min_gap"].some((key) => reader.has(key))) {
    reader.require("max", "Add max, deadline or min_gap: how often, how long, how fast.");
    return null;
  }
  if (factor !== null && max === null && !reader.has("max")) {
    reader.require("max", "A gap that grows needs max: without it the gaps have no end.");
  }
  if (factor !== null && !reader.has("min_gap")) {
    reader.require("min_gap", "A factor needs min_gap: the gap before the second attempt.");
  }
  return max === null && deadline === null && minGap === null ? null : { max, deadline, minGap, factor };
}

export function retryProgram(
  of: Pattern,
  bind: readonly Path[],
  { max, deadline, minGap, factor }: RetryBound,
): Pick<Built, "program" | "expected"> {
  const parts: Program[] = [];
  if (max !== null) parts.push(counting(of, { max, bind }));
  if (deadline !== null) {
    const same = bind.map((path) => ({ anchor: path, witness: path }));
    // The first attempt counts from its start: how long somebody kept trying.
    const first: Pattern = { ...of, boundary: "started_at" };
    const noSooner = durationNano(deadline + 1n);
    parts.push(link("past", "none", first, first, { bind: same, noSooner, code: "deadline_missed" }));
  }
  if (minGap !== null) parts.push(spaced(of, bind, minGap, max, factor));
  const [only] = parts;
  const words = [
    ...(max === null ? [] : [`at most ${max} times`]),
    ...(deadline === null ? [] : [`for at most ${formatDuration(deadline)}`]),
    ...(minGap === null
      ? []
      : [
          `at least ${formatDuration(minGap)} apart${factor === null ? "" : `, ${factor} times as long each time`}`,
        ]),
  ];
  return {
    program: parts.length === 1 && only !== undefined ? only : { kernel: "fold", parts },
    expected: `${of.text} ${words.join(", ")}${perKey(bind)}`,
  };
}

/** One state an attempt, each to last as long as its gap; the last one for ever, since the count speaks of more. */
function spaced(
  of: Pattern,
  bind: readonly Path[],
  minGap: bigint,
  max: number | null,
  factor: number | null,
): Machine {
  const grows = factor !== null && max !== null;
  // Without growth two states in turn are enough for any number of attempts.
  const names = grows ? Array.from({ length: max }, (_, i) => `${i + 1}`) : ["1", "2"];
  const last = names.at(-1) ?? "1";
  const transitions = [
    step("0", of, "1"),
    ...names.slice(0, -1).map((name, i) => step(name, of, names[i + 1] ?? last)),
    ...(grows ? [step(last, of, last)] : [step("2", of, "1")]),
  ];
  const gap = (i: number): bigint => BigInt(Math.round(Number(minGap) * (grows ? factor ** i : 1)));
  const minTime = new Map(names.map((name, i) => [name, durationNano(gap(i))]));
  return counter(bind, transitions, { minTime, judgedWithoutStep: false });
}

function readFactor(rule: RuleParts): number | null {
  const node = rule.reader.get("factor");
  if (node === null) return null;
  const value = node.is === "scalar" ? node.value : null;
  if (typeof value === "number" && value >= 1 && value <= 100) return value;
  rule.reader.problems.error(
    node.range,
    "wrong-type",
    '"factor" must be a number from 1 to 100',
    "Write for example factor: 2, for gaps that double.",
  );
  return null;
}

export const boundKinds: readonly RuleKind[] = [
  { kind: "max_calls", category: "workflow", build: (rule) => ceiling(rule, false) },
  { kind: "rate", category: "workflow", build: (rule) => ceiling(rule, true) },
  { kind: "max_in_a_row", category: "workflow", build: maxInARow },
  { kind: "retry_bound", category: "workflow", build: retryBound },
];
