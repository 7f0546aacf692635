/** One log record, one fact or none: what each agent's records say. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../../../src/model/span-fact.ts";
import { at } from "../make-span.ts";
import { factOf, type RecordSketch } from "./make-record.ts";

interface Said {
  readonly kind: string | null;
  readonly name?: string | null;
  readonly outcome?: string;
  readonly callId?: string | null;
  readonly start?: number;
  readonly end?: number | null;
  readonly args?: unknown;
  readonly turn?: string;
  readonly log?: string;
  readonly begins?: boolean;
  readonly errorClass?: string;
  readonly approval?: { readonly name: string; readonly at: number };
  readonly conversation?: string;
}

function assertSays(fact: SpanFact | null, said: Said): void {
  assert.ok(fact !== null, "the record says nothing");
  const stamp = (ms: number | null): bigint | null => (ms === null ? null : at(ms));
  assert.equal(fact.kind, said.kind);
  if (said.name !== undefined) assert.equal(fact.name, said.name);
  if (said.outcome !== undefined) assert.equal(fact.outcome, said.outcome);
  if (said.callId !== undefined) assert.equal(fact.callId, said.callId);
  if (said.start !== undefined) assert.equal(fact.start, stamp(said.start));
  if (said.end !== undefined) assert.equal(fact.end, stamp(said.end));
  if (said.args !== undefined) assert.deepEqual(fact.args, said.args);
  if (said.turn !== undefined) assert.equal(fact.fields.get("turn"), said.turn);
  if (said.conversation !== undefined) assert.equal(fact.conversation, said.conversation);
  if (said.errorClass !== undefined) assert.equal(fact.errorClass, said.errorClass);
  assert.equal(fact.log, said.log ?? "record");
  assert.equal(fact.begins === true, said.begins === true);
  const [signal] = fact.signals;
  if (said.approval === undefined) assert.equal(signal, undefined);
  else {
    assert.deepEqual(
      [signal?.kind, signal?.name, signal?.time],
      ["approval", said.approval.name, at(said.approval.at)],
    );
    assert.equal(signal?.fields.get("actor"), "user");
  }
}

const claude = (event: string, attributes: RecordSketch["attributes"] = {}): RecordSketch => ({
  at: 5_000,
  event,
  body: `claude_code.${event}`,
  scope: "com.anthropic.claude_code.events",
  attributes: { "session.id": "S", "prompt.id": "p1", "event.sequence": 7, ...attributes },
});
const codex = (event: string, attributes: RecordSketch["attributes"] = {}): RecordSketch => ({
  at: 5_000,
  event: `codex.${event}`,
  attributes: { "conversation.id": "C", model: "gpt-5.2-codex", ...attributes },
});
const gemini = (event: string, attributes: RecordSketch["attributes"] = {}): RecordSketch => ({
  at: 5_000,
  event: `gemini_cli.${event}`,
  attributes: { "session.id": "G", prompt_id: "G###1", ...attributes },
});
const bash = { tool_name: "Bash", tool_use_id: "t1" };
const exec = { tool_name: "exec_command", call_id: "c1" };
const shell = { function_name: "run_shell_command", function_args: '{"command":"ls"}', duration_ms: 900 };

describe("what a record says", () => {
  const rows: readonly { readonly name: string; readonly record: RecordSketch; readonly said: Said }[] = [
    {
      name: "Claude Code: a prompt",
      record: claude("user_prompt", { prompt_length: "3" }),
      said: { kind: "user_turn", turn: "p1", conversation: "S", start: 5_000, end: 5_000 },
    },
    {
      name: "Claude Code: a result, with its duration before it",
      record: claude("tool_result", {
        ...bash,
        success: "true",
        duration_ms: "1200",
        tool_input: '{"command":"ls"}',
      }),
      said: {
        kind: "tool_call",
        name: "Bash",
        callId: "t1",
        outcome: "success",
        start: 3_800,
        end: 5_000,
        args: { command: "ls" },
        turn: "p1",
      },
    },
    {
      name: "Claude Code: a failure and its class",
      record: claude("tool_result", { ...bash, success: "false", error_type: "ShellError", duration_ms: 10 }),
      said: { kind: "tool_call", outcome: "error", errorClass: "ShellError" },
    },
    {
      name: "Claude Code: an abort is no error",
      record: claude("tool_result", { ...bash, success: "false", error_type: "AbortError" }),
      said: { kind: "tool_call", outcome: "cancelled", start: 5_000 },
    },
    {
      name: "Claude Code: a timeout",
      record: claude("tool_result", { ...bash, success: "false", error_type: "Error:Timeout" }),
      said: { kind: "tool_call", outcome: "timeout" },
    },
    {
      name: "Claude Code: the command of older versions",
      record: claude("tool_result", {
        ...bash,
        success: "true",
        tool_parameters: '{"bash_command":"git","full_command":"git push","timeout":5}',
      }),
      said: {
        kind: "tool_call",
        args: { bash_command: "git", full_command: "git push", timeout: 5, command: "git push" },
      },
    },
    {
      name: "Claude Code: a tool of an MCP server",
      record: claude("tool_result", {
        tool_name: "mcp_tool",
        tool_use_id: "t2",
        success: "true",
        tool_parameters: '{"mcp_server_name":"crm","mcp_tool_name":"get_plan"}',
      }),
      said: { kind: "tool_call", name: "mcp__crm__get_plan" },
    },
    {
      name: "Claude Code: a rule accepts: the call begins, nobody approved it",
      record: claude("tool_decision", { ...bash, decision: "accept", source: "config" }),
      said: { kind: "tool_call", outcome: "running", start: 5_000, end: null, log: "decision", begins: true },
    },
    {
      name: "Claude Code: a person accepts",
      record: claude("tool_decision", { ...bash, decision: "accept", source: "user_temporary" }),
      said: {
        kind: "tool_call",
        outcome: "running",
        log: "decision",
        begins: true,
        approval: { name: "Bash", at: 5_000 },
      },
    },
    {
      name: "Claude Code: a person accepts, and nothing names the call: only the approval is told",
      record: claude("tool_decision", { tool_name: "Bash", decision: "accept", source: "user_permanent" }),
      said: { kind: null, log: "decision", begins: true, approval: { name: "Bash", at: 5_000 } },
    },
    ...["user_reject", "user_abort", "config", "hook"].map((source) => ({
      name: `Claude Code: ${source} rejects`,
      record: claude("tool_decision", { ...bash, decision: "reject", source }),
      said: { kind: "tool_call", outcome: "refused", start: 5_000, end: 5_000, log: "decision" },
    })),
    {
      name: "Claude Code: a model turn",
      record: claude("api_request", { model: "claude-sonnet-5", duration_ms: "2000", request_id: "r1" }),
      said: { kind: "model_turn", name: "claude-sonnet-5", outcome: "success", start: 3_000, end: 5_000 },
    },
    {
      name: "Claude Code: a model turn that failed",
      record: claude("api_error", { model: "m", status_code: "529", duration_ms: 100 }),
      said: { kind: "model_turn", outcome: "error", errorClass: "529" },
    },
    {
      name: "Codex: a prompt",
      record: codex("user_prompt"),
      said: { kind: "user_turn", conversation: "C" },
    },
    {
      name: "Codex: a result with arguments and output",
      record: codex("tool_result", {
        ...exec,
        arguments: '{"cmd":"ls"}',
        duration_ms: "300",
        success: "true",
        output: "a",
      }),
      said: {
        kind: "tool_call",
        name: "exec_command",
        callId: "c1",
        outcome: "success",
        start: 4_700,
        end: 5_000,
        args: { cmd: "ls" },
      },
    },
    {
      name: "Codex: a call that the user turned down, as its output says",
      record: codex("tool_result", { ...exec, success: "false", output: "exec command rejected by user" }),
      said: { kind: "tool_call", outcome: "refused" },
    },
    {
      name: "Codex: a call that could not be read has no id",
      record: codex("tool_result", {
        tool_name: "x",
        success: "false",
        output: "failed to parse function arguments: eof",
      }),
      said: { kind: "tool_call", outcome: "rejected_invalid", callId: null },
    },
    {
      name: "Codex: the user approves",
      record: codex("tool_decision", { ...exec, decision: "approved_for_session", source: "User" }),
      said: {
        kind: "tool_call",
        outcome: "running",
        log: "decision",
        begins: true,
        approval: { name: "exec_command", at: 5_000 },
      },
    },
    {
      name: "Codex: the configuration approves",
      record: codex("tool_decision", { ...exec, decision: "approved", source: "Config" }),
      said: { kind: "tool_call", outcome: "running", log: "decision", begins: true },
    },
    ...["denied", "abort", "timed_out", "timedout"].map((decision) => ({
      name: `Codex: ${decision}`,
      record: codex("tool_decision", { ...exec, decision, source: "User" }),
      said: { kind: "tool_call", outcome: "refused", log: "decision" },
    })),
    {
      name: "Codex: a request to the model",
      record: codex("api_request", { duration_ms: "850", "http.response.status_code": 503, attempt: 2 }),
      said: { kind: "model_turn", name: "gpt-5.2-codex", outcome: "error", start: 4_150, errorClass: "503" },
    },
    {
      name: "Gemini CLI: a call that the user accepted, some time while it waited",
      record: gemini("tool_call", { ...shell, success: true, decision: "accept" }),
      said: {
        kind: "tool_call",
        name: "run_shell_command",
        outcome: "success",
        start: 4_100,
        args: { command: "ls" },
        turn: "G###1",
        approval: { name: "run_shell_command", at: 4_100 },
      },
    },
    {
      name: "Gemini CLI: a call that a rule accepted",
      record: gemini("tool_call", { ...shell, success: true, decision: "auto_accept" }),
      said: { kind: "tool_call", outcome: "success" },
    },
    {
      name: "Gemini CLI: a call that was rejected",
      record: gemini("tool_call", { ...shell, success: false, decision: "reject" }),
      said: { kind: "tool_call", outcome: "refused" },
    },
    {
      name: "Gemini CLI: bad arguments",
      record: gemini("tool_call", { ...shell, success: false, error_type: "invalid_tool_params" }),
      said: { kind: "tool_call", outcome: "rejected_invalid", errorClass: "invalid_tool_params" },
    },
    {
      name: "Gemini CLI: a model turn",
      record: gemini("api_response", { model: "gemini-3-pro", duration_ms: 1500 }),
      said: { kind: "model_turn", name: "gemini-3-pro", start: 3_500 },
    },
    {
      name: "a signal that states its own kind, with the fields that spans state",
      record: {
        at: 5_000,
        attributes: { "agent.event.kind": "approval", "agent.event.name": "refund", "agent.turn.id": "t9" },
      },
      said: { kind: "approval", name: "refund", turn: "t9", start: 5_000, end: 5_000 },
    },
    {
      name: "a plain event",
      record: {
        at: 5_000,
        attributes: {
          "toolorder.event.id": "e1",
          "toolorder.event.name": "refund",
          "toolorder.event.run": "r1",
        },
      },
      said: { kind: "tool_call", name: "refund" },
    },
  ];
  for (const { name, record, said } of rows) {
    it(name, () => {
      const fact = factOf(record);
      assertSays(fact !== null && fact.dialect === "plain" ? { ...fact, log: "record" } : fact, said);
    });
  }

  it("nothing, where it is an ordinary line or an event about something else", () => {
    for (const record of [
      { body: "tool_result of Bash" },
      claude("mcp_server_connection"),
      { event: "tool_result", attributes: bash },
      codex("sse_event", { "event.kind": "response.completed" }),
      gemini("config"),
    ]) {
      assert.equal(factOf(record), null);
    }
  });

  it("with values that were cut, those alone are unknown", () => {
    const input = JSON.stringify({ file_path: "/a", content: "x".repeat(512) });
    const fact = factOf(claude("tool_result", { ...bash, success: "true", tool_input: input }));
    assert.equal(fact?.hidden.get("args.content"), "data_incomplete");
    assert.equal(fact?.hidden.has("args"), false);
    assert.ok(fact?.flaws.includes("truncated"));
  });

  it("without arguments, they are unknown and not absent; a call that did not run has no result", () => {
    const refused = factOf(claude("tool_decision", { ...bash, decision: "reject", source: "user_reject" }));
    assert.deepEqual([...(refused?.hidden ?? [])], [["args", "not_captured"]]);
    const ran = factOf(claude("tool_result", { ...bash, success: "true" }));
    assert.deepEqual([...(ran?.hidden.keys() ?? [])].sort(), ["args", "result"]);
  });

  it("no duration that nobody could mean moves its start", () => {
    for (const duration of ["-5", "x", Number.NaN, -1, 1e300, "1e9", null, 2n ** 60n]) {
      const fact = factOf(codex("tool_result", { ...exec, success: "true", duration_ms: duration }));
      assert.equal(fact?.start, at(5_000), String(duration));
    }
  });
});
