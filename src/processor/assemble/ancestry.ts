/**
 * What a span inherits: conversation, agent, turn and the agent invocation it belongs to. Plain spans between
 * (HTTP, database) pass it on. What a missing ancestor may yet bring is unsettled, so that nothing is decided
 * on an agent or a conversation that is merely not here yet.
 */
import type { Value } from "../../model/value.ts";
import type { SpanGraph, SpanNode } from "./graph.ts";
import { localRoot } from "./local-root.ts";

export interface Ancestry {
  readonly conversation: string | null;
  readonly agent: string | null;
  readonly turn: Value | undefined;
  /** Span id of the nearest enclosing agent run, the span itself excepted; null: none on the chain. */
  readonly agentRun: string | null;
  /** Fields that an ancestor which has not come may carry. */
  readonly unsettled: ReadonlySet<string>;
}

const inherited = ["conversation", "agent", "turn"] as const;

export interface AncestryIndex {
  of(node: SpanNode): Ancestry;
  /** Span id that orders decisions and model turns: nearest agent run, else the local root. */
  invocation(node: SpanNode): string | null;
}

export function createAncestry(graph: SpanGraph): AncestryIndex {
  const known = new Map<SpanNode, Ancestry>();
  const roots = new Map<string, string | null>();

  const of = (node: SpanNode): Ancestry => {
    const found = known.get(node);
    if (found !== undefined) return found;
    // Iterative: a chain may be as deep as a run is long.
    const chain: SpanNode[] = [];
    for (let at: SpanNode | null = node; at !== null && !known.has(at); at = at.parent) chain.push(at);
    for (const each of chain.reverse())
      known.set(each, inherit(each, each.parent && (known.get(each.parent) ?? null)));
    return known.get(node) ?? inherit(node, null);
  };

  return {
    of,
    invocation: (node) => {
      const own = of(node).agentRun;
      if (own !== null) return own;
      // A root of its own hangs from no other root: plain events, and spans of one trace that nobody joined.
      if (node.parent === null && !node.parentMissing) return null;
      const { traceId } = node.fact;
      if (!roots.has(traceId)) {
        roots.set(traceId, localRoot(graph.byTrace.get(traceId) ?? [])?.node.fact.spanId ?? null);
      }
      return roots.get(traceId) ?? null;
    },
  };
}

function inherit(node: SpanNode, parent: Ancestry | null): Ancestry {
  const { fact } = node;
  const isAgent = fact.kind === "agent_run";
  const conversation = fact.conversation ?? parent?.conversation ?? null;
  // An agent that does not name itself is still another agent than the one that called it.
  const agent = fact.agent ?? (isAgent ? null : (parent?.agent ?? null));
  const turn = fact.fields.get("turn") ?? parent?.turn;
  const above = node.parentMissing ? new Set<string>(inherited) : (parent?.unsettled ?? new Set<string>());
  const unsettled = new Set<string>();
  for (const field of above) {
    const settled =
      field === "conversation"
        ? fact.conversation !== null
        : field === "turn"
          ? fact.fields.has("turn")
          : false;
    const agentSettled = field === "agent" && (fact.agent !== null || isAgent);
    if (!settled && !agentSettled) unsettled.add(field);
  }
  const parentFact = node.parent?.fact;
  const agentRun = parentFact?.kind === "agent_run" ? parentFact.spanId : (parent?.agentRun ?? null);
  return { conversation, agent, turn, agentRun, unsettled };
}
