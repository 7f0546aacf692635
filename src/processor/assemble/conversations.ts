/**
 * The conversation of every span: its own, an ancestor's, the only one of its trace; and for a trace that names
 * none (a run resumed after an approval), the one conversation that asked for a call which it goes on with.
 */
import type { AncestryIndex } from "./ancestry.ts";
import { compareText, type SpanGraph, type SpanNode } from "./graph.ts";
import { localRoot } from "./local-root.ts";

export interface Conversations {
  of(node: SpanNode): string | null;
  /** A run's own: the smallest id on its root, else on its earliest event. */
  ofRun(traceId: string): string | null;
  /** Its conversation was found through a call id only. */
  inferred(traceId: string): boolean;
  /** Its spans name more than one. */
  disagrees(traceId: string): boolean;
}

export function createConversations(graph: SpanGraph, ancestry: AncestryIndex): Conversations {
  const named = new Map<string, ReadonlySet<string>>();
  for (const [traceId, nodes] of graph.byTrace) named.set(traceId, namedIn(nodes));
  const inferredOf = inferByCallId(graph, named);

  const only = (traceId: string): string | null => {
    const ids = named.get(traceId);
    if (ids?.size === 1) return [...ids][0] ?? null;
    return inferredOf.get(traceId) ?? null;
  };
  const of = (node: SpanNode): string | null => ancestry.of(node).conversation ?? only(node.fact.traceId);

  return {
    of,
    ofRun: (traceId) => {
      const nodes = graph.byTrace.get(traceId) ?? [];
      const root = localRoot(nodes)?.node;
      if (root !== undefined && root.fact.conversation !== null) return root.fact.conversation;
      const carrier = nodes.find((node) => node.fact.kind !== null && of(node) !== null);
      return carrier === undefined ? only(traceId) : of(carrier);
    },
    inferred: (traceId) => inferredOf.has(traceId),
    disagrees: (traceId) => (named.get(traceId)?.size ?? 0) > 1,
  };
}

function namedIn(nodes: readonly SpanNode[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { fact } of nodes) if (fact.conversation !== null) ids.add(fact.conversation);
  return ids;
}

function inferByCallId(
  graph: SpanGraph,
  named: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, string> {
  const inferred = new Map<string, string>();
  const nameless = [...graph.byTrace].filter(([traceId]) => named.get(traceId)?.size === 0);
  if (nameless.length === 0 || nameless.length === graph.byTrace.size) return inferred;

  const askedIn = new Map<string, Set<string>>();
  for (const { fact } of graph.nodes) {
    const ids = named.get(fact.traceId);
    if (ids?.size !== 1) continue;
    for (const ask of fact.asks) {
      if (ask.fromInput || ask.callId === null) continue;
      const conversations = askedIn.get(ask.callId) ?? new Set();
      for (const id of ids) conversations.add(id);
      askedIn.set(ask.callId, conversations);
    }
  }
  for (const [traceId, nodes] of nameless) {
    const found = new Set<string>();
    for (const callId of resumedIds(nodes)) {
      const conversations = askedIn.get(callId);
      if (conversations?.size === 1) for (const id of conversations) found.add(id);
    }
    const conversation = [...found].sort(compareText)[0];
    if (found.size === 1 && conversation !== undefined) inferred.set(traceId, conversation);
  }
  return inferred;
}

/** Call ids that a trace mentions without having asked for them itself. */
function resumedIds(nodes: readonly SpanNode[]): ReadonlySet<string> {
  const own = new Set<string>();
  const mentioned = new Set<string>();
  for (const { fact } of nodes) {
    for (const ask of fact.asks) {
      if (ask.callId !== null) (ask.fromInput ? mentioned : own).add(ask.callId);
    }
    for (const answer of fact.answers) if (answer.callId !== null) mentioned.add(answer.callId);
    if (fact.callId !== null) mentioned.add(fact.callId);
  }
  return mentioned.difference(own);
}
