/**
 * One call, one event, however many instrumentations traced it (docs/dialects.md#one-call-one-event). Ancestry
 * first, then what different scopes say about the same call at the same time. Two spans of one scope without
 * ancestry never merge: parallel calls with the same arguments are real, and so is a call id that occurs twice.
 */
import { milliseconds } from "../../model/time.ts";
import type { Conversations } from "./conversations.ts";
import { byStart, compareStamps, type SpanNode } from "./graph.ts";
import { createGroups, type Groups } from "./groups.ts";
import { sameTool } from "./tool-name.ts";

const isCall = (node: SpanNode): boolean => node.fact.kind === "tool_call" || node.fact.kind === "retrieval";

/** An inner span may begin that much before its outer one, or end after it: stamps are floored, clocks differ. */
const slack = milliseconds(50);

/** The spans of every call, grouped. A plain event is an event already, and stays alone. */
export function mergeCalls(
  nodes: readonly SpanNode[],
  conversations: Conversations,
): readonly (readonly SpanNode[])[] {
  const calls = nodes.filter(isCall);
  const groups = createGroups(calls);
  const traced = calls.filter(({ fact }) => fact.dialect !== "plain" && fact.dialect !== "mapping");
  for (const node of traced) joinAncestor(node, groups);
  joinSiblings(traced, groups, conversations);
  joinServers(traced, groups);
  joinDecisions(traced, groups, conversations);
  return groups.all();
}

/** The nearest enclosing call of the same tool, unless another agent or model stands between. */
function joinAncestor(node: SpanNode, groups: Groups): void {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (at.fact.kind === "agent_run" || at.fact.kind === "model_turn") return;
    if (!isCall(at)) continue;
    if (at.fact.dialect !== "plain" && isInnerSpan(at, node)) groups.join(at, node);
    return;
  }
}

function isInnerSpan(outer: SpanNode, inner: SpanNode): boolean {
  const a = outer.fact;
  const b = inner.fact;
  if (!sameTool(a.name, b.name, b.side !== null)) return false;
  if (differ(a.callId, b.callId)) return false;
  // A tool that calls itself with other arguments is a second call.
  if (a.scope === b.scope && differ(a.argsHash, b.argsHash)) return false;
  if (a.clock !== b.clock || a.start === null || b.start === null) return true;
  return b.start >= a.start - slack && (a.end === null || b.start <= a.end + slack);
}

/** Parallel trees of several tracers: same tool and id, or same tool, arguments and times. Closest pairs first. */
function joinSiblings(calls: readonly SpanNode[], groups: Groups, conversations: Conversations): void {
  // Nearly every run has one tracer: then there is nothing to compare.
  if (new Set(calls.map(({ fact }) => fact.scope)).size < 2) return;
  const pairs: { readonly a: SpanNode; readonly b: SpanNode; readonly distance: bigint }[] = [];
  const timed = calls.filter(({ fact }) => fact.start !== null && fact.end !== null);
  timed.forEach((a, index) => {
    for (const b of timed.slice(index + 1)) {
      const start = b.fact.start;
      if (start === null || (a.fact.end !== null && start > a.fact.end + slack)) break;
      if (a.fact.scope === b.fact.scope || !together(a, b, conversations)) continue;
      const distance = distanceOf(a, b);
      if (distance !== null && isSameCall(a, b, distance)) pairs.push({ a, b, distance });
    }
  });
  pairs.sort((x, y) => (x.distance < y.distance ? -1 : x.distance > y.distance ? 1 : 0));
  for (const { a, b } of pairs) groups.joinScopes(a, b);
}

function together(a: SpanNode, b: SpanNode, conversations: Conversations): boolean {
  if (a.fact.traceId === b.fact.traceId) return true;
  const ofA = conversations.of(a);
  const ofB = conversations.of(b);
  return ofA === null || ofB === null || ofA === ofB;
}

/** How far apart both ends are together; null where the two do not overlap. */
function distanceOf(a: SpanNode, b: SpanNode): bigint | null {
  const { start: startA, end: endA } = a.fact;
  const { start: startB, end: endB } = b.fact;
  if (startA === null || startB === null || endA === null || endB === null) return null;
  if (startB > endA || startA > endB) return null;
  return abs(startB - startA) + abs(endB - endA);
}

function isSameCall(a: SpanNode, b: SpanNode, distance: bigint): boolean {
  if (!sameTool(a.fact.name, b.fact.name, false) || differ(a.fact.callId, b.fact.callId)) return false;
  if (differ(a.fact.argsHash, b.fact.argsHash)) return false;
  if (a.fact.callId !== null && a.fact.callId === b.fact.callId) return true;
  if (a.fact.argsHash === null || b.fact.argsHash === null) return false;
  const duration = (a.fact.end ?? 0n) - (a.fact.start ?? 0n);
  const allowed = duration / 20n > slack ? duration / 20n : slack;
  return distance <= 2n * allowed;
}

/** An MCP server that was given no trace context: its root span belongs to the one client span around it. */
function joinServers(calls: readonly SpanNode[], groups: Groups): void {
  for (const server of calls) {
    if (server.fact.side !== "server" || server.fact.parentId !== null) continue;
    const clients = calls.filter((client) => encloses(client, server) && !groups.isJoined(client, "server"));
    const [client] = clients.toSorted((a, b) => compareStamps(b.fact.start, a.fact.start));
    if (client !== undefined && clients.length === 1) groups.join(client, server);
  }
}

/**
 * What was decided about a call, and the record or span that tells how it went, by their call id. An id may occur twice
 * (a retry): a decision belongs to the first that ended after it.
 */
function joinDecisions(calls: readonly SpanNode[], groups: Groups, conversations: Conversations): void {
  const decisions = calls.filter(({ fact }) => fact.log === "decision" && fact.callId !== null);
  if (decisions.length === 0) return;
  const byId = Map.groupBy(
    calls.filter(({ fact }) => fact.callId !== null),
    ({ fact }) => fact.callId,
  );
  for (const decision of decisions) {
    const same = (byId.get(decision.fact.callId) ?? []).filter(
      (node) =>
        node !== decision &&
        sameTool(node.fact.name, decision.fact.name, true) &&
        together(node, decision, conversations),
    );
    const told = same.filter((node) => node.fact.log !== "decision" && endsAfter(node, decision));
    const first = told.toSorted((a, b) => compareStamps(a.fact.end, b.fact.end) || byStart(a, b))[0];
    const alike = same.find((node) => node.fact.log === "decision");
    const joined = first ?? alike;
    if (joined !== undefined) groups.join(joined, decision);
  }
}

function endsAfter({ fact }: SpanNode, { fact: decision }: SpanNode): boolean {
  if (fact.end === null || decision.start === null) return true;
  return fact.end + slack >= decision.start;
}

function encloses(client: SpanNode, server: SpanNode): boolean {
  const a = client.fact;
  const b = server.fact;
  if (a.side === "server" || a.spanKind !== 3 || !sameTool(a.name, b.name, true)) return false;
  if (a.fields.get("service") === b.fields.get("service")) return false;
  if (differ(a.argsHash, b.argsHash)) return false;
  if (a.start === null || b.start === null) return false;
  const endsInside = a.end === null || b.end === null || b.end <= a.end + slack;
  return b.start >= a.start - milliseconds(1) && (a.end === null || b.start <= a.end) && endsInside;
}

function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
