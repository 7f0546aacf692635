/**
 * Reads the value side of a pattern: a scalar means equality, a list any of its entries, a map operators or
 * the fields of a value (docs/rules.md#patterns).
 */
import { RE2JS } from "re2js";
import type { Value } from "../model/value.ts";
import { didYouMean } from "../source/suggest.ts";
import type { ScalarNode, SourceNode } from "../source/yaml-source.ts";
import { describe } from "./map-reader.ts";
import type { Path, PathTest, ValueTest } from "./pattern.ts";
import type { ProblemList } from "./rule-error.ts";
import { nameFields, statusWords } from "./words.ts";

const operators = ["gt", "ge", "lt", "le", "ne", "exists", "matches"] as const;
type Operator = (typeof operators)[number];

/** What other languages call these operators. As a field of a value any of them needs a dotted key. */
const foreignOperators: ReadonlyMap<string, string> = new Map([
  ["gte", "ge"],
  ["lte", "le"],
  ["eq", "a plain value"],
  ["equals", "a plain value"],
  ["neq", "ne"],
  ["not", "ne"],
  ["in", "a list"],
  ["any_of", "a list"],
  ["one_of", "a list"],
  ["present", "exists"],
  ["exist", "exists"],
  ["regex", "matches"],
  ["match", "matches"],
  ["pattern", "matches"],
]);

/** Longest pattern text; RE2 is linear in the input but a pattern of pages is a mistake. */
const maxPatternLength = 1_000;
/** A glob becomes one backtracking expression, polynomial in its stars. */
const maxWildcards = 8;

/** The tests that a key of a pattern stands for; maps of fields become tests of longer paths. */
export function parseTests(path: Path, node: SourceNode, problems: ProblemList): readonly PathTest[] {
  if (node.is === "map" && !isOperatorMap(node)) {
    if (node.entries.size === 0) {
      problems.error(
        node.range,
        "empty-map",
        "an empty map tests nothing",
        `Use ${path.join(".")}: {exists: true}.`,
      );
    }
    return [...node.entries.values()].flatMap((entry) => {
      refuseForeign(entry.key, entry.keyRange, path, problems);
      return parseTests([...path, ...entry.key.split(".")], entry.value, problems);
    });
  }
  const test = parseTest(path, node, problems);
  return test === null ? [] : [{ path, test }];
}

export function parseTest(path: Path, node: SourceNode, problems: ProblemList): ValueTest | null {
  switch (node.is) {
    case "scalar":
      return scalarTest(path, node, problems);
    case "list": {
      if (node.items.length === 0) {
        problems.error(
          node.range,
          "empty-list",
          "an empty list matches nothing",
          "List the values of which any may stand there.",
        );
        return null;
      }
      const tests = node.items.flatMap((item) => parseTest(path, item, problems) ?? []);
      return tests.length === node.items.length ? { op: "one_of", tests } : null;
    }
    case "map":
      return isOperatorMap(node) ? operatorTest(path, node, problems) : fieldsTest(path, node, problems);
  }
}

/** Exact, a glob (`get_*`) or a regular expression between slashes. */
export function nameTest(text: string, range: SourceNode["range"], problems: ProblemList): ValueTest | null {
  if (text.length > 2 && text.startsWith("/") && text.endsWith("/")) {
    return regularExpression(text.slice(1, -1), range, problems);
  }
  if (!/[*?]/.test(text)) return { op: "equals", value: text };
  if (text.length > maxPatternLength || (text.match(/[*?]+/g)?.length ?? 0) > maxWildcards) {
    problems.error(
      range,
      "bad-pattern",
      `the glob "${text.slice(0, 60)}" has too many wildcards`,
      `Use at most ${maxWildcards}, or a regular expression between slashes.`,
    );
    return null;
  }
  return { op: "glob", glob: text };
}

function scalarTest(path: Path, node: ScalarNode, problems: ProblemList): ValueTest | null {
  if (node.value === null) {
    problems.error(
      node.range,
      "null-value",
      `${path.join(".")} is compared with nothing`,
      `Use absent: [${path.join(".")}] for a field that must not be there.`,
    );
    return null;
  }
  const [root = ""] = path;
  if (path.length === 1 && root === "status") return statusTest(node, problems);
  if (path.length === 1 && nameFields.has(root)) return nameTest(node.text, node.range, problems);
  return { op: "equals", value: node.value };
}

function statusTest(node: ScalarNode, problems: ProblemList): ValueTest | null {
  const status = statusWords.get(node.text);
  if (status !== undefined) return { op: "equals", value: status };
  problems.error(
    node.range,
    "unknown-status",
    `there is no status "${node.text}"`,
    `${didYouMean(node.text, statusWords.keys())}Use one of: ${[...new Set(statusWords.values())].join(", ")}.`,
  );
  return null;
}

function isOperatorMap(node: SourceNode): boolean {
  return node.is === "map" && [...node.entries.keys()].some((key) => operators.includes(key as Operator));
}

function operatorTest(path: Path, node: SourceNode, problems: ProblemList): ValueTest | null {
  if (node.is !== "map") return null;
  const tests: ValueTest[] = [];
  for (const entry of node.entries.values()) {
    const operator = operators.find((candidate) => candidate === entry.key);
    if (operator === undefined) {
      refuseForeign(entry.key, entry.keyRange, path, problems);
      problems.error(
        entry.keyRange,
        "unknown-operator",
        `"${entry.key}" stands among operators and is none`,
        `${didYouMean(entry.key, operators)}Operators are ${operators.join(", ")}; write fields of the value with a dotted key, ${[...path, entry.key].join(".")}.`,
      );
      continue;
    }
    const test = oneOperator(path, operator, entry.value, problems);
    if (test !== null) tests.push(test);
  }
  const [only] = tests;
  if (only === undefined || tests.length < node.entries.size) return null;
  return tests.length === 1 ? only : { op: "all", tests };
}

function oneOperator(
  path: Path,
  operator: Operator,
  node: SourceNode,
  problems: ProblemList,
): ValueTest | null {
  const value = node.is === "scalar" ? node.value : null;
  if (operator === "exists") {
    if (typeof value === "boolean") return { op: "exists", wanted: value };
    problems.error(
      node.range,
      "wrong-type",
      "exists takes true or false",
      "Write exists: true, or exists: false.",
    );
    return null;
  }
  if (operator === "matches") {
    if (typeof value === "string") return regularExpression(value, node.range, problems);
    problems.error(
      node.range,
      "wrong-type",
      `matches takes a regular expression, not ${describe(node)}`,
      "Write it in single quotes: matches: '^[A-Z]+$'.",
    );
    return null;
  }
  const orders = operator !== "ne";
  if (value === null || (orders && typeof value === "boolean")) {
    problems.error(
      node.range,
      "wrong-type",
      `${operator} takes ${orders ? "a number or a text" : "one value"}, not ${describe(node)}`,
      `Write for example ${operator}: 100.`,
    );
    return null;
  }
  const status =
    path.length === 1 && path[0] === "status" && node.is === "scalar"
      ? statusTest(node, problems)
      : undefined;
  if (status === null) return null;
  return { op: operator, value: status?.op === "equals" ? status.value : (value as Value) };
}

function fieldsTest(path: Path, node: SourceNode, problems: ProblemList): ValueTest | null {
  const tests = parseTests(path, node, problems);
  return tests.length === 0
    ? null
    : {
        op: "fields",
        fields: tests.map(({ path: whole, test }) => ({ path: whole.slice(path.length), test })),
      };
}

function refuseForeign(key: string, range: SourceNode["range"], path: Path, problems: ProblemList): void {
  const here = foreignOperators.get(key);
  if (here === undefined) return;
  problems.error(
    range,
    "unknown-operator",
    `there is no operator "${key}"`,
    `Use ${here}; for a field that is really called ${key}, write the dotted key ${[...path, key].join(".")}.`,
  );
}

function regularExpression(
  pattern: string,
  range: SourceNode["range"],
  problems: ProblemList,
): ValueTest | null {
  if (pattern.length > maxPatternLength) {
    problems.error(
      range,
      "bad-pattern",
      `the regular expression is longer than ${maxPatternLength} characters`,
      "List the values instead.",
    );
    return null;
  }
  try {
    RE2JS.compile(pattern);
    return { op: "matches", pattern };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.error(
      range,
      "bad-pattern",
      `not a regular expression in RE2 syntax: ${reason}`,
      "RE2 has no look-around and no back-references, so that no input can stall it.",
    );
    return null;
  }
}
