/**
 * Phases (`kind: phases`): the few points of a process where what is allowed changes. `order` says which phase
 * follows which, `enter` by what event, `allow` which calls belong to which phases. A call that no phase lists is
 * allowed in all of them.
 */
import { didYouMean } from "../../source/suggest.ts";
import type { MapEntry, SourceNode } from "../../source/yaml-source.ts";
import { describe, readMap, readText } from "../map-reader.ts";
import type { Pattern } from "../pattern.ts";
import type { Transition } from "../program.ts";
import type { ToolTraits } from "../rule.ts";
import { without } from "./evidence.ts";
import { step } from "./make-machine.ts";
import { oneOf, oneValue, signal } from "./make-pattern.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

function phases(rule: RuleParts): Built | null {
  const { reader } = rule;
  const initialNode = reader.require("initial", "Add initial: the phase that a run begins in.");
  const initial = initialNode === null ? null : readText(initialNode, '"initial"', reader.problems);
  const bind = rule.paths("bind");
  const unlisted = reader.word("unlisted", ["ignore", "violate"]) ?? "ignore";
  const ordered = reader.require("order", "Add order: {phase: [the phases that may follow it]}.");
  const order = readOrder(rule);
  const names = new Set([
    ...(initial === null ? [] : [initial]),
    ...order.flatMap(({ from, to }) => [from, ...to]),
  ]);
  const enter = readEnter(rule, names);
  const allow = readAllow(rule, names);
  if (initial === null || initialNode === null || ordered === null) return null;
  if (!order.some(({ from }) => from === initial))
    unknownPhase(rule, initialNode, initial, names, "no phase follows it");
  const entering = (phase: string): Pattern => enter.get(phase) ?? begun(phase);
  const transitions: Transition[] = [];
  for (const phase of names) {
    const next = order.filter(({ from }) => from === phase).flatMap(({ to }) => to);
    const leaving = [...new Set(next)].map((to) => ({ to, on: entering(to) }));
    for (const { to, on } of leaving) if (to !== phase) transitions.push(step(phase, on, to));
    // Staying: what is allowed here, its own entering again, and the signal that says where the run already is.
    const stays = [...(allow.get(phase) ?? []), entering(phase), ...(enter.has(phase) ? [begun(phase)] : [])];
    const others = leaving.filter(({ to }) => to !== phase).map(({ on }) => on);
    const union = oneOf(stays);
    transitions.push(
      step(phase, others.length === 0 ? union : without(union, oneOf(others), union.text), phase),
    );
  }
  return {
    program: {
      kernel: "machine",
      bind,
      initial,
      transitions,
      unlisted,
      onIllegal: "violate",
      final: null,
      maxTime: new Map(),
      code: null,
      judgedWithoutStep: false,
    },
    expected: `what each phase allows, from ${initial} on`,
    subjects: [...enter.values()].slice(0, 1),
  };
}

/** The emitter itself says which phase begins. */
const begun = (phase: string): Pattern => ({
  ...signal("phase"),
  name: oneValue([phase]),
  text: `phase ${phase}`,
});

interface Follows {
  readonly from: string;
  readonly to: readonly string[];
}

function entries(rule: RuleParts, key: string): readonly MapEntry[] {
  const node = rule.reader.get(key);
  const reader = node === null ? null : readMap(node, `"${key}"`, rule.reader.problems);
  return [...(reader?.node.entries.values() ?? [])];
}

const items = (node: SourceNode): readonly SourceNode[] => (node.is === "list" ? node.items : [node]);

function readOrder(rule: RuleParts): readonly Follows[] {
  return entries(rule, "order").map(({ key, value }) => ({
    from: key,
    to: items(value).flatMap((item) => readText(item, "a phase", rule.reader.problems) ?? []),
  }));
}

/** `{authorized: {after: P}}` */
function readEnter(rule: RuleParts, names: ReadonlySet<string>): ReadonlyMap<string, Pattern> {
  const found = new Map<string, Pattern>();
  for (const { key, keyRange, value } of entries(rule, "enter")) {
    if (!names.has(key))
      unknownPhase(rule, { ...value, range: keyRange }, key, names, "order does not name it");
    const map = readMap(value, `the phase "${key}"`, rule.reader.problems);
    const pattern = map === null ? null : rule.inside(map.node, `the phase "${key}"`);
    const after = pattern?.pattern("after") ?? null;
    pattern?.reader.done();
    if (after !== null) found.set(key, after);
  }
  return found;
}

const traitWords: ReadonlyMap<string, (traits: ToolTraits) => boolean> = new Map([
  ...(["none", "read", "write", "external"] as const).map(
    (effect) => [effect, (traits: ToolTraits) => traits.effect === effect] as const,
  ),
  ...(["plain", "sensitive"] as const).map(
    (access) => [access, (traits: ToolTraits) => traits.access === access] as const,
  ),
]);

/** Names of tools, traits (every tool that has it), or patterns. */
function readAllow(rule: RuleParts, names: ReadonlySet<string>): ReadonlyMap<string, readonly Pattern[]> {
  const found = new Map<string, readonly Pattern[]>();
  for (const { key, keyRange, value } of entries(rule, "allow")) {
    if (!names.has(key))
      unknownPhase(rule, { ...value, range: keyRange }, key, names, "order does not name it");
    found.set(
      key,
      items(value).flatMap((item) => allowed(rule, item)),
    );
  }
  return found;
}

function allowed(rule: RuleParts, node: SourceNode): readonly Pattern[] {
  const { tools } = rule.context;
  const hasTrait = node.is === "scalar" && !tools.has(node.text) ? traitWords.get(node.text) : undefined;
  if (hasTrait === undefined) {
    const pattern = rule.read(node);
    return pattern === null ? [] : [pattern];
  }
  const having = [...tools].filter(([, traits]) => hasTrait(traits)).map(([name]) => name);
  if (having.length === 0) {
    rule.reader.problems.error(
      node.range,
      "empty-list",
      `no tool has the trait ${describe(node)}, so this allows nothing`,
      "Give the tools their traits under tools, or name them here.",
    );
  }
  return having.flatMap(
    (name) => rule.read({ is: "scalar", value: name, text: name, quoted: false, range: node.range }) ?? [],
  );
}

function unknownPhase(
  rule: RuleParts,
  { range }: SourceNode,
  phase: string,
  names: ReadonlySet<string>,
  why: string,
): void {
  const others = [...names].filter((name) => name !== phase);
  rule.reader.problems.error(
    range,
    "unknown-state",
    `there is no phase "${phase}": ${why}`,
    `${didYouMean(phase, others)}Phases are: ${others.join(", ")}.`,
  );
}

export const phaseKinds: readonly RuleKind[] = [{ kind: "phases", category: "workflow", build: phases }];
