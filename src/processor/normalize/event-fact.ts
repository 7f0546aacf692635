/** Makes the fact of one span that is no plain event: what it is, what it says, what is wrong with it. */
import { agentEventKind } from "../../model/attribute-names.ts";
import type { Flaw } from "../../model/event.ts";
import type { Outcome, SpanFact } from "../../model/span-fact.ts";
import { hours, plus, type UnixNano } from "../../model/time.ts";
import type { Value } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import type { Projection } from "../../rules/rule.ts";
import { clockDomain } from "./clock-domain.ts";
import { detect, nameFromSpan } from "./detect.ts";
import type { CallDraft, Dialect, Role } from "./dialect.ts";
import { statusNamed } from "./dialects/plain.ts";
import { statedFields } from "./fields.ts";
import { errorClassOf, outcomeOf } from "./lifecycle.ts";
import { agentSignal, type Mapped, type Mapper } from "./mapping.ts";
import { projectValue } from "./project.ts";
import { type Resolved, resolve, resolveText } from "./resolve.ts";
import { isSampled, type SpanTimes } from "./times.ts";
import { noTurn, statedAnswer, turnOf } from "./turns.ts";
import { hashOf, textOf } from "./values.ts";
import type { View } from "./view.ts";

export interface FactInput {
  readonly view: View;
  readonly at: UnixNano;
  readonly source: string | null;
  readonly times: SpanTimes;
  /** Those with an attribute on the span, by precedence. */
  readonly dialects: readonly Dialect[];
  readonly projection: Projection;
  readonly mapper: Mapper;
  readonly runKey: readonly string[];
  /** A rule speaks of spans of this name, so it is an event whatever else it is. */
  readonly isNamed: boolean;
}

const kindOfRole: Readonly<Record<Role, string | null>> = {
  tool: "tool_call",
  retrieval: "retrieval",
  model: "model_turn",
  agent: "agent_run",
  workflow: "step",
  step: "step",
  handoff: "step",
  guardrail: "step",
  ignore: null,
};

export function eventFact(input: FactInput): SpanFact {
  const { view, dialects, projection, times } = input;
  const { span } = view;
  const detection = detect(view);
  const role = detection?.role ?? null;
  const mapped = input.mapper.ofSpan(span) ?? agentSignal(span.attributes);
  const isCall = role === "tool" || role === "retrieval";
  const args = isCall ? resolve(view, dialects, "args") : unasked;
  const result = isCall ? resolve(view, dialects, "result") : unasked;
  const draft: CallDraft = {
    name: nameOf(view, dialects, role, detection?.dialect ?? null),
    callId: isCall ? resolveText(view, dialects, "callId") : null,
    args: args.value,
    result: result.value,
  };
  const kind = kindOf(input, role, mapped);
  const outcome = outcomeOf(view, draft, times.ended, dialects);
  const fields = statedFields(view, input.source);
  const flaws = flawsOf(view, times, [args, result]);
  const turn = turnPart(view, dialects, role, projection);
  const clock = clockDomain(span.resource);
  stateRest(input, fields);

  const fact: SpanFact = {
    traceId: span.traceId,
    spanId: span.spanId,
    parentId: span.parentSpanId === "" ? null : span.parentSpanId,
    parentRemote: (span.flags & 0x100) === 0 ? null : (span.flags & 0x200) !== 0,
    links: span.links,
    spanName: span.name,
    spanKind: span.kind,
    scope: span.scope.name,
    clock: clock.clock,
    clockAssumed: clock.assumed,
    start: times.start,
    end: times.end,
    ended: times.ended,
    dialect: detection?.dialect ?? (mapped === null ? null : "mapping"),
    eventId: null,
    kind,
    name: kind === null ? null : draft.name,
    callId: draft.callId,
    args: cut(args.value, projection.args, projection),
    argsHash: args.value === undefined ? null : hashOf(args.value),
    result: cut(result.value, projection.result, projection),
    hasResult: result.value !== undefined,
    outcome: kind === null ? null : outcome,
    errorClass: errorClassOf(view),
    conversation: resolveText(view, dialects, "conversation") ?? conversationOfResource(view),
    agent: resolveText(view, dialects, "agent"),
    attr: keptAttributes(view, projection),
    fields,
    hidden: kind === null ? new Map() : hiddenOf(view, draft, isCall, outcome, args, result),
    flaws,
    asks: turn.asks,
    answers: turn.answers,
    finalAnswer: turn.finalAnswer,
    side: dialects.map((dialect) => dialect.side?.(view) ?? null).find((side) => side !== null) ?? null,
    signals: input.mapper
      .ofEvents(span, (stamp) => stamp <= plus(input.at, hours(24)))
      .map((signal) => ({
        ...signal,
        attr: new Map([...signal.attr].filter(([key]) => keeps(projection, key))),
      })),
  };
  return mapped === null ? fact : withMapped(fact, mapped, projection);
}

const unasked: Resolved = { value: undefined, redacted: false, flaw: null };

function turnPart(
  view: View,
  dialects: readonly Dialect[],
  role: Role | null,
  projection: Projection,
): ReturnType<typeof turnOf> {
  if (role === "model") return turnOf(view, dialects, projection);
  const mayAnswer = role === "agent" || role === "workflow" || role === "step";
  return mayAnswer ? statedAnswer(view, dialects) : noTurn;
}

function kindOf(input: FactInput, role: Role | null, mapped: Mapped | null): string | null {
  if (mapped !== null) return mapped.kind;
  const kind = role === null ? null : kindOfRole[role];
  if (kind === null) return input.isNamed ? "step" : null;
  return kind === "step" && !input.projection.steps && !input.isNamed ? null : kind;
}

function nameOf(
  view: View,
  dialects: readonly Dialect[],
  role: Role | null,
  dialect: string | null,
): string | null {
  switch (role) {
    case "tool": {
      const stated = resolveText(view, dialects, "name");
      if (stated !== null) return stated;
      // LangChain through OpenLLMetry names the span after a class: no name is better than a wrong one.
      const byClass = view.text("traceloop.span.kind") === "task" && dialect === "traceloop";
      return byClass ? null : (nameFromSpan(view) ?? (dialect === "openinference" ? view.span.name : null));
    }
    case "retrieval":
      return resolveText(view, dialects, "name") ?? resolveText(view, dialects, "node") ?? view.span.name;
    case "model":
      return resolveText(view, dialects, "model") ?? view.span.name;
    case "agent":
      return resolveText(view, dialects, "agent") ?? view.span.name;
    default:
      return resolveText(view, dialects, "node") ?? view.span.name;
  }
}

/** Turn and run key: fields that a dialect or a setting names besides `agent.*`. */
function stateRest({ view, dialects, runKey }: FactInput, fields: Map<string, Value>): void {
  const turn = fields.has("turn") ? null : resolveText(view, dialects, "turn");
  if (turn !== null) fields.set("turn", turn);
  for (const key of runKey) {
    const run = view.text(key) ?? textOf(view.span.resource.attributes.get(key));
    if (run === null) continue;
    fields.set("run", run);
    break;
  }
}

function conversationOfResource(view: View): string | null {
  const resource = view.span.resource.attributes;
  return textOf(resource.get("gen_ai.conversation.id")) ?? textOf(resource.get("session.id"));
}

function cut(value: Value | undefined, paths: Projection["args"], projection: Projection): Value | undefined {
  return projection.all ? value : projectValue(value, paths);
}

function keeps(projection: Projection, key: string): boolean {
  return projection.all || projection.attr.has(key);
}

/** Resource attributes are kept as `resource.<key>`, where a rule names them so. */
function keptAttributes(view: View, projection: Projection): ReadonlyMap<string, Value> {
  const kept = new Map<string, Value>();
  for (const [key, value] of view.span.attributes) if (keeps(projection, key)) kept.set(key, value);
  for (const [key, value] of view.span.resource.attributes) {
    const named = `resource.${key}`;
    if (keeps(projection, named)) kept.set(named, value);
  }
  return kept;
}

function flawsOf(view: View, times: SpanTimes, contents: readonly Resolved[]): readonly Flaw[] {
  const { span } = view;
  const flaws = new Set<Flaw>(times.flaws);
  if (span.droppedAttributes > 0 || span.resource.droppedAttributes > 0) flaws.add("dropped_attributes");
  if (span.droppedEvents > 0 || span.events.some((event) => event.droppedAttributes > 0)) {
    flaws.add("dropped_events");
  }
  if (isSampled(span.traceState)) flaws.add("sampled");
  for (const { redacted, flaw } of contents) {
    if (redacted) flaws.add("redacted");
    if (flaw !== null) flaws.add(flaw);
  }
  return [...flaws];
}

const ranWithout: ReadonlySet<Outcome> = new Set<Outcome>([
  "error",
  "refused",
  "cancelled",
  "timeout",
  "awaiting",
  "rejected_invalid",
]);

/** Why a missing value is unknown rather than absent (RULES 11). */
function hiddenOf(
  view: View,
  draft: CallDraft,
  isCall: boolean,
  outcome: Outcome,
  args: Resolved,
  result: Resolved,
): ReadonlyMap<string, Code> {
  const hidden = new Map<string, Code>();
  if (draft.name === null && isCall) hidden.set("name", "not_captured");
  const dropped = view.span.droppedAttributes > 0;
  const missing = (root: "args" | "result", read: Resolved, reason: Code): void => {
    if (read.redacted || read.flaw !== null || dropped) hidden.set(root, "data_incomplete");
    else if (read.value === undefined) hidden.set(root, reason);
  };
  missing("args", args, "not_captured");
  // A call that did not succeed has no result to capture.
  if (draft.result !== undefined || !ranWithout.has(outcome)) missing("result", result, "not_captured");
  if (dropped) hidden.set("attr", "data_incomplete");
  return hidden;
}

/** A mapping's fields win over what the dialect read. */
function withMapped(fact: SpanFact, mapped: Mapped, projection: Projection): SpanFact {
  const fields = new Map(fact.fields);
  const hidden = new Map(fact.hidden);
  for (const [name, value] of mapped.fields) {
    if (!ownPlaces.has(name)) fields.set(name, value);
  }
  const field = (name: string): Value | undefined => mapped.fields.get(name);
  const args = field("args");
  const result = field("result");
  if (args !== undefined) hidden.delete("args");
  if (result !== undefined) hidden.delete("result");
  const isOwnKind = mapped.kind !== "tool_call" && mapped.kind !== "retrieval";
  if (isOwnKind && args === undefined && hidden.get("args") === "not_captured") hidden.delete("args");
  if (isOwnKind && result === undefined && hidden.get("result") === "not_captured") hidden.delete("result");
  return {
    ...fact,
    name: textOf(field("name")) ?? fact.name ?? fact.spanName,
    callId: textOf(field("call_id")) ?? fact.callId,
    args: args === undefined ? fact.args : cut(args, projection.args, projection),
    argsHash: args === undefined ? fact.argsHash : hashOf(args),
    result: result === undefined ? fact.result : cut(result, projection.result, projection),
    hasResult: fact.hasResult || result !== undefined,
    outcome: statusNamed(field("status")) ?? fact.outcome,
    conversation: textOf(field("conversation")) ?? fact.conversation,
    agent: textOf(field("agent")) ?? fact.agent,
    fields,
    hidden,
  };
}

const ownPlaces = new Set([
  "name",
  "call_id",
  "args",
  "result",
  "status",
  "conversation",
  "agent",
  agentEventKind,
]);
