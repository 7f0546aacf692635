/** What a model turn asked for, what its input answered, and whether it may hold the final answer. */
import type { Answer, Ask, SpanFact } from "../../model/span-fact.ts";
import type { Projection } from "../../rules/rule.ts";
import type { Dialect } from "./dialect.ts";
import { type AnswerDraft, type AskDraft, lastExchange, type Message } from "./messages.ts";
import { projectValue } from "./project.ts";
import { hashOf, isPresent } from "./values.ts";
import type { View } from "./view.ts";

type TurnPart = Pick<SpanFact, "asks" | "answers" | "finalAnswer">;

export const noTurn: TurnPart = { asks: [], answers: [], finalAnswer: null };
/** No model asks for more in one message; past it a fact would not be small. */
const mostAsks = 256;

const finished = new Set(["stop", "end_turn", "completed", "length", "finish_reason_stop"]);
const suspended = new Set(["tool_calls", "tool_call", "tool-calls", "tool_use", "tooluse", "function_call"]);

export function turnOf(view: View, dialects: readonly Dialect[], projection: Projection): TurnPart {
  const output = givenMessages(view, dialects);
  const history = historyOf(view, dialects);
  const asked = output.flatMap((message) => (message.role === "assistant" ? message.asks : []));
  return {
    asks: [
      ...asked.slice(0, mostAsks).map((ask) => askOf(ask, false, projection)),
      ...history.asks.slice(0, mostAsks).map((ask) => askOf(ask, true, projection)),
    ],
    answers: history.answers.slice(0, mostAsks).map((answer) => answerOf(answer, projection)),
    finalAnswer: finalAnswerOf(view, dialects, output, asked.length > 0),
  };
}

/** Agent runs and workflows: only whether they state an answer. */
export function statedAnswer(view: View, dialects: readonly Dialect[]): TurnPart {
  const explicit = dialects.some((dialect) => dialect.answer?.(view) === true);
  return explicit ? { ...noTurn, finalAnswer: "explicit" } : noTurn;
}

/** Prefers the dialect that found calls: several families may spell the same messages, some without them. */
function givenMessages(view: View, dialects: readonly Dialect[]): readonly Message[] {
  let fallback: readonly Message[] = [];
  for (const dialect of dialects) {
    const messages = dialect.output?.(view);
    if (messages === undefined || messages.length === 0) continue;
    if (messages.some((message) => message.asks.length > 0)) return messages;
    if (fallback.length === 0) fallback = messages;
  }
  return fallback;
}

function historyOf(view: View, dialects: readonly Dialect[]): ReturnType<typeof lastExchange> {
  for (const dialect of dialects) {
    const exchange = lastExchange(dialect.input?.(view) ?? []);
    if (exchange.asks.length > 0 || exchange.answers.length > 0) return exchange;
  }
  return { asks: [], answers: [] };
}

function finalAnswerOf(
  view: View,
  dialects: readonly Dialect[],
  output: readonly Message[],
  asked: boolean,
): SpanFact["finalAnswer"] {
  if (asked) return "suspended";
  const finish = dialects
    .map((dialect) => dialect.finish?.(view))
    .find((reason) => isPresent(reason ?? undefined));
  const word = (finish ?? output.at(-1)?.finish ?? "").toLowerCase();
  if (suspended.has(word)) return "suspended";
  const spoke = output.some((message) => message.role === "assistant" && message.hasText);
  return spoke || finished.has(word) ? "possible" : null;
}

function askOf(draft: AskDraft, fromInput: boolean, projection: Projection): Ask {
  return {
    callId: draft.callId,
    name: draft.name,
    argsHash: draft.args === undefined ? null : hashOf(draft.args),
    args: projection.all ? draft.args : projectValue(draft.args, projection.args),
    fromInput,
  };
}

function answerOf(draft: AnswerDraft, projection: Projection): Answer {
  return {
    callId: draft.callId,
    name: draft.name,
    status: draft.status,
    result: projection.all ? draft.result : projectValue(draft.result, projection.result),
    hasResult: draft.result !== undefined,
  };
}
