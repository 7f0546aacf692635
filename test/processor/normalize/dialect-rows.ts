/** One row a thing that a dialect must read: a minimal span, and what its fact must say. */
import type { Flaw } from "../../../src/model/event.ts";
import type { Outcome } from "../../../src/model/span-fact.ts";
import type { Value } from "../../../src/model/value.ts";
import { exception, type SpanSketch } from "./make-span.ts";

export interface DialectRow {
  readonly title: string;
  readonly span: SpanSketch;
  readonly fact: {
    readonly kind?: string | null;
    readonly dialect?: string | null;
    readonly name?: string | null;
    readonly callId?: string | null;
    readonly args?: Value | undefined;
    readonly result?: Value | undefined;
    readonly outcome?: Outcome;
    readonly conversation?: string | null;
    readonly agent?: string | null;
    readonly side?: "client" | "server" | null;
    readonly flaws?: readonly Flaw[];
    readonly hidden?: Readonly<Record<string, string>>;
    readonly errorClass?: string | null;
    /** Call ids, else names, of what the model asked for; `<` marks those of its input. */
    readonly asks?: readonly string[];
    readonly answers?: readonly string[];
    readonly finalAnswer?: "explicit" | "possible" | "suspended" | null;
  };
}

const args = '{"customer_id":"c1"}';
const result = '{"plan":"business"}';
const decodedArgs = { customer_id: "c1" };
const decodedResult = { plan: "business" };
const genaiTool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_plan" };

const genai: readonly DialectRow[] = [
  {
    title: "arguments and result as JSON text",
    span: {
      attributes: {
        ...genaiTool,
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": args,
        "gen_ai.tool.call.result": result,
        "gen_ai.conversation.id": "conv",
        "gen_ai.agent.name": "support",
      },
    },
    fact: {
      kind: "tool_call",
      dialect: "genai",
      name: "get_plan",
      callId: "c1",
      args: decodedArgs,
      result: decodedResult,
      outcome: "success",
      conversation: "conv",
      agent: "support",
      hidden: {},
    },
  },
  {
    title: "arguments and result as structured values",
    span: {
      attributes: {
        ...genaiTool,
        "gen_ai.tool.call.arguments": decodedArgs,
        "gen_ai.tool.call.result": decodedResult,
      },
    },
    fact: { args: decodedArgs, result: decodedResult },
  },
  {
    title: "arguments that are JSON inside JSON",
    span: { attributes: { ...genaiTool, "gen_ai.tool.call.arguments": JSON.stringify(args) } },
    fact: { args: decodedArgs },
  },
  {
    title: "content off: not captured, and success that nobody saw",
    span: { attributes: genaiTool },
    fact: {
      args: undefined,
      outcome: "unverified",
      hidden: { args: "not_captured", result: "not_captured" },
    },
  },
  {
    title: "arguments here, result missing, status unset: the end is unknown",
    span: { attributes: { ...genaiTool, "gen_ai.tool.call.arguments": args } },
    fact: { outcome: "unknown" },
  },
  {
    title: "empty arguments are real, a null result is one",
    span: {
      attributes: { ...genaiTool, "gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.result": "null" },
    },
    fact: { args: {}, result: "null", outcome: "success" },
  },
  {
    title: "the name from the span's name alone",
    span: { name: "execute_tool get_plan" },
    fact: { kind: "tool_call", name: "get_plan" },
  },
  {
    title: "older spellings of the call id",
    span: { attributes: { ...genaiTool, "gen_ai.tool_call.id": "c7" } },
    fact: { callId: "c7" },
  },
  {
    title: "`unknown` is no call id, `None` are no arguments",
    span: {
      attributes: { ...genaiTool, "gen_ai.tool.call.id": "unknown", "gen_ai.tool.call.arguments": "None" },
    },
    fact: { callId: null, args: undefined },
  },
  {
    title: "redacted arguments are unknown, not absent",
    span: { attributes: { ...genaiTool, "gen_ai.tool.call.arguments": "[redacted]" } },
    fact: {
      args: undefined,
      flaws: ["redacted"],
      hidden: { args: "data_incomplete", result: "not_captured" },
    },
  },
  {
    title: "cut JSON stays text and says so",
    span: { attributes: { ...genaiTool, "gen_ai.tool.call.arguments": '{"customer_id":"c' } },
    fact: { args: '{"customer_id":"c', flaws: ["truncated"] },
  },
  {
    title: "an error status",
    span: { attributes: genaiTool, status: 2, message: "boom" },
    fact: { outcome: "error", hidden: { args: "not_captured" } },
  },
  {
    title: "an error type without an error status",
    span: { attributes: { ...genaiTool, "error.type": "quota" } },
    fact: { outcome: "error", errorClass: "quota" },
  },
  {
    title: "an exception event with an unset status",
    span: { attributes: genaiTool, events: [exception("ValueError", "no")] },
    fact: { outcome: "error", errorClass: "ValueError" },
  },
  {
    title: "an exception event on a span that says OK",
    span: { attributes: genaiTool, status: 1, events: [exception("Retry", "again")] },
    fact: { outcome: "success" },
  },
  {
    title: "a cancelled task",
    span: { attributes: { ...genaiTool, "error.type": "asyncio.CancelledError" }, status: 2 },
    fact: { outcome: "cancelled" },
  },
  {
    title: "an abort told in words only",
    span: {
      attributes: genaiTool,
      status: 2,
      message: "operator cancelled the run",
      events: [exception("Error")],
    },
    fact: { outcome: "cancelled" },
  },
  {
    title: "a timeout",
    span: { attributes: genaiTool, status: 2, events: [exception("TimeoutError", "took too long")] },
    fact: { outcome: "timeout" },
  },
  {
    title: "a pause for a person, raised as an exception",
    span: {
      attributes: genaiTool,
      status: 2,
      events: [exception("langgraph.errors.GraphInterrupt", "paused")],
    },
    fact: { outcome: "awaiting" },
  },
  {
    title: "denied by a guard",
    span: { attributes: { ...genaiTool, "error.type": "denied" }, status: 2 },
    fact: { outcome: "refused" },
  },
  {
    title: "the word error in a result is no error",
    span: { attributes: { ...genaiTool, "gen_ai.tool.call.result": '{"error":null,"failed":0}' } },
    fact: { outcome: "success" },
  },
  {
    title: "a whole sentence is no error class",
    span: { attributes: { ...genaiTool, "error.type": "the tool could not be reached" }, status: 2 },
    fact: { errorClass: null },
  },
  {
    title: "an end before the start",
    span: { attributes: genaiTool, start: 10, end: 4 },
    fact: { flaws: ["end_before_start"] },
  },
  {
    title: "no end yet",
    span: { attributes: genaiTool, end: null },
    fact: { outcome: "running", flaws: ["no_end"] },
  },
  {
    title: "an upstream sampler",
    span: { attributes: genaiTool, traceState: "vendor=1,ot=th:c;rv:8", status: 1 },
    fact: { flaws: ["sampled"] },
  },
  {
    title: "a sampler that kept everything",
    span: { attributes: genaiTool, traceState: "ot=th:0", status: 1 },
    fact: { flaws: [] },
  },
  {
    title: "dropped attributes lower what is believed of an unset status",
    span: { attributes: genaiTool, dropped: 3 },
    fact: { outcome: "unknown", flaws: ["dropped_attributes"] },
  },
  {
    title: "a model turn in the newer messages",
    span: {
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m1",
        "gen_ai.output.messages": JSON.stringify([
          {
            role: "assistant",
            parts: [{ type: "tool_call", id: "c2", name: "get_plan", arguments: decodedArgs }],
          },
        ]),
        "gen_ai.input.messages": JSON.stringify([
          { role: "user", parts: [{ type: "text", content: "hi" }] },
          { role: "assistant", parts: [{ type: "tool_call", id: "c0", name: "old", arguments: {} }] },
          { role: "tool", parts: [{ type: "tool_call_response", id: "c0", response: {} }] },
          { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "check", arguments: {} }] },
          { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "ok" }] },
        ]),
      },
    },
    fact: {
      kind: "model_turn",
      name: "m1",
      asks: ["c2", "<c1"],
      answers: ["c1 null"],
      finalAnswer: "suspended",
    },
  },
  {
    title: "a model turn that ends with text",
    span: {
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": JSON.stringify([
          { role: "assistant", parts: [{ type: "text", content: "done" }], finish_reason: "stop" },
        ]),
      },
    },
    fact: { asks: [], finalAnswer: "possible" },
  },
  {
    title: "messages in a details event",
    span: {
      attributes: { "gen_ai.operation.name": "chat" },
      events: [
        {
          name: "gen_ai.client.inference.operation.details",
          attributes: {
            "gen_ai.output.messages": JSON.stringify([
              {
                role: "assistant",
                parts: [{ type: "tool_call", id: "c3", name: "get_plan", arguments: {} }],
              },
            ]),
          },
        },
      ],
    },
    fact: { asks: ["c3"] },
  },
  {
    title: "messages as one event each, up to 1.36",
    span: {
      attributes: { "gen_ai.operation.name": "chat" },
      events: [
        {
          name: "gen_ai.choice",
          attributes: {
            message: JSON.stringify({
              tool_calls: [{ id: "c4", type: "function", function: { name: "get_plan", arguments: args } }],
            }),
            finish_reason: "tool_calls",
          },
        },
      ],
    },
    fact: { asks: ["c4"], finalAnswer: "suspended" },
  },
  {
    title: "messages as one attribute a leaf",
    span: {
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.tool_calls.0.id": "c5",
        "gen_ai.completion.0.tool_calls.0.name": "get_plan",
        "gen_ai.completion.0.tool_calls.0.arguments": args,
      },
    },
    fact: { asks: ["c5"] },
  },
  {
    title: "an agent run",
    span: {
      name: "invoke_agent support",
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "support",
        "session.id": "s",
      },
    },
    fact: { kind: "agent_run", name: "support", conversation: "s" },
  },
  {
    title: "an HTTP span with a session from baggage is no event",
    span: { name: "GET /plans", attributes: { "session.id": "s", "gen_ai.conversation.id": "c" }, kind: 3 },
    fact: { kind: null, dialect: null, conversation: "c" },
  },
  {
    title: "a session on the resource",
    span: { attributes: genaiTool, resource: { "session.id": "from-resource" } },
    fact: { conversation: "from-resource" },
  },
];

const openinferenceTool = { "openinference.span.kind": "TOOL" };

const openinference: readonly DialectRow[] = [
  {
    title: "a tool of its helpers",
    span: {
      name: "get_plan",
      attributes: {
        ...openinferenceTool,
        "tool.name": "get_plan",
        "tool_call.id": "c1",
        "input.value": args,
        "output.value": result,
      },
      status: 1,
    },
    fact: {
      kind: "tool_call",
      dialect: "openinference",
      name: "get_plan",
      callId: "c1",
      args: decodedArgs,
      result: decodedResult,
    },
  },
  {
    title: "the span's name where no tool name is",
    span: { name: "get_plan", attributes: openinferenceTool, status: 1 },
    fact: { name: "get_plan" },
  },
  {
    title: "LangChain's ToolMessage holds id, name, status and result",
    span: {
      name: "get_plan",
      attributes: {
        ...openinferenceTool,
        "input.value": "c1",
        "output.value": JSON.stringify({
          output: {
            lc: 1,
            type: "constructor",
            id: ["langchain_core", "messages", "ToolMessage"],
            kwargs: { status: "success", content: result, tool_call_id: "c9", name: "get_plan" },
          },
        }),
      },
      status: 1,
    },
    fact: { name: "get_plan", callId: "c9", args: "c1", result: decodedResult, outcome: "success" },
  },
  {
    title: "LangGraph told the model of an error, and the span says OK",
    span: {
      name: "get_plan",
      attributes: {
        ...openinferenceTool,
        "output.value": JSON.stringify({
          kwargs: { status: "error", content: "Error: no", tool_call_id: "c9" },
        }),
      },
      status: 1,
    },
    fact: { callId: "c9", outcome: "error" },
  },
  {
    title: "Python's repr as input",
    span: {
      name: "get_plan",
      attributes: { ...openinferenceTool, "input.value": "{'customer_id': 'c1', 'deep': None}" },
    },
    fact: { args: { customer_id: "c1", deep: null } },
  },
  {
    title: "an MCP server's handler",
    span: {
      name: "get_plan",
      attributes: {
        ...openinferenceTool,
        "input.value": JSON.stringify([decodedArgs, { requestId: 4, _meta: {} }]),
      },
      status: 1,
    },
    fact: { args: decodedArgs, side: "server" },
  },
  {
    title: "hidden by configuration",
    span: {
      name: "get_plan",
      attributes: { ...openinferenceTool, "input.value": "__REDACTED__" },
      status: 1,
    },
    fact: { args: undefined, flaws: ["redacted"] },
  },
  {
    title: "a schema in tool.parameters is no argument list",
    span: {
      name: "get_plan",
      attributes: { ...openinferenceTool, "tool.parameters": '{"type":"object","properties":{}}' },
      status: 1,
    },
    fact: { args: undefined },
  },
  {
    title: "a hand-over is no call",
    span: { name: "handoff to billing", attributes: openinferenceTool },
    fact: { kind: "step" },
  },
  {
    title: "a tool whose name made it an agent",
    span: { name: "ask_agent", attributes: { "openinference.span.kind": "AGENT", "tool.name": "ask_agent" } },
    fact: { kind: "tool_call", name: "ask_agent" },
  },
  {
    title: "a chain is a step, never a call",
    span: { name: "tools", attributes: { "openinference.span.kind": "CHAIN" } },
    fact: { kind: "step", name: "tools" },
  },
  {
    title: "flattened messages of a model turn",
    span: {
      attributes: {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m1",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "get_plan",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": args,
        "llm.input_messages.0.message.role": "tool",
        "llm.input_messages.0.message.tool_call_id": "c0",
        "llm.input_messages.0.message.content": result,
      },
    },
    fact: { kind: "model_turn", name: "m1", asks: ["c1"], answers: ["c0 null"] },
  },
  {
    title: "the exporter that paints later successes as errors",
    span: {
      scope: "gen_ai",
      attributes: { ...openinferenceTool, ...genaiTool, "gen_ai.tool.call.result": result },
      status: 2,
      message: "the first call's error",
    },
    fact: { outcome: "success" },
  },
];

const others: readonly DialectRow[] = [
  {
    title: "vercel-ai: a call of 4 to 6",
    span: {
      name: "ai.toolCall",
      scope: "ai",
      attributes: {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.name": "get_plan",
        "ai.toolCall.id": "c1",
        "ai.toolCall.args": args,
        "ai.toolCall.result": result,
        "ai.telemetry.metadata.sessionId": "s",
        "ai.telemetry.functionId": "support",
      },
    },
    fact: {
      kind: "tool_call",
      dialect: "vercel-ai",
      name: "get_plan",
      callId: "c1",
      args: decodedArgs,
      result: decodedResult,
      conversation: "s",
      agent: "support",
    },
  },
  {
    title: "vercel-ai: a model turn, and what its prompt was told",
    span: {
      name: "ai.generateText.doGenerate",
      attributes: {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.response.toolCalls": JSON.stringify([{ toolCallId: "c1", toolName: "get_plan", input: args }]),
        "ai.prompt.messages": JSON.stringify([
          {
            role: "assistant",
            content: [{ type: "tool-call", toolCallId: "c0", toolName: "send", input: {} }],
          },
          {
            role: "tool",
            content: [
              {
                type: "tool-result",
                toolCallId: "c0",
                toolName: "send",
                output: { type: "execution-denied" },
              },
            ],
          },
        ]),
      },
    },
    fact: { kind: "model_turn", asks: ["c1", "<c0"], answers: ["c0 refused"] },
  },
  {
    title: "vercel-ai: the whole generation is an agent run",
    span: {
      name: "ai.generateText",
      attributes: { "ai.operationId": "ai.generateText", "ai.response.text": "done" },
    },
    fact: { kind: "agent_run", finalAnswer: "explicit" },
  },
  {
    title: "vercel-ai 7: an abort leaves nothing, which is not success",
    span: { scope: "gen_ai", attributes: { ...genaiTool, "gen_ai.tool.call.arguments": args } },
    fact: { dialect: "vercel-ai", outcome: "unknown" },
  },
  {
    title: "mastra 0.x: plain keys on its own span",
    span: {
      name: "tool.execute get_plan",
      attributes: {
        "mastra.span.type": "tool_call",
        "gen_ai.operation.name": "tool.execute",
        "gen_ai.tool.name": "get_plan",
        input: args,
        output: result,
        sessionId: "s",
      },
      status: 1,
    },
    fact: {
      kind: "tool_call",
      dialect: "mastra",
      args: decodedArgs,
      result: decodedResult,
      conversation: "s",
    },
  },
  {
    title: "mastra: plain keys elsewhere mean nothing",
    span: { attributes: { ...genaiTool, input: args, sessionId: "s" } },
    fact: { args: undefined, conversation: null },
  },
  {
    title: "mastra 1.x: arguments that failed the schema, on a span that says OK",
    span: {
      attributes: {
        ...genaiTool,
        "mastra.span.type": "tool_call",
        "gen_ai.tool.call.result": '{"error":true,"message":"Tool input validation failed for get_plan."}',
      },
      status: 1,
    },
    fact: { outcome: "rejected_invalid" },
  },
  {
    title: "mastra: a chunk is nothing",
    span: {
      name: "chunk: 'tool-result'",
      attributes: { "mastra.span.type": "model_chunk", output: '{"toolCallId":"c1"}' },
    },
    fact: { kind: null },
  },
  {
    title: "mastra: the step is the model turn",
    span: {
      attributes: {
        "mastra.span.type": "model_step",
        "gen_ai.operation.name": "agent_step",
        "mastra.model_step.output": JSON.stringify({
          text: "",
          toolCalls: [{ toolCallId: "c1", toolName: "get_plan", args: {} }],
        }),
      },
    },
    fact: { kind: "model_turn", asks: ["c1"] },
  },
  {
    title: "google-adk: a call",
    span: {
      name: "execute_tool get_plan",
      scope: "gcp.vertex.agent",
      attributes: {
        ...genaiTool,
        "gen_ai.tool.call.id": "<not specified>",
        "gcp.vertex.agent.tool_call_args": args,
        "gcp.vertex.agent.tool_response": result,
      },
    },
    fact: { dialect: "google-adk", callId: null, args: decodedArgs, result: decodedResult },
  },
  {
    title: "google-adk: content off",
    span: {
      scope: "gcp.vertex.agent",
      attributes: {
        ...genaiTool,
        "gcp.vertex.agent.tool_call_args": "{}",
        "gcp.vertex.agent.tool_response": "{}",
      },
    },
    fact: { args: undefined, result: undefined, outcome: "unverified" },
  },
  {
    title: "google-adk: a failed call's bare span says nothing",
    span: { name: "execute_tool get_plan", scope: "gcp.vertex.agent" },
    fact: { kind: "tool_call", dialect: "google-adk", name: "get_plan", outcome: null },
  },
  {
    title: "google-adk: waiting for a confirmation",
    span: {
      scope: "gcp.vertex.agent",
      attributes: {
        ...genaiTool,
        "gcp.vertex.agent.tool_response":
          '{"error":"This tool call requires confirmation, please approve or reject."}',
      },
    },
    fact: { outcome: "awaiting" },
  },
  {
    title: "google-adk: the merged span is no call",
    span: {
      name: "execute_tool (merged)",
      scope: "gcp.vertex.agent",
      attributes: { ...genaiTool, "gen_ai.tool.name": "(merged tools)" },
    },
    fact: { kind: null },
  },
  {
    title: "google-adk: a model turn",
    span: {
      name: "call_llm",
      scope: "gcp.vertex.agent",
      attributes: {
        "gcp.vertex.agent.session_id": "s",
        "gcp.vertex.agent.llm_response": JSON.stringify({
          content: { role: "model", parts: [{ functionCall: { id: "c1", name: "get_plan", args: {} } }] },
        }),
        "gcp.vertex.agent.llm_request": JSON.stringify({
          contents: [
            { role: "model", parts: [{ functionCall: { id: "c0", name: "check", args: {} } }] },
            {
              role: "user",
              parts: [{ functionResponse: { id: "c0", name: "check", response: { error: "no" } } }],
            },
          ],
        }),
      },
    },
    fact: { kind: "model_turn", conversation: "s", asks: ["c1", "<c0"], answers: ["c0 error"] },
  },
  {
    title: "strands: content in span events",
    span: {
      scope: "my-service",
      attributes: {
        ...genaiTool,
        "gen_ai.event.start_time": "2026-01-01T00:00:00Z",
        "gen_ai.tool.status": "success",
      },
      events: [
        { name: "gen_ai.tool.message", attributes: { role: "tool", content: args, id: "c1" } },
        { name: "gen_ai.choice", attributes: { message: '[{"json":{"plan":"business"}}]', id: "c1" } },
      ],
      status: 1,
    },
    fact: { dialect: "strands", callId: "c1", args: decodedArgs, result: decodedResult, outcome: "success" },
  },
  {
    title: "strands: an unknown tool says OK and error at once",
    span: {
      attributes: { ...genaiTool, "gen_ai.event.start_time": "x", "gen_ai.tool.status": "error" },
      status: 1,
    },
    fact: { outcome: "rejected_invalid" },
  },
  {
    title: "strands: an interrupt leaves OK without status and result",
    span: { attributes: { ...genaiTool, "gen_ai.event.start_time": "x" }, status: 1 },
    fact: { outcome: "awaiting" },
  },
  {
    title: "traceloop: a decorated tool",
    span: {
      name: "get_plan.tool",
      attributes: {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "get_plan",
        "traceloop.entity.input": JSON.stringify({ args: [], kwargs: decodedArgs }),
        "traceloop.entity.output": result,
        "traceloop.association.properties.session_id": "s",
      },
    },
    fact: {
      kind: "tool_call",
      dialect: "traceloop",
      name: "get_plan",
      args: decodedArgs,
      result: decodedResult,
      conversation: "s",
    },
  },
  {
    title: "traceloop: a tool's own `result` member is not unwrapped",
    span: {
      attributes: {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "f",
        "traceloop.entity.output": '{"result":5}',
      },
    },
    fact: { result: { result: 5 } },
  },
  {
    title: "traceloop over LangChain: the span is named after a class",
    span: {
      name: "execute_tool DynamicStructuredTool",
      scope: "@traceloop/instrumentation-langchain",
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "traceloop.span.kind": "task",
        "traceloop.entity.name": "DynamicStructuredTool",
        "traceloop.entity.input": JSON.stringify({ args: [args] }),
      },
    },
    fact: { kind: "tool_call", name: null, args: decodedArgs },
  },
  {
    title: "traceloop over LangChain (py): the envelope of its arguments",
    span: {
      scope: "opentelemetry.instrumentation.langchain",
      attributes: {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "get_plan",
        "traceloop.entity.input": JSON.stringify({
          input_str: "{'customer_id': 'c1'}",
          tags: [],
          inputs: null,
          kwargs: {},
        }),
        "traceloop.entity.output": JSON.stringify({ output: result, kwargs: {} }),
      },
    },
    fact: { args: decodedArgs, result: decodedResult },
  },
  {
    title: "traceloop over MCP: the client's side",
    span: {
      name: "get_plan.tool",
      scope: "@traceloop/instrumentation-mcp",
      kind: 3,
      attributes: {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "get_plan",
        "traceloop.entity.input": JSON.stringify({ tool_name: "get_plan", arguments: decodedArgs }),
        "traceloop.entity.output": JSON.stringify({ result: "no", is_error: true }),
      },
    },
    fact: { args: decodedArgs, result: "no", side: "client", outcome: "error" },
  },
  {
    title: "laminar: values encoded twice",
    span: {
      name: "get_plan",
      attributes: {
        "lmnr.span.type": "TOOL",
        "lmnr.span.input": JSON.stringify(args),
        "lmnr.span.output": JSON.stringify(result),
        "lmnr.association.properties.metadata.openai.agents.group_id": "s",
      },
    },
    fact: {
      kind: "tool_call",
      dialect: "laminar",
      name: "get_plan",
      args: decodedArgs,
      result: decodedResult,
      conversation: "s",
    },
  },
  {
    title: "laminar: a refused approval",
    span: {
      name: "send",
      attributes: { "lmnr.span.type": "TOOL" },
      status: 2,
      message: "Tool execution was not approved.",
    },
    fact: { outcome: "refused" },
  },
  {
    title: "laminar: Responses items of a model turn",
    span: {
      name: "agents.response",
      attributes: {
        "lmnr.span.type": "LLM",
        "gen_ai.output.messages": JSON.stringify({
          output: [{ type: "function_call", id: "fc", call_id: "c1", name: "get_plan", arguments: args }],
        }),
        "gen_ai.input.messages": JSON.stringify([
          { type: "function_call", callId: "c0", name: "check", arguments: "{}" },
          { type: "function_call_result", callId: "c0", name: "check", output: { type: "text", text: "ok" } },
        ]),
      },
    },
    fact: { kind: "model_turn", asks: ["c1", "<c0"], answers: ["c0 null"] },
  },
  {
    title: "genkit: a tool",
    span: {
      name: "get_plan",
      attributes: {
        "genkit:type": "action",
        "genkit:metadata:subtype": "tool",
        "genkit:name": "get_plan",
        "genkit:input": args,
        "genkit:output": result,
      },
    },
    fact: {
      kind: "tool_call",
      dialect: "genkit",
      name: "get_plan",
      args: decodedArgs,
      result: decodedResult,
      callId: null,
    },
  },
  {
    title: "genkit: an interrupt is no failure",
    span: {
      attributes: {
        "genkit:metadata:subtype": "tool",
        "genkit:name": "send",
        "genkit:state": "error",
        "genkit:metadata:interrupt": "{}",
      },
      status: 2,
      events: [exception("ToolInterruptError")],
    },
    fact: { outcome: "awaiting" },
  },
  {
    title: "genkit: the session in the flow's context",
    span: {
      name: "supportAgent",
      attributes: {
        "genkit:type": "flow",
        "genkit:metadata:subtype": "flow",
        "genkit:name": "supportAgent",
        "genkit:metadata:context": '{"auth":"<redacted>","sessionId":"s"}',
      },
    },
    fact: { kind: "agent_run", conversation: "s", agent: "supportAgent" },
  },
  {
    title: "langfuse: a tool observation",
    span: {
      name: "get_plan",
      attributes: {
        "langfuse.observation.type": "tool",
        "langfuse.observation.input": args,
        "langfuse.observation.output": result,
        "langfuse.observation.metadata.toolCallId": "c1",
        "session.id": "s",
      },
    },
    fact: {
      kind: "tool_call",
      dialect: "langfuse",
      name: "get_plan",
      callId: "c1",
      args: decodedArgs,
      conversation: "s",
    },
  },
  {
    title: "langfuse: an error level with an unset status",
    span: {
      name: "get_plan",
      attributes: {
        "langfuse.observation.type": "tool",
        "langfuse.observation.level": "ERROR",
        "langfuse.observation.status_message": "aborted by the operator",
      },
    },
    fact: { outcome: "cancelled" },
  },
  {
    title: "mcp: a client's call that the server refused",
    span: {
      name: "tools/call get_plan",
      kind: 3,
      attributes: { "mcp.method.name": "tools/call", ...genaiTool, "error.type": "tool_error" },
      status: 2,
      message: "MCP error -32602: invalid arguments",
    },
    fact: { kind: "tool_call", dialect: "mcp", side: "client", outcome: "rejected_invalid" },
  },
  {
    title: "mcp: a result in the protocol's own form",
    span: {
      kind: 2,
      attributes: {
        "mcp.method.name": "tools/call",
        ...genaiTool,
        "gen_ai.tool.call.result": JSON.stringify({
          content: [{ type: "text", text: result }],
          isError: true,
        }),
      },
    },
    fact: { side: "server", result: decodedResult, outcome: "error" },
  },
  {
    title: "mcp: other methods are no calls",
    span: { name: "tools/list", kind: 3, attributes: { "mcp.method.name": "tools/list" } },
    fact: { kind: null },
  },
  {
    title: "pydantic-ai 2: running tool",
    span: {
      name: "running tool",
      attributes: {
        "gen_ai.tool.name": "get_plan",
        "gen_ai.tool.call.id": "c1",
        tool_arguments: args,
        tool_response: "fine",
      },
    },
    fact: { kind: "tool_call", dialect: "pydantic-ai", args: decodedArgs, result: "fine", callId: "c1" },
  },
  {
    title: "pydantic-ai: a group of parallel calls is no call",
    span: { name: "running tools", attributes: { tools: ["a", "b"], "logfire.msg": "running 2 tools" } },
    fact: { kind: null },
  },
  {
    title: "pydantic-ai: a pending copy is nothing",
    span: { attributes: { ...genaiTool, "logfire.span_type": "pending_span" } },
    fact: { kind: null },
  },
  {
    title: "pydantic-ai: a deferral is no error",
    span: { attributes: { ...genaiTool, "pydantic_ai.tool.deferral.name": "ApprovalRequired" } },
    fact: { outcome: "awaiting" },
  },
  {
    title: "claude-code: a tool's span, which never says how it ended",
    span: {
      name: "claude_code.tool",
      attributes: { "span.type": "tool", tool_name: "Bash", tool_use_id: "u1", "session.id": "S" },
    },
    fact: {
      kind: "tool_call",
      dialect: "claude-code",
      name: "Bash",
      callId: "u1",
      outcome: "unknown",
      conversation: "S",
    },
  },
  {
    title: "claude-code: a model turn",
    span: { name: "claude_code.llm_request", attributes: { "span.type": "llm_request", model: "m" } },
    fact: { kind: "model_turn", dialect: "claude-code", name: "m" },
  },
  {
    title: "claude-code: what lies inside of a tool's span is no call",
    span: { name: "claude_code.tool.execution", attributes: { "span.type": "tool.execution" } },
    fact: { kind: null },
  },
  {
    title: "claude-code: another's attributes of the same names say nothing",
    span: { name: "work", attributes: { tool_name: "Bash", tool_use_id: "u1" } },
    fact: { kind: null, callId: null },
  },
];

export const dialectRows: Readonly<Record<string, readonly DialectRow[]>> = { genai, openinference, others };
