import type { Event } from "../model/event.ts";
import type { Output } from "../model/output.ts";
import { since, toSeconds } from "../model/time.ts";
import type { ToolTraits } from "../rules/rule.ts";

/** Fields of a call that must be settled before it is counted, since they are its labels. */
const labels = ["name", "status", "kind"];

/** Whether a call can be counted: its own span has waited long enough, and nothing to come renames it. */
export function countable(event: Event, waitedOrClosed: boolean, closed: boolean): boolean {
  if (event.kind !== "tool_call" && event.kind !== "retrieval") return false;
  // A call that was only asked for may still run: it is counted when its run is over.
  if (event.status === "requested" || event.status === "running") return closed;
  return closed || (waitedOrClosed && !labels.some((label) => event.unsettled.has(label)));
}

export function countCall(event: Event): Output[] {
  const tool = event.name ?? "unknown";
  const outputs: Output[] = [{ type: "count", of: "tool_calls", tool, status: event.status }];
  const { start, end } = event;
  if (typeof start === "object" && "at" in start && typeof end === "object" && "at" in end) {
    const seconds = toSeconds(since(end.at, start.at));
    if (seconds >= 0) outputs.push({ type: "duration", of: "tool_call", tool, seconds });
  }
  return outputs;
}

/** In the words of metric labels. */
export function effectOf(traits: ToolTraits | undefined): "read" | "write" | "unknown" {
  switch (traits?.effect) {
    case "read":
    case "none":
      return "read";
    case "write":
    case "external":
      return "write";
    default:
      return "unknown";
  }
}
