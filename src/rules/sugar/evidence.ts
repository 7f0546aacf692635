/** Rules about what a step rests on: proof of this very thing, a fresh look at a resource, content that stays. */
import { readText } from "../map-reader.ts";
import { anyEvent, type Comparison, type Path, type Pattern } from "../pattern.ts";
import type { Blocker } from "../program.ts";
import { counting } from "./make-count.ts";
import { conditions, link } from "./make-link.ts";
import { pathOfName } from "./names.ts";
import { having, pastOptions, versionChanges } from "./past-options.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

/** `{for: Q, from: P, same: […], current: {…}}`: a P about the same things, and of the current version. */
function evidence(rule: RuleParts): Built | null {
  const step = rule.pattern("for", "before");
  const from = rule.pattern("from", "require");
  const { needs, ...past } = pastOptions(rule, step, from);
  const current = versionChanges(rule, "current", from);
  if (step === null || from === null) return null;
  const proof = having(from, [...needs, ...current.map(({ path }) => path)]);
  const options = {
    ...past,
    unlessBetween: [...past.unlessBetween, ...current.map(({ blocker }) => blocker)],
  };
  return {
    program: link("past", "some", step, proof, options),
    expected: `${from.text} before ${step.text}${conditions(options)}`,
    subjects: [from, step],
    guarded: step,
    proof: from,
  };
}

/**
 * Every write of a resource needs a read of it, and no write by somebody else in between. Where the write's tool
 * declares its resource, and the tool that reads it, neither has to be said again.
 */
function readBeforeWrite(rule: RuleParts): Built | null {
  const { reader } = rule;
  const write = rule.pattern("write");
  const traits = traitsOf(rule, write);
  const read =
    reader.has("read") || traits?.reads == null
      ? rule.pattern("read")
      : rule.read({
          is: "scalar",
          value: traits.reads,
          text: traits.reads,
          quoted: false,
          range: reader.rangeOf("write"),
        });
  const given = rule.binds("resource");
  if (!reader.has("resource") && traits?.resource == null) {
    reader.problems.error(
      reader.node.range,
      "missing-key",
      'a rule of kind read_before_write needs the key "resource"',
      "Add resource: the path that names what is read and written, or give the tool the trait resource.",
    );
  }
  const foreign = rule.optionalPattern("foreign");
  const { needs: _none, ...past } = pastOptions(rule, write, read);
  if (write === null || read === null) return null;
  const own = traits?.resource ?? null;
  const resource = given.length > 0 || own === null ? given : [{ anchor: own, witness: own }];
  if (resource.length === 0) return null;
  const others: readonly Blocker[] =
    foreign === null
      ? byOthers.map((where) => ({ match: write, where: [where], bound: true, code: "invalidated" }))
      : [{ match: foreign, where: [], bound: true, code: "invalidated" }];
  const options = {
    ...past,
    bind: [...resource, ...past.bind],
    unlessBetween: [...past.unlessBetween, ...others],
  };
  return {
    program: link("past", "some", write, read, options),
    expected: `${read.text} before ${write.text}${conditions({ ...options, unlessBetween: past.unlessBetween })}, and no write by others in between`,
    subjects: [read, write],
    guarded: write,
    ...(traits?.effect === "external" ? { severity: "critical" as const } : {}),
  };
}

/** A write of another agent, actor or run: what was read is no longer what is there. */
const byOthers: readonly Comparison[] = ["agent", "actor", "run"].map((field) => ({
  left: { side: "b", path: [field] },
  op: "!=",
  right: { side: "a", path: [field] },
  text: `b.${field} != a.${field}`,
}));

function traitsOf(rule: RuleParts, pattern: Pattern | null) {
  const test = pattern?.name;
  return test?.op === "equals" && typeof test.value === "string"
    ? rule.context.tools.get(test.value)
    : undefined;
}

function names(rule: RuleParts, key: string): readonly Path[] {
  return rule.listOf(key, (node) => {
    const name = readText(node, `an entry of "${key}"`, rule.reader.problems);
    return name === null ? null : pathOfName(rule, name, node);
  });
}

/** At least one: an empty list would make the rule one that says nothing. */
function someNames(rule: RuleParts, key: string): readonly Path[] {
  const node = rule.reader.get(key);
  if (node?.is === "list" && node.items.length === 0) {
    rule.reader.problems.error(
      node.range,
      "list-too-short",
      `"${key}" needs at least 1 entry`,
      "Add the path of what is meant.",
    );
  }
  return names(rule, key);
}

/** One id, one content: it may come often, but never say something else. */
function immutable(rule: RuleParts): Built | null {
  const { reader } = rule;
  const of = rule.pattern("of");
  // `id` is the word for both, so that the rule's own id can only be given beside `identity`.
  const key = reader.has("identity") ? "identity" : "id";
  reader.tell("id", { is: "any" }, { synonyms: ["identity"] });
  reader.require(key, "Add identity: the path of what identifies it, such as evidence_id.");
  reader.require("content", "Add content: the paths that must stay as they are under one id.");
  const bind = someNames(rule, key);
  const distinct = someNames(rule, "content");
  if (of === null || bind.length === 0 || distinct.length === 0) return null;
  const words = (paths: readonly Path[]): string => paths.map((path) => path.join(".")).join(" and ");
  return {
    program: counting(of, { distinct, bind, max: 1 }),
    expected: `one ${words(distinct)} of ${of.text} per ${words(bind)}`,
    subjects: [of],
    idIsTaken: key === "id",
  };
}

/** Every P comes from its owner; one whose owner cannot be read does not. */
function owner(rule: RuleParts): Built | null {
  const of = rule.pattern("of");
  const by = rule.pattern("by");
  if (of === null || by === null) return null;
  const whom = ownerText(by);
  return {
    program: counting(without(of, by, `${of.text} not by ${whom}`), { max: 0, code: "wrong_owner" }),
    expected: `${of.text} only by ${whom}`,
    subjects: [of],
  };
}

/** `service: ledger`: an owner is told by what the event carries, and is no event of its own. */
function ownerText({ text }: Pattern): string {
  return text.replaceAll(/any event \(([^()]*)\)/g, "$1");
}

/** The events of one pattern that are not those of another. */
export function without(of: Pattern, other: Pattern, text: string): Pattern {
  const not = of.not === null ? other : { ...anyEvent, anyOf: [of.not, other] };
  return { ...of, not, text };
}

export const evidenceKinds: readonly RuleKind[] = [
  { kind: "evidence", category: "evidence", build: evidence },
  { kind: "read_before_write", category: "read_before_write", build: readBeforeWrite },
  { kind: "immutable", category: "evidence", build: immutable },
  { kind: "owner", category: "workflow", build: owner },
];
