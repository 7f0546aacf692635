/**
 * Claude Code's events (scope `com.anthropic.claude_code.events`). Source: its documentation, "Monitoring", events;
 * attributes by the names there. Content needs OTEL_LOG_TOOL_DETAILS=1.
 */
import { isObject, member, type Value } from "../../../model/value.ts";
import type { View } from "../view.ts";
import {
  fieldMap,
  type LogDialect,
  type LogReading,
  lastedMilliseconds,
  plainReading,
  truthOf,
} from "./log-dialect.ts";

const prefix = "claude_code.";
/** Sources of a decision that are a person's own. `config` and `hook` are a rule's. */
const byPerson = /^user_/;
/** Longer values of `tool_input` are cut by the sender. */
const longestKept = 512;

export const claudeCodeLogs: LogDialect = {
  name: "claude-code",
  read(event, view) {
    switch (nameOf(event, view)) {
      case "user_prompt":
        return { ...plainReading, kind: "user_turn", fields: common(view, { name: "user_prompt" }) };
      case "tool_decision":
        return decision(view);
      case "tool_result":
        return result(view);
      case "api_request":
        return modelTurn(view, "success", null);
      case "api_error":
      case "api_refusal":
        return modelTurn(view, "error", view.text("status_code") ?? view.text("error_type"));
      default:
        return null;
    }
  },
};

/** Newer versions write `tool_result` into `event.name`, and the whole name into the body. */
function nameOf(event: string, view: View): string | null {
  if (event.startsWith(prefix)) return event.slice(prefix.length);
  const { scope, resource } = view.span;
  const own =
    scope.name.startsWith("com.anthropic.claude_code") ||
    resource.attributes.get("service.name") === "claude-code";
  return own && !event.includes(".") ? event : null;
}

function common(view: View, fields: Readonly<Record<string, Value | undefined>>): LogReading["fields"] {
  return fieldMap({
    conversation: view.raw("session.id"),
    turn: view.raw("prompt.id"),
    event_seq: view.raw("event.sequence"),
    agent: view.raw("agent.name") ?? view.raw("agent_id"),
    ...fields,
  });
}

function decision(view: View): LogReading {
  const accepted = view.text("decision") === "accept";
  const source = view.text("source") ?? "";
  const callId = view.text("tool_use_id");
  const args = argumentsOf(view);
  const fields = common(view, {
    name: toolName(view),
    call_id: callId ?? undefined,
    args,
    status: accepted ? "running" : "refused",
    rejection_reason: accepted ? undefined : source,
  });
  const approved = accepted && byPerson.test(source);
  return {
    ...plainReading,
    // Without an id nobody could tell which call was accepted; that one was refused needs no other record.
    kind: accepted && callId === null ? null : "tool_call",
    fields,
    about: "decided",
    cut: cutPaths(args),
    signals: approved
      ? [
          {
            kind: "approval",
            name: toolName(view) ?? null,
            at: "end",
            fields: common(view, { call_id: callId ?? undefined, actor: "user", disposition: source }),
          },
        ]
      : [],
  };
}

function result(view: View): LogReading {
  const args = argumentsOf(view);
  const errorType = view.text("error_type");
  return {
    ...plainReading,
    kind: "tool_call",
    fields: common(view, {
      name: toolName(view),
      call_id: view.text("tool_use_id") ?? undefined,
      args,
      result: view.json("tool_output"),
      status: statusOf(view, errorType),
    }),
    lasted: lastedMilliseconds(view.raw("duration_ms")),
    cut: cutPaths(args),
    errorClass: errorType,
  };
}

function statusOf(view: View, errorType: string | null): string {
  if (view.text("decision_type") === "reject" || view.text("decision") === "reject") return "refused";
  const success = truthOf(view.raw("success"));
  if (success === true) return "success";
  if (success === null) return "unknown";
  const why = errorType ?? view.text("error") ?? "";
  if (/abort|cancel|interrupt/i.test(why)) return "cancelled";
  if (/timeout|timed ?out/i.test(why)) return "timeout";
  return /InputValidation|InvalidInput|ZodError/.test(why) ? "rejected_invalid" : "error";
}

/** Tools of MCP servers are called `mcp_tool` where details are not on, and stand in the parameters where they are. */
function toolName(view: View): string | undefined {
  const name = view.text("tool_name");
  const parameters = view.json("tool_parameters");
  const server = member(parameters, "mcp_server_name");
  const tool = member(parameters, "mcp_tool_name");
  if (typeof server !== "string" || typeof tool !== "string") return name ?? undefined;
  return name?.startsWith("mcp__") === true ? name : `mcp__${server}__${tool}`;
}

/** The input as the tool got it; older versions give only parameters, in which the command has another name. */
function argumentsOf(view: View): Value | undefined {
  const input = view.json("tool_input");
  if (isObject(input)) return input;
  const parameters = view.json("tool_parameters");
  if (!isObject(parameters) || member(parameters, "mcp_tool_name") !== undefined) return input;
  const command = member(parameters, "full_command") ?? member(parameters, "bash_command");
  return command === undefined ? parameters : { ...parameters, command };
}

function cutPaths(args: Value | undefined): readonly string[] {
  if (!isObject(args)) return args === undefined ? [] : ["args"];
  return Object.entries(args).flatMap(([key, value]) =>
    typeof value === "string" && value.length >= longestKept ? [`args.${key}`] : [],
  );
}

function modelTurn(view: View, status: string, errorClass: string | null): LogReading {
  return {
    ...plainReading,
    kind: "model_turn",
    fields: common(view, {
      name: view.text("model") ?? undefined,
      status,
      request_id: view.text("request_id") ?? undefined,
      attempt: view.raw("attempt"),
    }),
    lasted: lastedMilliseconds(view.raw("duration_ms")),
    errorClass,
  };
}
