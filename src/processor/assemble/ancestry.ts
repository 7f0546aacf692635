/**
 * What a span inherits: conversation, agent, run, turn, decision, and the agent invocation it belongs to. Plain
 * spans between (HTTP, database) pass it on. What a missing ancestor may yet bring is unsettled, so that nothing is decided
 * on an agent or a conversation that is merely not here yet.
 */
import type { Value } from "../../model/value.ts";
import { decisionFields } from "./decision-fields.ts";
import type { SpanGraph, SpanNode } from "./graph.ts";
import { localRoot } from "./local-root.ts";

export interface Ancestry {
  readonly conversation: string | null;
  readonly agent: string | null;
  /** Fields that come down to what is below, own values included: `run_id`, `turn`, and those of a decision. */
  readonly inherited: ReadonlyMap<string, Value>;
  /** Span id of the nearest enclosing agent run, the span itself excepted; null: none on the chain. */
  readonly agentRun: string | null;
  /** A tool call is around it: what a model says there is a tool's result. */
  readonly insideTool: boolean;
  /** Fields that an ancestor which has not come may carry. */
  readonly unsettled: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();
const noFields: ReadonlyMap<string, Value> = new Map();
const alwaysPassed = ["run_id", "turn"] as const;
const passed = [...alwaysPassed, ...decisionFields] as const;
const everyField: ReadonlySet<string> = new Set(["conversation", "agent", ...passed]);
const pastDecision: ReadonlySet<string> = new Set(decisionFields);

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
  const inside = decidesItself(node.parent);
  const inherited = inheritedBy(node, parent, inside);
  const above = node.parentMissing ? everyField : (parent?.unsettled ?? nothing);
  const stated = new Set<string>(inside ? pastDecision : nothing);
  if (fact.conversation !== null) stated.add("conversation");
  for (const name of passed) if (fact.fields.has(name)) stated.add(name);
  if (fact.agent !== null || isAgent) stated.add("agent");
  const unsettled = above.size === 0 ? nothing : above.difference(stated);
  const parentFact = node.parent?.fact;
  const agentRun = parentFact?.kind === "agent_run" ? parentFact.spanId : (parent?.agentRun ?? null);
  const insideTool = parentFact?.kind === "tool_call" || parent?.insideTool === true;
  return { conversation, agent, inherited, agentRun, insideTool, unsettled };
}

/** What is decided in an agent run or inside a tool call are other decisions than the one it was called by. */
function decidesItself(parent: SpanNode | null): boolean {
  const kind = parent?.fact.kind;
  return kind === "agent_run" || kind === "tool_call" || kind === "retrieval";
}

/** Most spans say nothing of their own, and share the map of the one above. */
function inheritedBy(node: SpanNode, parent: Ancestry | null, inside: boolean): ReadonlyMap<string, Value> {
  const above = parent?.inherited ?? noFields;
  const cut = inside && decisionFields.some((name) => above.has(name));
  const own = passed.filter((name) => node.fact.fields.has(name));
  if (own.length === 0 && !cut) return above;
  const fields = new Map(cut ? [...above].filter(([name]) => !pastDecision.has(name)) : above);
  for (const name of own) {
    const value = node.fact.fields.get(name);
    if (value !== undefined) fields.set(name, value);
  }
  return fields;
}
