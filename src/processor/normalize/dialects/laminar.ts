/** Laminar, through which the OpenAI Agents SDK for JavaScript reaches OTel. Values are JSON twice; no call ids. */
import type { Dialect, Role } from "../dialect.ts";
import { firstText } from "../values.ts";

const typeKey = "lmnr.span.type";

const roleByType: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["TOOL", "tool"],
  ["LLM", "model"],
  ["DEFAULT", "step"],
  ["AGENT", "agent"],
]);

export const laminar: Dialect = {
  name: "laminar",
  keys: [typeKey],
  role: (view) => roleByType.get(view.text(typeKey) ?? "") ?? null,
  sources: {
    name: [(view) => (view.text(typeKey) === "TOOL" ? view.span.name : undefined)],
    args: ["lmnr.span.input"],
    result: ["lmnr.span.output"],
    conversation: [
      "lmnr.association.properties.metadata.openai.agents.group_id",
      "lmnr.association.properties.session_id",
    ],
  },
  placeholders: { args: ['""', '"\\"\\""'], result: ['""', '"\\"\\""'] },
  outcome: (view) => (/not approved/i.test(view.span.statusMessage) ? "refused" : undefined),
  finish: (view) => firstText(view.json("gen_ai.output.messages"), "status"),
};
