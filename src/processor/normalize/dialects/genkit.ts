/** Firebase Genkit (JavaScript). Call ids stand only in the model's `toolRequest.ref`; sessions in a JSON context. */
import { member } from "../../../model/value.ts";
import type { Dialect, Role } from "../dialect.ts";
import { type Message, messagesFromEnd, readMessages } from "../messages.ts";
import { firstText, isPresent } from "../values.ts";
import type { View } from "../view.ts";

const subtypeKey = "genkit:metadata:subtype";

function roleOf(view: View): Role | null {
  const subtype = view.text(subtypeKey);
  if (subtype !== null) {
    if (/^tool(?:\.v\d+)?$/.test(subtype)) return "tool";
    if (/^model$|^background-model$/.test(subtype)) return "model";
    if (subtype === "retriever") return "retrieval";
    return subtype === "flow" ? "agent" : "step";
  }
  if (view.text("genkit:type") === "flow") return "agent";
  return view.has("genkit:type") ? "step" : null;
}

export const genkit: Dialect = {
  name: "genkit",
  keys: [
    subtypeKey,
    "genkit:type",
    "genkit:state",
    "genkit:input",
    "genkit:output",
    "genkit:metadata:interrupt",
  ],
  role: roleOf,
  sources: {
    name: ["genkit:name"],
    args: ["genkit:input"],
    result: ["genkit:output"],
    conversation: [(view) => firstText(view.json("genkit:metadata:context"), "sessionId", "session_id")],
    agent: [(view) => (roleOf(view) === "agent" ? view.json("genkit:name") : undefined)],
    model: ["genkit:name"],
  },
  placeholders: { result: ["null"] },
  input: (view) => messagesFromEnd(member(view.json("genkit:input"), "messages")),
  output: (view) => messagesIn(view, "genkit:output"),
  finish: (view) => firstText(view.json("genkit:output"), "finishReason"),
  outcome: (view) => (view.has("genkit:metadata:interrupt") ? "awaiting" : undefined),
  failed: (view) => view.text("genkit:state") === "error",
  answer: (view) => roleOf(view) === "agent" && isPresent(view.raw("genkit:output")),
};

function messagesIn(view: View, key: string): readonly Message[] | undefined {
  const value = view.json(key);
  if (value === undefined) return undefined;
  return readMessages(member(value, "messages") ?? member(value, "message") ?? value);
}
