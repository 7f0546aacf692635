/** Programs and patterns by hand, for tests of the kernels. */
import type { Comparison, Operand, Pattern, Side } from "../../src/rules/pattern.ts";
import type { Blocker, Count, Link, Machine, Program, Stretch, Transition } from "../../src/rules/program.ts";
import type { Rule } from "../../src/rules/rule.ts";

export function named(name: string, more: Partial<Pattern> = {}): Pattern {
  return {
    kinds: new Set(["tool_call", "retrieval"]),
    name: { op: "equals", value: name },
    tests: [],
    absent: [],
    where: [],
    anyOf: [],
    not: null,
    boundary: null,
    namesStatus: false,
    text: name,
    ...more,
  };
}

export const everyEvent: Pattern = { ...named("*"), kinds: null, name: null, text: "*" };

export function link(anchor: Pattern, witness: Pattern, more: Partial<Link> = {}): Link {
  const need = more.need ?? "past";
  return {
    kernel: "link",
    anchor,
    witness,
    // The earlier side counts by its end, the later one by its start.
    anchorBoundary: need === "future" ? "finished_at" : "started_at",
    witnessBoundary: need === "future" ? "started_at" : "finished_at",
    need,
    quant: "some",
    atLeast: 1,
    bind: [],
    where: [],
    within: null,
    validUntil: null,
    unlessBetween: [],
    code: null,
    ...more,
  };
}

export function blocker(match: Pattern, more: Partial<Blocker> = {}): Blocker {
  return { match, where: [], bound: false, code: "invalidated", ...more };
}

export function count(of: Pattern, more: Partial<Count> = {}): Count {
  return {
    kernel: "count",
    of,
    min: null,
    max: null,
    distinct: [],
    bind: [],
    window: null,
    code: null,
    ...more,
  };
}

export function transition(
  from: string,
  on: Pattern,
  to: string,
  more: Partial<Transition> = {},
): Transition {
  return { from, on, to, when: [], needs: [], gives: [], owner: null, set: new Map(), ...more };
}

export function machine(transitions: readonly Transition[], more: Partial<Machine> = {}): Machine {
  return {
    kernel: "machine",
    bind: [],
    initial: transitions[0]?.from ?? "",
    transitions,
    unlisted: "ignore",
    onIllegal: "violate",
    final: null,
    maxTime: new Map(),
    code: null,
    judgedWithoutStep: false,
    ...more,
  };
}

const operand = (text: string): Operand => {
  const [side = "", ...path] = text.split(".");
  return { side: side as Side, path };
};

/** `compared("w.seq", "<", "a.seq")` */
export function compared(left: string, op: Comparison["op"], right: string): Comparison {
  return { left: operand(left), op, right: operand(right), text: `${left} ${op} ${right}` };
}

export function ruleOf(program: Program, more: Partial<Rule> = {}): Rule {
  return {
    contract: "test",
    id: "rule",
    kind: "link",
    title: null,
    severity: "high",
    category: "safety_gate",
    class: "invariant",
    stage: "enforced",
    since: null,
    why: null,
    expected: "",
    scope: { is: "run" },
    onUnknown: "inconclusive",
    clock: {},
    decisionWait: null,
    mustApply: false,
    missingAfter: null,
    pairRequired: false,
    code: null,
    program,
    kinds: null,
    reads: [],
    revision: "",
    file: "",
    range: { line: 1, column: 1, length: 1 },
    ...more,
  };
}

export function guarded(condition: Pattern, then: Program): Program {
  return { kernel: "guard", if: condition, then };
}

/** `scope: {after, before}` */
export function within(edges: Partial<Stretch>, then: Program): Program {
  return { kernel: "stretch", after: null, before: null, bind: [], ...edges, then };
}
