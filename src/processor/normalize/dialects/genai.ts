/**
 * OpenTelemetry GenAI semantic conventions, 1.31 to 1.41 and the states of the semantic-conventions-genai
 * repository. Arguments and results may be objects or JSON text; both forms are read by the same keys.
 * Also the older spellings that other emitters gave the same keys.
 */
import { isObject, member, type Value } from "../../../model/value.ts";
import type { Dialect, Role } from "../dialect.ts";
import { indexedMessages } from "../indexed-messages.ts";
import { type Message, messagesFromEnd, readMessages } from "../messages.ts";
import { decodeValue, firstText, isPresent } from "../values.ts";
import type { View } from "../view.ts";

const roleByOperation: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["execute_tool", "tool"],
  ["tool_call", "tool"],
  ["tool.execute", "tool"],
  ["chat", "model"],
  ["generate_content", "model"],
  ["text_completion", "model"],
  ["llm_call", "model"],
  ["fetch_response", "model"],
  ["invoke_agent", "agent"],
  ["agent.run", "agent"],
  ["agent_call", "agent"],
  ["handle_conversation_turn", "agent"],
  ["invoke_workflow", "workflow"],
  ["workflow.run", "workflow"],
  ["workflow", "workflow"],
  ["agent_step", "step"],
  ["execute_event_loop_cycle", "step"],
  ["execute_agent_loop_cycle", "step"],
  ["execute_task", "step"],
  ["plan", "step"],
  ["invoke_node", "step"],
  ["model.step", "step"],
  ["retrieval", "retrieval"],
  ["handoff", "handoff"],
  ["agent_handoff", "handoff"],
  ["create_agent", "ignore"],
  ["embeddings", "ignore"],
  ["orchestrate_tools", "ignore"],
  ["model.chunk", "ignore"],
  ["model_chunk", "ignore"],
]);

const inputKey = "gen_ai.input.messages";
const outputKey = "gen_ai.output.messages";
const historyEvents = new Set([
  "gen_ai.system.message",
  "gen_ai.user.message",
  "gen_ai.assistant.message",
  "gen_ai.tool.message",
]);

export const genai: Dialect = {
  name: "genai",
  keys: [
    "gen_ai.operation.name",
    inputKey,
    outputKey,
    "gen_ai.response.finish_reasons",
    "gen_ai.response.status",
    "gen_ai.tool.type",
    "gen_ai.tool.status",
    "gen_ai.task.status",
    "gen_ai.agent.tool.disposition",
    "gen_ai.data_source.id",
    "gen_ai.transfer.target.name",
    "error",
    "error.type",
    "error.message",
  ],
  prefixes: ["gen_ai.prompt.", "gen_ai.completion."],
  eventKeys: [
    inputKey,
    outputKey,
    "exception.type",
    "exception.message",
    "exception.escaped",
    "content",
    "message",
    "role",
    "id",
    "tool_calls",
    "finish_reason",
    "gen_ai.event.content",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
  ],
  role: (view) => roleByOperation.get(view.text("gen_ai.operation.name") ?? "") ?? null,
  sources: {
    name: ["gen_ai.tool.name"],
    callId: ["gen_ai.tool.call.id", "gen_ai.tool_call.id", "gen_ai.tool.call_id"],
    args: ["gen_ai.tool.call.arguments", (view) => view.eventJson("gen_ai.tool.call.arguments")],
    result: ["gen_ai.tool.call.result", (view) => view.eventJson("gen_ai.tool.call.result")],
    conversation: ["gen_ai.conversation.id", "session.id"],
    agent: ["gen_ai.agent.name", "agent.name", "agent_name"],
    model: ["gen_ai.request.model", "gen_ai.response.model"],
    node: ["gen_ai.transfer.target.name", "gen_ai.data_source.id"],
  },
  placeholders: {
    callId: ["<not specified>", "unknown"],
    args: ["None"],
  },
  redactions: ["[redacted]", "readacted"],
  input: (view) =>
    historyAt(view, inputKey) ??
    legacyHistory(view)?.toReversed() ??
    spelledOut(view, "gen_ai.prompt.")?.toReversed(),
  output: (view) =>
    messagesAt(view, outputKey) ?? legacyChoices(view) ?? spelledOut(view, "gen_ai.completion."),
  finish: finishReason,
  outcome: (view) => (view.text("gen_ai.agent.tool.disposition") === "deny" ? "refused" : undefined),
  failed: (view) =>
    view.text("gen_ai.tool.status") === "error" ||
    view.text("gen_ai.task.status") === "failure" ||
    view.raw("error") === true,
  answer: (view) => {
    const last = messagesAt(view, outputKey)?.findLast((message) => message.role === "assistant");
    return last?.hasText === true && last.asks.length === 0;
  },
};

/** The attribute, else the details event that the newer conventions put the same content into. */
function messagesAt(view: View, key: string): readonly Message[] | undefined {
  return view.memo(`messages:${key}`, () => {
    const value = view.json(key) ?? view.eventJson(key);
    return value === undefined ? undefined : readMessages(value);
  });
}

function historyAt(view: View, key: string): Iterable<Message> | undefined {
  const value = view.json(key) ?? view.eventJson(key);
  return value === undefined ? undefined : messagesFromEnd(value);
}

/** Up to 1.36 the history came as one span event a message. */
function legacyHistory(view: View): readonly Message[] | undefined {
  const events = view.span.events.filter((event) => historyEvents.has(event.name));
  if (events.length === 0) return undefined;
  return events.flatMap((event) => {
    const role =
      firstText({ role: event.attributes.get("role") ?? null }, "role") ?? event.name.split(".")[1];
    return readMessages(legacyBody(event.attributes, role ?? "user"));
  });
}

function legacyChoices(view: View): readonly Message[] | undefined {
  const events = view.eventsNamed("gen_ai.choice");
  if (events.length === 0) return undefined;
  return events.flatMap((event) => readMessages(legacyBody(event.attributes, "assistant")));
}

function legacyBody(attributes: ReadonlyMap<string, Value>, role: string): Value {
  const whole = decodedEvent(attributes.get("gen_ai.event.content"));
  if (isObject(whole)) {
    const message = member(whole, "message");
    return {
      role,
      finish_reason: member(whole, "finish_reason") ?? null,
      ...(isObject(message) ? message : whole),
    };
  }
  const message = decodedEvent(attributes.get("message"));
  const body = isObject(message)
    ? message
    : { content: message ?? decodedEvent(attributes.get("content")) ?? null };
  const toolCalls = decodedEvent(attributes.get("tool_calls"));
  const id = attributes.get("id") ?? null;
  return {
    ...(role === "tool" ? { tool_call_id: id } : {}),
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
    finish_reason: attributes.get("finish_reason") ?? null,
    ...body,
    role,
  };
}

function decodedEvent(value: Value | undefined): Value | undefined {
  return value === undefined ? undefined : decodeValue(value).value;
}

/** `gen_ai.completion.0.tool_calls.0.name`: OpenLLMetry before it followed the conventions. */
function spelledOut(view: View, prefix: string): readonly Message[] | undefined {
  return indexedMessages(view, prefix, (path) => path);
}

function finishReason(view: View): string | null {
  const reasons = view.json("gen_ai.response.finish_reasons");
  if (typeof reasons === "string") return reasons;
  const last = Array.isArray(reasons) ? reasons.at(-1) : undefined;
  if (typeof last === "string") return last;
  return (
    messagesAt(view, outputKey)?.findLast((message) => isPresent(message.finish ?? undefined))?.finish ?? null
  );
}
