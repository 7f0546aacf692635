/**
 * Chat messages in every shape that model spans carry them: OTel GenAI parts, OpenAI chat and Responses,
 * Anthropic, Gemini, Bedrock and Strands blocks, Vercel AI SDK parts, Genkit parts, LangChain's serialised
 * messages. Only what order needs is taken: which calls were asked for, which were answered, and whether the
 * model said anything. Text itself is never kept.
 */
import type { Status } from "../../model/event.ts";
import { isArray, isObject, member, type Value, type ValueObject } from "../../model/value.ts";
import { readPart } from "./message-parts.ts";
import { firstText, isPresent } from "./values.ts";

export interface AskDraft {
  readonly callId: string | null;
  readonly name: string | null;
  readonly args: Value | undefined;
}

export interface AnswerDraft {
  readonly callId: string | null;
  readonly name: string | null;
  readonly status: Status | null;
  readonly result: Value | undefined;
}

export interface Message {
  readonly role: "assistant" | "tool" | "user" | "system";
  readonly asks: readonly AskDraft[];
  readonly answers: readonly AnswerDraft[];
  readonly hasText: boolean;
  readonly finish: string | null;
}

/** Bounds the work on a hostile or gigantic history; a real one is far shorter. */
const mostMessages = 5_000;

/** Every message inside a value, whatever envelope it came in. Unknown shapes give none. */
export function readMessages(value: Value | undefined): readonly Message[] {
  const found: Message[] = [];
  collect(value, found, 0);
  return found;
}

/** Members under which an envelope holds messages, most specific first. */
const envelopes = ["messages", "contents", "output", "choices", "generations", "message", "content"] as const;

function collect(value: Value | undefined, found: Message[], depth: number): void {
  if (depth > 6 || found.length >= mostMessages) return;
  if (isArray(value)) {
    for (const item of value) collect(item, found, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  const message = readMessage(value);
  if (message !== null) {
    found.push(message);
    return;
  }
  const finish = firstText(value, "finish_reason", "finishReason");
  for (const key of envelopes) {
    const inner = member(value, key);
    if (typeof inner !== "object" || inner === null) continue;
    const before = found.length;
    collect(inner, found, depth + 1);
    const last = found.at(-1);
    if (found.length > before && last !== undefined && finish !== null && last.finish === null) {
      found[found.length - 1] = { ...last, finish };
    }
    if (found.length > before) return;
  }
}

const roles: ReadonlyMap<string, Message["role"]> = new Map([
  ["assistant", "assistant"],
  ["model", "assistant"],
  ["ai", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
  ["user", "user"],
  ["human", "user"],
  ["system", "system"],
  ["developer", "system"],
]);

function readMessage(object: ValueObject): Message | null {
  const kwargs = member(object, "kwargs");
  if (isObject(kwargs) && member(object, "lc") !== undefined) return langchainMessage(object, kwargs);
  const role = roles.get(firstText(object, "role")?.toLowerCase() ?? "");
  if (role !== undefined) return messageOf(role, object);
  return responsesItem(object);
}

/** OpenAI Responses: calls and their results are items of their own, beside messages. */
function responsesItem(object: ValueObject): Message | null {
  const type = firstText(object, "type");
  if (type === null || !/^(?:function|custom_tool|tool|mcp)_call/.test(type)) return null;
  const part = readPart(object);
  if (part.is === "ask")
    return { role: "assistant", asks: [part.ask], answers: [], hasText: false, finish: null };
  if (part.is !== "answer") return null;
  return { role: "tool", asks: [], answers: [part.answer], hasText: false, finish: null };
}

/** `{lc: 1, id: [..., "AIMessage"], kwargs: {…}}`. */
function langchainMessage(object: ValueObject, kwargs: ValueObject): Message | null {
  const id = member(object, "id");
  const className = isArray(id) ? id.at(-1) : null;
  if (typeof className !== "string") return null;
  const kind = /^(AI|Tool|Function|Human|System)/.exec(className)?.[1];
  if (kind === undefined) return null;
  const byClass = {
    AI: "assistant",
    Tool: "tool",
    Function: "tool",
    Human: "user",
    System: "system",
  } as const;
  return messageOf(byClass[kind as keyof typeof byClass], kwargs);
}

function messageOf(role: Message["role"], object: ValueObject): Message {
  const asks: AskDraft[] = [];
  const answers: AnswerDraft[] = [];
  let hasText = false;

  const own = member(object, "tool_calls") ?? member(object, "toolCalls");
  const toolCalls = isArray(own) ? own : member(member(object, "additional_kwargs"), "tool_calls");
  for (const call of isArray(toolCalls) ? toolCalls : []) {
    const part = readPart(call, "ask");
    if (part.is === "ask") asks.push(part.ask);
  }

  const callId = firstText(object, "tool_call_id", "toolCallId");
  const content = member(object, "parts") ?? member(object, "content");
  if (role === "tool" && callId !== null) {
    const part = readPart({ ...object, type: "tool_call_response", id: callId, response: content ?? null });
    if (part.is === "answer") answers.push(part.answer);
    return { role, asks, answers, hasText: false, finish: null };
  }
  if (typeof content === "string") hasText = isPresent(content);
  for (const item of isArray(content) ? content : isObject(content) ? [content] : []) {
    const part = readPart(item);
    if (part.is === "ask" && !asks.some((ask) => ask.callId !== null && ask.callId === part.ask.callId)) {
      asks.push(part.ask);
    }
    if (part.is === "answer") answers.push(part.answer);
    if (part.is === "text") hasText = true;
  }
  const finish = firstText(object, "finish_reason", "finishReason");
  return { role, asks, answers, hasText, finish };
}

/**
 * The same messages from the last to the first, each read only when it is asked for: of a history only the end
 * is wanted, and it is sent again whole with every turn.
 */
export function messagesFromEnd(value: Value | undefined): Iterable<Message> {
  return fromEnd(value, 0);
}

function* fromEnd(value: Value | undefined, depth: number): Generator<Message, boolean> {
  if (depth > 6) return false;
  if (isArray(value)) {
    let found = false;
    for (let at = value.length - 1; at >= 0; at -= 1) found = (yield* fromEnd(value[at], depth + 1)) || found;
    return found;
  }
  if (!isObject(value)) return false;
  const message = readMessage(value);
  if (message !== null) {
    yield message;
    return true;
  }
  for (const key of envelopes) {
    const inner = member(value, key);
    if (typeof inner === "object" && inner !== null && (yield* fromEnd(inner, depth + 1))) return true;
  }
  return false;
}

/**
 * The calls of the last assistant turn of a history, and the answers given since: all that facts keep of it.
 * Takes the messages from the last to the first.
 */
export function lastExchange(fromLast: Iterable<Message>): {
  readonly asks: readonly AskDraft[];
  readonly answers: readonly AnswerDraft[];
} {
  const asks: (readonly AskDraft[])[] = [];
  const answers: (readonly AnswerDraft[])[] = [];
  let assistantSeen = false;
  for (const message of fromLast) {
    if (message.role === "assistant") {
      assistantSeen = true;
      asks.unshift(message.asks);
    } else if (assistantSeen) break;
    else answers.unshift(message.answers);
  }
  return { asks: asks.flat(), answers: answers.flat() };
}
