/** Reads over which events a rule is judged (RULES 4, "scope"). */
import type { Range } from "../model/load-error.ts";
import { didYouMean } from "../source/suggest.ts";
import type { SourceNode } from "../source/yaml-source.ts";
import { describe, MapReader, readText } from "./map-reader.ts";
import { parsePath, type Vocabulary } from "./parse-path.ts";
import type { Program } from "./program.ts";
import type { Scope } from "./rule.ts";
import type { ProblemList } from "./rule-error.ts";

/** Scopes of the language that the pipeline does not judge; the loader refuses them rather than ignore them. */
const scopesOfLaterVersions: ReadonlySet<Scope["is"]> = new Set<Scope["is"]>(["all", "key"]);

const words: ReadonlyMap<string, Scope> = new Map<string, Scope>([
  ["run", { is: "run" }],
  ["trace", { is: "run" }],
  ["conversation", { is: "conversation" }],
  ["session", { is: "conversation" }],
  ["all", { is: "all" }],
]);

const run: Scope = { is: "run" };

export function parseScope(node: SourceNode | null, vocabulary: Vocabulary, problems: ProblemList): Scope {
  if (node === null) return run;
  if (node.is === "scalar") {
    const scope = words.get(node.text);
    if (scope !== undefined) return scope;
  }
  if (node.is === "map" && ["after", "before", "between"].some((key) => node.entries.has(key))) {
    refuseLater(node.range, problems);
    return run;
  }
  if (node.is === "map") return parseKeyScope(new MapReader(node, "a scope", problems), vocabulary);
  problems.error(
    node.range,
    "unknown-word",
    `"scope" cannot be ${describe(node)}`,
    `${node.is === "scalar" ? didYouMean(node.text, words.keys()) : ""}Use run (or trace), conversation (or session), all, or {key: path}.`,
  );
  return run;
}

function parseKeyScope(reader: MapReader, vocabulary: Vocabulary): Scope {
  const { problems } = reader;
  const key = reader.require("key", "Write {key: path of the entity}, such as {key: args.account_id}.");
  const text = key === null ? null : readText(key, '"key"', problems);
  const path = key === null || text === null ? null : parsePath(text, key.range, vocabulary, problems);
  reader.done();
  return path === null ? run : { is: "key", path };
}

/**
 * `all` and entity scopes never close, so they take only what can be decided, and forgotten, without a close:
 * counts, and links with a time limit (DESIGN 6).
 */
export function refuseEndless(scope: Scope, program: Program, range: Range, problems: ProblemList): void {
  if (scope.is !== "all" && scope.is !== "key") return;
  const reason = needsAnEnd(program);
  if (reason !== null) {
    problems.error(
      range,
      "endless-scope",
      `a scope that never closes cannot judge ${reason}`,
      "Use a count, add within to a link, or take the scope run or conversation.",
    );
  } else if (scopesOfLaterVersions.has(scope.is)) {
    refuseLater(range, problems);
  }
}

function refuseLater(range: Range, problems: ProblemList): void {
  problems.error(
    range,
    "not-in-this-version",
    "this scope is not available in this version",
    "Use run (one trace) or conversation.",
  );
}

function needsAnEnd(program: Program): string | null {
  switch (program.kernel) {
    case "count":
      return null;
    case "link":
      return program.within === null ? "a link without within" : null;
    case "machine":
      return "a machine";
    case "guard":
      return "a condition (if), which anything later may meet";
    case "fold":
      return program.parts.map(needsAnEnd).find((reason) => reason !== null) ?? null;
  }
}
