/** Claude Code's spans and log records of one call. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import { assembleClosed, everything } from "../../captures/judge-run.ts";
import { factOf } from "../normalize/logs/make-record.ts";
import { at, makeSpan, type SpanSketch } from "../normalize/make-span.ts";

const resource = { "service.name": "claude-code" };
const span = (sketch: SpanSketch): SpanFact =>
  everything.normalize(
    makeSpan({
      ...sketch,
      resource,
      scope: "com.anthropic.claude_code.tracing",
      status: sketch.status ?? 0,
      attributes: { "session.id": "S", ...sketch.attributes },
    }),
    at(60_000),
    null,
  );
const spans = [
  span({
    id: "i",
    name: "claude_code.interaction",
    start: 0,
    end: 9_000,
    attributes: { "span.type": "interaction", "interaction.sequence": 3 },
  }),
  span({
    id: "m",
    parent: "i",
    name: "claude_code.llm_request",
    start: 100,
    end: 900,
    attributes: { "span.type": "llm_request", model: "claude-sonnet-5" },
  }),
  span({
    id: "t",
    parent: "i",
    name: "claude_code.tool",
    start: 1_000,
    end: 5_100,
    attributes: { "span.type": "tool", tool_name: "Bash", tool_use_id: "u1", "gen_ai.tool.call.id": "u1" },
  }),
  span({
    id: "b",
    parent: "t",
    name: "claude_code.tool.blocked_on_user",
    start: 1_010,
    end: 3_000,
    attributes: { "span.type": "tool.blocked_on_user", decision: "accept" },
  }),
  span({
    id: "x",
    parent: "t",
    name: "claude_code.tool.execution",
    start: 3_010,
    end: 5_050,
    status: 1,
    attributes: { "span.type": "tool.execution", success: true },
  }),
];
const record = (event: string, atMs: number, attributes: Record<string, string>): SpanFact => {
  const fact = factOf({
    at: atMs,
    event,
    body: `claude_code.${event}`,
    scope: "com.anthropic.claude_code.events",
    resource,
    attributes: { "session.id": "S", tool_name: "Bash", tool_use_id: "u1", ...attributes },
  });
  assert.ok(fact !== null);
  return fact;
};
const records = [
  record("tool_decision", 3_000, { decision: "accept", source: "user_temporary" }),
  record("tool_result", 5_050, { success: "false", error_type: "ShellError", duration_ms: "2040" }),
];

const told = (facts: readonly SpanFact[]) =>
  assembleClosed(facts)
    .events.filter(({ kind }) => kind !== "step")
    .map(({ kind, name, status, callId, start, fields }) => ({
      is: `${kind} ${name} ${status}`,
      callId,
      start: typeof start === "object" && "at" in start ? Number(start.at - at(0)) / 1e6 : start,
      turn: fields.get("turn"),
    }));

describe("Claude Code", () => {
  it("by its spans alone: the call with its name and turn, and how it ended unknown", () => {
    assert.deepEqual(told(spans), [
      { is: "agent_run claude_code.interaction success", callId: null, start: 0, turn: "3" },
      { is: "model_turn claude-sonnet-5 success", callId: null, start: 100, turn: "3" },
      { is: "tool_call Bash unknown", callId: "u1", start: 1_000, turn: "3" },
    ]);
  });

  it("by spans and log records: one call, begun when it was accepted and ended as its record says", () => {
    for (const facts of [
      [...spans, ...records],
      [...records, ...spans],
    ]) {
      assert.deepEqual(told(facts).slice(2), [
        { is: "approval Bash success", callId: "u1", start: 3_000, turn: undefined },
        { is: "tool_call Bash error", callId: "u1", start: 3_000, turn: "3" },
      ]);
    }
  });
});
