/**
 * Codex CLI's events (`codex.*`). Source: openai/codex, `codex-rs/otel/src/events`. Its log sink carries arguments and
 * outputs; a call's duration there includes the time that it waited for an approval.
 */
import type { Value } from "../../../model/value.ts";
import type { View } from "../view.ts";
import {
  fieldMap,
  type LogDialect,
  type LogReading,
  lastedMilliseconds,
  plainReading,
  truthOf,
} from "./log-dialect.ts";

/** `approved`, `approved_for_session`, `approved_execpolicy_amendment`, …, with dashes or underscores. */
const approving = /^approved|^network_?policy_?amendment/;

export const codexLogs: LogDialect = {
  name: "codex",
  read(event, view) {
    switch (event) {
      case "codex.user_prompt":
        return { ...plainReading, kind: "user_turn", fields: common(view, { name: "user_prompt" }) };
      case "codex.tool_decision":
        return decision(view);
      case "codex.tool_result":
        return result(view);
      case "codex.api_request":
      case "codex.websocket_request":
        return modelTurn(view);
      default:
        return null;
    }
  },
};

function common(view: View, fields: Readonly<Record<string, Value | undefined>>): LogReading["fields"] {
  return fieldMap({
    conversation: view.raw("conversation.id") ?? view.raw("thread.id"),
    turn: view.raw("turn.id") ?? view.raw("turn_id"),
    ...fields,
  });
}

function decision(view: View): LogReading {
  const decided = (view.text("decision") ?? "").toLowerCase();
  const accepted = approving.test(decided);
  const callId = view.text("call_id");
  const name = view.text("tool_name");
  const byPerson = (view.text("source") ?? "").toLowerCase() === "user";
  return {
    ...plainReading,
    kind: accepted && callId === null ? null : "tool_call",
    fields: common(view, {
      name: name ?? undefined,
      call_id: callId ?? undefined,
      status: accepted ? "running" : "refused",
      rejection_reason: accepted ? undefined : decided,
    }),
    about: "decided",
    signals:
      accepted && byPerson
        ? [
            {
              kind: "approval",
              name,
              at: "end",
              fields: common(view, { call_id: callId ?? undefined, actor: "user", disposition: decided }),
            },
          ]
        : [],
  };
}

function result(view: View): LogReading {
  const success = truthOf(view.raw("success"));
  return {
    ...plainReading,
    kind: "tool_call",
    fields: common(view, {
      name: view.text("tool_name") ?? undefined,
      call_id: view.text("call_id") ?? undefined,
      args: view.json("arguments"),
      result: view.json("output"),
      status: success === null ? "unknown" : success ? "success" : failure(view.text("output") ?? ""),
    }),
    lasted: lastedMilliseconds(view.raw("duration_ms")),
  };
}

/** Of a failed call only the text that the model was given says how. */
function failure(output: string): string {
  if (/\brejected by (?:the )?user\b|\bdenied by\b/i.test(output)) return "refused";
  if (/\baborted by (?:the )?user\b/i.test(output)) return "cancelled";
  if (/\btimed out\b/i.test(output)) return "timeout";
  return /^(?:failed to parse function arguments|unsupported (?:call|tool))/i.test(output)
    ? "rejected_invalid"
    : "error";
}

function modelTurn(view: View): LogReading {
  const status = Number(view.text("http.response.status_code") ?? "200");
  const error = view.text("error.message");
  const failed = error !== null || status >= 400 || truthOf(view.raw("success")) === false;
  return {
    ...plainReading,
    kind: "model_turn",
    fields: common(view, {
      name: view.text("model") ?? undefined,
      status: failed ? "error" : "success",
      attempt: view.raw("attempt"),
    }),
    lasted: lastedMilliseconds(view.raw("duration_ms")),
    errorClass: status >= 400 ? String(status) : null,
  };
}
