/**
 * What happened before what by cause, without any clock (docs/semantics.md 10.1).
 *
 * Nodes are the boundary points of events. Edges:
 *   started → finished    of one event
 *   finished → started    a causal parent: the child used its result
 *   started → started     a link or a span parent: its context had to exist, nothing is said about its end
 *   started → started     decision m to decision n > m of one orchestrator
 * Reachability is transitive. Decisions go through one extra node a decision, so that a run with many calls a
 * decision has as many edges as calls.
 *
 * Cost: building is linear, and places every node in one order that all edges follow, cycles apart. What that order or
 * a single edge answers costs nothing; any other query walks the ancestors of the later point once and remembers them.
 */
import type { Event } from "../../model/event.ts";
import type { OrderEvidence } from "../../model/order.ts";
import { indexReferences, type References, referenceTexts } from "./references.ts";

/** One edge between two events whose ends are both here: what may refute a pair of clocks. */
export interface DirectEdge {
  readonly from: Event;
  readonly fromFinish: boolean;
  /** The edge always ends at the start of this event. */
  readonly to: Event;
  readonly evidence: Extract<OrderEvidence, "causal_parent" | "link" | "parent_span" | "decision_sequence">;
}

export interface CausalGraph {
  /** Whether p surely comes before q by cause. A point is an event's place times two, plus one for its finish. */
  reaches(p: number, q: number): boolean;
  /** The kind of edge by which q was reached; meaningful only where `reaches(p, q)`. */
  evidence(p: number, q: number): OrderEvidence;
  /** The event that a causal parent, link or parent of `from` names as text. */
  readonly named: References["named"];
  /** Causal parents, links and span parents. */
  readonly edges: readonly DirectEdge[];
  /** Decisions of each orchestrator, in their order: every event of one started before every event of the next. */
  readonly decisions: readonly (readonly (readonly Event[])[])[];
  /** Decision number and orchestrator of an event; null when it states none. */
  decision(event: Event): { readonly orchestrator: string; readonly number: bigint } | null;
  /** Events on a cycle, one list a cycle, each sorted by id. */
  readonly cycles: readonly (readonly string[])[];
  /** Pairs whose logical times refute the causal parent that one names: `parent id → child id`. */
  readonly refuted: readonly DirectEdge[];
}

export function buildCausalGraph(events: readonly Event[]): CausalGraph {
  const place = new Map<Event, number>();
  events.forEach((event, i) => {
    place.set(event, i);
  });
  const references = indexReferences(events);
  const edges: DirectEdge[] = [];
  const refuted: DirectEdge[] = [];
  for (const event of events) collectEdges(event, references, edges, refuted);
  const decisions = groupDecisions(events);

  const preds: number[][] = Array.from({ length: events.length * 2 }, (_, node) =>
    node % 2 === 1 ? [node - 1] : [],
  );
  const nodeOf = (event: Event, finish: boolean): number => (place.get(event) ?? 0) * 2 + (finish ? 1 : 0);
  for (const edge of edges) preds[nodeOf(edge.to, false)]?.push(nodeOf(edge.from, edge.fromFinish));
  for (const orchestrator of decisions) {
    let previous: number | null = null;
    for (const group of orchestrator) {
      const starts = group.map((event) => nodeOf(event, false));
      if (previous !== null) for (const start of starts) preds[start]?.push(previous);
      previous = preds.length;
      preds.push(starts);
    }
  }

  const linked = edges.length > 0 || decisions.some((groups) => groups.length > 1);
  const ancestorsOf = rememberAncestors(preds);
  const { cycles, rank } = linked ? findCycles(preds, events) : { cycles: [], rank: [] };
  const reaches = (p: number, q: number): boolean => {
    if (!linked) return q === p + 1 && p % 2 === 0;
    const [from, to] = [rank[p] ?? 0, rank[q] ?? 0];
    if (from !== to) return from < to && (preds[q]?.includes(p) === true || ancestorsOf(q)(p));
    return p !== q || ancestorsOf(q)(p);
  };

  const into = new Map<number, DirectEdge[]>();
  for (const edge of edges) {
    const to = nodeOf(edge.to, false);
    const list = into.get(to);
    if (list === undefined) into.set(to, [edge]);
    else list.push(edge);
  }

  return {
    reaches,
    named: references.named,
    evidence(p, q) {
      // A finish can only be left through a causal parent; a start through the edge from it or from what follows it.
      if (p % 2 === 1) return "causal_parent";
      const through = (into.get(q - (q % 2)) ?? []).find((edge) => {
        const from = nodeOf(edge.from, edge.fromFinish);
        return from === p || reaches(p, from);
      });
      return through?.evidence ?? "decision_sequence";
    },
    edges,
    decisions,
    decision: decisionOf,
    cycles,
    refuted,
  };
}

function collectEdges(
  event: Event,
  references: References,
  edges: DirectEdge[],
  refuted: DirectEdge[],
): void {
  const seen = new Set<string>();
  const add = (from: Event | null, evidence: DirectEdge["evidence"]): void => {
    if (from === null || from === event) return;
    const fromFinish = evidence === "causal_parent";
    // A span may be linked to its own parent: that it was waited for is said of the parent edge alone.
    const key = `${evidence}${from.id}`;
    if (seen.has(key)) return;
    seen.add(key);
    const edge: DirectEdge = { from, fromFinish, to: event, evidence };
    // A Lamport time proves nothing, but a child that is not above its parent refutes the edge.
    if (fromFinish && logicalTimesRefute(from, event)) refuted.push(edge);
    else edges.push(edge);
  };
  for (const text of referenceTexts(event.fields.get("parents"))) {
    add(references.named(text, event), "causal_parent");
  }
  for (const link of event.links) add(references.span(link), "link");
  for (const text of referenceTexts(event.fields.get("links"))) add(references.named(text, event), "link");
  if (event.parent !== null) add(references.span(event.parent), "parent_span");
  for (const text of referenceTexts(event.fields.get("parent"))) {
    add(references.named(text, event), "parent_span");
  }
  // Not the invocation: where no agent run encloses the event it is the local root, which need be no ancestor.
}

function logicalTimesRefute(parent: Event, child: Event): boolean {
  const before = wholeNumber(parent.fields.get("logical_time"));
  const after = wholeNumber(child.fields.get("logical_time"));
  return before !== null && after !== null && after <= before;
}

function decisionOf(event: Event): { readonly orchestrator: string; readonly number: bigint } | null {
  const number = wholeNumber(event.fields.get("seq"));
  if (number === null) return null;
  const { run, invocation, orchestrator = invocation } = event;
  return { orchestrator: `${run}/${orchestrator ?? ""}`, number };
}

function groupDecisions(events: readonly Event[]): Event[][][] {
  const orchestrators = new Map<string, Map<bigint, Event[]>>();
  for (const event of events) {
    const decision = decisionOf(event);
    if (decision === null) continue;
    const groups = orchestrators.get(decision.orchestrator) ?? new Map<bigint, Event[]>();
    orchestrators.set(decision.orchestrator, groups);
    const group = groups.get(decision.number);
    if (group === undefined) groups.set(decision.number, [event]);
    else group.push(event);
  }
  return [...orchestrators.values()].map((groups) =>
    [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group),
  );
}

function wholeNumber(value: unknown): bigint | null {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : null;
  return typeof value === "string" && /^-?\d{1,18}$/.test(value) ? BigInt(value) : null;
}

/** Few ancestors are kept as a set, many as one bit a node. */
const fewAncestors = 64;

function rememberAncestors(preds: readonly (readonly number[])[]): (node: number) => (p: number) => boolean {
  const known = new Map<number, (p: number) => boolean>();
  const mark = new Int32Array(preds.length).fill(-1);
  return (node) => {
    const remembered = known.get(node);
    if (remembered !== undefined) return remembered;
    const found: number[] = [];
    const stack = [...(preds[node] ?? [])];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (mark[next] === node) continue;
      mark[next] = node;
      found.push(next);
      stack.push(...(preds[next] ?? []));
    }
    const test = found.length <= fewAncestors ? ofSet(new Set(found)) : ofBits(found, preds.length);
    known.set(node, test);
    return test;
  };
}

function ofSet(set: ReadonlySet<number>): (p: number) => boolean {
  return (p) => set.has(p);
}

function ofBits(found: readonly number[], size: number): (p: number) => boolean {
  const bits = new Uint32Array((size >>> 5) + 1);
  for (const node of found) bits[node >>> 5] = (bits[node >>> 5] ?? 0) | (1 << (node & 31));
  return (p) => ((bits[p >>> 5] ?? 0) & (1 << (p & 31))) !== 0;
}

interface Cycles {
  readonly cycles: readonly (readonly string[])[];
  /** Of each node: no edge leads to a lower rank, and nodes of one rank reach each other. */
  readonly rank: ArrayLike<number>;
}

/** Strongly connected components with more than one event, by Kosaraju's two passes without recursion. */
function findCycles(preds: readonly (readonly number[])[], events: readonly Event[]): Cycles {
  const succs: number[][] = preds.map(() => []);
  preds.forEach((list, node) => {
    for (const pred of list) succs[pred]?.push(node);
  });
  const finished = finishOrder(succs);
  const rank = new Int32Array(preds.length).fill(-1);
  const cycles: string[][] = [];
  let next = 0;
  for (const root of finished.reverse()) {
    if (rank[root] !== -1) continue;
    const members = new Set<string>();
    const stack = [root];
    rank[root] = next;
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const event = events[node >>> 1];
      if (event !== undefined) members.add(event.id);
      for (const pred of preds[node] ?? []) {
        if (rank[pred] !== -1) continue;
        rank[pred] = next;
        stack.push(pred);
      }
    }
    next += 1;
    if (members.size > 1) cycles.push([...members].sort());
  }
  return { cycles: cycles.sort(), rank };
}

function finishOrder(succs: readonly (readonly number[])[]): number[] {
  const visited = new Uint8Array(succs.length);
  const order: number[] = [];
  for (const root of succs.keys()) {
    if (visited[root] === 1) continue;
    visited[root] = 1;
    const stack: { node: number; next: number }[] = [{ node: root, next: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const successor = succs[top.node]?.[top.next];
      top.next += 1;
      if (successor === undefined) {
        order.push(top.node);
        stack.pop();
      } else if (visited[successor] === 0) {
        visited[successor] = 1;
        stack.push({ node: successor, next: 0 });
      }
    }
  }
  return order;
}
