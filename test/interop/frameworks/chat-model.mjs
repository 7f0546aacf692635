/** An OpenAI-compatible chat completion, as the scripted model gives it. */
import { answer, decisions } from "./script.mjs";

export function scriptedFetch() {
  let turn = 0;
  return async () => {
    const calls = decisions[turn];
    turn += 1;
    const message =
      calls === undefined
        ? { role: "assistant", content: answer }
        : {
            role: "assistant",
            content: null,
            tool_calls: calls.map(({ id, name, args }) => ({
              id,
              type: "function",
              function: { name, arguments: JSON.stringify(args) },
            })),
          };
    const body = {
      id: `chat-${turn}`,
      object: "chat.completion",
      created: 1_700_000_000,
      model: "scripted-1",
      choices: [{ index: 0, message, finish_reason: calls === undefined ? "stop" : "tool_calls" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
    return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
  };
}
