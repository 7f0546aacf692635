/**
 * Follows every state that some order of the steps can reach, by (steps taken, state, registers), so that no
 * order is listed twice (docs/semantics.md 6).
 */
import type { Event, Reading } from "../../model/event.ts";
import { canonicalText } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import { compareAll, readOperand } from "../comparison.ts";
import { readPredicate } from "../read.ts";
import { because, type Match, no, yes } from "../truth.ts";
import { type Kernel, point } from "./context.ts";
import type { CompiledMachine, CompiledTransition, Step, StepClass } from "./machine-steps.ts";

type Registers = ReadonlyMap<string, Reading>;

/** Where one order has led so far. */
export interface Position {
  readonly state: string;
  /** Whether any of the steps was one of this instance: none at all is no instance. */
  readonly began: boolean;
  readonly registers: Registers;
  /** The step that entered the state, where the state has a time limit. */
  readonly entered: Event | null;
}

export interface Violation {
  readonly code: Code;
  readonly event: Event;
  readonly state: string;
  /** Text of the guard that failed, or the path that is missing; null where the state has no such transition. */
  readonly detail: string | null;
}

interface Path {
  readonly event: Event;
  readonly rest: Path | null;
}

/** How one order, or many that come to the same, ended. */
export interface Ending {
  readonly position: Position;
  readonly violation: Violation | null;
  readonly path: readonly Event[];
}

export interface Exploration {
  /** None where there were too many possibilities to follow. */
  readonly endings: readonly Ending[];
  /** Set where more than one thing may have happened because data was unknown, rather than order. */
  readonly unsure: Code | null;
}

const mostPairs = 4096;

interface Node {
  readonly taken: readonly number[];
  readonly position: Position;
  readonly path: Path | null;
}

export function explore(
  compiled: CompiledMachine,
  kernel: Kernel,
  classes: readonly StepClass[],
): Exploration {
  const start: Position = {
    state: compiled.machine.initial,
    began: false,
    registers: new Map(),
    entered: null,
  };
  let frontier: Node[] = [{ taken: classes.map(() => 0), position: start, path: null }];
  const endings = new Map<string, Ending>();
  let unsure: Code | null = null;
  let pairs = 0;
  const total = classes.reduce((sum, { steps }) => sum + steps.length, 0);

  for (let layer = 0; layer < total; layer += 1) {
    const next = new Map<string, Node>();
    for (const node of frontier) {
      for (const c of ready(node, classes)) {
        const step = classes[c]?.steps[node.taken[c] ?? 0];
        if (step === undefined) continue;
        const outcomes = apply(compiled, kernel, step, node.position);
        unsure ??= outcomes.unsure;
        for (const { position, violation } of outcomes.list) {
          const path: Path = { event: step.event, rest: node.path };
          if (violation !== null) {
            const id = `${violation.code}\n${violation.event.id}\n${violation.state}`;
            if (!endings.has(id)) endings.set(id, { position, violation, path: unwind(path) });
            continue;
          }
          const taken = node.taken.map((count, i) => (i === c ? count + 1 : count));
          const key = `${taken.join(",")}|${positionText(position)}`;
          if (!next.has(key)) next.set(key, { taken, position, path });
        }
      }
    }
    frontier = [...next.values()];
    if (frontier.length > 1) pairs += frontier.length;
    if (pairs > mostPairs) return { endings: [], unsure };
  }
  for (const { position, path } of frontier) {
    endings.set(`end\n${positionText(position)}`, { position, violation: null, path: unwind(path) });
  }
  return { endings: [...endings.values()], unsure };
}

function* ready(node: Node, classes: readonly StepClass[]): Generator<number> {
  for (let c = 0; c < classes.length; c += 1) {
    const current = classes[c];
    if (current === undefined || (node.taken[c] ?? 0) >= current.steps.length) continue;
    if (current.after.every((d) => (node.taken[d] ?? 0) === classes[d]?.steps.length)) yield c;
  }
}

function unwind(path: Path | null): Event[] {
  const events: Event[] = [];
  for (let at = path; at !== null; at = at.rest) events.push(at.event);
  return events.reverse();
}

function positionText({ state, began, registers, entered }: Position): string {
  const texts = [...registers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, reading]) => [name, reading.is === "value" ? canonicalText(reading.value) : reading.is]);
  return JSON.stringify([state, began, texts, entered?.id ?? null]);
}

export interface Outcome {
  readonly position: Position;
  readonly violation: Violation | null;
}

interface Outcomes {
  readonly list: readonly Outcome[];
  readonly unsure: Code | null;
}

/** Everything that one step may do in one position: one outcome where all is known. */
export function apply(compiled: CompiledMachine, kernel: Kernel, step: Step, position: Position): Outcomes {
  const list: Outcome[] = [];
  let unsure: Code | null = step.optional;
  if (step.optional !== null) list.push({ position, violation: null });
  const illegal = (code: Code, detail: string | null): void => {
    const violation = { code, event: step.event, state: position.state, detail };
    // What a state does not allow may be passed over. A step that it does allow and that lacks what it must carry,
    // comes from another owner, too late or too soon, and one that nothing lists, the rule asked to be told of.
    const stays = compiled.machine.onIllegal === "stay" && code === "illegal_transition";
    list.push({ position: { ...position, began: true }, violation: stays ? null : violation });
  };

  let taken = false;
  let guard: string | null = null;
  for (const index of compiled.byState.get(position.state) ?? []) {
    const transition = compiled.transitions[index];
    const match = step.matches[index];
    if (taken || transition === undefined || match === undefined || match.truth === "false") continue;
    const allowed = compareAll(
      transition.when,
      { e: step.event, a: step.event, reg: position.registers },
      kernel.match.settled,
    );
    if (allowed.truth === "false") {
      guard ??= transition.when.map((comparison) => comparison.text).join(" and ");
      unsure ??= match.code;
      continue;
    }
    unsure ??= match.code ?? allowed.code;
    const done = take(compiled, kernel, step, position, transition);
    unsure ??= done.unsure;
    for (const outcome of done.list) {
      if (outcome.violation === null) list.push(outcome);
      else illegal(outcome.violation.code, outcome.violation.detail);
    }
    taken = match.truth === "true" && allowed.truth === "true";
  }
  if (!taken) {
    const doubt = notTaken(compiled, step, position, guard, list, illegal);
    unsure ??= doubt;
  }
  return { list, unsure };
}

/** A code where it may be no step at all, or one that other states list. */
function notTaken(
  compiled: CompiledMachine,
  step: Step,
  position: Position,
  guard: string | null,
  list: Outcome[],
  illegal: (code: Code, detail: string | null) => void,
): Code | null {
  const surelyListed = step.matches.some((match) => match.truth === "true");
  const maybeListed = step.matches.find((match) => match.truth === "unknown");
  const here = compiled.byState.get(position.state) ?? [];
  const elsewhere = step.matches.some((match, i) => match.truth === "unknown" && !here.includes(i));
  if (surelyListed || guard !== null || elsewhere) illegal("illegal_transition", guard);
  if (surelyListed) return null;
  if (compiled.machine.unlisted === "violate") illegal("unlisted_event", null);
  else list.push({ position, violation: null });
  return maybeListed?.code ?? null;
}

function take(
  { machine }: CompiledMachine,
  kernel: Kernel,
  step: Step,
  position: Position,
  { transition, owner }: CompiledTransition,
): Outcomes {
  const { event } = step;
  const broken = (code: Code, detail: string | null): Outcome => ({
    position,
    violation: { code, event, state: position.state, detail },
  });
  const list: Outcome[] = [];
  let unsure: Code | null = null;
  for (const { match, code, detail } of conditions(kernel, event, position, machine, transition.to, owner, [
    ...transition.needs,
    ...transition.gives,
  ])) {
    if (match.truth === "true") continue;
    list.push(broken(code, detail));
    if (match.truth === "false") return { list, unsure };
    unsure ??= match.code;
  }
  const registers = new Map(position.registers);
  for (const [name, operand] of transition.set) {
    const reading = readOperand(
      operand,
      { e: event, a: event, reg: position.registers },
      kernel.match.settled,
    );
    if (reading.is === "absent") registers.delete(name);
    else registers.set(name, reading);
  }
  const stays = transition.to === position.state;
  const entered = stays ? position.entered : isTimed(machine, transition.to) ? event : null;
  list.push({ position: { state: transition.to, began: true, registers, entered }, violation: null });
  return { list, unsure };
}

interface Condition {
  readonly match: Match;
  readonly code: Code;
  readonly detail: string | null;
}

function* conditions(
  kernel: Kernel,
  event: Event,
  position: Position,
  machine: CompiledMachine["machine"],
  to: string,
  owner: CompiledTransition["owner"],
  needed: readonly (readonly string[])[],
): Generator<Condition> {
  if (owner !== null) yield { match: owner(event, kernel.match), code: "wrong_owner", detail: null };
  for (const path of needed) {
    const reading = readPredicate(event, path, kernel.match.settled);
    const present = reading.is === "value" && reading.value !== "";
    const match =
      reading.is === "unknown" ? because("unknown", reading.code) : present ? yes : because("false", null);
    yield { match, code: "missing_attribute", detail: path.join(".") };
  }
  const limit = machine.maxTime.get(position.state);
  if (limit !== undefined && position.entered !== null && to !== position.state) {
    const match = lasted(kernel, position.entered, event, limit);
    yield { match, code: "deadline_missed", detail: null };
  }
  const least = machine.minTime?.get(position.state);
  if (least !== undefined && position.entered !== null && to !== position.state) {
    yield { match: waited(kernel, position.entered, event, least), code: "retry_too_soon", detail: null };
  }
}

const isTimed = ({ maxTime, minTime }: CompiledMachine["machine"], state: string): boolean =>
  maxTime.has(state) || minTime?.has(state) === true;

/** Whether a state lasted at least so long before the step that leaves it. */
function waited(kernel: Kernel, entered: Event, left: Event, least: bigint): Match {
  const apart = kernel.view.order.distance(point(entered, "finished_at"), point(left, "started_at"));
  if (apart === null) return because("unknown", "order_unknown");
  if (apart.least >= least) return yes;
  return apart.most < least ? no : because("unknown", "order_unknown");
}

/** Whether a state that one step's finish entered was left by another's start within the limit. */
export function lasted(kernel: Kernel, entered: Event, left: Event, limit: bigint): Match {
  const apart = kernel.view.order.distance(point(entered, "finished_at"), point(left, "started_at"));
  if (apart === null) return because("unknown", "order_unknown");
  if (apart.most <= limit) return yes;
  return apart.least > limit ? no : because("unknown", "order_unknown");
}
