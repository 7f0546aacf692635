/** The oracle of counts and machines: every way the unknown could be, every order the steps can have had. */
import type { Event } from "../../src/model/event.ts";
import type { ClockPolicy, Truth } from "../../src/model/order.ts";
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

/** Every linear order that the steps can have had, one after the other; a closed scope. */
export function oracleMachine(
  machine: OracleMachine,
  events: readonly Event[],
  policy: ClockPolicy,
  member: OracleMember = everywhere,
): OracleVerdict | null {
  const found = walkMachine(machine, events, policy, member);
  return found === "circle" ? "inconclusive" : found;
}

/** `circle`: precedences contradict each other, so there is no order at all. */
function walkMachine(
  machine: OracleMachine,
  events: readonly Event[],
  policy: ClockPolicy,
  member: OracleMember,
): OracleVerdict | "circle" | null {
  const unsure = events.filter((event) => member(event) === "unknown");
  if (unsure.length > 0) {
    // Every way in which those that may lie in the stretch do.
    const [one] = unsure;
    const taken =
      (truth: Truth): OracleMember =>
      (event) =>
        event === one ? truth : member(event);
    const [out, inside] = [
      walkMachine(machine, events, policy, taken("false")),
      walkMachine(machine, events, policy, taken("true")),
    ];
    // Precedences that contradict each other are no knowledge, whichever steps are taken.
    if (out === "circle" || inside === "circle") return "circle";
    return out === inside ? out : "inconclusive";
  }
  const order = new OracleOrder(events, policy);
  const listed = (event: Event): boolean =>
    machine.transitions.some(({ on }) => matches(on, event) === "true");
  const steps = events.filter(
    (event) => member(event) === "true" && (listed(event) || machine.unlisted === "violate"),
  );
  if (steps.length === 0 && !machine.judgedWithoutStep) return null;
  const results = new Set<boolean>();
  const walk = (left: readonly Event[], state: string): void => {
    if (left.length === 0) {
      results.add(machine.final === null || machine.final.has(state));
      return;
    }
    for (const step of left) {
      const first = left.every(
        (other) => other === step || order.before(other, true, step, false, "required") !== "true",
      );
      if (!first) continue;
      const rest = left.filter((other) => other !== step);
      const taken = machine.transitions.find(
        ({ from, on }) => from === state && matches(on, step) === "true",
      );
      if (taken !== undefined) walk(rest, taken.to);
      else if (listed(step) && machine.onIllegal === "stay") walk(rest, state);
      else results.add(false);
    }
  };
  walk(steps, machine.initial);
  if (results.size === 0) return "circle";
  if (results.size > 1) return "inconclusive";
  return results.has(true) ? "satisfied" : "violated";
}
