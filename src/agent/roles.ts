import type { Attributes } from "@opentelemetry/api";

/**
 * What a span is, by the attributes that it has: for tool calls those that it has when it starts, since that is
 * when a start signal goes out. The service reads many more conventions (docs/dialects.md); what is told wrongly
 * here costs a number or a signal and never a verdict.
 */
export type SpanRole = "tool" | "model" | "agent";

/** Attribute → value → role. Values in lower case. */
const table: Readonly<Record<string, Readonly<Record<string, SpanRole>>>> = {
  "gen_ai.operation.name": {
    execute_tool: "tool",
    chat: "model",
    generate_content: "model",
    text_completion: "model",
    invoke_agent: "agent",
  },
  "openinference.span.kind": { tool: "tool", llm: "model", agent: "agent" },
  "traceloop.span.kind": { tool: "tool", agent: "agent" },
  "ai.operationid": {
    "ai.toolcall": "tool",
    "ai.generatetext": "agent",
    "ai.streamtext": "agent",
    "ai.generatetext.dogenerate": "model",
    "ai.streamtext.dostream": "model",
  },
  "mastra.span.type": { tool_call: "tool", mcp_tool_call: "tool", model_step: "model", agent_run: "agent" },
  "lmnr.span.type": { tool: "tool", llm: "model" },
  "langfuse.observation.type": { tool: "tool", generation: "model", agent: "agent" },
  "genkit:metadata:subtype": { tool: "tool", "tool.v2": "tool", model: "model", flow: "agent" },
  "mcp.method.name": { "tools/call": "tool" },
};

/** A tool call that more than one attribute describes is a tool call. */
const byRank: readonly SpanRole[] = ["tool", "agent", "model"];

export function roleOf(attributes: Attributes): SpanRole | null {
  const found = new Set<SpanRole>();
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value !== "string") continue;
    const role = table[key.toLowerCase()]?.[value.toLowerCase()];
    if (role !== undefined) found.add(role);
    else if (key.startsWith("ai.toolCall.")) found.add("tool");
  }
  return byRank.find((role) => found.has(role)) ?? null;
}

/** Whether a span that starts with these attributes is a tool call. The default of `isToolSpan`. */
export function isToolCall(attributes: Attributes): boolean {
  return roleOf(attributes) === "tool";
}
