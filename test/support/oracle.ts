/**
 * The meaning of contracts, slowly and plainly: every pair of events, strong Kleene logic, no index, no early
 * exit, nothing shared with the kernels. Closed scopes only. Its stamps are numbers of
 * nanoseconds, small enough for a test to be exact.
 */
import type { Event } from "../../src/model/event.ts";
import type { Boundary, ClockPolicy, Truth } from "../../src/model/order.ts";
import type { Value } from "../../src/model/value.ts";
import type {
  OracleComparison,
  OracleLink,
  OracleOperand,
  OraclePath,
  OraclePattern,
  OracleStretch,
} from "./oracle-types.ts";

type Use = "required" | "forbidden" | "blocker";

export const and = (...truths: readonly Truth[]): Truth =>
  truths.includes("false") ? "false" : truths.includes("unknown") ? "unknown" : "true";
export const or = (...truths: readonly Truth[]): Truth =>
  truths.includes("true") ? "true" : truths.includes("unknown") ? "unknown" : "false";
export const negate = (truth: Truth): Truth =>
  truth === "unknown" ? truth : truth === "true" ? "false" : "true";
const truth = (value: boolean): Truth => (value ? "true" : "false");

/**
 * What happened before what, by docs/semantics.md 10, for events whose ends are stamps or open; open means
 * never.
 */
export class OracleOrder {
  readonly #events: readonly Event[];
  readonly #policy: ClockPolicy;
  readonly #reach = new Set<string>();
  readonly #domains = new Set<string>();
  readonly #pairs = new Set<string>();

  constructor(events: readonly Event[], policy: ClockPolicy) {
    this.#events = events;
    this.#policy = policy;
    this.#close();
    for (const [from, fromEnd, to] of this.#directEdges()) this.#refute(from, fromEnd, to);
  }

  before(p: Event, pEnd: boolean, q: Event, qEnd: boolean, use: Use): Truth {
    const forward = this.#reach.has(`${p.id} ${pEnd} ${q.id} ${qEnd}`);
    const backward = this.#reach.has(`${q.id} ${qEnd} ${p.id} ${pEnd}`);
    if (forward && backward) return "unknown";
    if (forward) return "true";
    if (backward) return "false";
    if (pEnd && p.end === "open") return "false";
    if (qEnd && q.end === "open") return "true";
    return this.#policy.evidence === "causal" ? "unknown" : this.#byClock(p, pEnd, q, qEnd, use);
  }

  #byClock(p: Event, pEnd: boolean, q: Event, qEnd: boolean, use: Use): Truth {
    if (this.#pairs.has([p.id, q.id].sort().join()) || this.#domains.has([p.clock, q.clock].sort().join())) {
      return "unknown";
    }
    const [a, b] = [this.stamp(p, pEnd), this.stamp(q, qEnd)];
    const [wa, wb] = [this.width(p), this.width(q)];
    if (p.clock !== q.clock) {
      const skew = this.#policy.skew;
      if (skew === null) return "unknown";
      // The latest instant that a can be, against the earliest that b can be.
      if (a + wa - 1 + Number(skew) < b) return "true";
      return b + wb - 1 + Number(skew) < a ? "false" : "unknown";
    }
    if (a + wa <= b) return "true";
    if (b + wb <= a) return "false";
    if (this.#policy.tie === "unknown" || use !== "required" || !pEnd || qEnd) return "unknown";
    if (q.end === "open") return "true";
    // The reverse order: q finished before p started.
    const [qFinish, pStart] = [this.stamp(q, true), this.stamp(p, false)];
    if (pStart + wa <= qFinish) return "true";
    const [m, n] = [p.fields.get("seq"), q.fields.get("seq")];
    const numbered = typeof m === "number" && typeof n === "number" && p.run === q.run;
    return numbered && m < n ? "true" : "unknown";
  }

  stamp(event: Event, end: boolean): number {
    const moment = end ? event.end : event.start;
    if (typeof moment !== "object" || !("at" in moment)) throw new Error("the oracle knows stamps only");
    return Number(moment.at);
  }

  width(event: Event): number {
    if (this.#policy.resolution !== null) return Number(this.#policy.resolution);
    const start = this.stamp(event, false);
    return start % 1e6 === 0 ? 1e6 : start % 1e3 === 0 ? 1e3 : 1;
  }

  /** Least and most nanoseconds from p to q; null where no clock tells. */
  distance(p: Event, pEnd: boolean, q: Event, qEnd: boolean): readonly [number, number] | null {
    if ((pEnd && p.end === "open") || (qEnd && q.end === "open")) return null;
    if (this.#pairs.has([p.id, q.id].sort().join())) return null;
    if (this.#domains.has([p.clock, q.clock].sort().join())) return null;
    const plain = this.stamp(q, qEnd) - this.stamp(p, pEnd);
    const skew = p.clock === q.clock ? 0 : this.#policy.skew;
    if (skew === null || (p.clock !== q.clock && this.#policy.evidence === "causal")) return null;
    return [plain - this.width(p) + 1 - Number(skew), plain + this.width(q) - 1 + Number(skew)];
  }

  *#directEdges(): Generator<readonly [Event, boolean, Event]> {
    const byId = (id: unknown): Event | undefined => this.#events.find((event) => event.id === id);
    for (const event of this.#events) {
      for (const [field, end] of [
        ["parents", true],
        ["links", false],
        ["parent", false],
      ] as const) {
        const value = event.fields.get(field);
        for (const id of Array.isArray(value) ? value : [value]) {
          const from = byId(id);
          if (from !== undefined && from !== event) yield [from, end, event];
        }
      }
    }
    for (const from of this.#events) {
      for (const to of this.#events) if (this.#neighbours(from, to)) yield [from, false, to];
    }
  }

  /** Decision numbers of one run with none of the run's own between them. */
  #neighbours(from: Event, to: Event): boolean {
    const [m, n] = [from.fields.get("seq"), to.fields.get("seq")];
    if (typeof m !== "number" || typeof n !== "number" || from.run !== to.run || m >= n) return false;
    return !this.#events.some(({ run, fields }) => {
      const k = fields.get("seq");
      return run === from.run && typeof k === "number" && m < k && k < n;
    });
  }

  #close(): void {
    const points = this.#events.flatMap((event) => [`${event.id} false`, `${event.id} true`]);
    for (const event of this.#events) this.#reach.add(`${event.id} false ${event.id} true`);
    for (const [from, end, to] of this.#directEdges()) this.#reach.add(`${from.id} ${end} ${to.id} false`);
    for (const k of points) {
      for (const i of points) {
        if (!this.#reach.has(`${i} ${k}`)) continue;
        for (const j of points) if (this.#reach.has(`${k} ${j}`)) this.#reach.add(`${i} ${j}`);
      }
    }
  }

  #refute(from: Event, fromEnd: boolean, to: Event): void {
    // An end that nobody saw still comes after its start.
    const early = this.stamp(from, fromEnd && from.end !== "open");
    const late = this.stamp(to, false);
    const allowed = from.clock === to.clock ? 1 : Number(this.#policy.skew ?? Number.POSITIVE_INFINITY);
    const reversed = late + this.width(to) - 1 + allowed;
    if (from.clock === to.clock ? reversed > early : reversed >= early) return;
    if (from.clock === to.clock) this.#pairs.add([from.id, to.id].sort().join());
    else this.#domains.add([from.clock, to.clock].sort().join());
  }
}

type Read = { readonly value: Value } | "absent" | "unknown";

export function read(event: Event, path: OraclePath): Read {
  const [root = "", ...rest] = path;
  let value: Value | undefined = event.fields.get(root) ?? null;
  if (root === "args" || root === "result") value = event[root];
  if (root === "name") value = event.name;
  if (root === "status") value = event.status;
  if ((root === "args" || root === "result") && value === undefined) return "unknown";
  for (const key of rest) {
    if (event.hidden.has(path.join("."))) return "unknown";
    const record = value as Record<string, Value> | null | undefined;
    value = typeof record === "object" && record !== null ? record[key] : undefined;
  }
  return value === undefined || value === null ? "absent" : { value };
}

/** Names, equality tests and `where` over e only: what the random programs use. */
export function matches(pattern: OraclePattern, event: Event): Truth {
  if (pattern.kinds !== null && !pattern.kinds.has(event.kind)) return "false";
  if (pattern.name !== null && !(pattern.name.op === "equals" && pattern.name.value === event.name))
    return "false";
  const tests = pattern.tests.map(({ path, test }): Truth => {
    const found = read(event, path);
    if (found === "unknown") return "unknown";
    if (test.op !== "equals") throw new Error(`the oracle does not know ${test.op}`);
    return truth(found !== "absent" && found.value === test.value);
  });
  return and(...tests);
}

function sameKey(a: Event, aPath: OraclePath, w: Event, wPath: OraclePath): Truth {
  const [x, y] = [read(a, aPath), read(w, wPath)];
  const empty = (found: Read): boolean => found === "absent" || (found !== "unknown" && found.value === "");
  if (empty(x) || empty(y)) return "false";
  if (x === "unknown" || y === "unknown" || x === "absent" || y === "absent") return "unknown";
  return truth(String(x.value) === String(y.value));
}

function compared({ left, op, right }: OracleComparison, sides: Readonly<Record<string, Event>>): Truth {
  const of = (operand: OracleOperand): Read => {
    if ("literal" in operand) return { value: operand.literal };
    const event = sides[operand.side];
    return event === undefined ? "absent" : read(event, operand.path);
  };
  const [x, y] = [of(left), of(right)];
  if (x === "absent" || y === "absent") return "false";
  if (x === "unknown" || y === "unknown") return "unknown";
  if (op === "==") return truth(x.value === y.value);
  if (op === "!=") return truth(x.value !== y.value);
  if (typeof x.value !== "number" || typeof y.value !== "number") return "false";
  const less = x.value < y.value;
  if (op === "<") return truth(less);
  if (op === ">") return truth(x.value > y.value);
  return truth(op === "<=" ? x.value <= y.value : x.value >= y.value);
}

const atEnd = (boundary: Boundary): boolean => boundary === "finished_at";

/** C(w) of docs/semantics.md 4. */
function isWitness(
  link: OracleLink,
  events: readonly Event[],
  order: OracleOrder,
  a: Event,
  w: Event,
): Truth {
  const [aEnd, wEnd] = [atEnd(link.anchorBoundary), atEnd(link.witnessBoundary)];
  const use = link.quant === "none" ? "forbidden" : "required";
  // A point that never comes meets nothing and breaks nothing.
  const never = link.need !== "any" && wEnd && w.end === "open";
  const inOrder = never
    ? "false"
    : link.need === "any"
      ? "true"
      : link.need === "past"
        ? order.before(w, wEnd, a, aEnd, use)
        : order.before(a, aEnd, w, wEnd, use);
  const bound = and(...link.bind.map((pair) => sameKey(a, pair.anchor, w, pair.witness)));
  const where = and(...link.where.map((comparison) => compared(comparison, { a, w })));
  const near = and(
    link.within === null ? "true" : within(link, order, a, aEnd, w, wEnd),
    link.noSooner == null ? "true" : noSooner(link, order, a, aEnd, w, wEnd),
    ...(link.also ?? []).map(({ first, second, holds }) => {
      const [p, q] = [first.of === "a" ? a : w, second.of === "a" ? a : w];
      const use = holds === (link.quant === "some") ? "required" : "forbidden";
      const found = order.before(p, atEnd(first.boundary), q, atEnd(second.boundary), use);
      return holds ? found : negate(found);
    }),
  );
  const blocked = or(
    ...link.unlessBetween.flatMap(({ match, where: conditions, bound: sameEntity }) =>
      events
        .filter((b) => b !== a && b !== w)
        .map((b) => {
          const [first, firstEnd, last, lastEnd] =
            link.need === "future" ? [a, aEnd, w, wEnd] : [w, wEnd, a, aEnd];
          const over = order.before(b, true, first, firstEnd, "blocker");
          const later = order.before(last, lastEnd, b, false, "blocker");
          const keys = sameEntity ? link.bind.map((pair) => sameKey(a, pair.anchor, b, pair.anchor)) : [];
          return and(
            matches(match, b),
            negate(or(over, later)),
            ...conditions.map((comparison) => compared(comparison, { a, w, b })),
            ...keys,
          );
        }),
    ),
  );
  return and(matches(link.witness, w), inOrder, bound, where, near, negate(blocked));
}

function noSooner(
  link: OracleLink,
  order: OracleOrder,
  a: Event,
  aEnd: boolean,
  w: Event,
  wEnd: boolean,
): Truth {
  const [p, pEnd, q, qEnd] = link.need === "future" ? [a, aEnd, w, wEnd] : [w, wEnd, a, aEnd];
  const found = order.distance(p, pEnd, q, qEnd);
  if (found === null) return "unknown";
  const least = Number(link.noSooner);
  return found[0] >= least ? "true" : found[1] < least ? "false" : "unknown";
}

function within(
  link: OracleLink,
  order: OracleOrder,
  a: Event,
  aEnd: boolean,
  w: Event,
  wEnd: boolean,
): Truth {
  const [p, pEnd, q, qEnd] = link.need === "future" ? [a, aEnd, w, wEnd] : [w, wEnd, a, aEnd];
  const bound = Number(link.within);
  if (qEnd && q.end === "open") return "false";
  const found = order.distance(p, pEnd, q, qEnd);
  if (found === null) return "unknown";
  return found[1] <= bound ? "true" : found[0] > bound ? "false" : "unknown";
}

/** Whether a rule speaks of an event at all. */
export type OracleMember = (event: Event) => Truth;

export const everywhere: OracleMember = () => "true";

/** Some event of each edge surely lies on its side: a tie puts nothing into the stretch. */
export function oracleMember(
  { after, before, bind }: OracleStretch,
  events: readonly Event[],
  policy: ClockPolicy,
): OracleMember {
  const order = new OracleOrder(events, policy);
  return (event) => {
    const some = (pattern: OraclePattern, inOrder: (edge: Event) => Truth): Truth =>
      or(
        "false",
        ...events
          .filter((edge) => edge !== event)
          .map((edge) =>
            and(
              matches(pattern, edge),
              inOrder(edge),
              ...bind.map((pair) => sameKey(event, pair.anchor, edge, pair.witness)),
            ),
          ),
      );
    return and(
      after === null ? "true" : some(after, (p) => order.before(p, true, event, false, "blocker")),
      before === null ? "true" : some(before, (q) => order.before(event, true, q, false, "blocker")),
    );
  };
}

export type OracleVerdict = "satisfied" | "violated" | "inconclusive";

/** One verdict an anchor, for a scope that is closed and whole. */
export function oracleLink(
  link: OracleLink,
  events: readonly Event[],
  policy: ClockPolicy,
  member: OracleMember = everywhere,
): Map<string, OracleVerdict> {
  const order = new OracleOrder(events, policy);
  const verdicts = new Map<string, OracleVerdict>();
  for (const a of events) {
    const anchor = matches(link.anchor, a);
    if (anchor === "false" || member(a) === "false") continue;
    const truths = events.filter((w) => w !== a).map((w) => isWitness(link, events, order, a, w));
    const certain = truths.filter((one) => one === "true").length;
    const possible = certain + truths.filter((one) => one === "unknown").length;
    const wanted = link.quant === "none" ? 1 : link.atLeast;
    const exists: Truth = certain >= wanted ? "true" : possible >= wanted ? "unknown" : "false";
    const holds = link.quant === "none" ? negate(exists) : exists;
    const plain = holds === "true" ? "satisfied" : holds === "false" ? "violated" : "inconclusive";
    const unsure = member(a) === "unknown" || (anchor === "unknown" && plain === "violated");
    verdicts.set(a.id, unsure ? "inconclusive" : plain);
  }
  return verdicts;
}

function subsets<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  if (size === 0) return [[]];
  return items.flatMap((item, i) => subsets(items.slice(i + 1), size - 1).map((rest) => [item, ...rest]));
}

/** Which events overlap another of their key; the greater by start and id answers for a pair. */
export function oracleApart(
  link: OracleLink,
  events: readonly Event[],
  policy: ClockPolicy,
  member: OracleMember = everywhere,
): Map<string, OracleVerdict> {
  const order = new OracleOrder(events, policy);
  const all = events.filter((event) => matches(link.anchor, event) !== "false");
  const verdicts = new Map<string, OracleVerdict>();
  if (all.length < 2) return verdicts;
  for (const a of all) {
    if (member(a) === "false") continue;
    const overlap = (x: Event, y: Event): Truth => {
      const disjoint = or(
        order.before(x, true, y, false, "required"),
        order.before(y, true, x, false, "required"),
      );
      const keys = link.bind.map((pair) => sameKey(y, pair.anchor, x, pair.witness));
      return and(negate(disjoint), matches(link.anchor, y), matches(link.anchor, x), ...keys);
    };
    const earlier = all.filter((w) => {
      const [x, y] = [order.stamp(a, false), order.stamp(w, false)];
      return w !== a && (y < x || (y === x && w.id < a.id));
    });
    // So many others beside it that every two of them overlap.
    const broken = subsets(earlier, link.limit ?? 1).map((crowd) =>
      and(
        ...crowd.flatMap((w, i) => [overlap(w, a), ...crowd.slice(0, i).map((other) => overlap(other, w))]),
      ),
    );
    const found = or("false", ...broken);
    const unsure = found === "unknown" || member(a) === "unknown";
    verdicts.set(a.id, unsure ? "inconclusive" : found === "true" ? "violated" : "satisfied");
  }
  return verdicts;
}
