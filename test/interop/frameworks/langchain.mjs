/** LangChain's `createAgent` on LangGraph, instrumented by OpenInference. */
import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbacks from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { provider } from "./provider.mjs";
import { answer, decisions, results, work } from "./script.mjs";

new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbacks);

class ScriptedModel extends BaseChatModel {
  turn = 0;

  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate() {
    const calls = decisions[this.turn];
    this.turn += 1;
    const message =
      calls === undefined
        ? new AIMessage(answer)
        : new AIMessage({
            content: "",
            tool_calls: calls.map(({ id, name, args }) => ({ id, name, args, type: "tool_call" })),
          });
    return { generations: [{ text: "", message }] };
  }
}

const tools = Object.keys(results).map((name) =>
  tool(async () => JSON.stringify(await work(name)), {
    name,
    description: name,
    schema: z.looseObject({}),
  }),
);

const agent = createAgent({ model: new ScriptedModel({}), tools });
const { messages } = await agent.invoke(
  { messages: [{ role: "user", content: "Which plan does Northwind have?" }] },
  { metadata: { session_id: "conversation-1" } },
);
const text = messages.at(-1).content;
if (text !== answer) throw new Error(`the agent answered ${text}`);
await provider.shutdown();
