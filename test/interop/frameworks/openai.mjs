/** A loop on the OpenAI client, instrumented by OpenInference: model turns by itself, agent and tools by its wrappers. */
import { traceAgent, traceTool } from "@arizeai/openinference-core";
import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import OpenAI from "openai";
import { scriptedFetch } from "./chat-model.mjs";
import { provider } from "./provider.mjs";
import { answer, results, work } from "./script.mjs";

const instrumentation = new OpenAIInstrumentation({ tracerProvider: provider });
instrumentation.manuallyInstrument(OpenAI);
const client = new OpenAI({ apiKey: "none", baseURL: "http://model.invalid/v1", fetch: scriptedFetch() });

const tools = new Map(
  Object.keys(results).map((name) => [
    name,
    traceTool(() => work(name), { name, attributes: { "tool.name": name } }),
  ]),
);

const agent = traceAgent(
  async (question) => {
    const messages = [{ role: "user", content: question }];
    for (;;) {
      const reply = await client.chat.completions.create({ model: "scripted-1", messages });
      const { message } = reply.choices[0];
      messages.push(message);
      if (message.tool_calls === undefined) return message.content;
      const done = await Promise.all(
        message.tool_calls.map(async ({ id, function: { name, arguments: args } }) => ({
          role: "tool",
          tool_call_id: id,
          content: JSON.stringify(await tools.get(name)(JSON.parse(args))),
        })),
      );
      messages.push(...done);
    }
  },
  { name: "support-agent" },
);

const text = await agent("Which plan does Northwind have?");
if (text !== answer) throw new Error(`the agent answered ${text}`);
await provider.shutdown();
