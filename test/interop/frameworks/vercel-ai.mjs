/** Vercel AI SDK 6, `generateText` with a mock model and its own telemetry. */
import { trace } from "@opentelemetry/api";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";
import { provider } from "./provider.mjs";
import { answer, decisions, results, work } from "./script.mjs";

let turn = 0;
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const model = new MockLanguageModelV3({
  doGenerate: async () => {
    const calls = decisions[turn];
    turn += 1;
    const content =
      calls === undefined
        ? [{ type: "text", text: answer }]
        : calls.map(({ id, name, args }) => ({
            type: "tool-call",
            toolCallId: id,
            toolName: name,
            input: JSON.stringify(args),
          }));
    const reason = calls === undefined ? "stop" : "tool-calls";
    return { content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
  },
});

const tools = Object.fromEntries(
  Object.keys(results).map((name) => [
    name,
    tool({ description: name, inputSchema: z.looseObject({}), execute: () => work(name) }),
  ]),
);

const { text } = await generateText({
  model,
  tools,
  prompt: "Which plan does Northwind have?",
  stopWhen: stepCountIs(10),
  experimental_telemetry: { isEnabled: true, tracer: trace.getTracer("ai") },
});
if (text !== answer) throw new Error(`the agent answered ${text}`);
await provider.shutdown();
