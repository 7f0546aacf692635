/**
 * Claude Code's spans (beta). Source: its documentation, "Monitoring", traces. The tool's span lies around the wait for
 * the user and the execution, and is never set to OK or ERROR: how a call ended is told by its log record
 * (docs/dialects.md#log-records), and unknown without one.
 */
import type { Value } from "../../../model/value.ts";
import type { Dialect, Role } from "../dialect.ts";
import type { View } from "../view.ts";

const roles: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["claude_code.interaction", "agent"],
  ["claude_code.llm_request", "model"],
  ["claude_code.tool", "tool"],
  // Parts of a tool's span.
  ["claude_code.tool.blocked_on_user", "ignore"],
  ["claude_code.tool.execution", "ignore"],
  ["claude_code.hook", "ignore"],
]);

/** Others write attributes of these names too. */
const own =
  (key: string) =>
  (view: View): Value | undefined =>
    roles.has(view.span.name) ? view.json(key) : undefined;

export const claudeCode: Dialect = {
  name: "claude-code",
  keys: ["span.type", "tool_name", "tool_use_id", "interaction.sequence", "model"],
  role: (view) => roles.get(view.span.name) ?? null,
  sources: {
    name: [own("tool_name")],
    callId: [own("tool_use_id")],
    turn: [own("interaction.sequence")],
    model: [own("model")],
  },
  outcome: (view) =>
    view.span.name === "claude_code.tool" && view.span.statusCode === 0 ? "unknown" : undefined,
};
