/**
 * The batch that decoding is measured on: 500 spans of some 820 bytes each, three in ten of them events, with
 * what auto-instrumentation puts on every span besides; and a plan of 60 attributes, of which a tool call has
 * eight and an HTTP or database span one or none.
 */
import type { AttributePlan } from "../src/model/attribute-plan.ts";
import type { Span } from "../src/model/span.ts";
import { unixNano } from "../src/model/time.ts";
import type { Value } from "../src/model/value.ts";
import { agentRuns, spansPerRun } from "./traffic.ts";

const runs = 10;
export const batchSize = runs * spansPerRun;

const until = unixNano(1_796_000_000_000_000_000n);

export function decodeBatch(): readonly Span[] {
  return agentRuns(runs, 7, until).map((span, index) => ({
    ...span,
    attributes: new Map<string, Value>([...span.attributes, ...onEverySpan(index)]),
  }));
}

/** Nobody's rules ask for these. */
function onEverySpan(index: number): readonly (readonly [string, Value])[] {
  return [
    ["thread.id", 1 + (index % 8)],
    ["thread.name", `worker-${index % 8}`],
    ["code.function.name", "support.agents.runtime.Dispatcher.dispatchWithRetry"],
    ["code.file.path", "/srv/app/node_modules/@support/agent-runtime/dist/dispatcher.js"],
    ["code.line.number", 100 + (index % 900)],
    ["app.feature_flags", ["new-router", "cache-v2"]],
    ["app.region", "eu-central-1"],
    ["sampling.priority", 1],
  ];
}

/** What dialects and contracts ask for in a typical deployment. */
export const plan: AttributePlan = {
  span: {
    exact: new Set([
      ...[
        "operation.name",
        "tool.name",
        "tool.call.id",
        "tool.call.arguments",
        "tool.call.result",
        "tool.type",
      ].map((key) => `gen_ai.${key}`),
      ...["conversation.id", "agent.name", "agent.id", "provider.name", "system", "output.messages"].map(
        (key) => `gen_ai.${key}`,
      ),
      ...["request.model", "response.model", "response.id", "response.finish_reasons", "tool.status"].map(
        (key) => `gen_ai.${key}`,
      ),
      ...["run.id", "turn.id", "decision.seq", "state.version", "causal.parents", "idempotency_key"].map(
        (key) => `agent.${key}`,
      ),
      ...["span.kind", "version", "project.name"].map((key) => `openinference.${key}`),
      ...[
        "tool.name",
        "tool.parameters",
        "tool_call.id",
        "input.value",
        "output.value",
        "session.id",
        "user.id",
      ],
      ...["span.kind", "entity.name", "entity.input", "entity.output", "workflow.name"].map(
        (key) => `traceloop.${key}`,
      ),
      ...["toolCall.name", "toolCall.id", "toolCall.args", "toolCall.result", "operationId"].map(
        (key) => `ai.${key}`,
      ),
      ...["observation.type", "observation.level", "observation.input", "observation.output"].map(
        (key) => `langfuse.${key}`,
      ),
      ...["mcp.method.name", "mcp.session.id", "error.type", "tenant.id", "http.response.status_code"],
      ...["http.request.method", "http.request.header.idempotency-key", "rpc.grpc.status_code"],
      ...["genkit:name", "genkit:input", "genkit:output", "genkit:state", "genkit:metadata:subtype"],
    ]),
    prefixes: ["llm.output_messages.", "toolorder.event."],
  },
  event: {
    exact: new Set(["exception.type", "exception.message", "content", "id", "gen_ai.event.content"]),
    prefixes: [],
  },
};
