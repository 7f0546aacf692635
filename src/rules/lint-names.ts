/** Names that are easily taken for each other, and names that nobody declared. */
import { namesOf } from "./explain.ts";
import { machinesOf } from "./explain-kernel.ts";
import { accepts } from "./lint-cover.ts";
import type { LintPlaces } from "./lint-places.ts";
import type { Pattern, ValueTest } from "./pattern.ts";
import { patternsOf } from "./reads.ts";
import type { Contract, Rule, RuleSet } from "./rule.ts";
import { builtInFields, builtInKinds, toolKinds } from "./words.ts";

export function lintNames(set: RuleSet, places: LintPlaces): void {
  warnShadowed(set, places);
  for (const contract of set.contracts) warnUndeclared(contract, set, places);
}

interface Named {
  readonly name: string;
  readonly file: string;
}

const folded = (name: string): string => name.toLowerCase().replaceAll(/[\s_.\-/]/g, "");

/** Two names of one thing that only case or separators tell apart; the later one is told. */
function warnAlike(what: string, names: readonly Named[], places: LintPlaces): void {
  const first = new Map<string, string>();
  const told = new Set<string>();
  for (const { name, file } of names) {
    const key = folded(name);
    const known = first.get(key);
    if (known === undefined) first.set(key, name);
    if (known === undefined || known === name || told.has(name)) continue;
    told.add(name);
    places.warn(
      file,
      places.wordRange(file, name),
      "shadowed-name",
      `the ${what} "${name}" and "${known}" differ only by case or separators, and are two`,
      "Write them alike if they are one, else give one of them another name.",
    );
  }
}

function warnShadowed(set: RuleSet, places: LintPlaces): void {
  const tools = set.contracts.flatMap(({ file, tools: declared, rules }) => [
    ...[...declared.keys()].map((name) => ({ name, file })),
    ...rules.flatMap((rule) => toolNames(rule).map((name) => ({ name, file }))),
  ]);
  warnAlike("tools", tools, places);
  warnAlike(
    "contracts",
    set.contracts.map(({ name, file }) => ({ name, file })),
    places,
  );
  for (const { file, rules } of set.contracts) {
    warnAlike(
      "rules",
      // An id that was made from names is as like as they are: they are told already.
      rules.filter(({ id }) => places.says(file, id)).map(({ id }) => ({ name: id, file })),
      places,
    );
    for (const machine of rules.flatMap(({ program }) => machinesOf(program))) {
      const states = machine.transitions.flatMap(({ from, to }) => [from, to]);
      warnAlike(
        "states",
        [machine.initial, ...states].map((name) => ({ name, file })),
        places,
      );
    }
  }
  const file = set.contracts[0]?.file;
  if (file === undefined) return;
  const own = (known: ReadonlySet<string>, declared: ReadonlySet<string>): readonly Named[] => [
    ...[...known].map((name) => ({ name, file })),
    ...[...declared].map((name) => ({ name, file: fileOf(set, name, places) ?? file })),
  ];
  warnAlike("kinds", own(builtInKinds, set.declaredKinds), places);
  warnAlike("fields", own(builtInFields, set.declaredFields), places);
}

/** Declared words belong to all files: the one that shows the word. */
function fileOf(set: RuleSet, name: string, places: LintPlaces): string | undefined {
  return set.contracts.map(({ file }) => file).find((file) => places.says(file, name));
}

const isOfTools = ({ kinds }: Pattern): boolean =>
  kinds !== null && [...kinds].some((kind) => toolKinds.has(kind));

function toolTests(rule: Rule): readonly ValueTest[] {
  return patternsOf(rule.program).flatMap((pattern) =>
    isOfTools(pattern) && pattern.name !== null ? [pattern.name] : [],
  );
}

/** The tools that a rule names in so many words. */
export function toolNames(rule: Rule): readonly string[] {
  const exact = (test: ValueTest): readonly string[] =>
    test.op === "equals" ? namesOf(test) : test.op === "one_of" ? test.tests.flatMap(exact) : [];
  return toolTests(rule).flatMap(exact);
}

/** What the loader cannot see word by word: wildcards that meet no declared tool, and tools that traits name. */
function warnUndeclared(contract: Contract, { tools }: RuleSet, places: LintPlaces): void {
  if (contract.tools.size === 0) return;
  const known = [...tools.keys()];
  const wild = (test: ValueTest): readonly ValueTest[] =>
    test.op === "one_of"
      ? test.tests.flatMap(wild)
      : test.op === "glob" || test.op === "matches"
        ? [test]
        : [];
  const told = new Set<string>();
  for (const rule of contract.rules) {
    for (const test of toolTests(rule).flatMap(wild)) {
      const [text = ""] = namesOf(test);
      if (told.has(text) || known.some((name) => accepts(test, ["name"], name))) continue;
      told.add(text);
      places.warn(
        contract.file,
        places.wordRange(contract.file, text),
        "undeclared-tool",
        `${text} meets none of the declared tools`,
        "Correct it, or add the tools that it means under tools.",
      );
    }
  }
  for (const [tool, traits] of contract.tools) {
    for (const [trait, name] of [
      ["reads", traits.reads],
      ["cancel", traits.cancel],
    ] as const) {
      if (name === null || tools.has(name)) continue;
      places.warn(
        contract.file,
        places.wordRange(contract.file, name),
        "undeclared-tool",
        `the trait ${trait} of "${tool}" names "${name}", which is no declared tool`,
        "Correct it, or add the tool under tools.",
      );
    }
  }
}
