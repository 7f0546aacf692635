/**
 * Turns a pattern into a test of events in three values (docs/rules.md#patterns; docs/semantics.md 1, 11).
 * Compiled once a rule.
 *
 * A false answer carries a code only where the event is of the pattern's kind and name and fails softly: by its
 * outcome (`wrong_status`) or by a value that it lacks (`missing_attribute`). Such an event is a near miss; any
 * other simply is not what the pattern speaks of.
 */
import type { Event, Reading } from "../model/event.ts";
import type { Value } from "../model/value.ts";
import type { Code } from "../model/verdict.ts";
import { compare } from "./comparison.ts";
import type { Path, Pattern, ValueTest } from "./pattern.ts";
import { readPredicate, readReasons } from "./read.ts";
import { because, type Match, nearer, no, not, yes } from "./truth.ts";
import { allOf, anyOf, type CompiledTest, compileTest, statusWord } from "./value-test.ts";
import { detectedFields } from "./words.ts";

export type { Match } from "./truth.ts";

/** What a test may use besides the event. */
export interface MatchContext {
  readonly registers: ReadonlyMap<string, Reading>;
  /** True once no span to come can change an event: what is still open or inherited late is not unknown then. */
  readonly settled: boolean;
}

export type Matcher = (event: Event, context: MatchContext) => Match;

const noRegisters: ReadonlyMap<string, Reading> = new Map();
export const settledContext: MatchContext = { registers: noRegisters, settled: true };
export const openContext: MatchContext = { registers: noRegisters, settled: false };

/** The test of a pattern by itself: what may still change counts as unknown. */
export function compilePattern(
  pattern: Pattern,
): (event: Event, registers?: ReadonlyMap<string, Value>) => Match {
  const matcher = compileMatcher(pattern);
  return (event, registers) => {
    if (registers === undefined) return matcher(event, openContext);
    const readings = new Map(
      [...registers].map(([name, value]): [string, Reading] => [name, { is: "value", value }]),
    );
    return matcher(event, { registers: readings, settled: false });
  };
}

/** Lives that have not run: no attempt and no witness, unless the pattern names that very status. */
const notRun: ReadonlySet<string> = new Set(["awaiting", "rejected_invalid", "requested"]);
const calls: ReadonlySet<string> = new Set(["tool_call", "retrieval"]);

export function compileMatcher(pattern: Pattern): Matcher {
  return compile(pattern, new Set());
}

/** `named`: statuses that an enclosing pattern names, or every one inside a negation. */
function compile(pattern: Pattern, named: ReadonlySet<string> | "all"): Matcher {
  const { kinds } = pattern;
  const nameTest = pattern.name === null ? null : compileTest(pattern.name, ["name"]);
  const statuses = named === "all" ? named : new Set([...named, ...namedStatuses(pattern)]);
  const soft: Matcher[] = [
    ...pattern.tests.map(({ path, test }) => compileEventTest(path, test)),
    ...pattern.absent.map((path) => compileEventTest(path, { op: "exists", wanted: false })),
    ...pattern.where.map(
      (comparison): Matcher =>
        (event, { registers, settled }) =>
          compare(comparison, { e: event, a: event, reg: registers }, settled),
    ),
  ];
  const branches = pattern.anyOf.map((branch) => compile(branch, statuses));
  if (branches.length > 0) {
    soft.push((event, context) => anyOf(branches, (branch) => branch(event, context)));
  }
  if (pattern.not !== null) {
    const inner = compile(pattern.not, "all");
    soft.push((event, context) => not(inner(event, context)));
  }
  const gated = statuses !== "all" && branches.length === 0;

  return (event, context) => {
    if (kinds !== null && !kinds.has(event.kind)) return no;
    if (nameTest !== null && nameTest(nameOf(event)).truth !== "true") return no;
    if (gated && notRun.has(event.status) && calls.has(event.kind) && !statuses.has(event.status)) {
      return because("false", "wrong_status");
    }
    return softly(soft, event, context);
  };
}

function nameOf(event: Event): Reading {
  return event.name === null ? { is: "absent" } : { is: "value", value: event.name };
}

/** All must hold. A plain no hides every softer one, a soft no what is unknown. */
function softly(tests: readonly Matcher[], event: Event, context: MatchContext): Match {
  let unknown: Match | null = null;
  let miss: Code | null = null;
  for (const test of tests) {
    const match = test(event, context);
    if (match.truth === "true") continue;
    if (match.truth === "unknown") unknown ??= match;
    else if (match.code === null) return no;
    else miss = nearer(miss, match.code);
  }
  if (miss !== null) return because("false", miss);
  return unknown ?? yes;
}

function compileEventTest(path: Path, test: ValueTest): Matcher {
  switch (test.op) {
    case "one_of": {
      const tests = test.tests.map((inner) => compileEventTest(path, inner));
      return (event, context) => anyOf(tests, (inner) => inner(event, context));
    }
    case "all": {
      const tests = test.tests.map((inner) => compileEventTest(path, inner));
      return (event, context) => allOf(tests, (inner) => inner(event, context));
    }
    case "fields": {
      const tests = test.fields.map((field) => compileEventTest([...path, ...field.path], field.test));
      return (event, context) => allOf(tests, (inner) => inner(event, context));
    }
    default: {
      const leaf = compileTest(test, path);
      if (path.length === 1 && detectedFields.has(path[0] ?? "")) return compileReasonTest(test, path, leaf);
      const ofOutcome = path[0] === "status" || path[0] === "result" || path[0] === "outcome";
      const asksHow = path.length === 1 && path[0] === "status" && !asksForUnknown(test);
      return (event, { settled }) => {
        // How it ended is not known: that it ended otherwise than asked is not known either.
        if (asksHow && event.status === "unknown") {
          return because("unknown", event.hidden.get("result") ?? "data_incomplete");
        }
        const match = leaf(readPredicate(event, path, settled));
        const outcome = ofOutcome && match.truth === "false" && match.code === null;
        return outcome ? because("false", "wrong_status") : match;
      };
    }
  }
}

/**
 * A field that detectors fill lists reasons: one that meets the test is enough. Where none of those listed does,
 * and another may be there that is not known, the answer is unknown.
 */
function compileReasonTest(test: ValueTest, path: Path, leaf: CompiledTest): Matcher {
  const negative = test.op === "ne" || (test.op === "exists" && !test.wanted);
  return (event, { settled }) => {
    const reading = readReasons(event, path[0] ?? "", settled);
    const met = reading.listed.map((value) => leaf({ is: "value", value }).truth === "true");
    // `ne` and `exists: false` speak of all reasons, every other test of one.
    if (negative ? met.includes(false) : met.includes(true)) return negative ? no : yes;
    if (reading.code !== null) return because("unknown", reading.code);
    return negative ? yes : no;
  };
}

/** Whether a test of the status can be answered by the word `unknown` itself. */
function asksForUnknown(test: ValueTest): boolean {
  switch (test.op) {
    case "equals":
    case "ne":
      return test.value === "unknown";
    case "exists":
      return true;
    default:
      return false;
  }
}

/** The statuses that a pattern's own tests name in so many words. */
function namedStatuses(pattern: Pattern): readonly string[] {
  return pattern.tests.flatMap(({ path, test }) =>
    path.length === 1 && path[0] === "status" ? wordsOf(test) : [],
  );
}

function wordsOf(test: ValueTest): readonly string[] {
  switch (test.op) {
    case "equals":
      return typeof test.value === "string" ? [statusWord(test.value)] : [];
    case "one_of":
    case "all":
      return test.tests.flatMap(wordsOf);
    case "glob":
      return [...notRun].filter((status) => test.glob.includes(status));
    case "matches":
      return [...notRun].filter((status) => test.pattern.includes(status));
    default:
      return [];
  }
}
