/**
 * Whether one pattern surely takes in another, judged on the patterns alone. Cautious: false means "not surely",
 * so what is built on it gives no false alarm.
 */
import type { Value } from "../model/value.ts";
import { canonical } from "./canonical.ts";
import type { Path, PathTest, Pattern, ValueTest } from "./pattern.ts";
import { compileTest } from "./value-test.ts";

/**
 * Statuses of calls that did not run; a pattern meets them only where it names them (docs/semantics.md 11).
 */
const didNotRun: ReadonlySet<string> = new Set(["awaiting", "rejected_invalid", "requested"]);

/** Every event that `narrow` surely matches is one that `wide` matches. */
export function covers(wide: Pattern, narrow: Pattern): boolean {
  if (narrow.anyOf.length > 0 && narrow.anyOf.every((branch) => covers(wide, within(narrow, branch)))) {
    return true;
  }
  return (
    coversKinds(wide, narrow) &&
    coversStatus(wide, narrow) &&
    testsOf(wide).every((test) => implied(test, narrow)) &&
    wide.absent.every((path) => has(narrow.absent, path)) &&
    wide.where.every((one) => has(narrow.where, one)) &&
    (wide.anyOf.length === 0 ||
      canonical(wide.anyOf) === canonical(narrow.anyOf) ||
      wide.anyOf.some((branch) => covers(branch, narrow))) &&
    (wide.not === null || (narrow.not !== null && covers(narrow.not, wide.not)) || excludes(narrow, wide.not))
  );
}

/** A branch of `any_of` with everything that stands beside it. */
function within(outer: Pattern, branch: Pattern): Pattern {
  const kinds =
    outer.kinds === null || branch.kinds === null
      ? (branch.kinds ?? outer.kinds)
      : new Set([...branch.kinds].filter((kind) => outer.kinds?.has(kind)));
  return {
    ...branch,
    kinds,
    name: branch.name ?? outer.name,
    tests: [...outer.tests, ...branch.tests],
    absent: [...outer.absent, ...branch.absent],
    where: [...outer.where, ...branch.where],
    not: branch.not ?? outer.not,
    namesStatus: outer.namesStatus || branch.namesStatus,
  };
}

/** No event can match both: they name other kinds, or values that exclude each other. */
export function excludes(a: Pattern, b: Pattern): boolean {
  if (a.kinds !== null && b.kinds !== null && [...a.kinds].every((kind) => !b.kinds?.has(kind))) return true;
  if (b.anyOf.length > 0 || b.not !== null || b.absent.length > 0 || b.where.length > 0) return false;
  return testsOf(b).some(({ path, test }) => {
    const wanted = literalsAt(a, path);
    return wanted?.every((value) => !accepts(test, path, value));
  });
}

function coversKinds(wide: Pattern, narrow: Pattern): boolean {
  const { kinds } = wide;
  if (kinds === null) return true;
  return narrow.kinds !== null && narrow.kinds.size > 0 && [...narrow.kinds].every((kind) => kinds.has(kind));
}

function coversStatus(wide: Pattern, narrow: Pattern): boolean {
  if (wide.namesStatus || !narrow.namesStatus) return true;
  return (literalsAt(narrow, ["status"]) ?? [...didNotRun]).every((status) => !didNotRun.has(String(status)));
}

/** The name is a test like any other. */
export function testsOf(pattern: Pattern): readonly PathTest[] {
  return pattern.name === null ? pattern.tests : [{ path: ["name"], test: pattern.name }, ...pattern.tests];
}

function implied(wanted: PathTest, narrow: Pattern): boolean {
  const own = testsOf(narrow).filter(({ path }) => canonical(path) === canonical(wanted.path));
  if (own.some(({ test }) => canonical(test) === canonical(wanted.test))) return true;
  const values = literalsAt(narrow, wanted.path);
  return values?.every((value) => accepts(wanted.test, wanted.path, value)) ?? false;
}

export function accepts(test: ValueTest, path: Path, value: Value): boolean {
  return compileTest(test, path)({ is: "value", value }).truth === "true";
}

/** The only values that a pattern accepts at a path; null where they cannot be listed. */
export function literalsAt(pattern: Pattern, path: Path): readonly Value[] | null {
  const lists = testsOf(pattern)
    .filter((one) => canonical(one.path) === canonical(path))
    .flatMap(({ test }) => {
      const values = literals(test);
      return values === null ? [] : [values];
    });
  return lists[0] ?? null;
}

export function literals(test: ValueTest): readonly Value[] | null {
  if (test.op === "equals") return [test.value];
  if (test.op !== "one_of") return null;
  const parts = test.tests.map(literals);
  return parts.some((part) => part === null) ? null : parts.flatMap((part) => part ?? []);
}

const has = (list: readonly unknown[], wanted: unknown): boolean =>
  list.some((one) => canonical(one) === canonical(wanted));
