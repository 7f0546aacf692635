/**
 * A small support agent, instrumented by hand as OpenTelemetry's GenAI conventions ask. Its model is a script,
 * so that it runs anywhere and always decides the same; everything else is what a real one does: turns of a
 * model, calls of one turn side by side, failures, and spans that are sent when they end.
 */

import { setTimeout as wait } from "node:timers/promises";
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";

export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
  /** How long the tool works, in milliseconds. */
  readonly takes: number;
  readonly gives: string | Readonly<Record<string, string>>;
  /** Class of the error it ends with instead. */
  readonly fails?: string;
}

export interface Plan {
  readonly name: string;
  readonly question: string;
  /** What the model asks for, turn by turn; the calls of one turn run side by side. */
  readonly turns: readonly (readonly Call[])[];
  readonly answer: string;
}

const agent = "support";
const model = "scripted-1";

/** Answers one question. Resolves with the trace id once every span has ended. */
export async function answer(tracer: Tracer, plan: Plan): Promise<string> {
  const root = tracer.startSpan(
    `invoke_agent ${agent}`,
    {
      kind: SpanKind.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
        "gen_ai.conversation.id": `conversation-${plan.name}`,
      },
    },
    ROOT_CONTEXT,
  );
  const inside = trace.setSpan(ROOT_CONTEXT, root);
  let count = 0;
  for (const calls of plan.turns) {
    const asked = calls.map((call) => {
      count += 1;
      return { ...call, id: `call_${plan.name}_${count}` };
    });
    await think(tracer, inside, asked);
    await Promise.all(asked.map((call) => execute(tracer, inside, call)));
  }
  await conclude(tracer, inside, plan);
  root.end();
  return root.spanContext().traceId;
}

interface AskedCall extends Call {
  readonly id: string;
}

async function think(tracer: Tracer, parent: Context, calls: readonly AskedCall[]): Promise<void> {
  const parts = calls.map(({ id, tool, args }) => ({ type: "tool_call", id, name: tool, arguments: args }));
  await modelTurn(tracer, parent, parts, "tool_call");
}

async function conclude(tracer: Tracer, parent: Context, plan: Plan): Promise<void> {
  await modelTurn(tracer, parent, [{ type: "text", content: plan.answer }], "stop");
}

async function modelTurn(
  tracer: Tracer,
  parent: Context,
  parts: readonly object[],
  reason: string,
): Promise<void> {
  const span = tracer.startSpan(
    `chat ${model}`,
    {
      kind: SpanKind.CLIENT,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": model,
        "gen_ai.response.finish_reasons": [reason],
        "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts, finish_reason: reason }]),
      },
    },
    parent,
  );
  await wait(5);
  span.end();
}

async function execute(tracer: Tracer, parent: Context, call: AskedCall): Promise<void> {
  const span = tracer.startSpan(
    `execute_tool ${call.tool}`,
    {
      kind: SpanKind.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.call.arguments": JSON.stringify(call.args),
      },
    },
    parent,
  );
  await wait(call.takes);
  if (call.fails === undefined) {
    span.setAttribute(
      "gen_ai.tool.call.result",
      typeof call.gives === "string" ? call.gives : JSON.stringify(call.gives),
    );
  } else {
    span.setAttribute("error.type", call.fails);
    span.setStatus({ code: SpanStatusCode.ERROR, message: call.fails });
  }
  span.end();
}
