/**
 * Templates of rules: a definition with the `kind` of a rule. `- $name` in a list of rules is that rule;
 * `- {use: $name, before: refund}` is the rule with these keys besides, or instead of its own.
 */
import type { MapEntry, MapNode, SourceNode } from "../source/yaml-source.ts";
import { type Definitions, referenceOf } from "./definitions.ts";
import type { Vocabulary } from "./parse-path.ts";
import type { ProblemList } from "./rule-error.ts";
import { guardedKinds, ruleKinds } from "./sugar/kinds.ts";

/** Some kinds of events are called like kinds of rules (`approval`); those of rules say what they are about. */
export function isTemplate(node: SourceNode, vocabulary: Vocabulary): boolean {
  if (node.is !== "map") return false;
  if (node.entries.has("use")) return true;
  const kind = node.entries.get("kind")?.value;
  if (kind?.is !== "scalar") return false;
  const ofRule = ruleKinds.has(kind.text) || guardedKinds.some((name) => name === kind.text);
  return ofRule && (!vocabulary.kinds.has(kind.text) || node.entries.has("of"));
}

/** The rule that a node stands for; the node itself where it uses no template. Null: a problem was told. */
export function withTemplate(
  node: SourceNode,
  definitions: Definitions,
  vocabulary: Vocabulary,
  problems: ProblemList,
): SourceNode | null {
  const use = node.is === "map" ? node.entries.get("use")?.value : node;
  const reference = use === undefined ? null : referenceOf(use);
  if (use === undefined || (reference === null && node.is !== "map")) return node;
  if (reference === null) {
    problems.error(
      use.range,
      "unknown-definition",
      '"use" takes the name of a template',
      "Write use: $name.",
    );
    return null;
  }
  const template = definitions.resolve(reference, use.range, (target) =>
    isTemplate(target, vocabulary)
      ? withTemplate(target, definitions, vocabulary, problems)
      : notOne(reference, use, problems),
  );
  if (template?.is !== "map") return null;
  const own: readonly MapEntry[] =
    node.is === "map" ? [...node.entries.values()].filter(({ key }) => key !== "use") : [];
  const entries = new Map(template.entries);
  for (const entry of own) entries.set(entry.key, entry);
  return { is: "map", entries, range: node.range } satisfies MapNode;
}

function notOne(reference: string, use: SourceNode, problems: ProblemList): null {
  problems.error(
    use.range,
    "wrong-type",
    `${reference} is no template of rules`,
    "A template is a definition with the kind of a rule: {kind: gate, require: …}.",
  );
  return null;
}
