/**
 * AWS Strands (Python and TypeScript). The scope is the user's service name, so its own attributes tell it:
 * `gen_ai.event.start_time` on every span. Content stands in span events; results are arrays of blocks.
 */
import { isArray, member, type Value } from "../../../model/value.ts";
import type { Dialect } from "../dialect.ts";
import { firstBlock } from "../message-parts.ts";
import { decodeValue, firstText, textOf } from "../values.ts";
import { exceptionsOf, type View } from "../view.ts";

const markKey = "gen_ai.event.start_time";

export const strands: Dialect = {
  name: "strands",
  keys: [markKey, "agent_loop.cycle_id", "event_loop.cycle_id"],
  role: (view) => {
    if (view.has("agent_loop.cycle_id") || view.has("event_loop.cycle_id")) return "step";
    return null;
  },
  sources: {
    callId: [(view) => eventText(view, "gen_ai.tool.message", "id")],
    args: [
      (view) => eventValue(view, "gen_ai.tool.message", "content"),
      (view) => detail(view, "input", "arguments"),
    ],
    result: [
      (view) => firstBlock(eventValue(view, "gen_ai.choice", "message")),
      (view) => firstBlock(detail(view, "output", "response")),
    ],
    turn: ["event_loop.cycle_id", "agent_loop.cycle_id"],
  },
  outcome: (view, call) => {
    if (!view.has(markKey)) return undefined;
    if (exceptionsOf(view).some((exception) => exception.type === "ZodError")) return "rejected_invalid";
    if (view.span.statusCode === 1 && view.text("gen_ai.tool.status") === "error") return "rejected_invalid";
    const silent = view.span.statusCode === 1 && !view.has("gen_ai.tool.status") && call.result === undefined;
    return silent ? "awaiting" : undefined;
  },
};

function eventValue(view: View, event: string, key: string): Value | undefined {
  if (!view.has(markKey)) return undefined;
  const value = view.eventsNamed(event).at(-1)?.attributes.get(key);
  return value === undefined ? undefined : decodeValue(value).value;
}

function eventText(view: View, event: string, key: string): Value | undefined {
  return textOf(eventValue(view, event, key)) ?? undefined;
}

/** Newer Strands: one details event with `gen_ai.input.messages` or `gen_ai.output.messages`, or those attributes. */
function detail(view: View, side: "input" | "output", key: string): Value | undefined {
  if (!view.has(markKey)) return undefined;
  const name = `gen_ai.${side}.messages`;
  const messages = view.json(name) ?? view.eventJson(name);
  for (const message of isArray(messages) ? messages : []) {
    const parts = member(message, "parts");
    for (const part of isArray(parts) ? parts : []) {
      const type = firstText(part, "type");
      if (type === "tool_call" || type === "tool_call_response") {
        const value = member(part, key);
        if (value !== undefined) return decodeValue(value).value;
      }
    }
  }
  return undefined;
}
