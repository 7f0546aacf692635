/** Makes a difference small, and writes it down as a case that `toolorder test` reads. */
import type { SpanFact } from "../../../src/model/span-fact.ts";
import {
  type EventSpec,
  type PatternSpec,
  type RuleSpec,
  type TraceSpec,
  writtenPolicy,
  writtenRule,
} from "./language.ts";
import { type Delivery, factOf } from "./product.ts";
import { slowJudge } from "./slow-judge.ts";
import { baseMs } from "./slow-link.ts";
import { type Failure, tryOnce } from "./trials.ts";

/** Takes away whatever can be taken away while the two still differ. */
export function reduced(failure: Failure): Failure {
  let best = failure;
  const better = (rule: RuleSpec, trace: TraceSpec, deliveries: readonly Delivery[]): boolean => {
    const lines = tryOnce(rule, trace, deliveries);
    if (lines.length === 0 || lines[0]?.startsWith("threw") !== best.lines[0]?.startsWith("threw"))
      return false;
    best = { rule, trace, deliveries, lines };
    return true;
  };
  better(best.rule, best.trace, best.deliveries);
  for (let again = true; again; ) {
    again =
      simplerArrivals(best).some((deliveries) => better(best.rule, best.trace, deliveries)) ||
      simplerTraces(best.trace).some((trace) => better(best.rule, trace, arrivalsOf(best, trace))) ||
      simplerRules(best.rule).some((rule) => better(rule, best.trace, best.deliveries));
  }
  return best;
}

function simplerArrivals({ trace, deliveries }: Failure): (readonly Delivery[])[] {
  const together = [{ second: 60, facts: trace.events.map(factOf) }];
  if (JSON.stringify(deliveries.map(({ facts }) => facts.length)) === JSON.stringify([trace.events.length]))
    return [];
  const without = deliveries.flatMap(({ facts }, d) =>
    facts.map((_, f) =>
      deliveries.map((one, i) => (i === d ? { ...one, facts: one.facts.filter((__, j) => j !== f) } : one)),
    ),
  );
  const whole = (list: readonly Delivery[]): boolean =>
    trace.events.every((event) => {
      const last = JSON.stringify(factOf(event), text);
      return list.some(({ facts }) => facts.some((fact) => JSON.stringify(fact, text) === last));
    });
  return [together, ...without.filter(whole)];
}

const text = (_: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value instanceof Map ? [...value] : value;

/** The same arrivals, of what the trace now holds: facts of events that changed are made anew. */
function arrivalsOf({ deliveries, trace: old }: Failure, trace: TraceSpec): readonly Delivery[] {
  const now = new Map(trace.events.map((event) => [event.id, event]));
  const before = new Map(old.events.map((event) => [event.id, event]));
  const renewed = (fact: SpanFact): readonly SpanFact[] => {
    const event = now.get(fact.eventId ?? "");
    if (event === undefined) return [];
    const same = JSON.stringify(before.get(event.id)) === JSON.stringify(event);
    return [same ? fact : factOf(event)];
  };
  return deliveries
    .map((delivery) => ({ ...delivery, facts: delivery.facts.flatMap(renewed) }))
    .filter(({ facts }) => facts.length > 0);
}

function simplerTraces({ events, policy }: TraceSpec): TraceSpec[] {
  const fewer = events.map((gone) => ({ policy, events: events.filter((event) => event !== gone) }));
  const plainer = events.flatMap((event) =>
    simplerEvents(event).map((simpler) => ({
      policy,
      events: events.map((one) => (one === event ? simpler : one)),
    })),
  );
  return [...fewer, ...plainer];
}

function simplerEvents(event: EventSpec): EventSpec[] {
  const plain: Partial<EventSpec> = {
    run: "r1",
    kind: "tool_call",
    host: "h1",
    seq: null,
    parents: [],
    links: [],
    parent: null,
    sync: false,
    args: {},
    result: {},
    dropped: [],
    status: "success",
  };
  return Object.entries(plain)
    .filter(([key, value]) => JSON.stringify(event[key as keyof EventSpec]) !== JSON.stringify(value))
    .map(([key, value]) => ({ ...event, [key]: value }));
}

function simplerRules(rule: RuleSpec): RuleSpec[] {
  const simpler: RuleSpec[] = [];
  const plain: Readonly<Record<string, unknown>> = {
    scope: { is: "run" },
    onUnknown: "inconclusive",
    mustApply: false,
    clock: {},
    bind: [],
    where: [],
    withinMs: null,
    validUntil: null,
    unlessBetween: [],
    atLeast: 1,
    limit: 1,
    distinct: [],
    windowMs: null,
    final: null,
  };
  for (const [key, value] of Object.entries(plain)) {
    const has = rule[key as keyof RuleSpec];
    // What never ends asks for a time limit.
    if (key === "withinMs" && (rule.scope.is === "all" || rule.scope.is === "key")) continue;
    if (has === undefined || JSON.stringify(has) === JSON.stringify(value)) continue;
    simpler.push({ ...rule, [key]: value });
  }
  for (const key of ["anchor", "witness", "of"] as const) {
    const pattern = (rule as unknown as Readonly<Record<string, unknown>>)[key] as PatternSpec | undefined;
    if (pattern === undefined || pattern.names.length === 0) continue;
    const plainer: PatternSpec = { names: pattern.names };
    if (JSON.stringify(plainer) !== JSON.stringify(pattern)) simpler.push({ ...rule, [key]: plainer });
  }
  return simpler;
}

/** Numbers are milliseconds. What a case cannot say is said in a comment. */
export function caseFile({ rule, trace, deliveries, lines }: Failure): string {
  const [scope] = slowJudge(rule, trace);
  const widths = new Set(
    trace.events.map(({ start }) => (start % 1e6 === 0 ? 1e6 : start % 1e3 === 0 ? 1e3 : 1)),
  );
  const { policy } = trace;
  const resolution = rule.clock.resolution ?? policy.resolution ?? [...widths][0] ?? 1;
  const written = writtenRule({ ...rule, clock: { ...policy, ...rule.clock, resolution } });
  const arrival = new Map<string, number>();
  const arrived = deliveries.flatMap(({ facts }) => facts);
  for (const [i, { eventId }] of arrived.entries()) arrival.set(eventId ?? "", i + 1);
  const instances = [...(scope?.instances ?? [])].filter(([id]) => !/^(?:key |none)/.test(id));
  const expect = {
    rule: rule.id,
    verdict: scope?.verdict ?? "vacuous",
    ...(instances.length === 0
      ? {}
      : { instances: Object.fromEntries(instances.map(([id, { verdict }]) => [id, verdict])) }),
  };
  return [
    ...lines.map((line) => `# ${line}`),
    ...(widths.size > 1 && policy.resolution === null
      ? ["# each stamp is as wide as the digits of its event's start"]
      : []),
    ...(arrived.length > trace.events.length ? ["# some events came more than once"] : []),
    "cases:",
    "- id: difference",
    `  clock: ${JSON.stringify(writtenPolicy({ ...policy, resolution: null }))}`,
    "  events:",
    ...trace.events.map((event) => `  - ${JSON.stringify(writtenEvent(event, arrival.get(event.id)))}`),
    "  rules:",
    `  - ${JSON.stringify(written)}`,
    "  expect:",
    `  - ${JSON.stringify(expect)}`,
  ].join("\n");
}

function writtenEvent(event: EventSpec, arrival: number | undefined): Readonly<Record<string, unknown>> {
  const { start, end, result, ...rest } = event;
  // Times inside results count from the same zero as the events.
  const until = (result as { until?: unknown } | undefined)?.until;
  const moved =
    typeof until === "number"
      ? { ...(result as Readonly<Record<string, unknown>>), until: until - baseMs }
      : result;
  const all = {
    ...rest,
    start: start / 1e6,
    ...(end === null ? {} : { end: end / 1e6 }),
    result: moved,
    arrival,
  };
  return Object.fromEntries(
    Object.entries(all).filter(
      ([, value]) =>
        value !== null &&
        value !== undefined &&
        value !== false &&
        !(Array.isArray(value) && value.length === 0),
    ),
  );
}
