/** Model turns in the order in which each agent invocation took them, with what they asked and were answered. */
import type { Answer, Ask } from "../../model/span-fact.ts";
import type { UnixNano } from "../../model/time.ts";
import type { AncestryIndex } from "./ancestry.ts";
import type { Conversations } from "./conversations.ts";
import { compareStamps, compareText, type SpanNode } from "./graph.ts";

export interface Turn {
  readonly node: SpanNode;
  /** Turns of one invocation follow each other; those of two may run at the same time. */
  readonly invocation: string;
  readonly conversation: string | null;
  readonly start: UnixNano | null;
  /** Start of the next turn of the same invocation; null for the last. */
  readonly next: UnixNano | null;
  /** Start of the one before; null for the first. */
  readonly previous: UnixNano | null;
  readonly requests: readonly Request[];
}

/** One call that a turn's output asked for. */
export interface Request {
  readonly turn: SpanNode;
  readonly ask: Ask;
  readonly index: number;
}

export interface GivenAnswer {
  readonly turn: Turn;
  readonly answer: Answer;
}

export function modelTurns(
  nodes: readonly SpanNode[],
  ancestry: AncestryIndex,
  conversations: Conversations,
): readonly Turn[] {
  const byInvocation = new Map<string, SpanNode[]>();
  for (const node of nodes) {
    if (node.fact.kind !== "model_turn") continue;
    const invocation = invocationOf(node, ancestry);
    const turns = byInvocation.get(invocation);
    if (turns === undefined) byInvocation.set(invocation, [node]);
    else turns.push(node);
  }
  const turns: Turn[] = [];
  for (const [invocation, members] of byInvocation) {
    const ordered = inOrder(members);
    ordered.forEach((node, index) => {
      turns.push({
        node,
        invocation,
        conversation: conversations.of(node),
        start: node.fact.start,
        next: ordered[index + 1]?.fact.start ?? null,
        previous: ordered[index - 1]?.fact.start ?? null,
        requests: node.fact.asks
          .filter((ask) => !ask.fromInput)
          .map((ask, position) => ({ turn: node, ask, index: position })),
      });
    });
  }
  return turns.sort((a, b) => compareStamps(a.start, b.start));
}

/**
 * By start. Several quick turns may share a millisecond, and their ends are only that stamp plus a duration; but
 * a turn that was told of a call which another one asked for came after it.
 */
function inOrder(members: readonly SpanNode[]): readonly SpanNode[] {
  const ordered: SpanNode[] = [];
  for (const tied of Map.groupBy(members, (node) => node.fact.start).values()) {
    const waiting = tied.toSorted(
      (a, b) => compareStamps(a.fact.end, b.fact.end) || compareText(a.key, b.key),
    );
    while (waiting.length > 0) {
      const free = waiting.findIndex(
        (node) => !waiting.some((other) => other !== node && follows(node, other)),
      );
      ordered.push(...waiting.splice(Math.max(free, 0), 1));
    }
  }
  return ordered;
}

function follows(node: SpanNode, earlier: SpanNode): boolean {
  return earlier.fact.asks.some(
    (ask) =>
      !ask.fromInput &&
      ask.callId !== null &&
      node.fact.asks.some((told) => told.fromInput && told.callId === ask.callId),
  );
}

export function invocationOf(node: SpanNode, ancestry: AncestryIndex): string {
  return `${node.fact.traceId}:${ancestry.invocation(node) ?? ""}`;
}

/**
 * Every answer by call id, earliest first. An answer without an id belongs to the call at the same place among
 * those that the same input asked for.
 */
export function answersById(turns: readonly Turn[]): ReadonlyMap<string, readonly GivenAnswer[]> {
  const found = new Map<string, GivenAnswer[]>();
  for (const turn of turns) {
    const asks = turn.node.fact.asks.filter((ask) => ask.fromInput);
    const { answers } = turn.node.fact;
    answers.forEach((answer, index) => {
      const paired = asks.length === answers.length ? (asks[index]?.callId ?? null) : null;
      const callId = answer.callId ?? paired;
      if (callId === null) return;
      const given = found.get(callId);
      if (given === undefined) found.set(callId, [{ turn, answer }]);
      else given.push({ turn, answer });
    });
  }
  return found;
}
