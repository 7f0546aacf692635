/**
 * Mastra's exporters: 0.x (`@mastra/otel`, `tool.execute`) and 1.x (`execute_tool`). Its own span type outranks
 * the operation name: `chat` of 0.x spans the whole loop, and `chat` of 1.x lists no calls, so the step is the
 * model turn in both.
 */
import { member, type Value } from "../../../model/value.ts";
import type { Dialect, Role } from "../dialect.ts";
import { type Message, messagesFromEnd, readMessages } from "../messages.ts";
import { firstText, isPresent } from "../values.ts";
import type { View } from "../view.ts";

const typeKey = "mastra.span.type";

const roleByType: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["tool_call", "tool"],
  ["mcp_tool_call", "tool"],
  ["model_step", "model"],
  ["model_generation", "ignore"],
  ["model_inference", "ignore"],
  ["model_chunk", "ignore"],
  ["agent_run", "agent"],
  ["workflow_run", "workflow"],
  ["workflow_step", "step"],
  ["workflow_conditional", "step"],
  ["workflow_parallel", "step"],
  ["workflow_loop", "step"],
]);

/** Plain keys such as `input` mean something only on Mastra's own spans. */
const own =
  (key: string) =>
  (view: View): Value | undefined =>
    view.has(typeKey) ? view.json(key) : undefined;

export const mastra: Dialect = {
  name: "mastra",
  keys: [
    typeKey,
    "gen_ai.tool.success",
    "output",
    "input",
    "sessionId",
    "threadId",
    "mastra.model_step.output",
    "mastra.model_step.input",
    "mastra.agent_run.output",
  ],
  role: (view) => roleByType.get(view.text(typeKey) ?? "") ?? null,
  sources: {
    args: ["gen_ai.tool.input", own("input")],
    result: ["gen_ai.tool.output", own("output")],
    conversation: [
      "mastra.metadata.sessionId",
      "mastra.metadata.threadId",
      own("sessionId"),
      own("threadId"),
    ],
    agent: [(view) => (view.text(typeKey) === "agent_run" ? agentName(view) : undefined)],
  },
  output: (view) => stepOutput(view),
  input: (view) =>
    view.has("mastra.model_step.input") ? messagesFromEnd(view.json("mastra.model_step.input")) : undefined,
  outcome: (view, call) => {
    if (!view.has(typeKey) || member(call.result, "error") !== true) return undefined;
    const refused = /^Tool input validation failed/.test(firstText(call.result, "message") ?? "");
    return refused && view.span.statusCode !== 2 ? "rejected_invalid" : undefined;
  },
  failed: (view) => view.raw("gen_ai.tool.success") === false,
  answer: (view) => isPresent(view.raw("mastra.agent_run.output")),
};

/** `agent.support-agent` in 0.x, `invoke_agent support-agent` in 1.x. */
function agentName(view: View): Value | undefined {
  return view.span.name.replace(/^(?:agent\.|invoke_agent )/, "") || undefined;
}

function stepOutput(view: View): readonly Message[] | undefined {
  const value = view.json("mastra.model_step.output") ?? own("output")(view);
  if (value === undefined) return undefined;
  const text = member(value, "text");
  const spoken = isPresent(text) ? [{ type: "text", text }] : [];
  return readMessages({ role: "assistant", tool_calls: member(value, "toolCalls") ?? [], content: spoken });
}
