/** What `define:` of a file and of those that it includes means together. */
import type { Range } from "../model/load-error.ts";
import type { SourceNode } from "../source/yaml-source.ts";
import { type Definition, referenceOf } from "./definitions.ts";
import { type MapReader, readMap } from "./map-reader.ts";
import { parseComparisons } from "./parse-comparison.ts";
import { parsePath } from "./parse-path.ts";
import { parsePattern } from "./parse-pattern.ts";
import type { RuleContext } from "./parse-rule.ts";
import { isTemplate } from "./rule-template.ts";

export type OwnDefinitions = ReadonlyMap<string, Definition>;

export function readDefinitions(reader: MapReader): OwnDefinitions {
  const { problems } = reader;
  const node = reader.get("define");
  const definitions = node === null ? null : readMap(node, '"define"', problems);
  const found = new Map<string, Definition>();
  for (const entry of definitions?.node.entries.values() ?? []) {
    if (!/^[A-Za-z_][\w-]*$/.test(entry.key)) {
      problems.error(
        entry.keyRange,
        "bad-name",
        `"${entry.key}" cannot be the name of a definition`,
        "Use letters, digits, _ and -, beginning with a letter.",
      );
    }
    found.set(entry.key, { node: entry.value, file: problems.file, range: entry.keyRange });
  }
  return found;
}

const placeOf = ({ file, range }: Definition): string => `${file}:${range.line}:${range.column}`;

/** One name, one meaning: two files may say the same, not two things. `at` is where the others are included. */
export function joinDefinitions(
  reader: MapReader,
  own: OwnDefinitions,
  others: readonly OwnDefinitions[],
  at: Range,
): OwnDefinitions {
  const joined = new Map(own);
  for (const [name, definition] of others.flatMap((definitions) => [...definitions])) {
    const known = joined.get(name);
    if (known === undefined) joined.set(name, definition);
    else if (meaning(known.node) !== meaning(definition.node)) {
      reader.problems.error(
        own.has(name) ? known.range : at,
        "conflicting-definition",
        own.has(name)
          ? `"${name}" means something else in ${placeOf(definition)}`
          : `"${name}" means one thing in ${placeOf(known)} and another in ${placeOf(definition)}`,
        "Rename one of the two.",
      );
    }
  }
  return joined;
}

/** What a definition says, wherever it stands and however it is laid out. */
function meaning(node: SourceNode): string {
  if (node.is === "scalar") return JSON.stringify([typeof node.value, node.text]);
  if (node.is === "list") return `[${node.items.map(meaning).join(",")}]`;
  const entries = [...node.entries.values()].map(
    (entry) => `${JSON.stringify(entry.key)}:${meaning(entry.value)}`,
  );
  return `{${entries.sort().join(",")}}`;
}

/** Also what no rule uses is checked; a list is a bind list, a map a pattern, unless it is a template of rules. */
export function checkDefinitions(own: OwnDefinitions, context: RuleContext): void {
  for (const [name, { node }] of own) {
    if (isTemplate(node, context.vocabulary)) continue;
    if (node.is !== "list") {
      context.definitions.resolve(`$${name}`, node.range, (target) => parsePattern(target, context));
      continue;
    }
    for (const item of node.items) {
      if (item.is === "scalar" && referenceOf(item) === null && typeof item.value === "string") {
        if (/\s[<>=!]/.test(item.text))
          parseComparisons(item, "define", {
            sides: ["a", "w", "b", "e"],
            vocabulary: context.vocabulary,
            problems: context.problems,
          });
        else parsePath(item.text, item.range, context.vocabulary, context.problems);
      }
    }
  }
}
