/** Who a log record is, where it belongs, and what mappings of the configuration make of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Mapping } from "../../../../src/model/settings.ts";
import { unixNano } from "../../../../src/model/time.ts";
import { recordId } from "../../../../src/processor/normalize/logs/record-identity.ts";
import fc from "../../../support/properties.ts";
import { at } from "../make-span.ts";
import { factOf, makeRecord, type RecordSketch } from "./make-record.ts";

const exec = { tool_name: "exec_command", call_id: "c1" };
const codex = (event: string, attributes: RecordSketch["attributes"] = {}): RecordSketch => ({
  at: 5_000,
  event: `codex.${event}`,
  attributes: { "conversation.id": "C", model: "gpt-5.2-codex", ...attributes },
});

describe("who a record is", () => {
  const base = codex("tool_result", { ...exec, success: "true" });

  it("the same whatever the order of its attributes, and when it was observed", () => {
    const one = makeRecord({ ...base, observed: 1 });
    const reversed = {
      ...one,
      attributes: new Map([...one.attributes].reverse()),
      observedTime: unixNano(99n),
    };
    assert.equal(recordId(reversed), recordId(one));
    assert.match(recordId(one), /^[0-9a-f]{16}$/);
  });

  it("another, where anything that it says differs", () => {
    const ids = new Set(
      [
        base,
        { ...base, at: 5_001 },
        { ...base, event: "codex.tool_decision" },
        { ...base, body: "x" },
        { ...base, trace: "a".repeat(32) },
        { ...base, scope: "s" },
        { ...base, resource: { "service.instance.id": "i" } },
        { ...base, attributes: { ...base.attributes, more: 1 } },
        { ...base, attributes: { ...base.attributes, more: "1" } },
        { ...base, attributes: { ...base.attributes, more: 2n ** 60n } },
      ].map((sketch) => recordId(makeRecord(sketch))),
    );
    assert.equal(ids.size, 10);
  });

  it("never throws, and gives one fact for one record, whatever it holds", () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.constant([1, { a: "b" }]),
      fc.boolean(),
    );
    const event = fc.constantFrom(
      "claude_code.tool_result",
      "claude_code.tool_decision",
      "codex.tool_result",
      "gemini_cli.tool_call",
      "x",
    );
    const key = fc.constantFrom(
      "tool_name",
      "tool_use_id",
      "call_id",
      "duration_ms",
      "success",
      "tool_input",
      "arguments",
      "decision",
      "source",
      "function_args",
      "session.id",
    );
    let facts = 0;
    fc.assert(
      fc.property(event, fc.dictionary(key, value), value, (name, attributes, body) => {
        const sketch = {
          event: name,
          attributes: (attributes as RecordSketch["attributes"]) ?? {},
          body: body as string,
        };
        const [one, again] = [factOf(sketch), factOf(sketch)];
        assert.deepEqual(one, again);
        if (one !== null) facts += 1;
      }),
    );
    assert.ok(facts > 20);
  });
});

describe("where a record belongs", () => {
  const trace = "a".repeat(32);
  const rows = [
    {
      name: "its trace",
      record: { trace, attributes: { "session.id": "S" } },
      run: trace,
      conversation: "S",
      parent: null,
    },
    {
      name: "its span",
      record: { trace, span: "b".repeat(16) },
      run: trace,
      conversation: null,
      parent: "b".repeat(16),
    },
    {
      name: "a span without a trace is none",
      record: { span: "b".repeat(16), attributes: { "session.id": "S" } },
      run: "S",
      conversation: "S",
      parent: null,
    },
    {
      name: "its session",
      record: { attributes: { "session.id": "S" } },
      run: "S",
      conversation: "S",
      parent: null,
    },
    {
      name: "the session of its resource",
      record: { resource: { "session.id": "R" } },
      run: "R",
      conversation: "R",
      parent: null,
    },
    {
      name: "the conventions' conversation before a session",
      record: { attributes: { "session.id": "S", "gen_ai.conversation.id": "C" } },
      run: "C",
      conversation: "C",
      parent: null,
    },
  ];
  for (const { name, record, run, conversation, parent } of rows) {
    it(name, () => {
      const { attributes = {}, ...rest } = record as RecordSketch;
      const fact = factOf({ ...rest, attributes: { "agent.event.kind": "approval", ...attributes } });
      assert.deepEqual([fact?.traceId, fact?.conversation, fact?.parentId], [run, conversation, parent]);
    });
  }

  it("with neither, it stands alone; a run key names its run all the same", () => {
    const sketch = { attributes: { "agent.event.kind": "approval", "house.run": "h1" } };
    const fact = factOf(sketch, { runKey: ["house.run"] });
    assert.equal(fact?.traceId, fact?.spanId);
    assert.equal(fact?.fields.get("run"), "h1");
  });

  it("its time is its own, else the one that it states, else the collector's", () => {
    const stated = { "agent.event.kind": "approval", "event.timestamp": "2026-01-01T00:00:03.250Z" };
    assert.equal(factOf({ at: 1_000, observed: 9_000, attributes: stated })?.start, at(1_000));
    assert.equal(factOf({ at: null, observed: 9_000, attributes: stated })?.start, at(3_250));
    assert.equal(
      factOf({ at: null, observed: 9_000, attributes: { "agent.event.kind": "approval" } })?.start,
      at(9_000),
    );
    assert.equal(factOf({ at: null, attributes: { "agent.event.kind": "approval" } })?.start, null);
  });
});

describe("mappings of log records", () => {
  const mapping = (when: Mapping["when"], fields: Record<string, string> = {}): Mapping => ({
    name: "m",
    when,
    on: "log",
    kind: "tool_call",
    fields: new Map(Object.entries(fields)),
  });
  const met = (when: Mapping["when"], record: RecordSketch): boolean =>
    factOf(record, { mappings: [mapping(when)] }) !== null;

  it("tell them by event name, body, scope and attributes", () => {
    assert.equal(met({ event: "house.*" }, { event: "house.call" }), true);
    assert.equal(met({ event: "house.*" }, { eventName: "house.call" }), true);
    assert.equal(met({ event: "house.*" }, { event: "other" }), false);
    assert.equal(met({ body: "/^called /" }, { body: "called refund" }), true);
    assert.equal(met({ body: "/^called /" }, { body: { text: "called refund" } }), false);
    assert.equal(met({ scope: "house" }, { scope: "house" }), true);
    assert.equal(met({ attributes: new Map([["a", "*"]]) }, { attributes: { a: 1 } }), true);
    assert.equal(met({ attributes: new Map([["a", "2"]]) }, { attributes: { a: 1 } }), false);
    assert.equal(met({ attributes: new Map([["body.type", "call"]]) }, { body: { type: "call" } }), true);
  });

  it("take fields from attributes and from the body, and a start from a duration", () => {
    const fact = factOf(
      {
        at: 5_000,
        event: "call",
        body: { tool: "refund", input: { amount: 3 } },
        attributes: { ms: 250, ok: "failed" },
      },
      {
        mappings: [
          mapping(
            { event: "call" },
            { name: "body.tool", args: "body.input", duration_ms: "ms", status: "ok" },
          ),
        ],
      },
    );
    assert.deepEqual(
      [fact?.kind, fact?.name, fact?.outcome, fact?.start, fact?.end, fact?.args],
      ["tool_call", "refund", "error", at(4_750), at(5_000), { amount: 3 }],
    );
    assert.equal(fact?.dialect, "mapping");
  });

  it("come before the agents' dialects, and are told as met", () => {
    const told: string[] = [];
    const fact = factOf(codex("tool_result", exec), {
      mappings: [{ ...mapping({ event: "codex.*" }), kind: "claim" }],
      onMapped: (name) => told.push(name),
    });
    assert.equal(fact?.kind, "claim");
    assert.deepEqual(told, ["m"]);
  });
});
