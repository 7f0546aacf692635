/** Reads which events a rule speaks about (docs/rules.md#patterns). */
import { didYouMean, suggest } from "../source/suggest.ts";
import type { MapEntry, SourceNode } from "../source/yaml-source.ts";
import { type Definitions, referenceOf } from "./definitions.ts";
import { describe, readText, readWord } from "./map-reader.ts";
import { parseComparisons } from "./parse-comparison.ts";
import { parsePath, type Vocabulary } from "./parse-path.ts";
import { nameTest, parseTests } from "./parse-test.ts";
import { anyEvent, type Path, type PathTest, type Pattern, type ValueTest } from "./pattern.ts";
import type { ProblemList } from "./rule-error.ts";
import { detectedWords, toolKinds } from "./words.ts";

export interface PatternContext {
  readonly vocabulary: Vocabulary;
  readonly definitions: Definitions;
  readonly problems: ProblemList;
  /** Told every exact tool name, for the check against `tools:`. */
  readonly mention: (name: string, range: SourceNode["range"]) => void;
}

const ownKeys = ["tool", "name", "kind", "boundary", "absent", "where", "any_of", "not"] as const;

export function parsePattern(node: SourceNode, context: PatternContext): Pattern | null {
  const reference = referenceOf(node);
  if (reference !== null) {
    return context.definitions.resolve(reference, node.range, (target) => parsePattern(target, context));
  }
  if (node.is === "map") return parseMap(node.entries, node, context);
  if (node.is === "scalar") {
    const text = readText(node, "a pattern", context.problems);
    return text === null ? null : bare(text, node, context);
  }
  context.problems.error(
    node.range,
    "wrong-type",
    `a pattern is a name or a map, not ${describe(node)}`,
    "Write {any_of: [ … ]} for any of several patterns, {tool: [a, b]} for any of several tools.",
  );
  return null;
}

function bare(text: string, node: SourceNode, context: PatternContext): Pattern | null {
  if (text === "*") return anyEvent;
  if (text === "final_answer") return { ...anyEvent, kinds: new Set([text]), text };
  const name = nameTest(text, node.range, context.problems);
  if (name?.op === "equals") context.mention(text, node.range);
  return name === null ? null : { ...anyEvent, kinds: toolKinds, name, text };
}

function parseMap(
  entries: ReadonlyMap<string, MapEntry>,
  node: SourceNode,
  context: PatternContext,
): Pattern | null {
  const { problems, vocabulary } = context;
  if (entries.size === 0) {
    problems.error(
      node.range,
      "empty-map",
      "an empty pattern would match everything",
      "Name a tool or a kind; every event is written '*'.",
    );
    return null;
  }
  const both = entries.get("tool") !== undefined ? entries.get("name") : undefined;
  if (both !== undefined) {
    problems.error(
      both.keyRange,
      "set-twice",
      "tool and name are two words for one thing",
      "Keep one of them.",
    );
  }
  const named = entries.get("tool") ?? entries.get("name");
  const kinds = readKinds(entries.get("kind")?.value, context);
  const isToolCall = kinds === undefined || kinds === null || [...kinds].some((kind) => toolKinds.has(kind));
  const names = named === undefined ? null : readNames(named.value, isToolCall, context);
  const boundary = entries.get("boundary");
  const tests = readTests(entries, context);
  const anyOf = readAnyOf(entries.get("any_of")?.value, context);
  const notNode = entries.get("not")?.value;
  const where = entries.get("where");
  const pattern: Pattern = {
    kinds: kinds !== undefined ? kinds : named === undefined ? null : toolKinds,
    name: names,
    tests,
    absent: readAbsent(entries.get("absent")?.value, vocabulary, problems),
    where:
      where === undefined
        ? []
        : parseComparisons(where.value, "where", { sides: ["e"], vocabulary, problems }),
    anyOf,
    not: notNode === undefined ? null : parsePattern(notNode, context),
    boundary:
      boundary === undefined
        ? null
        : readWord(boundary.value, "boundary", ["started_at", "finished_at"] as const, problems),
    namesStatus: tests.some(namesStatus) || anyOf.some((part) => part.namesStatus),
    text: words(entries, named?.value, kinds ?? null, anyOf),
  };
  return pattern;
}

function readKinds(
  node: SourceNode | undefined,
  context: PatternContext,
): ReadonlySet<string> | null | undefined {
  if (node === undefined) return undefined;
  const items = node.is === "list" ? node.items : [node];
  const kinds = new Set<string>();
  for (const item of items) {
    const kind = readText(item, "kind", context.problems);
    if (kind === "*") return null;
    if (kind === null) continue;
    kinds.add(kind);
    if (context.vocabulary.kinds.has(kind)) continue;
    context.problems.error(
      item.range,
      "unknown-kind",
      `there is no event kind "${kind}"`,
      `${didYouMean(kind, context.vocabulary.kinds)}A kind of your own is declared under kinds, or by a mapping in the configuration.`,
    );
  }
  return kinds;
}

function readNames(node: SourceNode, isToolCall: boolean, context: PatternContext): ValueTest | null {
  const items = node.is === "list" ? node.items : [node];
  if (items.length === 0) {
    context.problems.error(
      node.range,
      "empty-list",
      "an empty list of names matches nothing",
      "List the names of which any may stand there.",
    );
    return null;
  }
  const tests = items.flatMap((item) => {
    const text = readText(item, "a name", context.problems);
    if (text === null) return [];
    const test = nameTest(text, item.range, context.problems);
    if (isToolCall && test?.op === "equals") context.mention(text, item.range);
    return test === null ? [] : [test];
  });
  const [only] = tests;
  if (only === undefined) return null;
  if (tests.some((test) => test.op === "glob" && test.glob === "*")) return null;
  return tests.length === 1 ? only : { op: "one_of", tests };
}

function readTests(entries: ReadonlyMap<string, MapEntry>, context: PatternContext): readonly PathTest[] {
  const { problems, vocabulary } = context;
  return [...entries.values()].flatMap((entry) => {
    if (ownKeys.some((key) => key === entry.key)) return [];
    if (!entry.key.includes(".") && !vocabulary.fields.has(entry.key)) {
      const meant = suggest(entry.key, ownKeys);
      if (meant !== null) {
        problems.error(
          entry.keyRange,
          "unknown-field",
          `events have no field "${entry.key}"`,
          `Did you mean "${meant}"?`,
        );
        return [];
      }
    }
    const path = parsePath(entry.key, entry.keyRange, vocabulary, problems);
    if (path === null) return [];
    if (entry.key === "span") {
      problems.warn(
        entry.keyRange,
        "delivery-identity",
        "span is the identity by which a delivery is recognised, not a name",
        "For the name of a span write span_name.",
      );
    }
    const tests = parseTests(path, entry.value, problems);
    checkReasons(path, entry, problems);
    return tests;
  });
}

/** A reason that no detector gives would match nothing, and nobody would see it. */
function checkReasons(path: Path, { value }: MapEntry, problems: ProblemList): void {
  const words = path.length === 1 ? detectedWords.get(path[0] ?? "") : undefined;
  if (words === undefined || value.is === "map") return;
  for (const item of value.is === "list" ? value.items : [value]) {
    if (item.is === "scalar") readWord(item, `"${path[0]}"`, words, problems);
  }
}

function readAbsent(
  node: SourceNode | undefined,
  vocabulary: Vocabulary,
  problems: ProblemList,
): readonly Path[] {
  if (node === undefined) return [];
  const items = node.is === "list" ? node.items : [node];
  return items.flatMap((item) => {
    const text = readText(item, "absent", problems);
    const path = text === null ? null : parsePath(text, item.range, vocabulary, problems);
    return path === null ? [] : [path];
  });
}

function readAnyOf(node: SourceNode | undefined, context: PatternContext): readonly Pattern[] {
  if (node === undefined) return [];
  if (node.is === "list" && node.items.length > 0) {
    return node.items.flatMap((item) => parsePattern(item, context) ?? []);
  }
  context.problems.error(
    node.range,
    "wrong-type",
    "any_of takes a list of patterns",
    "Write any_of: [ … , … ].",
  );
  return [];
}

/** Only a test that says which statuses it wants names one: `ne` and `exists` speak of all the others. */
function namesStatus({ path, test }: PathTest): boolean {
  return path.length === 1 && path[0] === "status" && (test.op === "equals" || test.op === "one_of");
}

/** The pattern in the user's words: the name, else the kind, and what else must hold in brackets. */
function words(
  entries: ReadonlyMap<string, MapEntry>,
  named: SourceNode | undefined,
  kinds: ReadonlySet<string> | null,
  anyOf: readonly Pattern[],
): string {
  const kind = kinds === null ? "" : [...kinds].join(" or ");
  const name = named === undefined ? "" : inWords(named);
  const shown = new Set<string>(["tool", "name", "kind", "boundary", "any_of", "where", "not"]);
  const rest = [...entries.values()]
    .filter((entry) => !shown.has(entry.key))
    .map((entry) => `${entry.key}: ${inWords(entry.value)}`);
  for (const key of ["where", "not"]) {
    const entry = entries.get(key);
    if (entry !== undefined) rest.push(`${key} ${inWords(entry.value)}`);
  }
  const union = anyOf.map((part) => part.text).join(" or ");
  const head = [kind, name].filter((part) => part !== "").join(" ") || union || "any event";
  if (head !== union && union !== "") rest.push(`any of ${union}`);
  return rest.length === 0 ? head : `${head} (${rest.join(", ")})`;
}

function inWords(node: SourceNode): string {
  if (node.is === "scalar") return node.text;
  if (node.is === "list") return node.items.map(inWords).join(" or ");
  return [...node.entries.values()].map((entry) => `${entry.key} ${inWords(entry.value)}`).join(", ");
}
