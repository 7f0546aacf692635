/** The oracle of counts and machines: every way the unknown could be, every order the steps can have had. */
import type { Event } from "../../src/model/event.ts";
import type { ClockPolicy } from "../../src/model/order.ts";
import {
  and,
  everywhere,
  matches,
  type OracleMember,
  OracleOrder,
  type OracleVerdict,
  read,
} from "./oracle.ts";
import type { OracleCount, OracleMachine } from "./oracle-types.ts";

/**
 * One verdict a key, by trying every way the unknown could be: each event counts or not, each missing or hidden
 * value is one of its own, or one that is there.
 */
export function oracleCount(
  count: OracleCount,
  events: readonly Event[],
  member: OracleMember = everywhere,
): Map<string, OracleVerdict> {
  const groups = new Map<string, Event[]>();
  if (count.bind.length === 0) groups.set("", []);
  for (const event of events) {
    if (matches(count.of, event) === "false" || member(event) === "false") continue;
    const parts = count.bind.map((path) => read(event, path));
    if (parts.some((part) => part === "absent" || (part !== "unknown" && part.value === ""))) continue;
    if (parts.some((part) => part === "unknown")) throw new Error("the oracle binds known keys only");
    const key = parts.map((part) => (typeof part === "object" ? String(part.value) : "")).join();
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  return new Map([...groups].map(([key, group]) => [key, countGroup(count, group, member)]));
}

function countGroup(count: OracleCount, group: readonly Event[], member: OracleMember): OracleVerdict {
  let sizes = new Map<string, ReadonlySet<string>>([["", new Set()]]);
  const add = (values: ReadonlySet<string>, value: string): ReadonlySet<string> =>
    new Set([...values, value]);
  for (const event of group) {
    const next = new Map<string, ReadonlySet<string>>();
    const put = (values: ReadonlySet<string>): void => {
      next.set([...values].sort().join("|"), values);
    };
    const value = count.distinct.map((path) => read(event, path));
    const known = value.every((part) => typeof part === "object" && part.value !== "");
    const text = known ? JSON.stringify(value) : `own of ${event.id}`;
    for (const values of sizes.values()) {
      put(add(values, count.distinct.length === 0 ? event.id : text));
      const certain = and(matches(count.of, event), member(event)) === "true";
      const sure = certain && (count.distinct.length === 0 || known);
      if (!sure) put(values);
    }
    sizes = next;
  }
  const holds = [...sizes.values()].map(
    ({ size }) => (count.min === null || size >= count.min) && (count.max === null || size <= count.max),
  );
  if (holds.every(Boolean)) return "satisfied";
  return holds.some(Boolean) ? "inconclusive" : "violated";
}

type Precedes = (x: Event, y: Event) => boolean;

/** Every linear order that the steps can have had, one after the other; a closed scope. */
export function oracleMachine(
  machine: OracleMachine,
  events: readonly Event[],
  policy: ClockPolicy,
  member: OracleMember = everywhere,
): OracleVerdict | null {
  const order = new OracleOrder(events, policy);
  const steps = events.filter(
    (event) => member(event) !== "false" && (isListed(machine, event) || machine.unlisted === "violate"),
  );
  const precedes = withoutCircles(
    steps,
    (x, y) => x !== y && order.before(x, true, y, false, "required") === "true",
  );
  const certain = steps.filter((step) => member(step) === "true");
  const unsure = steps.filter((step) => member(step) === "unknown");
  // Every way in which those that may lie in the stretch do.
  const found = new Set(
    subsetsOf(unsure).map((taken) => judgeSteps(machine, [...certain, ...taken], precedes)),
  );
  const [only = null] = found;
  return found.size > 1 ? "inconclusive" : only;
}

const subsetsOf = (items: readonly Event[]): readonly (readonly Event[])[] =>
  items.reduce<readonly (readonly Event[])[]>(
    (sets, item) => sets.flatMap((set) => [set, [...set, item]]),
    [[]],
  );

const isListed = (machine: OracleMachine, event: Event): boolean =>
  machine.transitions.some(({ on }) => matches(on, event) === "true");

/** A pair counts unless other pairs lead from the later step back to the earlier: those contradict each other. */
function withoutCircles(events: readonly Event[], precedes: Precedes): Precedes {
  const leadsTo = (x: Event, y: Event, seen: readonly Event[]): boolean =>
    precedes(x, y) ||
    events.some((next) => !seen.includes(next) && precedes(x, next) && leadsTo(next, y, [...seen, next]));
  return (x, y) => precedes(x, y) && !leadsTo(y, x, [y]);
}

function judgeSteps(
  machine: OracleMachine,
  steps: readonly Event[],
  precedes: Precedes,
): OracleVerdict | null {
  if (steps.length === 0 && !machine.judgedWithoutStep) return null;
  const results = new Set<boolean>();
  const walk = (left: readonly Event[], state: string): void => {
    if (left.length === 0) {
      results.add(machine.final === null || machine.final.has(state));
      return;
    }
    for (const step of left) {
      if (left.some((other) => precedes(other, step))) continue;
      const rest = left.filter((other) => other !== step);
      const taken = machine.transitions.find(
        ({ from, on }) => from === state && matches(on, step) === "true",
      );
      if (taken !== undefined) walk(rest, taken.to);
      else if (isListed(machine, step) && machine.onIllegal === "stay") walk(rest, state);
      else results.add(false);
    }
  };
  walk(steps, machine.initial);
  if (results.size > 1) return "inconclusive";
  return results.has(true) ? "satisfied" : "violated";
}
