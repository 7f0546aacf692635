/** One rule of a contract: its kind's own part, and what all kinds share. */
import type { Range } from "../model/load-error.ts";
import { didYouMean } from "../source/suggest.ts";
import type { MapEntry, MapNode, SourceNode } from "../source/yaml-source.ts";
import { describe, MapReader, readMap, readText } from "./map-reader.ts";
import { effectsOf } from "./parse-prerequisites.ts";
import { parseScope, refuseEndless, stretchInWords, withStretch } from "./parse-scope.ts";
import { type OwnRule, readShared } from "./parse-shared.ts";
import type { Pattern } from "./pattern.ts";
import type { Program } from "./program.ts";
import type { ProblemList } from "./rule-error.ts";
import { withTemplate } from "./rule-template.ts";
import { readSeverityWhen, type SeverityCase, splitBySeverity } from "./severity-when.ts";
import { guardedKinds, pairKind, ruleKinds } from "./sugar/kinds.ts";
import type { KindContext } from "./sugar/rule-kind.ts";
import { RuleParts } from "./sugar/rule-parts.ts";

export interface RuleContext extends KindContext {
  readonly plainNumbersAreMilliseconds: boolean;
}

/** A rule before it has a sure id, a contract and a revision. */
export interface Draft {
  readonly rule: OwnRule;
  /** null where the user gave none: then `subjects` make it. */
  readonly id: string | null;
  readonly idRange: Range;
  readonly subjects: readonly Pattern[];
  /** Patterns as the user wrote them. */
  readonly patterns: readonly Pattern[];
  /** What must have happened, where a safety gate asks for it. */
  readonly proof: Pattern | null;
  readonly severityCases: readonly SeverityCase[];
}

/** The rules that one entry stands for: a template written out, each need of its effects, each case of its severity. */
export function parseRules(node: SourceNode, section: string | null, context: RuleContext): readonly Draft[] {
  const written = withTemplate(node, context.definitions, context.vocabulary, context.problems);
  if (written === null) return [];
  if (section === null && written.is === "map" && textAt(written, "kind") === "prerequisites") {
    const effects = [...written.entries].filter(([key]) => key !== "kind");
    return effectsOf({ ...written, entries: new Map(effects) }, context);
  }
  const draft = parseRule(written, section, context);
  return draft === null ? [] : draftsBySeverity(draft, context);
}

const textAt = (node: MapNode, key: string): string | null => {
  const value = node.entries.get(key)?.value;
  return value?.is === "scalar" ? value.text : null;
};

/** One draft a severity, where a rule has several. */
export function draftsBySeverity(
  { severityCases: cases, ...draft }: Draft,
  context: RuleContext,
): readonly Draft[] {
  if (cases.length === 0) return [{ ...draft, severityCases: [] }];
  const { rule, id, idRange } = draft;
  const split = splitBySeverity(rule.program, cases);
  if (split === null || rule.mustApply || rule.pairRequired) {
    context.problems.error(
      idRange,
      "no-meaning",
      "severity_when tells the steps that a rule judges apart, and this rule judges no single step",
      "Use it with a gate, a response or another rule of two events; an ordering, must_apply and counts speak of the whole run.",
    );
    return [];
  }
  if (id === null) {
    context.problems.error(
      rule.range,
      "missing-key",
      'a rule with severity_when needs the key "id"',
      "Add id: its cases are called after it, such as refund-gate.refused.",
    );
    return [];
  }
  return split.map(({ suffix, severity, program, words }) => ({
    ...draft,
    id: `${id}${suffix}`,
    rule: { ...rule, program, severity: severity ?? rule.severity, expected: `${rule.expected}${words}` },
    severityCases: [],
  }));
}

/** `section` is the kind of every rule of a list such as `ordering:`; null where each rule says its own. */
function parseRule(node: SourceNode, section: string | null, context: RuleContext): Draft | null {
  const { problems } = context;
  if (node.is !== "map") {
    problems.error(
      node.range,
      "wrong-type",
      `a rule must be a map, not ${describe(node)}`,
      section === null
        ? "Write {kind: gate, require: …, before: …}."
        : "Write the keys of the rule as a map.",
    );
    return null;
  }
  const kind = kindOf(node, section, problems);
  if (kind === null) return null;
  const guarded = guardedKinds.some((name) => name === kind);
  const body = guarded ? unfold(node, kind, problems) : { map: node, inner: kind };
  if (body === null) return null;
  const ruleKind =
    kind === "conditional_ordering" || (guarded && body.inner === "ordering")
      ? pairKind
      : ruleKinds.get(body.inner);
  if (ruleKind === undefined) return null;
  const reader = new MapReader(body.map, `a rule of kind ${kind}`, problems);
  reader.get("kind");
  const parts = new RuleParts(reader, context, context.plainNumbersAreMilliseconds);
  const condition = guarded ? parts.pattern("if") : null;
  const built = ruleKind.build(parts);
  const { scope, stretch } = parseScope(parts, built?.scope);
  const severityCases = readSeverityWhen(reader, context);
  const shared = readShared(reader, context, ruleKind, built, scope);
  reader.done();
  if (built === null || (guarded && condition === null)) return null;
  const judged = withStretch(stretch, built.program);
  const program: Program =
    // biome-ignore lint/suspicious/noThenProperty: the word of the language; a program is never awaited.
    condition === null ? judged : { kernel: "guard", if: condition, then: judged };
  const asked = `${built.expected}${stretchInWords(stretch)}`;
  refuseEndless(shared.scope, program, reader.rangeOf("scope"), problems);
  return {
    rule: {
      kind,
      ...shared,
      expected: condition === null ? asked : `${asked}, if ${condition.text} happens`,
      pairRequired: built.pairRequired === true && condition === null,
      program,
      range: node.range,
    },
    id: built.idIsTaken === true ? null : reader.label("id"),
    idRange: reader.rangeOf("id"),
    subjects: condition === null ? built.subjects : [condition, ...built.subjects],
    patterns: parts.patterns,
    proof: built.proof ?? null,
    severityCases,
  };
}

function kindOf(node: MapNode, section: string | null, problems: ProblemList): string | null {
  const given = node.entries.get("kind");
  if (given === undefined) {
    if (section === null) {
      problems.error(node.range, "missing-key", 'a rule needs the key "kind"', "Add for example kind: gate.");
    }
    return section;
  }
  const kind = readText(given.value, '"kind"', problems);
  if (kind === null) return null;
  if (section !== null && kind !== section) {
    problems.error(
      given.value.range,
      "unknown-word",
      `a rule under this key is of kind ${section}, not "${kind}"`,
      "Move it to the list under rules.",
    );
    return null;
  }
  if (ruleKinds.has(kind) || guardedKinds.some((name) => name === kind)) return kind;
  const names = [...ruleKinds.keys(), ...guardedKinds];
  problems.error(
    given.value.range,
    "unknown-rule-kind",
    `there is no rule kind "${kind}"`,
    `${didYouMean(kind, names)}Kinds are: ${names.join(", ")}.`,
  );
  return null;
}

/** Lays the keys under `then` beside those of the rule: each may stand in either, in both only if equal. */
function unfold(node: MapNode, kind: string, problems: ProblemList): { map: MapNode; inner: string } | null {
  const then = node.entries.get("then");
  if (then === undefined) {
    problems.error(
      node.range,
      "missing-key",
      `a rule of kind ${kind} needs the key "then"`,
      kind === "conditional" ? "Add then: {kind: …}." : "Add then: {before: …, after: …}.",
    );
    return null;
  }
  const reader = readMap(then.value, '"then"', problems);
  if (reader === null) return null;
  const inner = kind === "conditional" ? kindOf(reader.node, null, problems) : "ordering";
  if (inner === null) return null;
  if (guardedKinds.some((name) => name === inner)) {
    problems.error(
      reader.rangeOf("kind"),
      "no-meaning",
      "a condition inside a condition",
      "Join the two patterns into one if, with any_of or as two rules.",
    );
    return null;
  }
  const entries = new Map<string, MapEntry>(
    [...node.entries].filter(([key]) => key !== "then" && key !== "kind"),
  );
  for (const entry of reader.node.entries.values()) {
    if (entry.key === "kind") {
      if (kind !== "conditional") entries.set(entry.key, entry);
      continue;
    }
    const outer = entries.get(entry.key);
    if (outer === undefined) entries.set(entry.key, entry);
    else if (!sameText(outer.value, entry.value)) {
      problems.error(
        entry.keyRange,
        "set-twice",
        `"${entry.key}" stands in the rule, on line ${outer.keyRange.line}, and in then, with another value`,
        "Keep one of the two.",
      );
    }
  }
  return { map: { is: "map", entries, range: node.range }, inner };
}

function sameText(a: SourceNode, b: SourceNode): boolean {
  return a.is === "scalar" && b.is === "scalar" && a.text === b.text;
}
