/**
 * The steps of one machine instance: which events they are, which transitions each may take, and which of them
 * come before which (docs/semantics.md 6). Steps that no order can tell apart are one class and are only
 * counted.
 */
import type { Event } from "../../model/event.ts";
import { canonicalText } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import { compileMatcher, type Matcher } from "../match.ts";
import { anyEvent, type Comparison, type Operand, type Path, type Pattern } from "../pattern.ts";
import type { Machine, Transition } from "../program.ts";
import { readPredicate } from "../read.ts";
import type { Match } from "../truth.ts";
import { type Kernel, mayChange } from "./context.ts";
import { has, precedence, rowText } from "./precedence.ts";

export interface CompiledTransition {
  readonly transition: Transition;
  readonly on: Matcher;
  readonly owner: Matcher | null;
  /** `when`, and those comparisons of the pattern that read a register. */
  readonly when: readonly Comparison[];
}

export interface CompiledMachine {
  readonly machine: Machine;
  readonly transitions: readonly CompiledTransition[];
  readonly byState: ReadonlyMap<string, readonly number[]>;
  /** Whatever the machine speaks of at all: calls, retrievals and the kinds that it names. */
  readonly alphabet: Pattern;
  readonly speaksOf: Matcher;
  /** What guards and registers read of a step. */
  readonly reads: readonly Path[];
}

export function compileMachine(machine: Machine): CompiledMachine {
  const named = machine.transitions.flatMap(({ on }) => kindsOf(on));
  const alphabet: Pattern = { ...anyEvent, kinds: new Set(["tool_call", "retrieval", ...named]) };
  const byState = new Map<string, number[]>();
  machine.transitions.forEach(({ from }, i) => {
    byState.set(from, [...(byState.get(from) ?? []), i]);
  });
  return {
    machine,
    transitions: machine.transitions.map((transition) => compileTransition(transition, alphabet)),
    byState,
    alphabet,
    speaksOf: compileMatcher(alphabet),
    reads: machine.transitions.flatMap(readsOf),
  };
}

function kindsOf(pattern: Pattern): readonly string[] {
  return [...(pattern.kinds ?? []), ...pattern.anyOf.flatMap(kindsOf)];
}

function compileTransition(transition: Transition, alphabet: Pattern): CompiledTransition {
  const { on } = transition;
  const ofRegisters = (comparison: Comparison): boolean =>
    isRegister(comparison.left) || isRegister(comparison.right);
  // A pattern without a positive part speaks of the machine's alphabet, never of model turns.
  const open = on.kinds === null && on.name === null && on.tests.length === 0 && on.anyOf.length === 0;
  return {
    transition,
    on: compileMatcher({
      ...on,
      kinds: open ? alphabet.kinds : on.kinds,
      where: on.where.filter((comparison) => !ofRegisters(comparison)),
    }),
    owner: transition.owner === null ? null : compileMatcher(transition.owner),
    when: [...transition.when, ...on.where.filter(ofRegisters)],
  };
}

const isRegister = (operand: Operand): boolean => "side" in operand && operand.side === "reg";

function readsOf({ when, needs, gives, set, on, owner }: Transition): readonly Path[] {
  const operands = [...when, ...on.where].flatMap(({ left, right }) => [left, right]);
  const read = [...operands, ...set.values()].flatMap((operand) =>
    "side" in operand && operand.side !== "reg" ? [operand.path] : [],
  );
  return [...read, ...needs, ...gives, ...(owner === null ? [] : owner.tests.map(({ path }) => path))];
}

export interface Step {
  readonly event: Event;
  /** How each transition's pattern matches it, whatever the state. */
  readonly matches: readonly Match[];
  /** Why it may not belong to this instance at all; null when it does. */
  readonly optional: Code | null;
}

/** The step that an event is; null when the machine does not look at it. */
export function stepOf(
  { machine, transitions, speaksOf }: CompiledMachine,
  kernel: Kernel,
  event: Event,
  optional: Code | null,
): Step | null {
  const matches = transitions.map(({ on }) => on(event, kernel.match));
  const listed = matches.some((match) => match.truth !== "false");
  const counts = machine.unlisted === "violate" && speaksOf(event, kernel.match).truth === "true";
  return listed || counts ? { event, matches, optional } : null;
}

/** Steps that match alike, read alike and have the same steps before and after them. */
export interface StepClass {
  readonly steps: readonly Step[];
  /** Classes that must be taken whole before any of this one. */
  readonly after: readonly number[];
}

export function classify(compiled: CompiledMachine, kernel: Kernel, steps: readonly Step[]): StepClass[] {
  const { preds, succs } = precedence(
    kernel,
    steps.map(({ event }) => event),
  );
  const groups = new Map<string, number[]>();
  steps.forEach((step, i) => {
    const key = `${signature(compiled, kernel, step)}|${rowText(preds, i)}|${rowText(succs, i)}`;
    groups.set(key, [...(groups.get(key) ?? []), i]);
  });
  const classes = [...groups.values()];
  return classes.map((members) => {
    const first = members[0] ?? 0;
    const after = classes.flatMap((other, c) => (has(preds, first, other[0] ?? 0) ? [c] : []));
    return { steps: members.flatMap((i) => steps[i] ?? []), after };
  });
}

function signature({ machine, reads }: CompiledMachine, kernel: Kernel, step: Step): string {
  // How long a state lasted depends on the very step that entered and left it.
  const timed = machine.maxTime.size > 0 || machine.minTime !== undefined;
  if (timed || mayChange(kernel, step.event)) return step.event.id;
  const matches = step.matches.map((match) => `${match.truth}${match.code ?? ""}`).join(",");
  const read = reads.map((path) => {
    const reading = readPredicate(step.event, path, kernel.match.settled);
    return reading.is === "value" ? `=${canonicalText(reading.value)}` : reading.is;
  });
  return JSON.stringify([matches, step.optional, read]);
}
