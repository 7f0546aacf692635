/** Draws rules and traces from a seed: small ones that meet each other often, in every kind of evidence and doubt. */
import type { Value } from "../../../src/model/value.ts";
import type {
  BindSpec,
  ComparisonSpec,
  EventSpec,
  PatternSpec,
  PolicySpec,
  RuleSpec,
  ScopeSpec,
  TestSpec,
  TraceSpec,
  TransitionSpec,
} from "./language.ts";
import { baseMs } from "./slow-link.ts";

/** Mulberry32: small, and the same everywhere. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** 0 to `below` - 1. */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.int(items.length)] ?? items[0];
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, key: this.next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
  }
}

const letters = ["A", "B", "C"] as const;
/** Of what happens: few names, so that rules and traces meet. */
const traffic = ["A", "A", "B", "B", "C"] as const;
const ms = 1_000_000;

export function drawPolicy(random: Random): PolicySpec {
  return {
    skew: random.pick([2 * ms, 0, 50 * ms, null, 2 * ms]),
    tie: random.pick(["before", "before", "unknown"]),
    resolution: random.pick([null, null, 1, 1, 2 * ms]),
    inferOffset: random.chance(0.7),
    evidence: random.chance(0.1) ? "causal" : "any",
  };
}

export function drawRule(random: Random, id: string): RuleSpec {
  const shared = {
    id,
    onUnknown: random.pick(["inconclusive", "inconclusive", "inconclusive", "violate", "satisfy"] as const),
    mustApply: random.chance(0.15),
    clock: random.chance(0.25) ? part(random, drawPolicy(random)) : {},
  };
  const kind = random.pick(["link", "link", "link", "link", "count", "count", "machine", "apart"] as const);
  switch (kind) {
    case "link":
      return drawLink(random, shared);
    case "count":
      return drawCount(random, shared);
    case "machine":
      return drawMachine(random, shared);
    case "apart":
      return {
        ...shared,
        kind,
        scope: drawScope(random, false),
        of: random.chance(0.4) ? { names: ["*"] } : drawPattern(random),
        bind: drawBinds(random, 0.4),
        where: random.chance(0.15) ? [drawComparison(random, ["a", "w"])] : [],
        limit: random.pick([1, 1, 1, 2]),
      };
  }
}

type Shared = Pick<RuleSpec, "id" | "onUnknown" | "mustApply" | "clock">;

/** Some of the keys. A resolution that hangs on the stamps cannot be said in a rule. */
function part(random: Random, policy: PolicySpec): Partial<PolicySpec> {
  const { skew, tie, resolution, inferOffset, evidence } = policy;
  return {
    ...(random.chance(0.5) ? { skew } : {}),
    ...(random.chance(0.5) ? { tie } : {}),
    ...(random.chance(0.3) && resolution !== null ? { resolution } : {}),
    ...(random.chance(0.3) ? { inferOffset } : {}),
    ...(random.chance(0.3) ? { evidence } : {}),
  };
}

function drawLink(random: Random, shared: Shared): RuleSpec {
  const need = random.pick(["past", "past", "future", "any"] as const);
  const quant = random.pick(["some", "some", "none"] as const);
  const ordered = need !== "any";
  const withinMs = ordered && random.chance(0.35) ? random.pick([0, 1, 1, 2, 2, 3]) : null;
  const scope = drawScope(random, withinMs !== null);
  const validUntil = need === "past" && random.chance(0.25) ? "w.result.until" : null;
  const boundary = (side: PatternSpec): PatternSpec =>
    ordered && validUntil === null && random.chance(0.2)
      ? { ...side, boundary: random.pick(["started_at", "finished_at"]) }
      : side;
  // What limits the time matters only to pairs that everything else lets through.
  const simple = (withinMs !== null || validUntil !== null) && random.chance(0.75);
  const side = (): PatternSpec => (simple ? { names: [random.pick(traffic)] } : drawPattern(random));
  return {
    ...shared,
    kind: "link",
    scope,
    anchor: boundary(side()),
    witness: boundary(side()),
    need,
    quant,
    atLeast: quant === "some" && random.chance(0.15) ? 2 : 1,
    bind: drawBinds(random, simple ? 0.1 : 0.4),
    where: !simple && random.chance(0.2) ? [drawComparison(random, ["a", "w"])] : [],
    withinMs,
    validUntil,
    unlessBetween:
      ordered && !simple && random.chance(0.3)
        ? Array.from({ length: random.pick([1, 1, 2]) }, () => ({
            match: drawPattern(random),
            where: random.chance(0.3) ? [drawComparison(random, ["b", random.pick(["a", "w"])])] : [],
          }))
        : [],
  };
}

function drawCount(random: Random, shared: Shared): RuleSpec {
  const scope = drawScope(random, true);
  const bind = random.chance(0.4) ? [random.pick(["args.k", "args.k", "result.n"])] : [];
  const distinct = random.chance(0.4)
    ? random.pick([["args.k"], ["result.n"], ["args.k", "result.n"], ["name"]] as [string[], ...string[][]])
    : [];
  const windowMs = random.chance(0.3) ? random.pick([0, 1, 1, 2, 2, 3]) : null;
  const max = windowMs !== null || random.chance(0.6) ? random.int(windowMs === null ? 4 : 3) : null;
  const min = windowMs === null && (max === null || random.chance(0.3)) ? random.int(4) : null;
  return {
    ...shared,
    kind: "count",
    scope,
    of: random.chance(0.3) ? { names: ["*"] } : drawPattern(random),
    min: min !== null && max !== null ? Math.min(min, max) : min,
    max,
    distinct,
    bind,
    windowMs,
  };
}

function drawMachine(random: Random, shared: Shared): RuleSpec {
  const states = ["s0", "s1", "s2"] as const;
  const transitions: TransitionSpec[] = [];
  const refined: PatternSpec = random.chance(0.4) ? drawPattern(random) : { names: [] };
  for (const from of states) {
    for (const name of random.shuffled(letters).slice(0, 1 + random.int(2))) {
      const on = random.chance(0.2) ? { ...refined, names: [name] } : { names: [name] };
      transitions.push({ from, on: withoutKind(on), to: random.pick(states) });
    }
  }
  const used = states.filter((state) => transitions.some(({ from, to }) => from === state || to === state));
  const final = used.filter(() => random.chance(0.5));
  return {
    ...shared,
    kind: "machine",
    scope: drawScope(random, false),
    bind: random.chance(0.3) ? ["args.k"] : [],
    initial: "s0",
    transitions,
    unlisted: random.pick(["ignore", "ignore", "violate"]),
    onIllegal: random.pick(["violate", "stay"]),
    final: final.length > 0 && random.chance(0.6) ? final : null,
  };
}

/** Names alone keep two transitions of one state apart. */
function withoutKind({ kind, anyOf, not, ...rest }: PatternSpec): PatternSpec {
  return not === undefined ? rest : { ...rest, not };
}

/** `endless`: it needs no close, so it may also be judged where there is none. */
function drawScope(random: Random, endless: boolean): ScopeSpec {
  const draw = random.next();
  if (draw < 0.45) return { is: "run" };
  if (draw < 0.65) return { is: "conversation" };
  if (draw < 0.85 && endless) {
    return random.chance(0.5) ? { is: "all" } : { is: "key", path: random.pick(["args.k", "conversation"]) };
  }
  if (draw < 0.85) return { is: "run" };
  const both = random.chance(0.4);
  const after = both || random.chance(0.5) ? drawPattern(random) : null;
  return {
    is: "stretch",
    after,
    before: both || after === null ? drawPattern(random) : null,
    bind: drawBinds(random, 0.2),
  };
}

function drawPattern(random: Random): PatternSpec {
  const draw = random.next();
  if (draw < 0.05) return { names: [] };
  if (draw < 0.12) return { names: [], kind: "resume" };
  if (draw < 0.18) return { names: [random.pick(letters)], kind: "retrieval" };
  if (draw < 0.24) {
    return {
      names: [],
      anyOf: [drawNamed(random), random.chance(0.3) ? { names: [], kind: "resume" } : drawNamed(random)],
    };
  }
  return drawNamed(random);
}

function drawNamed(random: Random): PatternSpec {
  const names = random.chance(0.12)
    ? [random.pick(letters), random.pick(["A", "B*"])]
    : [random.pick(letters)];
  const pattern: PatternSpec = { names: [...new Set(names)] };
  const draw = random.next();
  if (draw < 0.55) return pattern;
  if (draw < 0.65) {
    return {
      ...pattern,
      status: random.pick([
        ["success"],
        ["success"],
        ["error", "timeout"],
        ["rejected_invalid"],
        ["awaiting"],
      ] as [string[], ...string[][]]),
    };
  }
  if (draw < 0.85) return { ...pattern, tests: [drawTest(random)] };
  if (draw < 0.9) return { ...pattern, absent: random.pick(["args.k", "result.until"]) };
  if (draw < 0.95) return { ...pattern, where: [drawComparison(random, ["e", "e"])] };
  return { ...pattern, not: { names: [], tests: [drawTest(random)] } };
}

function drawTest(random: Random): TestSpec {
  return random.pick<TestSpec>([
    { path: "result", op: "equals", value: "ok" },
    { path: "result.n", op: "equals", value: 1 },
    { path: "result.n", op: "gt", value: 1 },
    { path: "result.n", op: "le", value: 1 },
    { path: "args.k", op: "equals", value: "1" },
    { path: "args.k", op: "ne", value: 1 },
    { path: "args.k", op: "exists", value: true },
    { path: "args.k", op: "exists", value: false },
  ]);
}

function drawBinds(random: Random, share: number): readonly BindSpec[] {
  if (!random.chance(share)) return [];
  const one = (): BindSpec =>
    random.pick<BindSpec>([
      { a: "args.k", w: "args.k" },
      { a: "args.k", w: "args.k" },
      { a: "args.k", w: "result.n" },
      { a: "result.n", w: "result.n" },
      { a: "seq", w: "seq" },
    ]);
  return random.chance(0.2) ? [one(), one()] : [one()];
}

function drawComparison(random: Random, [left, right]: readonly [string, string]): ComparisonSpec {
  const op = random.pick(["==", "!=", "<", "<=", ">", ">="] as const);
  return random.pick<ComparisonSpec>([
    { left: `${left}.seq`, op: "<", right: `${right}.seq` },
    { left: `${left}.args.k`, op, right: `${right}.args.k` },
    { left: `${left}.result.n`, op, right: `${right}.result.n` },
    { left: `${left}.result.n`, op, right: random.int(3) },
    { left: `${left}.args.k`, op: random.pick(["==", "!="]), right: `${right}.result.n` },
  ]);
}

export function drawTrace(random: Random): TraceSpec {
  const length = 1 + random.int(6);
  const grain = random.pick([ms, ms, ms, 250_000, 1_000, 7]);
  const hosts = random.pick([["h1"], ["h1"], ["h1", "h2"], ["h1", "h2", "h3"]] as [string[], ...string[][]]);
  const runs = random.pick([["r1"], ["r1"], ["r1", "r2"]] as [string[], ...string[][]]);
  const conversations = new Map(runs.map((run) => [run, random.pick([null, "c1", "c1", "c2"])]));
  const shape = { edges: random.chance(0.4), hidden: random.chance(0.35), numbered: random.chance(0.4) };
  const ids = Array.from({ length }, (_, i) => `e${i}`);
  const events = ids.map((id): EventSpec => {
    const start = random.int(random.chance(0.75) ? 6 : 40) * grain + (random.chance(0.15) ? ms / 2 : 0);
    const kind = random.pick([
      "tool_call",
      "tool_call",
      "tool_call",
      "tool_call",
      "tool_call",
      "retrieval",
      "resume",
      "decision",
    ]);
    const point = kind === "resume" || kind === "decision";
    const end = point ? start : drawEnd(random, start, grain);
    const run = runs[random.int(runs.length)] ?? "r1";
    const others = (share: number): string[] =>
      shape.edges && random.chance(share) ? [ids[random.int(length)] ?? id].filter((one) => one !== id) : [];
    const host = hosts[random.int(hosts.length)] ?? "h1";
    return {
      id,
      run,
      conversation: conversations.get(run) ?? null,
      kind,
      name: kind === "resume" ? null : random.pick(traffic),
      status: end === null || point ? (end === null ? "running" : "success") : drawStatus(random),
      start,
      end,
      host,
      seq: shape.numbered && random.chance(0.6) ? random.int(4) : null,
      parents: others(0.25),
      links: others(0.15),
      parent: null,
      sync: false,
      args: shape.hidden && random.chance(0.15) ? undefined : drawArgs(random),
      result: end === null || (shape.hidden && random.chance(0.15)) ? undefined : drawResult(random, start),
      dropped:
        shape.hidden && random.chance(0.2) ? [random.pick(["args.k", "args", "result.n", "result"])] : [],
    };
  });
  return {
    events: shape.edges ? events.map((event) => adopted(random, event, events)) : events,
    policy: drawPolicy(random),
  };
}

/** Some events have a span parent in their run; some of these were waited for. */
function adopted(random: Random, event: EventSpec, events: readonly EventSpec[]): EventSpec {
  const own = events.filter((other) => other.run === event.run && other.id < event.id);
  const parent = own[random.int(own.length)];
  if (parent === undefined || !random.chance(0.25)) return event;
  return { ...event, parent: parent.id, sync: random.chance(0.6) };
}

function drawEnd(random: Random, start: number, grain: number): number | null {
  const draw = random.next();
  if (draw < 0.07) return null;
  if (draw < 0.1) return start - grain;
  return start + random.int(4) * grain + (random.chance(0.2) ? 100_000 : 0);
}

const drawStatus = (random: Random): string =>
  random.chance(0.75)
    ? "success"
    : random.pick(["error", "refused", "cancelled", "timeout", "rejected_invalid"]);

function drawArgs(random: Random): Readonly<Record<string, Value>> {
  const k = random.pick<Value | undefined>(["1", 1, "2", 2, "", null, undefined]);
  return k === undefined ? {} : { k };
}

function drawResult(random: Random, start: number): Value {
  if (random.chance(0.3)) return random.pick(["ok", "no", '"ok"']);
  const n = random.pick<Value | undefined>([0, 1, 2, "1", null, undefined]);
  const until = random.pick<Value | undefined>([
    undefined,
    baseMs + Math.floor(start / ms) + random.int(5),
    baseMs + Math.floor(start / ms) + random.int(5),
    baseMs + Math.floor(start / ms) + random.int(3),
    "soon",
  ]);
  return { ...(n === undefined ? {} : { n }), ...(until === undefined ? {} : { until }) };
}
