/**
 * Gemini CLI's events (`gemini_cli.*`). Source: google-gemini/gemini-cli, `packages/core/src/telemetry/types.ts`. A call
 * is one record, written when it is over, with the decision about it; when that fell is not recorded.
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

/** Decisions that a person took: `auto_accept` is a rule's. */
const byPerson: ReadonlySet<string> = new Set(["accept", "modify"]);

export const geminiCliLogs: LogDialect = {
  name: "gemini-cli",
  read(event, view) {
    switch (event) {
      case "gemini_cli.user_prompt":
        return { ...plainReading, kind: "user_turn", fields: common(view, { name: "user_prompt" }) };
      case "gemini_cli.tool_call":
        return call(view);
      case "gemini_cli.api_response":
        return modelTurn(view, "success");
      case "gemini_cli.api_error":
        return modelTurn(view, "error");
      default:
        return null;
    }
  },
};

function common(view: View, fields: Readonly<Record<string, Value | undefined>>): LogReading["fields"] {
  return fieldMap({
    conversation: view.raw("session.id") ?? view.raw("sessionId"),
    turn: view.raw("prompt_id"),
    ...fields,
  });
}

function call(view: View): LogReading {
  const decision = view.text("decision");
  const name = view.text("function_name");
  const callId = view.text("call_id") ?? undefined;
  const errorType = view.text("error_type") ?? view.text("error.type");
  return {
    ...plainReading,
    kind: "tool_call",
    fields: common(view, {
      name: name ?? undefined,
      call_id: callId,
      args: view.json("function_args"),
      status: statusOf(view, decision, errorType),
      rejection_reason: decision === "reject" ? decision : undefined,
    }),
    lasted: lastedMilliseconds(view.raw("duration_ms")),
    errorClass: errorType,
    // It was given while the call waited: not before the call was asked for, and before it ran.
    signals: byPerson.has(decision ?? "")
      ? [
          {
            kind: "approval",
            name,
            at: "start",
            fields: common(view, { call_id: callId, actor: "user", disposition: decision ?? undefined }),
          },
        ]
      : [],
  };
}

function statusOf(view: View, decision: string | null, errorType: string | null): string {
  if (decision === "reject") return "refused";
  const success = truthOf(view.raw("success"));
  if (success !== false) return success === true ? "success" : "unknown";
  const why = errorType ?? "";
  if (/denied|policy_violation/i.test(why)) return "refused";
  if (/cancel|abort/i.test(why)) return "cancelled";
  if (/timeout|timed_out/i.test(why)) return "timeout";
  return /invalid_tool_params|tool_not_registered/i.test(why) ? "rejected_invalid" : "error";
}

function modelTurn(view: View, status: string): LogReading {
  return {
    ...plainReading,
    kind: "model_turn",
    fields: common(view, { name: view.text("model") ?? undefined, status }),
    lasted: lastedMilliseconds(view.raw("duration_ms")),
    errorClass: view.text("error.type"),
  };
}
