/** Compiles the tests of patterns to closures. Globs and regular expressions are compiled once, with the rule. */
import picomatch from "picomatch";
import { RE2JS } from "re2js";
import type { Reading } from "../model/event.ts";
import { readPath, type Value } from "../model/value.ts";
import type { Path, ValueTest } from "./pattern.ts";
import { because, type Match, nearer, no, yes } from "./truth.ts";
import { compareValues, sameValue } from "./values.ts";

export type CompiledTest = (reading: Reading) => Match;

/** An absent value passes no test but `exists: false`; an unknown one makes the answer unknown. */
export function compileTest(test: ValueTest, path: Path): CompiledTest {
  switch (test.op) {
    case "exists":
      return (reading) => {
        if (reading.is === "unknown") return because("unknown", reading.code);
        if (isPresent(reading) === test.wanted) return yes;
        return test.wanted ? because("false", "missing_attribute") : no;
      };
    case "one_of": {
      const tests = test.tests.map((inner) => compileTest(inner, path));
      return (reading) => anyOf(tests, (inner) => inner(reading));
    }
    case "all": {
      const tests = test.tests.map((inner) => compileTest(inner, path));
      return (reading) => allOf(tests, (inner) => inner(reading));
    }
    case "fields": {
      const tests = test.fields.map(({ path: inner, test: innerTest }) => {
        const compiled = compileTest(innerTest, [...path, ...inner]);
        return (reading: Reading) => compiled(inside(reading, inner));
      });
      return (reading) => allOf(tests, (inner) => inner(reading));
    }
    default:
      return onValue(compileValueTest(test, path));
  }
}

function onValue(test: (value: Value) => boolean): CompiledTest {
  return (reading) => {
    if (reading.is === "unknown") return because("unknown", reading.code);
    if (reading.is === "absent") return because("false", "missing_attribute");
    return test(reading.value) ? yes : no;
  };
}

function compileValueTest(
  test: Exclude<ValueTest, { op: "exists" | "one_of" | "all" | "fields" }>,
  path: Path,
): (value: Value) => boolean {
  switch (test.op) {
    case "equals":
      return equals(test.value, path);
    case "ne":
      return negate(equals(test.value, path));
    case "gt":
      return (value) => compareValues(value, test.value) === 1;
    case "ge":
      return (value) => (compareValues(value, test.value) ?? -1) >= 0;
    case "lt":
      return (value) => compareValues(value, test.value) === -1;
    case "le":
      return (value) => (compareValues(value, test.value) ?? 1) <= 0;
    case "glob":
      return compileGlob(test.glob);
    case "matches": {
      const pattern = RE2JS.compile(test.pattern);
      return (value) => typeof value === "string" && pattern.matcher(value).find();
    }
  }
}

const negate =
  (test: (value: Value) => boolean): ((value: Value) => boolean) =>
  (value) =>
    !test(value);

function equals(wanted: Value, path: Path): (value: Value) => boolean {
  const root = path[0];
  if (typeof wanted === "string" && path.length === 1) {
    if (root === "result") {
      const quoted = JSON.stringify(wanted);
      return (value) => value === wanted || (typeof value === "string" && value.trim() === quoted);
    }
    if (root === "status") {
      const status = statusWord(wanted);
      return (value) => value === status || value === wanted;
    }
  }
  return (value) => sameValue(value, wanted);
}

/** `denied` is accepted as the same word as `refused`. */
export const statusWord = (word: string): string => (word === "denied" ? "refused" : word);

/**
 * Names are not file names: `*` runs over dots, slashes and line ends (a name with one would escape its rule),
 * `!` and brackets of extended globs are ordinary characters, so that the expression behind it stays simple and
 * linear in practice.
 */
export function compileGlob(glob: string): (value: Value) => boolean {
  const matches = picomatch(glob, {
    dot: true,
    bash: true,
    nonegate: true,
    noextglob: true,
    nobrace: true,
    flags: "s",
  });
  return (value) => typeof value === "string" && matches(value);
}

function isPresent(reading: Reading): boolean {
  return reading.is === "value" && reading.value !== "";
}

function inside(reading: Reading, path: Path): Reading {
  if (reading.is !== "value") return reading;
  const value = readPath(reading.value, path);
  return value === undefined || value === null ? { is: "absent" } : { is: "value", value };
}

export function allOf<T>(tests: readonly T[], run: (test: T) => Match): Match {
  let result = yes;
  for (const test of tests) {
    const match = run(test);
    if (match.truth === "false") return match;
    if (match.truth === "unknown" && result.truth === "true") result = match;
  }
  return result;
}

/** True when one is; of those that are not, the first unknown one speaks, else the nearest miss. */
export function anyOf<T>(tests: readonly T[], run: (test: T) => Match): Match {
  let result = no;
  for (const test of tests) {
    const match = run(test);
    if (match.truth === "true") return match;
    if (result.truth === "unknown") continue;
    if (match.truth === "unknown" || nearer(match.code, result.code) !== result.code) result = match;
  }
  return result;
}
