/**
 * OpenLLMetry (Traceloop): decorators, its LangChain, MCP and OpenAI instrumentations. A decorated tool that
 * throws is never exported by the JavaScript SDK; only the model turns show that it was asked for.
 */
import { member, type Value } from "../../../model/value.ts";
import type { Dialect, Role } from "../dialect.ts";
import {
  langchainToolMessage,
  traceloopArguments,
  traceloopLangchainResult,
  traceloopMcpResult,
} from "../envelopes.ts";
import { isPresent } from "../values.ts";
import type { View } from "../view.ts";

const kindKey = "traceloop.span.kind";
const inputKey = "traceloop.entity.input";
const outputKey = "traceloop.entity.output";

const roleByKind: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["tool", "tool"],
  ["agent", "agent"],
  ["workflow", "workflow"],
  ["task", "step"],
  ["handoff", "handoff"],
  ["session", "ignore"],
  ["server", "ignore"],
  ["unknown", "ignore"],
]);

export const traceloop: Dialect = {
  name: "traceloop",
  keys: [kindKey, inputKey, outputKey, "traceloop.entity.name"],
  role: (view) => roleByKind.get(view.text(kindKey) ?? "") ?? null,
  sources: {
    name: [(view) => toolMessage(view)?.name, entityName],
    callId: [(view) => toolMessage(view)?.callId],
    args: [(view) => traceloopArguments(view.json(inputKey))],
    result: [resultOf],
    conversation: [
      "traceloop.association.properties.thread_id",
      "traceloop.association.properties.session_id",
      "traceloop.association.properties.conversation_id",
    ],
    agent: [(view) => (view.text(kindKey) === "agent" ? view.json("traceloop.entity.name") : undefined)],
  },
  failed: (view) =>
    toolMessage(view)?.status === "error" || member(view.json(outputKey), "is_error") === true,
  side: (view) => (isMcp(view) && view.text(kindKey) === "tool" ? sideByKind(view) : null),
  answer: (view) => view.text(kindKey) === "workflow" && isPresent(view.raw(outputKey)),
};

function sideByKind(view: View): "client" | "server" {
  return view.span.kind === 2 ? "server" : "client";
}

function isMcp(view: View): boolean {
  return /mcp/i.test(view.span.scope.name);
}

function toolMessage(view: View): ReturnType<typeof langchainToolMessage> {
  return view.memo("traceloop:tool-message", () => langchainToolMessage(view.json(outputKey)));
}

/** On LangChain's tasks the entity is a class such as `DynamicStructuredTool`, never the tool. */
function entityName(view: View): Value | undefined {
  const isClass = view.text("gen_ai.operation.name") === "execute_tool" && view.text(kindKey) === "task";
  return isClass ? undefined : view.json("traceloop.entity.name");
}

function resultOf(view: View): Value | undefined {
  const message = toolMessage(view);
  if (message !== null) return message.content;
  const output = view.json(outputKey);
  return isMcp(view) ? traceloopMcpResult(output) : unwrapLangchain(view, output);
}

function unwrapLangchain(view: View, output: Value | undefined): Value | undefined {
  return /langchain/i.test(view.span.scope.name) ? traceloopLangchainResult(output) : output;
}
