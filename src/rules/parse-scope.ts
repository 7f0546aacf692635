/** Reads over which events a rule is judged (docs/semantics.md 4, "Scope"). */
import type { Range } from "../model/load-error.ts";
import { didYouMean } from "../source/suggest.ts";
import { describe, type MapReader, readText } from "./map-reader.ts";
import { parsePath, type Vocabulary } from "./parse-path.ts";
import type { Program, Stretch } from "./program.ts";
import type { Scope } from "./rule.ts";
import type { ProblemList } from "./rule-error.ts";
import type { RuleParts } from "./sugar/rule-parts.ts";

const words: ReadonlyMap<string, Scope> = new Map<string, Scope>([
  ["run", { is: "run" }],
  ["trace", { is: "run" }],
  ["conversation", { is: "conversation" }],
  ["session", { is: "conversation" }],
  ["all", { is: "all" }],
]);

const run: Scope = { is: "run" };

/** A part of a run that a rule speaks of; `then` comes later. */
export type StretchHead = Omit<Stretch, "kernel" | "then">;

export interface ReadScope {
  readonly scope: Scope;
  readonly stretch: StretchHead | null;
}

/** `usual`: the scope of a kind that has one of its own. */
export function parseScope(rule: RuleParts, usual: Scope = run): ReadScope {
  const { problems } = rule.reader;
  const node = rule.reader.get("scope");
  if (node === null) return { scope: usual, stretch: null };
  if (node.is === "map") {
    const parts = rule.inside(node, "a scope");
    return stretchWords.some((word) => node.entries.has(word))
      ? { scope: run, stretch: parseStretch(parts) }
      : { scope: parseKeyScope(parts.reader, rule.context.vocabulary), stretch: null };
  }
  const scope = node.is === "scalar" ? words.get(node.text) : undefined;
  if (scope !== undefined) return { scope, stretch: null };
  problems.error(
    node.range,
    "unknown-word",
    `"scope" cannot be ${describe(node)}`,
    `${node.is === "scalar" ? didYouMean(node.text, words.keys()) : ""}Use run (or trace), conversation (or session), all, {key: path}, {after: P}, {before: P} or {between: [P, Q]}.`,
  );
  return { scope: run, stretch: null };
}

const stretchWords = ["after", "before", "between"] as const;

/** `{after: P}`, `{before: P}`, both of them, or `{between: [P, Q]}`, with a key that both sides share. */
function parseStretch(parts: RuleParts): StretchHead | null {
  const { reader } = parts;
  const bind = parts.binds("bind");
  const between = reader.has("between") ? parts.patternList("between", 2) : null;
  const after = parts.optionalPattern("after");
  const before = parts.optionalPattern("before");
  reader.done();
  if (!reader.has("between")) {
    const whole = (after !== null || !reader.has("after")) && (before !== null || !reader.has("before"));
    return whole ? { after, before, bind } : null;
  }
  const twice = (["after", "before"] as const).find((word) => reader.has(word));
  const [from, to, ...more] = between ?? [];
  if (twice !== undefined) {
    reader.problems.error(
      reader.rangeOf(twice),
      "set-twice",
      `between already says what comes ${twice === "after" ? "before" : "after"} the stretch`,
      "Keep between, or write after and before.",
    );
  } else if (more.length > 0) {
    reader.problems.error(
      reader.get("between")?.range ?? reader.node.range,
      "wrong-type",
      `between takes two patterns, not ${more.length + 2}`,
      "Write between: [the one that opens it, the one that ends it].",
    );
  }
  return from === undefined || to === undefined ? null : { after: from, before: to, bind };
}

export const withStretch = (head: StretchHead | null, then: Program): Program =>
  head === null ? then : { kernel: "stretch", ...head, then };

/** ` after cancel_requested and before final_answer`: the end of a sentence about a rule. */
export function stretchInWords(head: StretchHead | null): string {
  if (head === null) return "";
  const parts = [
    ...(head.after === null ? [] : [`after ${head.after.text}`]),
    ...(head.before === null ? [] : [`before ${head.before.text}`]),
  ];
  return `, only ${parts.join(" and ")}`;
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
 * counts, and links with a time limit (docs/semantics.md 4, "Scope").
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
  }
}

function needsAnEnd(program: Program): string | null {
  switch (program.kernel) {
    case "count":
      return program.measures === undefined ? null : "a metric, which is taken when its scope closes";
    case "link":
      return program.within === null ? "a link without within" : null;
    case "machine":
      return "a machine";
    case "guard":
      return "a condition (if), which anything later may meet";
    case "stretch":
      return needsAnEnd(program.then);
    case "fold":
      return program.parts.map(needsAnEnd).find((reason) => reason !== null) ?? null;
  }
}
