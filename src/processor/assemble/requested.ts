/**
 * Calls that only model turns show. One that was asked for and not answered, or not run by anybody who traces,
 * is a `requested` life without boundary points. Where no tool is traced at all and a later turn was told the
 * answer, it ran: somewhere between the end of the asking turn and the start of that one
 * (docs/semantics.md 11).
 */
import type { Moment, Status } from "../../model/event.ts";
import type { Call } from "./call.ts";
import type { Conversations } from "./conversations.ts";
import type { GivenAnswer, Request, Turn } from "./model-turns.ts";
import { sameTool } from "./tool-name.ts";

export interface RequestedCall {
  readonly request: Request;
  readonly status: Status;
  readonly answer: GivenAnswer | null;
  readonly start: Moment;
  readonly end: Moment;
}

export function requestedCalls(
  open: readonly Request[],
  calls: readonly Call[],
  turns: readonly Turn[],
  answers: ReadonlyMap<string, readonly GivenAnswer[]>,
  conversations: Conversations,
): readonly RequestedCall[] {
  const turnOf = new Map(turns.map((turn) => [turn.node, turn]));
  const spent = new Set<Call>();
  const found: RequestedCall[] = [];
  for (const request of open) {
    const turn = turnOf.get(request.turn);
    if (turn === undefined) continue;
    const resumed = calls.find((call) => !spent.has(call) && resumes(call, request, turn, conversations));
    if (resumed !== undefined) {
      spent.add(resumed);
      resumed.decidedBy = request.turn;
      resumed.decisionIndex = request.index;
      resumed.callId ??= request.ask.callId;
      continue;
    }
    const given = request.ask.callId === null ? undefined : answers.get(request.ask.callId);
    const answer = given?.find((one) => isLater(one.turn, turn) && sameScope(one.turn, turn)) ?? null;
    found.push(lifeOf(request, answer, anyTraced(turn, calls, conversations)));
  }
  return found;
}

function lifeOf(request: Request, answer: GivenAnswer | null, anyCallTraced: boolean): RequestedCall {
  if (answer === null || anyCallTraced) {
    const told = answer?.answer.status;
    const ended = told === "refused" || told === "rejected_invalid" || told === "awaiting";
    return { request, answer, status: ended ? told : "requested", start: "none", end: "none" };
  }
  const moment = between(request, answer);
  return { request, answer, status: answer.answer.status ?? "success", start: moment, end: moment };
}

function between(request: Request, answer: GivenAnswer): Moment {
  const earliest = request.turn.fact.end;
  const latest = answer.turn.start;
  return earliest === null || latest === null || latest < earliest ? "unknown" : { earliest, latest };
}

/** The same tool with the same arguments ran later in the conversation, and nobody else asked for that. */
function resumes(call: Call, { ask }: Request, turn: Turn, conversations: Conversations): boolean {
  if (call.decidedBy !== null || ask.argsHash === null || call.argsHash !== ask.argsHash) return false;
  if (!sameTool(call.name, ask.name, true)) return false;
  if (call.callId !== null && ask.callId !== null && call.callId !== ask.callId) return false;
  const { traceId, start } = call.anchor.fact;
  const near =
    traceId === turn.node.fact.traceId ||
    (turn.conversation !== null && conversations.of(call.anchor) === turn.conversation);
  return near && start !== null && turn.start !== null && start >= turn.start;
}

function isLater(turn: Turn, than: Turn): boolean {
  return turn !== than && turn.start !== null && than.start !== null && turn.start >= than.start;
}

function sameScope(a: Turn, b: Turn): boolean {
  if (a.node.fact.traceId === b.node.fact.traceId) return true;
  return a.conversation !== null && a.conversation === b.conversation;
}

function anyTraced(turn: Turn, calls: readonly Call[], conversations: Conversations): boolean {
  return calls.some(
    (call) =>
      call.anchor.fact.traceId === turn.node.fact.traceId ||
      (turn.conversation !== null && conversations.of(call.anchor) === turn.conversation),
  );
}
