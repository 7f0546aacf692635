/** Records and spans that tell of one call: what was decided, when it began, how it went. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import { seconds, unixNano } from "../../../src/model/time.ts";
import { closing } from "../../../src/processor/run/closing.ts";
import { addFact, createRunTable, touchRun } from "../../../src/processor/run/run-table.ts";
import { assembleClosed, everything } from "../../captures/judge-run.ts";
import { factOf, type RecordSketch } from "../normalize/logs/make-record.ts";
import { at, makeSpan, type SpanSketch } from "../normalize/make-span.ts";

const codex = (event: string, atMs: number, attributes: RecordSketch["attributes"] = {}): SpanFact => {
  const fact = factOf({
    at: atMs,
    event: `codex.${event}`,
    scope: "codex_otel",
    resource: { "service.instance.id": "i" },
    attributes: { "conversation.id": "C", tool_name: "exec", call_id: "c1", ...attributes },
  });
  assert.ok(fact !== null);
  return fact;
};
const span = (sketch: SpanSketch): SpanFact =>
  everything.normalize(
    makeSpan({
      resource: { "service.instance.id": "i" },
      ...sketch,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "exec",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.conversation.id": "C",
        ...sketch.attributes,
      },
    }),
    at(60_000),
    null,
  );

const approved = { decision: "approved", source: "User" };
const ok = { success: "true", duration_ms: 4000 };

function calls(facts: readonly SpanFact[]): readonly Event[] {
  return assembleClosed(facts).events.filter(({ kind }) => kind === "tool_call");
}

const told = ({ status, start, end, run }: Event): unknown => {
  const stamp = (moment: Event["start"]): unknown =>
    typeof moment === "object" && "at" in moment ? Number(moment.at - at(0)) / 1e6 : moment;
  return { status, start: stamp(start), end: stamp(end), run };
};

describe("a call that several records tell of", () => {
  const rows = [
    {
      name: "begins when it was accepted, where its duration counts the wait",
      facts: [codex("tool_decision", 3_000, approved), codex("tool_result", 5_000, ok)],
      want: [{ status: "success", start: 3_000, end: 5_000, run: "C" }],
    },
    {
      name: "begins where its duration says, after it was accepted",
      facts: [codex("tool_decision", 500, approved), codex("tool_result", 5_000, ok)],
      want: [{ status: "success", start: 1_000, end: 5_000, run: "C" }],
    },
    {
      name: "is refused where somebody turned it down, whatever the agent made of it",
      facts: [
        codex("tool_decision", 3_000, { decision: "denied", source: "User" }),
        codex("tool_result", 3_010, { success: "false", duration_ms: 2_010 }),
      ],
      want: [{ status: "refused", start: 1_000, end: 3_010, run: "C" }],
    },
    {
      name: "that was accepted and of which nothing more came has begun and not ended",
      facts: [codex("tool_decision", 3_000, approved)],
      want: [{ status: "running", start: 3_000, end: "open", run: "C" }],
    },
    {
      name: "belongs to the span of it, which lies around the wait",
      facts: [
        span({ trace: "t1", start: 1_000, end: 5_100 }),
        codex("tool_decision", 3_000, approved),
        codex("tool_result", 5_000, ok),
      ],
      want: [{ status: "success", start: 3_000, end: 5_100, run: "t1" }],
    },
    {
      name: "is two where an id comes again: a decision belongs to the first that ended after it",
      facts: [
        codex("tool_decision", 900, approved),
        codex("tool_result", 2_000, { success: "false", duration_ms: 1_000 }),
        codex("tool_decision", 3_000, approved),
        codex("tool_result", 5_000, ok),
      ],
      want: [
        { status: "error", start: 1_000, end: 2_000, run: "C" },
        { status: "success", start: 3_000, end: 5_000, run: "C" },
      ],
    },
    {
      name: "is not the one of another tool with its id, nor of another conversation",
      facts: [
        codex("tool_decision", 3_000, approved),
        codex("tool_result", 5_000, { ...ok, tool_name: "patch" }),
        codex("tool_result", 5_000, { ...ok, "conversation.id": "D" }),
      ],
      want: [
        { status: "success", start: 1_000, end: 5_000, run: "C" },
        { status: "success", start: 1_000, end: 5_000, run: "D" },
        { status: "running", start: 3_000, end: "open", run: "C" },
      ],
    },
  ];
  for (const { name, facts, want } of rows) {
    it(name, () => {
      for (const order of [facts, facts.toReversed()]) assert.deepEqual(calls(order).map(told), want);
    });
  }
});

describe("a run of log records", () => {
  const policy = { decisionWait: seconds(10), idleTimeout: seconds(1800), maxAge: seconds(86_400) };

  function closeAfter(facts: readonly SpanFact[], after: number): unknown {
    const table = createRunTable();
    const run = touchRun(table, facts[0]?.traceId ?? "", at(0));
    for (const fact of facts) addFact(table, run, fact, at(0));
    return closing(run, unixNano(at(0) + seconds(after)), policy, []);
  }

  it("has no root whose end closes it: its silence does", () => {
    const session = [codex("user_prompt", 0), codex("tool_result", 5_000, ok)];
    assert.ok("look" in (closeAfter(session, 60) as object));
    assert.deepEqual(closeAfter(session, 1800), { close: "idle" });
  });

  it("with spans ends with their root, though a decision waits for its record", () => {
    const root = span({ trace: "C", start: 0, end: 9_000 });
    assert.deepEqual(closeAfter([root, codex("tool_decision", 3_000, approved)], 60), {
      close: "root_ended",
    });
  });

  it("counts a record that came twice as identical, and keeps one", () => {
    const table = createRunTable();
    const run = touchRun(table, "C", at(0));
    assert.equal(addFact(table, run, codex("tool_result", 5_000, ok), at(0)), "new");
    assert.equal(addFact(table, run, codex("tool_result", 5_000, ok), at(1)), "identical");
    assert.equal(run.facts.size, 1);
  });
});
