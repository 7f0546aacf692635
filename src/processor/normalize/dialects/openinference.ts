/**
 * OpenInference (Arize): its own instrumentations, its helpers for hand-written tools, and the processors that
 * add its attributes to another SDK's span. LangChain's call ids stand inside the serialised ToolMessage only.
 */
import { isArray, isObject, member, type Value } from "../../../model/value.ts";
import type { Dialect, Role } from "../dialect.ts";
import { langchainToolMessage, mcpResult } from "../envelopes.ts";
import { indexedMessages } from "../indexed-messages.ts";
import { type Message, readMessages } from "../messages.ts";
import { decodeValue, firstText, isPresent } from "../values.ts";
import { exceptionsOf, type View } from "../view.ts";

const kindKey = "openinference.span.kind";

const roleByKind: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["TOOL", "tool"],
  ["LLM", "model"],
  ["AGENT", "agent"],
  ["CHAIN", "step"],
  ["RETRIEVER", "retrieval"],
  ["GUARDRAIL", "guardrail"],
  ["EVALUATOR", "guardrail"],
  ["RERANKER", "ignore"],
  ["EMBEDDING", "ignore"],
  ["PROMPT", "ignore"],
]);

export const openinference: Dialect = {
  name: "openinference",
  keys: [kindKey, "input.value", "input.mime_type", "output.value", "llm.finish_reason", "tool.parameters"],
  prefixes: ["llm.input_messages.", "llm.output_messages."],
  role: (view) => {
    const role = roleByKind.get(view.text(kindKey)?.toUpperCase() ?? "") ?? null;
    if (role !== "tool" || view.has("tool.name")) return role;
    return view.span.name.startsWith("handoff to ") ? "handoff" : role;
  },
  sources: {
    name: ["tool.name", (view) => toolMessage(view)?.name],
    callId: ["tool.id", "tool_call.id", (view) => toolMessage(view)?.callId, functionResponseId],
    args: [argumentsOf],
    result: [resultOf],
    agent: ["agent.name"],
    node: ["graph.node.name", "graph.node.id"],
    model: ["llm.model_name"],
  },
  redactions: ["__REDACTED__"],
  input: (view) => historyOf(view)?.toReversed(),
  output: (view) => answersOf(view),
  finish: (view) => view.text("llm.finish_reason"),
  outcome: (view, call) => {
    if (toolMessage(view)?.status === "error") return undefined;
    return falseError(view, call.result) ? "success" : undefined;
  },
  failed: (view) =>
    toolMessage(view)?.status === "error" || mcpResult(view.json("output.value"))?.isError === true,
  side: (view) => (isServerInput(view.json("input.value")) ? "server" : null),
  answer: (view) => isPresent(view.raw("output.value")),
};

/**
 * `@arizeai/openinference-vercel` exports every span after the first failed call of a trace with status ERROR
 * and that call's message: what has a result and no exception event of its own went well.
 */
export function falseError(view: View, result: Value | undefined): boolean {
  const answered = result !== undefined || view.text(kindKey) !== "TOOL";
  return (
    answered &&
    view.span.statusCode === 2 &&
    view.span.scope.name === "gen_ai" &&
    view.has(kindKey) &&
    exceptionsOf(view).length === 0
  );
}

function toolMessage(view: View): ReturnType<typeof langchainToolMessage> {
  return view.memo("openinference:tool-message", () => langchainToolMessage(view.json("output.value")));
}

/** ADK's FunctionResponse, as its OpenInference package writes it. */
function functionResponseId(view: View): Value | undefined {
  const output = view.json("output.value");
  return member(output, "response") === undefined ? undefined : (firstText(output, "id") ?? undefined);
}

/** An MCP server's handler gets `[arguments, {requestId, …}]`: both are in `input.value`. */
function isServerInput(value: Value | undefined): value is readonly Value[] {
  return isArray(value) && value.length === 2 && member(value[1], "requestId") !== undefined;
}

function argumentsOf(view: View): Value | undefined {
  const input = view.json("input.value");
  if (isServerInput(input)) return input[0];
  if (isPresent(input)) return input;
  const parameters = view.json("tool.parameters");
  const isSchema = member(parameters, "properties") !== undefined || member(parameters, "type") !== undefined;
  return isObject(parameters) && !isSchema ? parameters : undefined;
}

function resultOf(view: View): Value | undefined {
  const message = toolMessage(view);
  if (message !== null) return message.content;
  const output = view.json("output.value");
  const response = member(output, "response");
  if (response !== undefined && firstText(output, "name") !== null && firstText(output, "id") !== null) {
    return response;
  }
  return mcpResult(output)?.result ?? output;
}

/** `message.tool_calls.0.tool_call.function.name` → `tool_calls.0.function.name`. */
function rename(path: readonly string[]): readonly string[] {
  return path.filter(
    (segment) => segment !== "message" && segment !== "tool_call" && segment !== "message_content",
  );
}

/** LangChain JS leaves the ids out of the flattened messages; the raw output has them. */
function answersOf(view: View): readonly Message[] | undefined {
  const flattened = indexedMessages(view, "llm.output_messages.", rename);
  if (flattened !== undefined && !lacksIds(flattened)) return flattened;
  const raw = rawMessages(view, "output.value", "generations");
  return raw ?? flattened;
}

function historyOf(view: View): readonly Message[] | undefined {
  const flattened = indexedMessages(view, "llm.input_messages.", rename);
  if (flattened !== undefined && !lacksIds(flattened)) return flattened;
  const raw = rawMessages(view, "input.value", "messages");
  return raw ?? flattened;
}

function lacksIds(messages: readonly Message[]): boolean {
  return messages.some((message) => message.asks.some((ask) => ask.callId === null));
}

function rawMessages(view: View, key: string, inside: string): readonly Message[] | undefined {
  const value = member(view.json(key), inside);
  const messages = value === undefined ? [] : readMessages(decodeValue(value).value);
  return messages.length === 0 ? undefined : messages;
}
