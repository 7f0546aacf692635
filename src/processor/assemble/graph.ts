/** The spans of the runs at hand with their parents, in one canonical order whatever order they came in. */
import type { SpanFact } from "../../model/span-fact.ts";
import type { UnixNano } from "../../model/time.ts";
import type { StoredFact } from "./assemble.ts";

export interface SpanNode {
  /** `<trace id>:<span id>`. */
  readonly key: string;
  /** Id of the event that the span is: its key, or what somebody wrote down as its id. */
  readonly id: string;
  readonly fact: SpanFact;
  readonly arrivedAt: UnixNano;
  readonly endArrivedAt: UnixNano | undefined;
  readonly parent: SpanNode | null;
  /** It names a parent that is not here: never came, or has not come yet. */
  readonly parentMissing: boolean;
}

export interface SpanGraph {
  /** By start (none last), trace, span. */
  readonly nodes: readonly SpanNode[];
  readonly byTrace: ReadonlyMap<string, readonly SpanNode[]>;
}

export const keyOf = (traceId: string, spanId: string): string => `${traceId}:${spanId}`;

export function createGraph(facts: readonly StoredFact[]): SpanGraph {
  const byKey = new Map<string, { -readonly [K in keyof SpanNode]: SpanNode[K] }>();
  const idOf = writtenIds(facts);
  for (const { fact, arrivedAt, endArrivedAt } of facts) {
    const key = keyOf(fact.traceId, fact.spanId);
    byKey.set(key, {
      key,
      id: idOf(fact) ?? key,
      fact,
      arrivedAt,
      endArrivedAt,
      parent: null,
      parentMissing: false,
    });
  }
  for (const node of byKey.values()) {
    if (node.fact.parentId === null) continue;
    const parent = byKey.get(keyOf(node.fact.traceId, node.fact.parentId));
    node.parent = parent === undefined || parent === node ? null : parent;
    node.parentMissing = parent === undefined;
  }
  const nodes = [...byKey.values()].sort(byStart);
  cutCycles(nodes);
  const byTrace = new Map<string, SpanNode[]>();
  for (const node of nodes) {
    const trace = byTrace.get(node.fact.traceId);
    if (trace === undefined) byTrace.set(node.fact.traceId, [node]);
    else trace.push(node);
  }
  return { nodes, byTrace };
}

/** An id that somebody wrote down is the event's own; where several runs have it, each is said with its run. */
function writtenIds(facts: readonly StoredFact[]): (fact: SpanFact) => string | null {
  const runOf = new Map<string, string>();
  const shared = new Set<string>();
  for (const { fact } of facts) {
    if (fact.eventId === null) continue;
    const run = runOf.get(fact.eventId);
    if (run === undefined) runOf.set(fact.eventId, fact.traceId);
    else if (run !== fact.traceId) shared.add(fact.eventId);
  }
  return ({ traceId, eventId }) =>
    eventId !== null && shared.has(eventId) ? keyOf(traceId, eventId) : eventId;
}

export function byStart(a: SpanNode, b: SpanNode): number {
  return (
    compareStamps(a.fact.start, b.fact.start) ||
    compareText(a.fact.traceId, b.fact.traceId) ||
    compareText(a.fact.spanId, b.fact.spanId)
  );
}

export function compareStamps(a: UnixNano | null, b: UnixNano | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Spans that are each other's ancestors prove nothing: the first of them in canonical order becomes a root. */
function cutCycles(nodes: readonly { parent: SpanNode | null; readonly key: string }[]): void {
  const settled = new Set<unknown>();
  for (const node of nodes) {
    const path = new Set<unknown>();
    let at: typeof node | null = node;
    while (at !== null && !settled.has(at)) {
      if (path.has(at)) {
        at.parent = null;
        break;
      }
      path.add(at);
      at = at.parent as typeof node | null;
    }
    for (const seen of path) settled.add(seen);
  }
}

export function isAncestor(ancestor: SpanNode, node: SpanNode): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (at === ancestor) return true;
  return false;
}
