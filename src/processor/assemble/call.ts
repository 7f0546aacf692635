/** One tool call or retrieval while it is put together: its spans, and what they say between them. */
import type { Flaw, Status } from "../../model/event.ts";
import type { Outcome } from "../../model/span-fact.ts";
import type { UnixNano } from "../../model/time.ts";
import { isObject, type Value } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import { byStart, isAncestor, type SpanNode } from "./graph.ts";

/** Mutable inside one `assemble` only. */
export interface Call {
  /** Outermost, spans before log records, then earliest, then smallest. */
  readonly anchor: SpanNode;
  /** Every span of the call, the anchor first. */
  readonly nodes: readonly SpanNode[];
  name: string | null;
  callId: string | null;
  args: Value | undefined;
  argsHash: string | null;
  result: Value | undefined;
  hasResult: boolean;
  outcome: Outcome;
  readonly hidden: Map<string, Code>;
  readonly flaws: Set<Flaw>;
  /** The model turn that asked for it, and the place of the request in it. */
  decidedBy: SpanNode | null;
  decisionIndex: number;
  /** Nothing says that the turn asked for it: it was the last one before. */
  decidedByTime: boolean;
}

export function createCall(members: readonly SpanNode[]): Call {
  const depth = new Map(members.map((node) => [node, members.length === 1 ? 0 : nesting(node, members)]));
  const nodes = members.toSorted(
    (a, b) => (depth.get(a) ?? 0) - (depth.get(b) ?? 0) || telling(a) - telling(b) || byStart(a, b),
  );
  const ranked = nodes.toSorted((a, b) => contentOf(b) - contentOf(a) || nodes.indexOf(a) - nodes.indexOf(b));
  const anchor = nodes[0] ?? members[0];
  if (anchor === undefined) throw new Error("a call without a span");
  const withArgs =
    ranked.find(({ fact }) => isObject(fact.args)) ?? ranked.find(({ fact }) => fact.argsHash !== null);
  const withResult = ranked.find(({ fact }) => fact.hasResult);
  const call: Call = {
    anchor,
    nodes,
    name: ranked.find(({ fact }) => fact.name !== null)?.fact.name ?? null,
    callId: ranked.find(({ fact }) => fact.callId !== null)?.fact.callId ?? null,
    args: withArgs?.fact.args,
    argsHash: withArgs?.fact.argsHash ?? null,
    result: withResult?.fact.result,
    hasResult: withResult !== undefined,
    outcome: joinOutcomes(nodes.map(({ fact }) => fact.outcome)),
    hidden: new Map(),
    flaws: new Set(nodes.flatMap(({ fact }) => fact.flaws)),
    decidedBy: null,
    decisionIndex: 0,
    decidedByTime: false,
  };
  for (const { fact } of [withArgs, withResult, ...nodes].filter((node) => node !== undefined)) {
    for (const [path, code] of fact.hidden) if (!call.hidden.has(path)) call.hidden.set(path, code);
  }
  if (withArgs !== undefined && !withArgs.fact.hidden.has("args")) call.hidden.delete("args");
  if (withResult !== undefined && !withResult.fact.hidden.has("result")) call.hidden.delete("result");
  if (call.name !== null) call.hidden.delete("name");
  return call;
}

/** How many of the call's other spans a span is inside of; a server is inside its client though no parent says so. */
function nesting(node: SpanNode, members: readonly SpanNode[]): number {
  const around = members.filter((other) => isAncestor(other, node)).length;
  return around > 0 || node.fact.side !== "server" ? around : 1;
}

/** A span is the call itself, a log record tells of it, and a decision only of its beginning. */
function telling({ fact: { log } }: SpanNode): number {
  return log === undefined ? 0 : log === "record" ? 1 : 2;
}

/**
 * When the call began to run: where it waited for somebody, a member says so, and whatever encloses it had begun
 * before. Null: nothing says other than the anchor.
 */
export function beganAt({ anchor, nodes }: Call): UnixNano | null {
  let began: UnixNano | null = null;
  for (const { fact } of nodes) {
    if (fact.begins !== true || fact.start === null || fact.clock !== anchor.fact.clock) continue;
    if (anchor.fact.end !== null && fact.start > anchor.fact.end) continue;
    if (began === null || fact.start > began) began = fact.start;
  }
  return began !== null && anchor.fact.start !== null && began > anchor.fact.start ? began : null;
}

/** Who is believed where members disagree: a call id first, then content, then the outermost. */
function contentOf({ fact }: SpanNode): number {
  return (fact.callId !== null ? 2 : 0) + (fact.argsHash !== null || fact.hasResult ? 1 : 0);
}

const bad: ReadonlySet<Outcome> = new Set<Outcome>([
  "error",
  "timeout",
  "cancelled",
  "refused",
  "rejected_invalid",
  "awaiting",
]);

/**
 * One outcome of several spans, the outermost first: the worst, and of several bad ones the outermost unless it
 * only says `error`. Where an inner attempt failed and a later one went well, the outer success stands.
 */
export function joinOutcomes(outcomes: readonly Outcome[]): Outcome {
  const outer = outcomes[0] ?? null;
  if (outcomes.length === 1) return outer;
  const failed = outcomes.filter((outcome) => bad.has(outcome));
  const inner = outcomes.slice(1);
  const recovered = outer === "success" && inner.length > 1 && inner.at(-1) === "success";
  if (failed.length > 0 && !recovered) return failed.find((outcome) => outcome !== "error") ?? "error";
  for (const outcome of ["success", "running", "unknown", "unverified"] as const) {
    if (outcomes.includes(outcome)) return outcome;
  }
  return null;
}

/** The word of docs/semantics.md 2 for what is known when everything at hand was read. */
export function settledStatus(outcome: Outcome): Status {
  if (outcome === "unverified") return "success";
  return outcome ?? "unknown";
}
