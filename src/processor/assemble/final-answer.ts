/**
 * The final answer of a run. Nothing marks it: it is what the last model turn said when the
 * run had ended and was not left waiting. A sub-agent's answer is a tool's result, never the run's.
 */
import type { Call } from "./call.ts";
import { isAncestor, type SpanNode } from "./graph.ts";
import type { LocalRoot } from "./local-root.ts";

/** The span whose end is the moment of the answer; null when there is none, or none yet. */
export function finalAnswer(
  nodes: readonly SpanNode[],
  /** Model turns of the trace, in their order. */
  turns: readonly SpanNode[],
  root: LocalRoot | null,
  calls: readonly Call[],
  closed: boolean,
): SpanNode | null {
  if (root === null || nodes.some(({ fact }) => fact.kind === "final_answer")) return null;
  if (!closed && !(root.trueRoot && root.node.fact.ended)) return null;
  const waits = calls.some((call) => call.outcome === "awaiting" && !hasCallAfter(call, calls));
  if (waits) return null;

  const own = nodes.filter((node) => !isInsideTool(node));
  const last = turns.findLast((node) => node.fact.end !== null && !isInsideTool(node));
  if (last?.fact.finalAnswer === "suspended") return null;
  if (last?.fact.finalAnswer === "possible") return last;
  const stated = own.filter(({ fact }) => fact.finalAnswer === "explicit" && fact.end !== null);
  return (
    stated
      .filter((node) => !stated.some((outer) => isAncestor(outer, node)))
      .sort(byEnd)
      .at(-1) ?? null
  );
}

function hasCallAfter(waiting: Call, calls: readonly Call[]): boolean {
  return calls.some(
    (call) =>
      call !== waiting &&
      call.name === waiting.name &&
      (call.callId === waiting.callId || call.argsHash === waiting.argsHash) &&
      (call.anchor.fact.start ?? 0n) > (waiting.anchor.fact.start ?? 0n),
  );
}

function isInsideTool(node: SpanNode): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (at.fact.kind === "tool_call") return true;
  return false;
}

function byEnd(a: SpanNode, b: SpanNode): number {
  const first = a.fact.end ?? 0n;
  const second = b.fact.end ?? 0n;
  return first < second ? -1 : first > second ? 1 : a.key < b.key ? -1 : 1;
}
