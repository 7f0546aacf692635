/** `commutes:` — work that may be done in any order (docs/causality.md). */
import { didYouMean } from "../source/suggest.ts";
import type { MapEntry, SourceNode } from "../source/yaml-source.ts";
import { type Commutes, type Merge, mergeWords } from "./commuting.ts";
import { type MapReader, readMap, readText } from "./map-reader.ts";
import { parsePath } from "./parse-path.ts";
import { type PatternContext, parsePattern } from "./parse-pattern.ts";
import type { Path, Pattern } from "./pattern.ts";

export function parseCommutes(reader: MapReader, context: PatternContext): readonly Commutes[] {
  const items = reader.list("commutes") ?? [];
  return items.flatMap((item) => parseEntry(item, context) ?? []);
}

function parseEntry(node: SourceNode, context: PatternContext): Commutes | null {
  const { problems } = context;
  const reader = readMap(node, 'an entry of "commutes"', problems);
  if (reader === null) return null;
  const match = readMatch(reader, context);
  const resource = readPath(reader, "resource", context);
  const by = readPath(reader, "by", context);
  const as: Merge | null = reader.word("as", mergeWords) ?? (reader.has("as") ? null : "fields");
  reader.done();
  if (as === "fields" && !reader.has("by")) {
    problems.error(
      reader.node.range,
      "missing-key",
      'an entry of "commutes" needs the key "as", or "by"',
      "Add as: union or increment for what always merges, by: the path of what each one writes for what merges while that differs.",
    );
    return null;
  }
  if (match === null || as === null || (by === null && reader.has("by"))) return null;
  return { match, resource, as, by };
}

/** `tools` are names, or `kind` is a kind of event; both together mean events of that kind and name. */
function readMatch(reader: MapReader, context: PatternContext): Pattern | null {
  const entries = new Map<string, MapEntry>();
  for (const [key, word] of [
    ["tools", "tool"],
    ["kind", "kind"],
  ] as const) {
    const entry = reader.entry(key);
    if (entry !== null) entries.set(word, { ...entry, key: word });
  }
  if (entries.size > 0) return parsePattern({ is: "map", entries, range: reader.node.range }, context);
  reader.require("tools", `Add tools: the calls that commute, or kind: a kind of event.${meant(reader)}`);
  return null;
}

const meant = (reader: MapReader): string => {
  const near = [...reader.node.entries.keys()].map((key) => didYouMean(key, ["tools", "kind"])).join("");
  return near === "" ? "" : ` ${near.trim()}`;
};

function readPath(reader: MapReader, key: string, context: PatternContext): Path | null {
  const node = reader.get(key);
  const text = node === null ? null : readText(node, `"${key}"`, context.problems);
  return node === null || text === null
    ? null
    : parsePath(text, node.range, context.vocabulary, context.problems);
}
