/** Writes what `assemble` found as the events that rules read. */
import { agentFields } from "../../model/attribute-names.ts";
import type { Event, Flaw, Moment, SpanRef } from "../../model/event.ts";
import type { SignalFact } from "../../model/span-fact.ts";
import { earlier, type UnixNano } from "../../model/time.ts";
import type { Value } from "../../model/value.ts";
import { isObject } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import type { Ancestry, AncestryIndex } from "./ancestry.ts";
import { beganAt, type Call, settledStatus } from "./call.ts";
import type { Conversations } from "./conversations.ts";
import { fieldsOfDecision } from "./decisions.ts";
import type { SpanNode } from "./graph.ts";
import type { RequestedCall } from "./requested.ts";

export interface EventContext {
  readonly ancestry: AncestryIndex;
  readonly conversations: Conversations;
  /** Nothing of the trace can change any more. */
  readonly isClosed: (traceId: string) => boolean;
}

export function eventIdOf({ id }: SpanNode): string {
  return id;
}

/** A span that is an event by itself: a model turn, an agent run, a step, a signal, a plain event. */
export function nodeEvent(node: SpanNode, context: EventContext): Event {
  return {
    ...frame(node, [node], context),
    status: settledStatus(node.fact.outcome),
    callId: node.fact.callId,
    args: node.fact.args,
    result: node.fact.result,
    hidden: node.fact.hidden,
    ...toldTo(node),
  };
}

/** Which results a model turn was told, by call id; an answer without one belongs to the ask at its place. */
function toldTo({ fact: { kind, asks, answers } }: SpanNode): { readonly told?: readonly string[] } {
  if (kind !== "model_turn") return {};
  const repeated = asks.filter((ask) => ask.fromInput);
  if (repeated.length === 0 && answers.length === 0) return {};
  const told = answers.map(
    ({ callId }, i) => callId ?? (repeated.length === answers.length ? (repeated[i]?.callId ?? null) : null),
  );
  return { told: told.filter((id) => id !== null) };
}

export function callEvent(call: Call, context: EventContext): Event {
  const event = frame(call.anchor, call.nodes, context);
  const began = beganAt(call);
  const fields = new Map([...fieldsOfDecision(call, context.ancestry, eventIdOf), ...event.fields]);
  const unsettled = new Set(event.unsettled);
  if (!context.isClosed(call.anchor.fact.traceId)) for (const field of mayCome(call)) unsettled.add(field);
  return {
    ...event,
    name: call.name,
    ...(began !== null && { start: { at: began } }),
    status: settledStatus(call.outcome),
    callId: call.callId,
    args: call.args,
    ...(call.argsHash === null ? {} : { argsHash: call.argsHash }),
    result: call.result,
    fields,
    hidden: call.hidden,
    unsettled,
    flaws: [...new Set([...event.flaws, ...call.flaws])].sort(),
    decidedBy: call.decidedBy === null ? null : eventIdOf(call.decidedBy),
    decisionIndex: call.decisionIndex,
  };
}

/** What a model turn that has not come, or the rest of a span that has only begun, may still say about a call. */
function mayCome(call: Call): readonly string[] {
  const fields: string[] = [];
  if (call.nodes.some(({ fact }) => fact.startSignal === true)) {
    fields.push("status", "result", "attr", ...unstated(call));
    if (call.name === null) fields.push("name");
    if (call.args === undefined) fields.push("args");
  }
  if (call.decidedBy === null || call.decidedByTime) {
    if (call.name === null) fields.push("name");
    if (call.argsHash === null || !isObject(call.args)) fields.push("args");
  }
  if (call.outcome === null || call.outcome === "unknown") fields.push("status", "result");
  return fields;
}

/** Fields that an agent may set on a span after it has begun it. */
function unstated({ nodes }: Call): readonly string[] {
  return [...agentFields.keys()].filter((field) => !nodes.some(({ fact }) => fact.fields.has(field)));
}

/** A call that only model turns show. */
export function requestedEvent(requested: RequestedCall, context: EventContext): Event {
  const { request, answer, status } = requested;
  const { turn, ask, index } = request;
  const frameOf = frame(turn, [turn], context);
  const hidden = new Map<string, Code>();
  if (ask.argsHash === null) hidden.set("args", "not_captured");
  const told = answer?.answer;
  if (told?.hasResult !== true && status === "success") hidden.set("result", "not_captured");
  return {
    ...frameOf,
    id: `${turn.key}#${ask.callId ?? index}`,
    kind: "tool_call",
    name: ask.name,
    status,
    start: requested.start,
    end: requested.end,
    callId: ask.callId,
    args: ask.args,
    result: status === "requested" ? undefined : told?.result,
    attr: new Map(),
    fields: new Map([...frameOf.fields, ["decision", eventIdOf(turn)]]),
    hidden,
    flaws: frameOf.flaws.filter((flaw) => flaw === "inferred_session"),
    spans: [],
    parent: { traceId: turn.fact.traceId, spanId: turn.fact.spanId },
    links: [],
    decidedBy: eventIdOf(turn),
    decisionIndex: index,
  };
}

/** The run's final answer, at the end of the span that gave it. */
export function finalAnswerEvent(node: SpanNode, context: EventContext): Event {
  const event = frame(node, [node], context);
  return {
    ...event,
    id: `${node.key}#final`,
    kind: "final_answer",
    name: "final_answer",
    status: "success",
    start: event.end,
    callId: null,
    args: undefined,
    result: undefined,
    hidden: new Map([["result", "not_captured"]]),
    links: [],
  };
}

/** Events that span events carry: points in time. */
export function signalEvents(node: SpanNode, context: EventContext): readonly Event[] {
  return node.fact.signals.map((signal, index): Event => {
    const event = frame(node, [node], context);
    const text = (field: string): string | null => {
      const value = signal.fields.get(field);
      return typeof value === "string" ? value : null;
    };
    const fields = new Map([...event.fields, ...signal.fields]);
    const at = momentOf(signal);
    return {
      ...event,
      id: `${node.key}#${index}`,
      kind: signal.kind,
      name: signal.name,
      status: "success",
      start: at,
      end: at,
      conversation: text("conversation") ?? event.conversation,
      callId: text("call_id") ?? (signal.beside === true ? node.fact.callId : null),
      args: signal.fields.get("args"),
      result: signal.fields.get("result"),
      attr: signal.attr,
      fields,
      hidden: new Map(),
      links: [],
    };
  });
}

function momentOf({ time, until }: SignalFact): Moment {
  if (time === null || until === null) return "unknown";
  return until === undefined || until === time ? { at: time } : { earliest: time, latest: until };
}

/** What every event of a span has. */
function frame(node: SpanNode, nodes: readonly SpanNode[], context: EventContext): Event {
  const { fact } = node;
  const { ancestry, conversations } = context;
  const own = ancestry.of(node);
  const closed = context.isClosed(fact.traceId);
  return {
    id: eventIdOf(node),
    kind: fact.kind ?? "step",
    name: fact.name,
    status: "unknown",
    start: fact.start === null ? "unknown" : { at: fact.start },
    end: endOf(node),
    run: fact.traceId,
    conversation: conversations.of(node),
    clock: fact.clock,
    clockAssumed: fact.clockAssumed,
    callId: null,
    args: undefined,
    result: undefined,
    attr: merged(nodes.map((each) => each.fact.attr)),
    fields: fieldsOf(node, nodes, own),
    hidden: new Map(),
    unsettled: closed ? new Set() : own.unsettled,
    flaws: flawsOf(nodes, conversations),
    dialect: fact.dialect,
    spans: nodes.map((each) => ({ traceId: each.fact.traceId, spanId: each.fact.spanId })),
    parent: fact.parentId === null ? null : { traceId: fact.traceId, spanId: fact.parentId },
    links: linksOf(nodes),
    decidedBy: null,
    decisionIndex: 0,
    invocation: ancestry.invocation(node),
    orchestrator: own.agentRun,
    arrivedAt: nodes.map((each) => each.arrivedAt).reduce<UnixNano>(earlier, node.arrivedAt),
    ...(node.endArrivedAt === undefined ? {} : { endArrivedAt: node.endArrivedAt }),
  };
}

function endOf({ fact }: SpanNode): Moment {
  if (fact.end !== null) return { at: fact.end };
  return fact.ended ? "unknown" : "open";
}

function fieldsOf(node: SpanNode, nodes: readonly SpanNode[], own: Ancestry): ReadonlyMap<string, Value> {
  const fields = new Map(merged(nodes.map((each) => each.fact.fields)));
  const agent = own.agent;
  if (agent !== null) fields.set("agent", agent);
  for (const [name, value] of own.inherited) if (!fields.has(name)) fields.set(name, value);
  const errorClass = nodes.map((each) => each.fact.errorClass).find((name) => name !== null);
  if (errorClass !== undefined && errorClass !== null) fields.set("error_class", errorClass);
  if (node.fact.parentId !== null && !fields.has("parent")) fields.set("parent", node.fact.parentId);
  if (node.fact.links.length > 0 && !fields.has("links")) {
    fields.set(
      "links",
      node.fact.links.map((link) => link.spanId),
    );
  }
  return fields;
}

/** The outermost span's value wins, so it is written last. */
function merged(maps: readonly ReadonlyMap<string, Value>[]): ReadonlyMap<string, Value> {
  const first = maps[0];
  return maps.length === 1 && first !== undefined
    ? first
    : new Map(maps.toReversed().flatMap((map) => [...map]));
}

function flawsOf(nodes: readonly SpanNode[], conversations: Conversations): readonly Flaw[] {
  const flaws = new Set(nodes.flatMap((node) => node.fact.flaws));
  const anchor = nodes[0];
  if (anchor?.parentMissing === true) flaws.add("unresolved_parent");
  if (anchor !== undefined && conversations.inferred(anchor.fact.traceId)) flaws.add("inferred_session");
  return [...flaws].sort();
}

function linksOf(nodes: readonly SpanNode[]): readonly SpanRef[] {
  const seen = new Map<string, SpanRef>();
  for (const { fact } of nodes) {
    for (const link of fact.links) seen.set(`${link.traceId}:${link.spanId}`, link);
  }
  return [...seen.values()];
}
