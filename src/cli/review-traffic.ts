/** What recorded runs show of a contract: who was called, which values went where, which orders came up. */
import type { Event } from "../model/event.ts";
import { defaultSettings } from "../model/settings.ts";
import { isArray, isObject, type Value } from "../model/value.ts";
import { createOrder } from "../processor/order/happened-before.ts";
import type { JudgedRun } from "../processor/report.ts";
import { compilePattern } from "../rules/match.ts";
import type { Pattern } from "../rules/pattern.ts";
import { toolKinds } from "../rules/words.ts";

export interface Traffic {
  readonly runs: number;
  readonly tools: ReadonlyMap<string, ToolTraffic>;
  readonly flows: readonly Flow[];
  readonly variants: readonly Variant[];
  /** In how many runs an event surely matches. */
  matchedIn(pattern: Pattern): number;
}

export interface ToolTraffic {
  calls: number;
  runs: number;
  /** Calls that failed and were followed by one of the same tool that did not. */
  retried: number;
}

/** A value of one tool's result among the arguments of another. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  /** Where the argument stands: `args.plan_id`. */
  readonly path: string;
  /** Runs in which it was surely read before it was used. */
  first: number;
  /** Runs in which it was used, and the one result that holds it surely came later. */
  late: number;
}

/** Two tools that came in either order. */
export interface Variant {
  readonly first: string;
  readonly second: string;
  readonly forwards: number;
  readonly backwards: number;
}

const didNotRun: ReadonlySet<string> = new Set(["awaiting", "rejected_invalid", "requested"]);
/** More events in a run than this are looked at for counts only: pairs grow with the square. */
const mostCompared = 400;

type Call = Event & { readonly name: string };

const isCall = (event: Event): event is Call =>
  toolKinds.has(event.kind) && event.name !== null && !didNotRun.has(event.status);

export function trafficOf(runs: readonly JudgedRun[]): Traffic {
  const tools = new Map<string, ToolTraffic>();
  const flows = new Map<string, Flow>();
  const orders = new Map<string, { forwards: number; backwards: number }>();
  for (const run of runs) {
    const calls = run.events.filter(isCall);
    countCalls(calls, tools);
    const compared = calls.slice(0, mostCompared);
    const order = createOrder(run.events, defaultSettings.clock);
    const before = (a: Event, b: Event): boolean =>
      order.before({ event: a, boundary: "finished_at" }, { event: b, boundary: "started_at" }, "forbidden")
        .truth === "true";
    countFlows(compared, before, flows);
    countOrders(compared, before, orders);
  }
  return {
    runs: runs.length,
    tools,
    flows: [...flows.values()],
    variants: [...orders].flatMap(([key, { forwards, backwards }]) => {
      const [first = "", second = ""] = key.split("\n");
      return forwards > 0 && backwards > 0 ? [{ first, second, forwards, backwards }] : [];
    }),
    matchedIn(pattern) {
      const matches = compilePattern(pattern);
      return runs.filter(({ events }) => events.some((event) => matches(event).truth === "true")).length;
    },
  };
}

function countCalls(calls: readonly Call[], tools: Map<string, ToolTraffic>): void {
  const failed = new Set<string>();
  const seen = new Set<string>();
  for (const { name, status } of calls) {
    const tool = tools.get(name) ?? { calls: 0, runs: 0, retried: 0 };
    tools.set(name, tool);
    tool.calls += 1;
    if (!seen.has(name)) tool.runs += 1;
    seen.add(name);
    if (status === "error" || status === "timeout") failed.add(name);
    else if (failed.delete(name)) tool.retried += 1;
  }
}

type Before = (a: Event, b: Event) => boolean;

function countFlows(calls: readonly Call[], before: Before, flows: Map<string, Flow>): void {
  const given = calls.map(
    (call) => new Map(scalars(call.args, "args").map(([path, value]) => [value, path])),
  );
  const producers = new Map<string, Call[]>();
  for (const [index, call] of calls.entries()) {
    for (const [, value] of scalars(call.result, "result")) {
      // What a tool was told and says again comes from whoever told it.
      if (given[index]?.has(value) !== true) producers.set(value, [...(producers.get(value) ?? []), call]);
    }
  }
  const seen = new Set<string>();
  for (const [index, user] of calls.entries()) {
    for (const [value, path] of given[index] ?? []) {
      const others = (producers.get(value) ?? []).filter(({ name }) => name !== user.name);
      const earlier = others.filter((call) => before(call, user));
      const toldBefore = calls.some(
        (call, at) => call !== user && given[at]?.has(value) === true && before(call, user),
      );
      const [source] = earlier.length > 0 ? earlier : others;
      if (source === undefined) continue;
      const late = earlier.length === 0 && !toldBefore && others.every((call) => before(user, call));
      if (earlier.length === 0 && !late) continue;
      const key = [source.name, user.name, path].join("\n");
      const flow = flows.get(key) ?? { from: source.name, to: user.name, path, first: 0, late: 0 };
      flows.set(key, flow);
      if (seen.has(`${key}\n${late}`)) continue;
      seen.add(`${key}\n${late}`);
      if (late) flow.late += 1;
      else flow.first += 1;
    }
  }
}

function countOrders(
  calls: readonly Call[],
  before: Before,
  orders: Map<string, { forwards: number; backwards: number }>,
): void {
  const first = new Map<string, Call>();
  for (const call of calls) if (!first.has(call.name)) first.set(call.name, call);
  const names = [...first.keys()].sort();
  for (const [index, one] of names.entries()) {
    for (const other of names.slice(index + 1)) {
      const [a, b] = [first.get(one), first.get(other)];
      if (a === undefined || b === undefined) continue;
      const key = `${one}\n${other}`;
      const counts = orders.get(key) ?? { forwards: 0, backwards: 0 };
      orders.set(key, counts);
      if (before(a, b)) counts.forwards += 1;
      else if (before(b, a)) counts.backwards += 1;
    }
  }
}

/** Texts and numbers that tell one thing from another: short words and small numbers stand everywhere. */
function scalars(
  value: Value | undefined,
  path: string,
): readonly (readonly [path: string, value: string])[] {
  if (typeof value === "string") return value.length >= 3 && value.length <= 200 ? [[path, value]] : [];
  if (typeof value === "bigint") return [[path, String(value)]];
  if (typeof value === "number") return Math.abs(value) >= 100 ? [[path, String(value)]] : [];
  if (isArray(value)) return value.flatMap((item) => scalars(item, path));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, inner]) => scalars(inner, `${path}.${key}`));
  }
  return [];
}
