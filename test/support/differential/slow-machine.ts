/** Machines (docs/semantics.md 6): every order that the steps can have had, in every way the unknown could be. */
import type { EventSpec, MachineSpec, TransitionSpec } from "./language.ts";
import type { Seen, SlowInstance } from "./slow-judge.ts";
import { keyOf, matches } from "./slow-match.ts";
import { endOf, startOf } from "./slow-order.ts";

/** One event with what it may be: outside the instance, and each pattern a match or not. */
interface Step {
  readonly event: EventSpec;
  readonly optional: boolean;
  readonly on: readonly ReadonlySet<number>[];
}

interface Taken {
  readonly event: EventSpec;
  /** Transitions whose pattern it meets. */
  readonly on: ReadonlySet<number>;
}

type Ending = "accepted" | "broken" | "no step";

/** Whether one step surely comes before another. */
type Precedes = (x: EventSpec, y: EventSpec) => boolean;

export function judgeMachine(machine: MachineSpec, seen: Seen): ReadonlyMap<string, SlowInstance> {
  const groups = new Map<string, Step[]>();
  const anywhere: Step[] = [];
  for (const event of seen.events) {
    const key = keyOf(machine.bind, event);
    const member = seen.member(event);
    if (key === "absent" || member === "false") continue;
    const truths = machine.transitions.map(({ on }) => matches(speaking(machine, on), event));
    const speaks = machine.unlisted === "violate" && matches(anyOf(machine), event) === "true";
    if (!speaks && truths.every((one) => one === "false")) continue;
    const sure = new Set(truths.flatMap((one, i) => (one === "true" ? [i] : [])));
    let on: readonly ReadonlySet<number>[] = [sure];
    truths.forEach((one, i) => {
      if (one === "unknown") on = on.flatMap((set) => [set, new Set([...set, i])]);
    });
    const step = { event, optional: member === "unknown" || key === "unknown", on };
    if (key === "unknown") anywhere.push(step);
    else groups.set(`key ${key.text}`, [...(groups.get(`key ${key.text}`) ?? []), step]);
  }
  // Some of them may have a key of their own, which nobody knows.
  const own = groups.size > 0 && endingsOf(machine, seen, anywhere).has("broken");
  if (groups.size === 0 && anywhere.length > 0) groups.set("key ", []);
  return new Map<string, SlowInstance>([
    ...[...groups].map(([key, steps]) => [key, judgeSteps(machine, seen, [...steps, ...anywhere])] as const),
    ...(own ? [["key ", { verdict: "inconclusive" }] as const] : []),
  ]);
}

/** What has no name of its own speaks of calls and of the kinds that the machine names. */
function speaking(machine: MachineSpec, on: TransitionSpec["on"]): TransitionSpec["on"] {
  const open = on.names.length === 0 && on.kind === undefined;
  return open ? { names: [], anyOf: anyOf(machine).anyOf ?? [] } : on;
}

function anyOf({ transitions }: MachineSpec): TransitionSpec["on"] {
  const kinds = new Set(["tool_call", "retrieval", ...transitions.flatMap(({ on }) => on.kind ?? [])]);
  return { names: [], anyOf: [...kinds].map((kind) => ({ names: [], kind })) };
}

function judgeSteps(machine: MachineSpec, seen: Seen, steps: readonly Step[]): SlowInstance {
  const results = endingsOf(machine, seen, steps);
  if (results.size === 1 && results.has("accepted")) return { verdict: "satisfied" };
  if (results.size === 1 && results.has("broken")) return { verdict: "violated" };
  return { verdict: "inconclusive" };
}

function endingsOf(machine: MachineSpec, seen: Seen, steps: readonly Step[]): ReadonlySet<Ending> {
  const results = new Set<Ending>();
  const precedes = withoutCircles(
    steps.map(({ event }) => event),
    (x, y) => seen.order.before(endOf(x), startOf(y), "required") === "true",
  );
  for (const world of worldsOf(machine, steps)) {
    if (world.length === 0) results.add("no step");
    else walk(machine, precedes, world, machine.initial, results);
  }
  return results;
}

/** What contradicts itself over several steps says nothing: a pair counts unless the later one leads back. */
function withoutCircles(events: readonly EventSpec[], precedes: Precedes): Precedes {
  const leads = new Set<string>();
  const word = (x: EventSpec, y: EventSpec): string => `${events.indexOf(x)} ${events.indexOf(y)}`;
  for (const x of events) for (const y of events) if (x !== y && precedes(x, y)) leads.add(word(x, y));
  for (const middle of events) {
    for (const x of events) {
      for (const y of events) {
        if (leads.has(word(x, middle)) && leads.has(word(middle, y))) leads.add(word(x, y));
      }
    }
  }
  return (x, y) => precedes(x, y) && !leads.has(word(y, x));
}

function worldsOf(machine: MachineSpec, steps: readonly Step[]): readonly (readonly Taken[])[] {
  let worlds: readonly (readonly Taken[])[] = [[]];
  for (const { event, optional, on } of steps) {
    worlds = worlds.flatMap((world) => [
      ...(optional ? [world] : []),
      ...on.map((set) =>
        // Where it meets nothing that the machine lists, and the rest is ignored, it is no step.
        set.size === 0 && machine.unlisted === "ignore" ? world : [...world, { event, on: set }],
      ),
    ]);
  }
  return worlds;
}

function walk(
  machine: MachineSpec,
  precedes: Precedes,
  left: readonly Taken[],
  state: string,
  results: Set<Ending>,
): void {
  if (left.length === 0) {
    results.add(machine.final === null || machine.final.includes(state) ? "accepted" : "broken");
    return;
  }
  for (const step of left) {
    if (left.some((other) => other !== step && precedes(other.event, step.event))) continue;
    const rest = left.filter((other) => other !== step);
    const taken = machine.transitions.find(({ from }, i) => from === state && step.on.has(i));
    if (taken !== undefined) walk(machine, precedes, rest, taken.to, results);
    else if (step.on.size > 0 && machine.onIllegal === "stay") walk(machine, precedes, rest, state, results);
    else results.add("broken");
  }
}
