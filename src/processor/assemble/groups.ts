/** Disjoint sets of spans that are one call. */
import type { SpanNode } from "./graph.ts";

export interface Groups {
  join(a: SpanNode, b: SpanNode): void;
  /** Joins two sets only if no instrumentation scope is in both: each traces a call once. */
  joinScopes(a: SpanNode, b: SpanNode): void;
  /** Whether the span's set already holds a span of that side. */
  isJoined(node: SpanNode, side: "server"): boolean;
  /** In the canonical order of their first members. */
  all(): readonly (readonly SpanNode[])[];
}

export function createGroups(nodes: readonly SpanNode[]): Groups {
  const sets = new Map<SpanNode, SpanNode[]>(nodes.map((node) => [node, [node]]));

  const setOf = (node: SpanNode): SpanNode[] => sets.get(node) ?? [node];
  const join = (a: SpanNode, b: SpanNode): void => {
    const first = setOf(a);
    const second = setOf(b);
    if (first === second) return;
    const [into, from] = first.length >= second.length ? [first, second] : [second, first];
    into.push(...from);
    for (const node of from) sets.set(node, into);
  };

  return {
    join,
    joinScopes: (a, b) => {
      const scopes = new Set(setOf(a).map(({ fact }) => fact.scope));
      if (setOf(b).every(({ fact }) => !scopes.has(fact.scope))) join(a, b);
    },
    isJoined: (node, side) => setOf(node).some(({ fact }) => fact.side === side),
    all: () => [...new Set(nodes.map(setOf))],
  };
}
