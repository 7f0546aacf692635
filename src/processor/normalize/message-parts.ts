/** One part of a chat message: a call that is asked for, an answer to one, text, or something else. */
import type { Status } from "../../model/event.ts";
import { isArray, isObject, member, type Value, type ValueObject } from "../../model/value.ts";
import type { AnswerDraft, AskDraft } from "./messages.ts";
import { decodeValue, firstText, isBounded, isPresent, textOf } from "./values.ts";

export type Part =
  | { readonly is: "ask"; readonly ask: AskDraft }
  | { readonly is: "answer"; readonly answer: AnswerDraft }
  | { readonly is: "text" }
  | { readonly is: "other" };

const other: Part = { is: "other" };

/** Wrappers that name the part by their only interesting member: Gemini, Bedrock and Strands, Genkit. */
const asking = ["functionCall", "function_call", "toolUse", "toolRequest"] as const;
const answering = ["functionResponse", "function_response", "toolResult", "toolResponse"] as const;

const askTypes = new Set([
  "tool_call",
  "server_tool_call",
  "tool-call",
  "tool_use",
  "server_tool_use",
  "toolUse",
  "toolUseBlock",
  "function_call",
  "function",
  "custom_tool_call",
]);
const answerTypes = new Set([
  "tool_call_response",
  "server_tool_call_response",
  "tool-result",
  "tool-error",
  "tool_result",
  "toolResult",
  "toolResultBlock",
  "function_call_output",
  "function_call_result",
  "custom_tool_call_output",
]);

/** `assume`: what a part without a telling type is; a member of `tool_calls` is always a call. */
export function readPart(value: Value, assume?: "ask"): Part {
  if (typeof value === "string") return isPresent(value) ? { is: "text" } : other;
  if (!isObject(value)) return other;
  for (const key of asking) {
    const inner = member(value, key);
    if (isObject(inner)) return askOf(inner);
  }
  for (const key of answering) {
    const inner = member(value, key);
    if (isObject(inner)) return answerOf(inner, value);
  }
  const type = firstText(value, "type") ?? "";
  if (answerTypes.has(type)) return answerOf(value, value);
  if (askTypes.has(type) || assume === "ask") return askOf(value);
  const text = firstText(value, "text", "content");
  return (type === "" || /text$/.test(type)) && text !== null ? { is: "text" } : other;
}

function askOf(part: ValueObject): Part {
  const inner = member(part, "function");
  const body = isObject(inner) ? inner : part;
  const name = firstText(body, "name", "toolName", "tool_name");
  const callId = firstText(part, "call_id", "callId", "toolCallId", "toolUseId", "tool_use_id", "ref", "id");
  if (name === null && callId === null) return other;
  const raw = firstMember(body, "arguments", "args", "input");
  return {
    is: "ask",
    ask: { callId, name, args: isPresent(raw) ? kept(decodeValue(raw).value) : undefined },
  };
}

function answerOf(part: ValueObject, outer: ValueObject): Part {
  const callId = firstText(
    part,
    "tool_call_id",
    "call_id",
    "callId",
    "toolCallId",
    "toolUseId",
    "tool_use_id",
    "ref",
    "id",
  );
  const name = firstText(part, "name", "toolName", "tool_name");
  const raw = firstMember(part, "response", "result", "output", "content", "error");
  const given = answerValue(raw);
  const status = given.status ?? flaggedStatus(part, given.result) ?? flaggedStatus(outer, given.result);
  return { is: "answer", answer: { callId, name, status, result: kept(given.result) } };
}

/** Vercel wraps results in `{type, value}`, Strands and MCP in blocks; the inside is the tool's own result. */
function answerValue(raw: Value | undefined): {
  readonly result: Value | undefined;
  readonly status: Status | null;
} {
  const value = raw === undefined ? undefined : decodeValue(raw).value;
  if (isObject(value)) {
    const type = firstText(value, "type");
    if (type === "execution-denied") return { result: undefined, status: "refused" };
    if (type === "error-text" || type === "error-json") {
      const inner = decoded(member(value, "value"));
      return { result: inner, status: errorStatus(inner) };
    }
    if (type === "json" || type === "text") {
      return { result: decoded(firstMember(value, "value", "text")), status: null };
    }
    const error = member(value, "error");
    const onlyError = Object.keys(value).length <= 2 && isPresent(error);
    return { result: value, status: onlyError ? errorStatus(error) : null };
  }
  return { result: firstBlock(value), status: null };
}

function flaggedStatus(part: ValueObject, result: Value | undefined): Status | null {
  const flagged = [member(part, "isError"), member(part, "is_error")].includes(true);
  const named = ["error", "failed"].includes(firstText(part, "status") ?? "");
  const thrown = firstText(part, "type") === "tool-error";
  return flagged || named || thrown ? errorStatus(result) : null;
}

/** An error told to the model: refused, waiting, never valid, or plainly failed. */
export function errorStatus(error: Value | undefined): Status {
  const text = isObject(error) ? (firstText(error, "message", "error") ?? "") : (textOf(error) ?? "");
  if (/requires confirmation|requires approval/i.test(text)) return "awaiting";
  if (/\b(?:call is rejected|not approved|denied by|rejected by)\b/i.test(text)) return "refused";
  if (/invalid_type|invalid input|invalid arguments|validation failed|-32602/i.test(text))
    return "rejected_invalid";
  return "error";
}

/** `[{json: …}]` and `[{text: …}]` stand for the value of their first block. */
export function firstBlock(value: Value | undefined): Value | undefined {
  if (!isArray(value)) return value;
  const block = value[0];
  if (!isObject(block)) return value;
  const json = member(block, "json");
  if (json !== undefined) return json;
  const text = member(block, "text");
  const known = member(block, "type") === undefined || member(block, "type") === "text";
  return typeof text === "string" && known ? decodeValue(text).value : value;
}

/** What nests past all reason is not kept of a message. */
function kept(value: Value | undefined): Value | undefined {
  return isBounded(value) ? value : undefined;
}

function decoded(value: Value | undefined): Value | undefined {
  return value === undefined ? undefined : decodeValue(value).value;
}

function firstMember(object: ValueObject, ...keys: readonly string[]): Value | undefined {
  for (const key of keys) {
    const value = member(object, key);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}
