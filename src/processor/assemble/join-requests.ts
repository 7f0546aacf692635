/**
 * Which model turn asked for which call. Call ids decide; where a span has none, the
 * tool's name and arguments among the calls that began after the turn and before the next one of the same
 * invocation; where even those are missing, the k-th of that name. What the turn said then fills what the span
 * left out, and what the next turn was told fills the result.
 */

import type { Ask } from "../../model/span-fact.ts";
import { milliseconds, minus, type UnixNano } from "../../model/time.ts";
import { isObject } from "../../model/value.ts";
import type { AncestryIndex } from "./ancestry.ts";
import type { Call } from "./call.ts";
import type { Conversations } from "./conversations.ts";
import { linkedTurn } from "./decisions.ts";
import { compareStamps } from "./graph.ts";
import { type GivenAnswer, invocationOf, type Request, type Turn } from "./model-turns.ts";
import { sameTool } from "./tool-name.ts";

/** Starts are floored to the millisecond: a call may seem to begin before the turn that asked for it. */
const slack = milliseconds(1);

export interface Joined {
  /** Requests that no call answers to. */
  readonly open: readonly Request[];
}

export function joinRequests(
  calls: readonly Call[],
  turns: readonly Turn[],
  ancestry: AncestryIndex,
  conversations: Conversations,
): Joined {
  const requests = turns.flatMap((turn) => turn.requests);
  const byId = new Map<string, Request[]>();
  for (const request of requests) {
    if (request.ask.callId === null) continue;
    const known = byId.get(request.ask.callId);
    if (known === undefined) byId.set(request.ask.callId, [request]);
    else known.push(request);
  }
  const turnOf = new Map(turns.map((turn) => [turn.node, turn]));
  const taken = new Set<Request>();
  const byIds = (): void => {
    for (const call of calls) {
      if (call.decidedBy !== null || call.callId === null) continue;
      matchById(call, byId.get(call.callId) ?? [], turnOf, conversations, taken);
    }
  };

  byLinks(calls, turns, byId, taken);
  byIds();
  const undecided = calls.filter((call) => call.decidedBy === null && call.anchor.fact.start !== null);
  if (undecided.length > 0) for (const turn of turns) matchByPlace(turn, undecided, ancestry, taken);
  const nameless = calls.filter((call) => call.callId === null && call.anchor.fact.start !== null);
  if (nameless.length > 0) {
    const identified = new Set(calls.map((call) => `${call.anchor.fact.traceId}\n${call.callId}`));
    for (const turn of turns) identifyByHistory(turn, nameless, identified, ancestry);
  }
  byIds();
  return { open: withoutRepeats(requests, taken, turnOf) };
}

/**
 * A call whose span links to one model turn was decided by it, unless other turns alone spell out its id.
 */
function byLinks(
  calls: readonly Call[],
  turns: readonly Turn[],
  byId: ReadonlyMap<string, readonly Request[]>,
  taken: Set<Request>,
): void {
  const linking = calls.filter((call) => call.nodes.some(({ fact }) => fact.links.length > 0));
  if (linking.length === 0) return;
  const turnAt = new Map(turns.map((turn) => [turn.node.key, turn]));
  for (const call of linking) {
    const turn = linkedTurn(call, turnAt);
    if (turn === null) continue;
    const asked = turn.requests.find(
      (request) =>
        !taken.has(request) &&
        mayBe(call, request.ask) &&
        ((call.callId !== null && request.ask.callId !== null) || !contradicts(call, request.ask)),
    );
    if (asked !== undefined) {
      taken.add(asked);
      decide(call, asked);
    } else if (call.callId === null || !byId.has(call.callId)) call.decidedBy = turn.node;
  }
}

function matchById(
  call: Call,
  requests: readonly Request[],
  turnOf: ReadonlyMap<unknown, Turn>,
  conversations: Conversations,
  taken: Set<Request>,
): void {
  const conversation = conversations.of(call.anchor);
  const near = requests.filter((request) => {
    const turn = turnOf.get(request.turn);
    if (request.turn.fact.traceId === call.anchor.fact.traceId) return true;
    return turn?.conversation === conversation || turn?.conversation === null || conversation === null;
  });
  const named = near.filter(
    ({ ask }) => ask.name === null || call.name === null || sameTool(ask.name, call.name, true),
  );
  if (near.length > 0 && named.length === 0) {
    call.flaws.add("name_disagrees");
    return;
  }
  const start = call.anchor.fact.start;
  const earlier = named.filter(
    ({ turn }) => start === null || turn.fact.start === null || turn.fact.start <= start + slack,
  );
  // Every turn before it that spells out the request (two tracers, a resumed run) has it answered by this call;
  // one after it asks anew, as models that count their calls from 1 in every turn do.
  for (const request of earlier.length > 0 ? earlier : named) taken.add(request);
  const sameTrace = earlier.filter(({ turn }) => turn.fact.traceId === call.anchor.fact.traceId);
  const chosen = sameTrace.at(-1) ?? earlier.at(-1) ?? named[0];
  if (chosen !== undefined) decide(call, chosen);
}

/** `undecided` in order of start. */
function matchByPlace(
  turn: Turn,
  undecided: readonly Call[],
  ancestry: AncestryIndex,
  taken: Set<Request>,
): void {
  const waiting = turn.requests.filter((request) => !taken.has(request));
  if (waiting.length === 0 || turn.start === null) return;
  const after = minus(turn.start, slack);
  const candidates = between(undecided, after, turn.next).filter(
    (call) => call.decidedBy === null && invocationOf(call.anchor, ancestry) === turn.invocation,
  );
  const match = (fits: (call: Call, ask: Ask) => boolean): void => {
    for (const request of waiting) {
      if (taken.has(request)) continue;
      const call = candidates.find(
        (candidate) =>
          candidate.decidedBy === null && mayBe(candidate, request.ask) && fits(candidate, request.ask),
      );
      if (call === undefined) continue;
      taken.add(request);
      decide(call, request);
    }
  };
  const named = (call: Call, ask: Ask): boolean => call.name !== null && call.name === ask.name;
  const equal = (call: Call, ask: Ask): boolean => ask.argsHash !== null && call.argsHash === ask.argsHash;
  match((call, ask) => named(call, ask) && equal(call, ask));
  match(equal);
  // A call whose arguments are known to be others is not the one; arguments reduced to their only text may be.
  match((call, ask) => named(call, ask) && !contradicts(call, ask));
  match((call, ask) => call.name !== null && !contradicts(call, ask));
  match((call, ask) => !contradicts(call, ask));
}

function mayBe(call: Call, ask: Ask): boolean {
  if (call.callId !== null && ask.callId !== null && call.callId !== ask.callId) return false;
  return call.name === null || ask.name === null || sameTool(call.name, ask.name, true);
}

function contradicts(call: Call, ask: Ask): boolean {
  return (
    call.argsHash !== null && ask.argsHash !== null && isObject(call.args) && call.argsHash !== ask.argsHash
  );
}

/**
 * A resumed run asks for nothing itself: its first turn's input holds the old request and its answer. Gives the
 * id to the call that ran in between.
 */
function identifyByHistory(
  turn: Turn,
  nameless: readonly Call[],
  identified: Set<string>,
  ancestry: AncestryIndex,
): void {
  const { start } = turn;
  const history = turn.node.fact.asks.filter((ask) => ask.fromInput && ask.callId !== null);
  if (start === null || history.length === 0) return;
  const earliest = turn.previous === null ? null : minus(turn.previous, slack);
  const candidates = between(nameless, earliest, start).filter(
    (call) => call.callId === null && invocationOf(call.anchor, ancestry) === turn.invocation,
  );
  for (const ask of history) {
    const key = `${turn.node.fact.traceId}\n${ask.callId}`;
    if (identified.has(key)) continue;
    const free = candidates.filter((call) => call.callId === null && mayBe(call, ask));
    const call =
      free.find((candidate) => ask.argsHash !== null && candidate.argsHash === ask.argsHash) ??
      free.find((candidate) => !contradicts(candidate, ask));
    if (call === undefined) continue;
    fill(call, ask);
    identified.add(key);
  }
}

/** Those of the calls, in order of start, that began in the interval; both ends count, null is no bound. */
function between(calls: readonly Call[], from: UnixNano | null, until: UnixNano | null): readonly Call[] {
  const first = from === null ? 0 : firstFrom(calls, (start) => start >= from);
  const last = until === null ? calls.length : firstFrom(calls, (start) => start > until);
  return calls.slice(first, last);
}

function firstFrom(calls: readonly Call[], holds: (start: UnixNano) => boolean): number {
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = calls[middle]?.anchor.fact.start ?? null;
    if (start === null || holds(start)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function decide(call: Call, request: Request): void {
  call.decidedBy = request.turn;
  call.decisionIndex = request.index;
  fill(call, request.ask);
}

function fill(call: Call, ask: Ask): void {
  call.callId ??= ask.callId;
  call.name ??= ask.name;
  if (call.name !== null) call.hidden.delete("name");
  if (ask.argsHash === null) return;
  if (call.argsHash === null || (!isObject(call.args) && isObject(ask.args))) {
    call.args = ask.args;
    call.argsHash = ask.argsHash;
    call.hidden.delete("args");
  }
}

/** Result and status from what the model was told, where the call's own spans do not say. */
export function takeAnswer(call: Call, answers: readonly GivenAnswer[], conversations: Conversations): void {
  const given = answerTo(call, answers, conversations);
  if (given === null) return;
  const { answer } = given;
  if (!call.hasResult && answer.hasResult) {
    call.result = answer.result;
    call.hasResult = true;
    call.hidden.delete("result");
  }
  const open = call.outcome === null || call.outcome === "unknown" || call.outcome === "unverified";
  if (open) call.outcome = answer.status ?? "success";
}

function answerTo(
  call: Call,
  answers: readonly GivenAnswer[],
  conversations: Conversations,
): GivenAnswer | null {
  const { start, traceId } = call.anchor.fact;
  const conversation = conversations.of(call.anchor);
  const later = answers.filter(({ turn }) => start === null || turn.start === null || turn.start >= start);
  const own = later.find(({ turn }) => turn.node.fact.traceId === traceId);
  return own ?? later.find(({ turn }) => turn.conversation === conversation) ?? null;
}

/** One open request a call id and conversation; without an id, every one that is spelt out. */
function withoutRepeats(
  requests: readonly Request[],
  taken: ReadonlySet<Request>,
  turnOf: ReadonlyMap<unknown, Turn>,
): readonly Request[] {
  const seen = new Set<string>();
  const open: Request[] = [];
  for (const request of requests.toSorted((a, b) => compareStamps(a.turn.fact.start, b.turn.fact.start))) {
    if (taken.has(request)) continue;
    const { callId } = request.ask;
    const scope = turnOf.get(request.turn)?.conversation ?? request.turn.fact.traceId;
    const key = callId === null ? null : `${scope}\n${callId}\n${request.ask.name ?? ""}`;
    if (key !== null && seen.has(key)) continue;
    if (key !== null) seen.add(key);
    open.push(request);
  }
  return open;
}
