/** Makes the fact of one span that is no plain event: what it is, what it says, what is wrong with it. */
import { agentEventKind } from "../../model/attribute-names.ts";
import type { SpanFact } from "../../model/span-fact.ts";
import { hours, plus, type UnixNano } from "../../model/time.ts";
import type { Value } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import type { Projection } from "../../rules/rule.ts";
import { flawsOf, hiddenOf } from "./data-quality.ts";
import { detect, nameFromSpan } from "./detect.ts";
import type { CallDraft, Dialect, Role } from "./dialect.ts";
import { statusNamed } from "./dialects/plain.ts";
import type { ResourceFacts } from "./fields.ts";
import { httpFactOf } from "./http.ts";
import type { Identity, StatedSignal } from "./identity.ts";
import { errorClassOf, outcomeOf } from "./lifecycle.ts";
import { agentSignal, type Mapped, type Mapper } from "./mapping.ts";
import type { Presence } from "./presence.ts";
import { projectValue } from "./project.ts";
import { type Resolved, resolve, resolveText } from "./resolve.ts";
import type { SpanTimes } from "./times.ts";
import { noTurn, statedAnswer, turnOf } from "./turns.ts";
import { hashOf, isPresent, textOf } from "./values.ts";
import type { View } from "./view.ts";

export interface FactInput {
  readonly view: View;
  readonly at: UnixNano;
  readonly source: string | null;
  readonly times: SpanTimes;
  readonly presence: Presence;
  readonly resource: ResourceFacts;
  readonly projection: Projection;
  readonly mapper: Mapper;
  readonly identity: Identity;
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
  const { view, presence, projection, resource } = input;
  const { span } = view;
  const detection = detect(view, presence.set);
  const mapped = input.mapper.ofSpan(span) ?? agentSignal(span.attributes, input.identity);
  const stated = input.identity.read(span.attributes);
  const kind = kindOf(input, detection?.role ?? null, mapped);
  const base: SpanFact = {
    ...skeleton(input),
    dialect: detection?.dialect ?? (mapped === null ? null : "mapping"),
    conversation: resolveText(view, presence.dialects, "conversation") ?? resource.conversation,
    agent: resolveText(view, presence.dialects, "agent"),
    fields: fieldsOf(input, stated.fields, kind !== null),
    signals: signalsOf(
      input,
      stated.signals.filter((signal) => signal.kind !== kind),
    ),
  };
  const role = detection?.role ?? null;
  const readsHttp = kind === null && (input.projection.all || input.projection.http === true);
  const http = readsHttp ? httpFactOf(view) : null;
  if (http !== null) return { ...base, http };
  const fact =
    kind === null && role === null ? base : withContent(base, input, kind, role, detection?.dialect ?? null);
  if (mapped !== null) return withMapped(fact, mapped, projection);
  return detection === null && looksLikeTool(span.name)
    ? { ...fact, flaws: [...fact.flaws, "unrecognised_tool"] }
    : fact;
}

/** A span that is named like a tool call and that no dialect knows: a framework that is not read yet. */
function looksLikeTool(name: string): boolean {
  return toolLike.test(name) && !name.includes("/");
}

const toolLike = /(?:^|[\s._:-])tools?(?:[\s._:-]|$)|function_tool|tool_(?:call|use|execution)/i;

const nothing: readonly never[] = [];
const noHidden: ReadonlyMap<string, Code> = new Map();

/** What every span gives, and a span that is no event gives alone. */
function skeleton({ view, times, projection, resource }: FactInput): SpanFact {
  const { span } = view;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentId: span.parentSpanId === "" ? null : span.parentSpanId,
    parentRemote: (span.flags & 0x100) === 0 ? null : (span.flags & 0x200) !== 0,
    links: span.links,
    spanName: span.name,
    spanKind: span.kind,
    scope: span.scope.name,
    clock: resource.clock.clock,
    clockAssumed: resource.clock.assumed,
    start: times.start,
    end: times.end,
    ended: times.ended,
    ...(resource.startSignals ? saysStarts : {}),
    dialect: null,
    eventId: null,
    kind: null,
    name: null,
    callId: null,
    args: undefined,
    argsHash: null,
    result: undefined,
    hasResult: false,
    outcome: null,
    errorClass: null,
    conversation: null,
    agent: null,
    attr: keptAttributes(view, projection),
    fields: noFields,
    hidden: noHidden,
    flaws: flawsOf(view, times, nothing),
    asks: nothing,
    answers: nothing,
    finalAnswer: null,
    side: null,
    signals: nothing,
  };
}

const noFields: ReadonlyMap<string, Value> = new Map();
const saysStarts = { startSignals: "all" } as const;

/** What a known span says of itself: a call its content and outcome, a model turn its messages. */
function withContent(
  base: SpanFact,
  { view, presence, times, projection }: FactInput,
  kind: string | null,
  role: Role | null,
  dialect: string | null,
): SpanFact {
  const { dialects } = presence;
  const isCall = role === "tool" || role === "retrieval";
  const args = isCall ? resolve(view, dialects, "args") : unasked;
  const result = isCall ? resolve(view, dialects, "result") : unasked;
  const draft: CallDraft = {
    name: nameOf(view, dialects, role, dialect),
    callId: isCall ? resolveText(view, dialects, "callId") : null,
    args: args.value,
    result: result.value,
  };
  const turn = turnPart(view, dialects, role, projection);
  const outcome = kind === null ? null : outcomeOf(view, draft, times.ended, dialects);
  return {
    ...base,
    kind,
    name: kind === null ? null : draft.name,
    callId: draft.callId,
    args: cut(args.value, projection.args, projection),
    argsHash: args.value === undefined ? null : hashOf(args.value),
    result: cut(result.value, projection.result, projection),
    hasResult: result.value !== undefined,
    outcome,
    errorClass: errorClassOf(view),
    hidden: kind === null ? noHidden : hiddenOf(view, draft, isCall, outcome, base.fields, args, result),
    flaws: isCall ? flawsOf(view, times, [args, result]) : base.flaws,
    asks: turn.asks,
    answers: turn.answers,
    finalAnswer: turn.finalAnswer,
    side: dialects.map((one) => one.side?.(view) ?? null).find((side) => side !== null) ?? null,
  };
}

function signalsOf(
  { view, at, times, mapper, projection }: FactInput,
  stated: readonly StatedSignal[],
): SpanFact["signals"] {
  const signals = mapper.signalsOf(view.span, stated, times, (stamp) => stamp <= plus(at, hours(24)));
  if (signals.length === 0) return nothing;
  return signals.map((signal) => ({
    ...signal,
    attr: new Map([...signal.attr].filter(([key]) => keeps(projection, key))),
  }));
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
      return resolveText(view, dialects, "name") ?? view.text("gen_ai.data_source.id") ?? view.span.name;
    case "model":
      return resolveText(view, dialects, "model") ?? view.span.name;
    case "agent":
      return resolveText(view, dialects, "agent") ?? view.span.name;
    default:
      return resolveText(view, dialects, "node") ?? view.span.name;
  }
}

/** Stated fields; of a span that is no event only those that events inherit or runs are keyed by. */
function fieldsOf(
  input: FactInput,
  fields: Map<string, Value>,
  isEvent: boolean,
): ReadonlyMap<string, Value> {
  const { view, presence, resource, runKey, source } = input;
  const { span } = view;
  const put = (name: string, value: Value | undefined): void => {
    if (isPresent(value)) fields.set(name, value);
  };
  if (!fields.has("turn")) put("turn", resolveText(view, presence.dialects, "turn"));
  for (const key of runKey) {
    const run = view.text(key) ?? textOf(span.resource.attributes.get(key));
    if (run === null) continue;
    fields.set("run", run);
    break;
  }
  put("service", resource.service);
  if (isEvent || span.events.length > 0) {
    put("environment", resource.environment);
    put("source", source ?? undefined);
    put("scope_name", span.scope.name);
    put("span_name", span.name);
  }
  return fields;
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
  if (!projection.all && projection.attr.size === 0) return kept;
  for (const [key, value] of view.span.attributes) if (keeps(projection, key)) kept.set(key, value);
  for (const [key, value] of view.span.resource.attributes) {
    const named = `resource.${key}`;
    if (keeps(projection, named)) kept.set(named, value);
  }
  return kept;
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
