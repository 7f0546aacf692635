/**
 * The final answer of a run. Nothing marks it: it is what the last model turn said when the
 * run had ended and was not left waiting. A sub-agent's answer is a tool's result, never the run's.
 */
import type { AncestryIndex } from "./ancestry.ts";
import type { Call } from "./call.ts";
import type { SpanNode } from "./graph.ts";
import type { LocalRoot } from "./local-root.ts";

/** The span whose end is the moment of the answer; null when there is none, or none yet. */
export function finalAnswer(
  nodes: readonly SpanNode[],
  /** Model turns of the trace, in their order. */
  turns: readonly SpanNode[],
  root: LocalRoot | null,
  calls: readonly Call[],
  closed: boolean,
  ancestry: AncestryIndex,
): SpanNode | null {
  if (root === null || nodes.some(({ fact }) => fact.kind === "final_answer")) return null;
  if (!closed && !(root.trueRoot && root.node.fact.ended)) return null;
  const waits = calls.some((call) => call.outcome === "awaiting" && !hasCallAfter(call, calls));
  if (waits) return null;

  const isOwn = (node: SpanNode): boolean => node.fact.end !== null && !ancestry.of(node).insideTool;
  const last = turns.findLast(isOwn);
  if (last?.fact.finalAnswer === "suspended") return null;
  if (last?.fact.finalAnswer === "possible") return last;
  const stated = nodes.filter((node) => states(node) && isOwn(node) && !isInsideStated(node));
  return stated.toSorted(byEnd).at(-1) ?? null;
}

function states(node: SpanNode): boolean {
  return node.fact.finalAnswer === "explicit" && node.fact.end !== null;
}

function isInsideStated(node: SpanNode): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (states(at)) return true;
  return false;
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

function byEnd(a: SpanNode, b: SpanNode): number {
  const first = a.fact.end ?? 0n;
  const second = b.fact.end ?? 0n;
  return first < second ? -1 : first > second ? 1 : a.key < b.key ? -1 : 1;
}
