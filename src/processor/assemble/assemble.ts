/**
 * Makes the events of the runs that one conversation joins out of their span facts
 * (docs/decisions/04-events-from-the-set-of-facts.md): copies of one call become one event, sessions and
 * agents come down from ancestors, calls find the model turn that asked for them, calls that nobody executed
 * are shown, and the final answer is found.
 *
 * A function of the *set* of facts: any order, any splitting of their arrival gives the same events, in the same
 * order. Facts may come later and change what was made here; the caller makes it anew.
 *
 * Cost: near linear in the facts; siblings of several scopes are compared within their time window only.
 */
import type { CloseReason } from "../../model/completeness.ts";
import type { Event, Flaw } from "../../model/event.ts";
import type { SpanFact } from "../../model/span-fact.ts";
import type { UnixNano } from "../../model/time.ts";
import type { EffectLedger } from "../../rules/ledger.ts";
import type { ToolTraits } from "../../rules/rule.ts";
import { createAncestry } from "./ancestry.ts";
import { type Call, createCall } from "./call.ts";
import { createConversations } from "./conversations.ts";
import { decideByTime } from "./decisions.ts";
import { effectEvents, withLedgers } from "./effects.ts";
import { finalAnswer } from "./final-answer.ts";
import { compareStamps, compareText, createGraph, type SpanGraph } from "./graph.ts";
import { requestsBelow, withRequests } from "./http-requests.ts";
import { joinRequests, takeAnswer } from "./join-requests.ts";
import { localRoot } from "./local-root.ts";
import { mergeCalls } from "./merge.ts";
import { answersById, modelTurns } from "./model-turns.ts";
import { noteCollisions, settleLaminar } from "./quirks.ts";
import { requestedCalls } from "./requested.ts";
import { withOwners } from "./signal-owners.ts";
import {
  callEvent,
  type EventContext,
  eventIdOf,
  finalAnswerEvent,
  nodeEvent,
  requestedEvent,
  signalEvents,
} from "./to-event.ts";
import { refineByTraits } from "./traits.ts";

export interface StoredFact {
  readonly fact: SpanFact;
  /** When the first copy of the span came. */
  readonly arrivedAt: UnixNano;
  /** When the first that has ended came, where only its start had come before. */
  readonly endArrivedAt?: UnixNano;
}

export interface AssembleInput {
  /** All facts of the runs that are joined; of copies only the preferred one. */
  readonly facts: readonly StoredFact[];
  readonly tools: ReadonlyMap<string, ToolTraits>;
  /** By these, calls become effect events; absent: none. */
  readonly ledgers?: readonly EffectLedger[];
  readonly closed: (traceId: string) => CloseReason | null;
}

export interface AssembledRun {
  readonly traceId: string;
  readonly conversation: string | null;
  readonly root: {
    readonly spanId: string;
    readonly start: UnixNano | null;
    readonly ended: boolean;
    /** False: its parent is in another process or has not come. */
    readonly trueRoot: boolean;
  } | null;
  /** Calls that are known to have begun and not to have ended. */
  readonly openCalls: number;
  /** False for a run whose first part certainly happened elsewhere: it can be inconclusive, never violated. */
  readonly beginningSeen: boolean;
  readonly unresolvedParents: number;
  readonly flaws: readonly Flaw[];
}

export interface Assembly {
  /** By start (unknown last), then deciding turn and place in it, then id. */
  readonly events: readonly Event[];
  /** By trace id. */
  readonly runs: ReadonlyMap<string, AssembledRun>;
}

const callKinds = new Set(["tool_call", "retrieval"]);

export function assemble(input: AssembleInput): Assembly {
  const graph = createGraph(input.facts);
  const ancestry = createAncestry(graph);
  const conversations = createConversations(graph, ancestry);
  const isClosed = (traceId: string): boolean => input.closed(traceId) !== null;
  const context: EventContext = { ancestry, conversations, isClosed };

  const calls = mergeCalls(graph.nodes, conversations).map(createCall);
  calls.sort(
    (a, b) =>
      compareStamps(a.anchor.fact.start, b.anchor.fact.start) || compareText(a.anchor.key, b.anchor.key),
  );
  settleLaminar(calls);
  noteCollisions(calls);

  const turns = modelTurns(graph.nodes, ancestry, conversations);
  const answers = answersById(turns);
  const { open } = joinRequests(calls, turns, ancestry, conversations);
  const requested = requestedCalls(open, calls, turns, answers, conversations);
  for (const call of calls) {
    if (call.callId !== null) takeAnswer(call, answers.get(call.callId) ?? [], conversations);
  }
  decideByTime(calls, turns, ancestry);

  const turnsByTrace = Map.groupBy(
    turns.map((turn) => turn.node),
    (node) => node.fact.traceId,
  );
  const requests = requestsBelow(graph.nodes, calls);
  const callsByTrace = Map.groupBy(calls, (call) => call.anchor.fact.traceId);
  const made: Event[] = [
    ...calls.map((call) =>
      refineByTraits(withRequests(callEvent(call, context), requests.get(call)), input.tools),
    ),
    ...requested.map((one) => refineByTraits(requestedEvent(one, context), input.tools)),
  ];
  for (const node of graph.nodes) {
    const { kind } = node.fact;
    if (kind !== null && !callKinds.has(kind)) made.push(nodeEvent(node, context));
    if (node.fact.signals.length > 0) made.push(...signalEvents(node, context));
  }
  for (const [traceId, nodes] of graph.byTrace) {
    const answer = finalAnswer(
      nodes,
      turnsByTrace.get(traceId) ?? [],
      localRoot(nodes),
      callsByTrace.get(traceId) ?? [],
      isClosed(traceId),
      ancestry,
    );
    if (answer !== null) made.push(finalAnswerEvent(answer, context));
  }
  const ledgers = input.ledgers ?? [];
  const events = [...withLedgers(withOwners(made), ledgers)];
  const wasCutOff = (traceId: string): boolean => {
    const root = localRoot(graph.byTrace.get(traceId) ?? []);
    return isClosed(traceId) && !(root?.trueRoot === true && root.node.fact.ended);
  };
  events.push(...effectEvents(events, { ledgers, tools: input.tools, isClosed, wasCutOff }));
  const places = new Map(turns.map((turn, index) => [eventIdOf(turn.node), index]));
  events.sort(
    (a, b) =>
      compareStamps(firstStamp(a), firstStamp(b)) || byDecision(a, b, places) || compareText(a.id, b.id),
  );
  return { events, runs: runsOf(graph, callsByTrace, conversations.ofRun, conversations.disagrees) };
}

/** Equal stamps: in the order of the turns that decided them, and of the requests in each. */
function byDecision(a: Event, b: Event, places: ReadonlyMap<string, number>): number {
  const place = (event: Event): number => places.get(event.decidedBy ?? event.id) ?? -1;
  return place(a) - place(b) || a.decisionIndex - b.decisionIndex;
}

function firstStamp({ start }: Event): UnixNano | null {
  if (typeof start === "string") return null;
  return "at" in start ? start.at : start.earliest;
}

/** Found where calls stand beside each other and their requests. What one span shows was counted as it came. */
const shownByCalls: readonly Flaw[] = ["call_id_collision", "name_disagrees"];

function runsOf(
  graph: SpanGraph,
  callsByTrace: ReadonlyMap<string, readonly Call[]>,
  conversationOf: (traceId: string) => string | null,
  disagrees: (traceId: string) => boolean,
): ReadonlyMap<string, AssembledRun> {
  const runs = new Map<string, AssembledRun>();
  for (const [traceId, nodes] of graph.byTrace) {
    const calls = callsByTrace.get(traceId) ?? [];
    const root = localRoot(nodes);
    const unresolvedParents = nodes.filter((node) => node.parentMissing).length;
    // An MCP server's own trace, with no client's span to put it under: what was asked before is not here.
    const beginningSeen = !(
      root?.node.fact.side === "server" && calls.some((call) => call.anchor === root.node)
    );
    const flaws: Flaw[] = [];
    if (disagrees(traceId)) flaws.push("conversation_disagrees");
    if (unresolvedParents > 0) flaws.push("unresolved_parent");
    if (!beginningSeen) flaws.push("beginning_not_seen");
    flaws.push(...shownByCalls.filter((flaw) => calls.some((call) => call.flaws.has(flaw))));
    runs.set(traceId, {
      traceId,
      conversation: conversationOf(traceId),
      root:
        root === null
          ? null
          : {
              spanId: root.node.fact.spanId,
              start: root.node.fact.start,
              ended: root.node.fact.ended,
              trueRoot: root.trueRoot,
            },
      openCalls: calls.filter((call) => !call.anchor.fact.ended).length,
      beginningSeen,
      unresolvedParents,
      flaws,
    });
  }
  return runs;
}
