/** Rules with states: which step is allowed depends on the steps before it. */
import type { Range } from "../../model/load-error.ts";
import type { DurationNano } from "../../model/time.ts";
import { didYouMean } from "../../source/suggest.ts";
import type { SourceNode } from "../../source/yaml-source.ts";
import { describe, MapReader, readDuration, readMap, readText } from "../map-reader.ts";
import { parseComparisons, parseOperandNode } from "../parse-comparison.ts";
import type { Comparison, Operand } from "../pattern.ts";
import type { Transition } from "../program.ts";
import { toolKinds } from "../words.ts";
import { type Placed, refuseAmbiguous, warnUnreachable } from "./check-machine.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import { RuleParts } from "./rule-parts.ts";

/** Kinds whose states are a reducer's: a step that they do not allow is a rejection. */
export const rejectingKinds: ReadonlySet<string> = new Set(["machine", "phases"]);

function machine(rule: RuleParts): Built | null {
  const { reader } = rule;
  reader.require("transitions", "Add transitions: a list of [from, pattern, to].");
  const items = reader.list("transitions") ?? [];
  const registers = new Set(items.flatMap(registersOf));
  const placed = items.flatMap((item) => readTransition(rule, item, registers) ?? []);
  const initialNode = reader.get("initial");
  const initial =
    initialNode === null
      ? (placed[0]?.transition.from ?? null)
      : readText(initialNode, '"initial"', reader.problems);
  const states = new Set(placed.flatMap(({ transition }) => [transition.from, transition.to]));
  const known = placed.length === items.length;
  if (
    known &&
    initial !== null &&
    initialNode !== null &&
    !placed.some(({ transition }) => transition.from === initial)
  ) {
    unknownState(rule, initial, initialNode.range, states, "no transition starts from the initial state");
  }
  const final = readFinal(rule, known ? new Set([...states, initial ?? ""]) : null);
  const maxTime = readMaxTime(rule, known ? states : null);
  const bind = rule.paths("bind");
  const unlisted = reader.word("unlisted", ["ignore", "violate"]) ?? "ignore";
  const onIllegal = reader.word("on_illegal", ["violate", "stay"]) ?? "violate";
  if (placed.length === 0) {
    if (known && reader.has("transitions")) {
      reader.problems.error(
        reader.rangeOf("transitions"),
        "list-too-short",
        "a machine needs at least one transition",
        "Add [from, pattern, to].",
      );
    }
    return null;
  }
  if (initial === null) return null;
  refuseAmbiguous(rule, placed);
  warnUnreachable(rule, placed, initial);
  const transitions = withoutModelTurns(placed.map(({ transition }) => transition));
  const ends = final === null ? "" : ` and end in ${[...final].join(" or ")}`;
  return {
    program: {
      kernel: "machine",
      bind,
      initial,
      transitions,
      unlisted,
      onIllegal,
      final,
      maxTime,
      code: null,
      judgedWithoutStep: false,
    },
    expected: `steps that the states allow, from ${initial} on${ends}`,
    subjects: transitions.slice(0, 1).map((transition) => transition.on),
  };
}

function readTransition(rule: RuleParts, node: SourceNode, registers: ReadonlySet<string>): Placed | null {
  const { problems } = rule.reader;
  if (node.is === "list") {
    const [from, on, to, ...more] = node.items;
    if (from === undefined || on === undefined || to === undefined || more.length > 0) {
      problems.error(
        node.range,
        "bad-transition",
        `a transition has three parts, not ${node.items.length}`,
        "Write [from state, pattern, to state].",
      );
      return null;
    }
    const names = [readText(from, "a state", problems), readText(to, "a state", problems)] as const;
    const pattern = rule.read(on);
    if (names[0] === null || names[1] === null || pattern === null) return null;
    return { transition: { from: names[0], on: pattern, to: names[1], ...plain }, range: node.range };
  }
  if (node.is !== "map") {
    problems.error(
      node.range,
      "bad-transition",
      `a transition is a list of three or a map, not ${describe(node)}`,
      "Write [from state, pattern, to state].",
    );
    return null;
  }
  const parts = new RuleParts(
    new MapReader(node, "a transition", problems),
    rule.context,
    rule.plainNumbersAreMilliseconds,
  );
  const advice = "A transition needs from, on and to.";
  const from = parts.reader.require("from", advice);
  const to = parts.reader.require("to", advice);
  const on = parts.pattern("on");
  const comparing = { ...parts.comparing(["e", "reg"]), registers };
  const whenNode = parts.reader.get("when");
  const when: readonly Comparison[] =
    whenNode === null ? [] : parseComparisons(whenNode, '"when"', comparing);
  const needs = parts.paths("needs");
  const gives = parts.paths("gives");
  const owner = parts.optionalPattern("owner");
  const setNode = parts.reader.get("set");
  const setReader = setNode === null ? null : readMap(setNode, '"set"', problems);
  const set = new Map<string, Operand>();
  for (const entry of setReader?.node.entries.values() ?? []) {
    const operand = parseOperandNode(entry.value, `"${entry.key}"`, comparing);
    if (operand !== null) set.set(entry.key, operand);
  }
  parts.reader.done();
  rule.patterns.push(...(on === null ? [] : [on]));
  const fromName = from === null ? null : readText(from, '"from"', problems);
  const toName = to === null ? null : readText(to, '"to"', problems);
  if (fromName === null || toName === null || on === null) return null;
  return {
    transition: { from: fromName, on, to: toName, when, needs, gives, owner, set },
    range: node.range,
  };
}

const plain = { when: [], needs: [], gives: [], owner: null, set: new Map<string, Operand>() } as const;

function registersOf(node: SourceNode): readonly string[] {
  if (node.is !== "map") return [];
  const set = node.entries.get("set")?.value;
  return set?.is === "map" ? [...set.entries.keys()] : [];
}

function readFinal(rule: RuleParts, states: ReadonlySet<string> | null): ReadonlySet<string> | null {
  const node = rule.reader.get("final");
  if (node === null) return null;
  const final = new Set<string>();
  for (const item of node.is === "list" ? node.items : [node]) {
    const state = readText(item, '"final"', rule.reader.problems);
    if (state === null) continue;
    final.add(state);
    if (states !== null && !states.has(state)) {
      unknownState(rule, state, item.range, states, "no transition leads to this final state");
    }
  }
  return final;
}

function readMaxTime(rule: RuleParts, states: ReadonlySet<string> | null): ReadonlyMap<string, DurationNano> {
  const node = rule.reader.get("max_time");
  const reader = node === null ? null : readMap(node, '"max_time"', rule.reader.problems);
  const times = new Map<string, DurationNano>();
  for (const entry of reader?.node.entries.values() ?? []) {
    const time = readDuration(
      entry.value,
      `"${entry.key}"`,
      rule.plainNumbersAreMilliseconds,
      rule.reader.problems,
    );
    if (time !== null) times.set(entry.key, time);
    if (states !== null && !states.has(entry.key)) {
      unknownState(rule, entry.key, entry.keyRange, states, "no transition names this state");
    }
  }
  return times;
}

function unknownState(
  rule: RuleParts,
  state: string,
  range: Range,
  states: ReadonlySet<string>,
  why: string,
): void {
  rule.reader.problems.error(
    range,
    "unknown-state",
    `there is no state "${state}": ${why}`,
    `${didYouMean(state, states)}States are: ${[...states].join(", ")}.`,
  );
}

/** `*` in a machine speaks of calls and of the kinds that the rule names, never of model turns. */
function withoutModelTurns(transitions: readonly Transition[]): readonly Transition[] {
  const kinds = new Set([
    ...toolKinds,
    ...transitions.flatMap((transition) => [...(transition.on.kinds ?? [])]),
  ]);
  return transitions.map((transition) =>
    transition.on.kinds === null ? { ...transition, on: { ...transition.on, kinds } } : transition,
  );
}

/** A fixed workflow: a chain of states, one a step. */
function sequence(rule: RuleParts): Built | null {
  const steps = rule.patternList("steps", 1);
  const mode = rule.reader.word("mode", ["exact", "in_order"]) ?? "in_order";
  const bind = rule.paths("bind");
  if (steps === null) return null;
  const states = ["start", ...steps.map((step, index) => `${index + 1} ${step.text}`)];
  const transitions = steps.map((on, index) => ({
    from: states[index] ?? "",
    on,
    to: states[index + 1] ?? "",
    ...plain,
  }));
  return {
    program: {
      kernel: "machine",
      bind,
      initial: "start",
      transitions: withoutModelTurns(transitions),
      unlisted: mode === "exact" ? "violate" : "ignore",
      onIllegal: mode === "exact" ? "violate" : "stay",
      final: new Set(states.slice(-1)),
      maxTime: new Map(),
      code: "sequence_differs",
      judgedWithoutStep: true,
    },
    expected: `${mode === "exact" ? "exactly " : ""}${steps.map((step) => step.text).join(", then ")}`,
    subjects: steps,
  };
}

export const machineKinds: readonly RuleKind[] = [
  { kind: "machine", category: "workflow", build: machine },
  { kind: "sequence", category: "workflow", build: sequence },
];
