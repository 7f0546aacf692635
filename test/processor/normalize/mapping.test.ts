import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Mapping } from "../../../src/model/settings.ts";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import { createNormalizer } from "../../../src/processor/normalize/normalize.ts";
import { keepAll } from "../../captures/judge-run.ts";
import { at, epoch, makeSpan, type SpanSketch } from "./make-span.ts";

const approval: Mapping = {
  name: "mappings[0]",
  when: {
    span: "approve *",
    scope: "house",
    attributes: new Map([
      ["house.type", "approval"],
      ["house.by", "*"],
    ]),
  },
  on: "span",
  kind: "approval",
  fields: new Map([
    ["name", "house.action"],
    ["args", "house.args"],
    ["status", "house.state"],
    ["actor", "house.by"],
    ["conversation", "house.session"],
  ]),
};
const guard: Mapping = {
  name: "mappings[1]",
  when: { span: "/^guard\\./" },
  on: "event",
  kind: "disclosure",
  fields: new Map([["version", "guard.version"]]),
};

function factOf(sketch: SpanSketch, mappings: readonly Mapping[] = [approval, guard]): SpanFact {
  return createNormalizer({ projection: keepAll, mappings }).normalize(makeSpan(sketch), at(60_000), null);
}

const attributes = {
  "house.type": "approval",
  "house.by": "dana",
  "house.action": "send_email",
  "house.args": '{"to":"x"}',
  "house.state": "denied",
  "house.session": "conv",
};

describe("mappings of the configuration", () => {
  it("make an event of a span by name, scope and attributes", () => {
    const fact = factOf({ name: "approve send_email", scope: "house", attributes });
    assert.deepEqual(
      [
        fact.kind,
        fact.name,
        fact.outcome,
        fact.conversation,
        fact.args,
        fact.fields.get("actor"),
        fact.dialect,
      ],
      ["approval", "send_email", "refused", "conv", { to: "x" }, "dana", "mapping"],
    );
  });

  const misses: readonly { title: string; span: SpanSketch }[] = [
    { title: "another name", span: { name: "deny send_email", scope: "house", attributes } },
    { title: "another scope", span: { name: "approve send_email", scope: "other", attributes } },
    {
      title: "another value",
      span: {
        name: "approve send_email",
        scope: "house",
        attributes: { ...attributes, "house.type": "note" },
      },
    },
    {
      title: "an attribute that must be there and is not",
      span: { name: "approve send_email", scope: "house", attributes: { "house.type": "approval" } },
    },
  ];
  for (const { title, span } of misses)
    it(`leave a span alone: ${title}`, () => assert.equal(factOf(span).kind, null));

  it("make events of span events", () => {
    const fact = factOf({
      name: "step",
      events: [{ name: "guard.shown", attributes: { "guard.version": 3 } }],
    });
    assert.equal(fact.kind, null);
    assert.deepEqual(
      fact.signals.map((signal) => [signal.kind, signal.name, signal.time, signal.fields.get("version")]),
      [["disclosure", "guard.shown", epoch, 3]],
    );
  });

  it("name what decoders must materialise", () => {
    const { plan } = createNormalizer({
      projection: { ...keepAll, all: false },
      mappings: [approval, guard],
    });
    for (const key of Object.keys(attributes)) assert.ok(plan.span.exact.has(key), key);
    assert.ok(plan.event.exact.has("guard.version"));
  });
});

describe("signals", () => {
  it("a span with agent.event.kind is one, with its agent.* fields", () => {
    const fact = factOf({
      name: "turn",
      attributes: {
        "agent.event.kind": "user_turn",
        "agent.turn.id": "t2",
        "agent.causal.parents": '["a","b"]',
      },
    });
    assert.deepEqual(
      [fact.kind, fact.fields.get("turn"), fact.fields.get("parents")],
      ["user_turn", "t2", ["a", "b"]],
    );
  });

  it("a span event with agent.event.kind is one", () => {
    const fact = factOf({
      events: [
        { name: "cancel", attributes: { "agent.event.kind": "cancel_requested", "agent.decision.seq": 4 } },
      ],
    });
    assert.deepEqual(
      fact.signals.map((signal) => [signal.kind, signal.fields.get("seq")]),
      [["cancel_requested", 4]],
    );
  });
});

it("a span that is named like a tool call, and that nothing reads, says so", () => {
  const flaws = (name: string): readonly string[] => factOf({ name }, []).flaws;
  for (const name of ["function_tool", "claude_code.tool", "Tool Usage", "tool_call search"]) {
    assert.deepEqual(flaws(name), ["unrecognised_tool"], name);
  }
  for (const name of ["GET /tools/7", "toolbox", "chat", "running tools"])
    assert.deepEqual(flaws(name), [], name);
});

describe("projection", () => {
  const narrow = {
    ...keepAll,
    id: "narrow",
    all: false,
    steps: false,
    args: [["plan", "id"]],
    result: [["ok"]],
    attr: new Set(["team"]),
  };
  const tool = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "f",
    "gen_ai.tool.call.arguments": '{"plan":{"id":1,"secret":2},"other":3}',
    "gen_ai.tool.call.result": "plain text",
    team: "a",
    mood: "b",
  };

  it("keeps what rules name, and that something was there", () => {
    const fact = createNormalizer({ projection: narrow, mappings: [] }).normalize(
      makeSpan({ attributes: tool }),
      at(60_000),
      null,
    );
    assert.equal(JSON.stringify(fact.args), '{"plan":{"id":1}}');
    assert.equal(fact.result, null);
    assert.equal(fact.hasResult, true);
    assert.deepEqual([...fact.attr], [["team", "a"]]);
  });

  it("hashes the whole arguments, whatever is kept of them", () => {
    const hash = (attributes: Readonly<Record<string, string>>): string | null =>
      createNormalizer({ projection: narrow, mappings: [] }).normalize(
        makeSpan({ attributes }),
        at(60_000),
        null,
      ).argsHash;
    const reordered = '{"other":3,"plan":{"secret":2,"id":1}}';
    const changed = '{"other":4,"plan":{"secret":2,"id":1}}';
    assert.equal(hash({ ...tool, "gen_ai.tool.call.arguments": reordered }), hash(tool));
    assert.notEqual(hash({ ...tool, "gen_ai.tool.call.arguments": changed }), hash(tool));
  });

  it("keeps a step only if a rule names steps, and any span that a rule names", () => {
    const step: SpanSketch = {
      name: "guardrail input_check",
      attributes: { "openinference.span.kind": "CHAIN" },
    };
    const read = (projection: typeof narrow): string | null =>
      createNormalizer({ projection, mappings: [] }).normalize(makeSpan(step), at(60_000), null).kind;
    assert.equal(read(narrow), null);
    assert.equal(read({ ...narrow, steps: true }), "step");
    const named = { ...narrow, spanNames: [{ op: "glob", glob: "guardrail *" } as const] };
    assert.equal(read(named), "step");
  });
});
