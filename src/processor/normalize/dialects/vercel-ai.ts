/**
 * Vercel AI SDK 4 to 6, and 7 through its legacy integration: scope `ai`, attributes `ai.*`. The GenAI
 * integration of version 7 (scope `gen_ai`) writes the conventions' names; only its abort is its own.
 */
import type { Dialect, Role } from "../dialect.ts";
import { type Message, messagesFromEnd, readMessages } from "../messages.ts";
import { isPresent } from "../values.ts";
import type { View } from "../view.ts";

function operationOf(view: View): string {
  const id = view.text("ai.operationId") ?? view.text("operation.name")?.split(" ")[0];
  return id ?? (view.span.name.startsWith("ai.toolCall") ? "ai.toolCall" : "");
}

function roleOf(view: View): Role | null {
  const operation = operationOf(view);
  if (!operation.startsWith("ai.")) return null;
  if (operation === "ai.toolCall") return "tool";
  if (/\.do(?:Generate|Stream)$/.test(operation)) return "model";
  if (/^ai\.(?:generate|stream)(?:Text|Object)$/.test(operation)) return "agent";
  return "ignore";
}

export const vercelAi: Dialect = {
  name: "vercel-ai",
  keys: [
    "ai.operationId",
    "operation.name",
    "ai.response.toolCalls",
    "ai.response.text",
    "ai.response.finishReason",
    "ai.prompt.messages",
  ],
  role: roleOf,
  sources: {
    name: ["ai.toolCall.name"],
    callId: ["ai.toolCall.id"],
    args: ["ai.toolCall.args", "ai.toolCall.input"],
    result: ["ai.toolCall.result", "ai.toolCall.output"],
    conversation: [
      "ai.telemetry.metadata.conversationId",
      "ai.telemetry.metadata.sessionId",
      "ai.telemetry.metadata.threadId",
      "ai.telemetry.metadata.chatId",
      "ai.settings.context.sessionId",
      "ai.settings.context.conversationId",
    ],
    agent: ["ai.telemetry.functionId"],
    model: ["ai.model.id"],
  },
  input: (view) =>
    view.has("ai.prompt.messages") ? messagesFromEnd(view.json("ai.prompt.messages")) : undefined,
  output: outputOf,
  finish: (view) => view.text("ai.response.finishReason"),
  answer: (view) => view.text("ai.response.text") !== null,
};

function outputOf(view: View): readonly Message[] | undefined {
  const calls = view.json("ai.response.toolCalls");
  const text = view.raw("ai.response.text");
  if (calls === undefined && text === undefined) return undefined;
  const spoken = isPresent(text) ? [{ type: "text", text }] : [];
  return readMessages({ role: "assistant", tool_calls: calls ?? [], content: spoken });
}
