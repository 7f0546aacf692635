/** Langfuse SDK: any span that a program calls a tool observation. Errors may leave the OTel status unset. */
import type { Dialect, Role } from "../dialect.ts";
import { type Message, messagesFromEnd, readMessages } from "../messages.ts";
import { isPresent } from "../values.ts";
import type { View } from "../view.ts";

const typeKey = "langfuse.observation.type";

const roleByType: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["tool", "tool"],
  ["generation", "model"],
  ["agent", "agent"],
  ["chain", "step"],
  ["retriever", "retrieval"],
  ["guardrail", "guardrail"],
  ["evaluator", "guardrail"],
  ["embedding", "ignore"],
  ["event", "ignore"],
]);

export const langfuse: Dialect = {
  name: "langfuse",
  keys: [
    typeKey,
    "langfuse.observation.level",
    "langfuse.observation.status_message",
    "langfuse.observation.input",
    "langfuse.observation.output",
    "langfuse.trace.output",
  ],
  role: (view) => roleByType.get(view.text(typeKey) ?? "") ?? null,
  sources: {
    name: [(view) => (view.text(typeKey) === "tool" ? view.span.name : undefined)],
    callId: ["langfuse.observation.metadata.toolCallId"],
    args: ["langfuse.observation.input"],
    result: ["langfuse.observation.output"],
    conversation: ["langfuse.session.id"],
    agent: [(view) => (view.text(typeKey) === "agent" ? view.span.name : undefined)],
    model: ["langfuse.observation.model.name"],
  },
  redactions: ["<masked>"],
  input: (view) =>
    view.text(typeKey) === "generation"
      ? messagesFromEnd(view.json("langfuse.observation.input"))
      : undefined,
  output: (view) => messagesIn(view, "langfuse.observation.output"),
  failed: (view) => view.text("langfuse.observation.level") === "ERROR",
  answer: (view) => isPresent(view.raw("langfuse.trace.output")),
};

function messagesIn(view: View, key: string): readonly Message[] | undefined {
  if (view.text(typeKey) !== "generation" || !view.has(key)) return undefined;
  return readMessages(view.json(key));
}
