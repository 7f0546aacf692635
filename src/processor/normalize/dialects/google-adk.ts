/**
 * Google ADK. Its JavaScript version writes nothing at all on the span of a call that failed: what happened
 * then stands in the next model turn's request, and `assemble` takes it from there.
 */
import { member, type Value } from "../../../model/value.ts";
import type { Dialect, Role } from "../dialect.ts";
import { errorStatus } from "../message-parts.ts";
import { type Message, messagesFromEnd, readMessages } from "../messages.ts";
import { firstText, isPresent } from "../values.ts";
import type { View } from "../view.ts";

const responseKey = "gcp.vertex.agent.llm_response";
const requestKey = "gcp.vertex.agent.llm_request";

export const googleAdk: Dialect = {
  name: "google-adk",
  keys: [responseKey, requestKey, "gcp.vertex.agent.event_id", "gcp.vertex.agent.invocation_id"],
  role: roleOf,
  sources: {
    args: ["gcp.vertex.agent.tool_call_args"],
    result: ["gcp.vertex.agent.tool_response"],
    conversation: ["gcp.vertex.agent.session_id"],
  },
  placeholders: {
    callId: ["<not specified>"],
    name: ["(merged tools)"],
    args: ["N/A", "{}", "<not serializable>"],
    result: ["<not specified>", "<not serializable>", "{}"],
  },
  input: (view) => messagesFromEnd(view.json(requestKey)),
  output: (view) => messagesIn(view, responseKey),
  finish: (view) => firstText(view.json(responseKey), "finishReason", "finish_reason"),
  outcome: (view, call) => {
    if (isBare(view)) return null;
    const error = member(call.result, "error");
    if (!view.has("gcp.vertex.agent.tool_response") || typeof error !== "string") return undefined;
    const status = errorStatus(error);
    return status === "awaiting" || status === "refused" ? status : undefined;
  },
};

function roleOf(view: View): Role | null {
  if (view.text("gen_ai.tool.name") === "(merged tools)") return "ignore";
  if (view.span.name === "call_llm" && view.span.scope.name === "gcp.vertex.agent") return "model";
  const response = view.text(responseKey);
  return response !== null && response !== "{}" ? "model" : null;
}

/** A tool span on which ADK set no attribute: neither success nor failure can be read off it. */
export function isBare(view: View): boolean {
  return (
    view.span.scope.name === "gcp.vertex.agent" &&
    view.span.name.startsWith("execute_tool ") &&
    view.span.attributes.size === 0 &&
    view.span.statusCode === 0
  );
}

function messagesIn(view: View, key: string): readonly Message[] | undefined {
  const value: Value | undefined = view.json(key);
  if (!isPresent(value) || value === "{}") return undefined;
  const messages = readMessages(value);
  return messages.length === 0 ? undefined : messages;
}
