import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fieldAttributes } from "../../../src/model/attribute-names.ts";
import { signalAttributes } from "../../../src/model/attribute-table.ts";
import type { Mapping } from "../../../src/model/settings.ts";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import type { Value } from "../../../src/model/value.ts";
import { createNormalizer } from "../../../src/processor/normalize/normalize.ts";
import { keepAll } from "../../captures/judge-run.ts";
import { at, epoch, makeSpan, type SpanSketch } from "./make-span.ts";

interface Settings {
  readonly mappings?: readonly Mapping[];
  readonly identity?: ReadonlyMap<string, readonly string[]>;
}

function factOf(sketch: SpanSketch, { mappings = [], identity = new Map() }: Settings = {}): SpanFact {
  const normalizer = createNormalizer({ projection: keepAll, mappings, identity });
  return normalizer.normalize(makeSpan(sketch), at(60_000), null);
}

/** A tool call of 10 ms with these attributes. */
const call = (attributes: Readonly<Record<string, Value>>, more: SpanSketch = {}): SpanSketch => ({
  ...more,
  name: "execute_tool lookup",
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "lookup",
    "gen_ai.tool.call.id": "c1",
    ...attributes,
  },
});

const signalsOf = (fact: SpanFact) =>
  fact.signals.map(({ kind, time, until, fields }) => ({
    kind,
    from: time === null ? null : Number(time - epoch) / 1e6,
    until: until === undefined ? "same" : until === null ? null : Number(until - epoch) / 1e6,
    fields: Object.fromEntries(fields),
  }));

describe("attributes of an agent's own", () => {
  for (const { is, names, example, type } of fieldAttributes) {
    it(`fill ${is} by every name, the first before the others`, () => {
      const other = type === "int" ? "977" : "another";
      for (const name of names) {
        const rest = names.slice(names.indexOf(name) + 1).map((later) => [later, other] as const);
        const fact = factOf(call({ ...Object.fromEntries(rest), [name]: example }));
        const kept = fact.fields.get(is);
        assert.equal(
          typeof kept === "object" ? JSON.stringify(kept).replaceAll(",", ", ") : String(kept),
          example,
        );
      }
    });
  }

  it("are numbers and truths again where an exporter made text of them", () => {
    const { fields } = factOf(
      call({
        "agent.decision.seq": "12",
        "agent.result.applied": "true",
        "agent.retryable": "false",
        "agent.state.version": "12",
        "agent.event.seq": "99999999999999999999",
      }),
    );
    assert.deepEqual(
      ["seq", "applied", "retryable", "state_version", "event_seq"].map((field) => fields.get(field)),
      [12, true, false, "12", 99999999999999999999n],
    );
  });

  it("have the names that the configuration gives them, and no other", () => {
    const identity = new Map([["seq", ["house.n", "house.old"]]]);
    const own = (attributes: Readonly<Record<string, Value>>) =>
      factOf(call(attributes), { identity }).fields.get("seq");
    assert.equal(own({ "house.old": 1, "house.n": 4 }), 4);
    assert.equal(own({ "house.old": 1 }), 1);
    assert.equal(own({ "agent.decision.seq": 9 }), undefined);
    const { plan } = createNormalizer({
      projection: { ...keepAll, all: false },
      mappings: [],
      identity,
    });
    assert.ok(plan.span.exact.has("house.n") && plan.event.exact.has("house.old"));
    assert.ok(!plan.span.exact.has("agent.decision.seq"));
    assert.ok(plan.span.exact.has("agent.turn.id"));
  });
});

describe("attributes that are signals", () => {
  for (const { is, names } of signalAttributes) {
    it(`${is}: stand beside the call that carries them`, () => {
      for (const name of names) {
        const fact = factOf(call({ [name]: true }));
        assert.deepEqual([fact.kind, fact.name], ["tool_call", "lookup"]);
        assert.deepEqual(
          fact.signals.map(({ kind }) => kind),
          [is],
        );
      }
    });
  }

  const truths: readonly { value: Value; is: boolean }[] = [
    { value: true, is: true },
    { value: "true", is: true },
    { value: 1, is: true },
    { value: "a person pressed stop", is: true },
    { value: false, is: false },
    { value: "false", is: false },
    { value: 0, is: false },
    { value: "", is: false },
    { value: null, is: false },
  ];
  for (const { value, is } of truths) {
    it(`${JSON.stringify(value)} says that it ${is ? "happened" : "did not happen"}`, () =>
      assert.equal(factOf(call({ "agent.cancel.requested": value })).signals.length, is ? 1 : 0));
  }

  it("happened at the start where they begin something, else somewhere within the span", () => {
    const fact = factOf(
      call({ "agent.user_turn": "turn-3", "agent.cancel.requested": true }, { start: 5, end: 25 }),
    );
    assert.deepEqual(signalsOf(fact), [
      { kind: "user_turn", from: 5, until: "same", fields: { turn: "turn-3" } },
      { kind: "cancel_requested", from: 5, until: 25, fields: {} },
    ]);
    const open = factOf(call({ "agent.cancel.requested": true }, { start: 5, end: null }));
    assert.deepEqual(signalsOf(open), [{ kind: "cancel_requested", from: 5, until: null, fields: {} }]);
  });

  it("happened at the time of the span event that carries them, with its fields", () => {
    const fact = factOf({
      events: [{ name: "stop", attributes: { "agent.cancel.requested": true, "agent.decision.seq": 4 } }],
    });
    assert.deepEqual(signalsOf(fact), [
      { kind: "cancel_requested", from: 0, until: "same", fields: { seq: 4 } },
    ]);
  });

  it("are not said twice by a span that is that signal itself", () => {
    const fact = factOf({
      attributes: { "agent.event.kind": "cancel_requested", "agent.cancel.requested": true },
    });
    assert.deepEqual([fact.kind, fact.signals], ["cancel_requested", []]);
  });

  it("have the attribute that the configuration names", () => {
    const identity = new Map([["cancel_requested", ["house.abort"]]]);
    assert.equal(factOf(call({ "house.abort": true }), { identity }).signals.length, 1);
    assert.equal(factOf(call({ "agent.cancel.requested": true }), { identity }).signals.length, 0);
  });
});

describe("mappings that put an event beside a span", () => {
  const mapping = (at?: "start" | "end" | "within"): Mapping => ({
    name: "stop",
    when: { attributes: new Map([["house.abort", "true"]]) },
    on: "beside",
    ...(at !== undefined && { at }),
    kind: "cancel_requested",
    fields: new Map([
      ["name", "house.who"],
      ["decision", "house.decision"],
    ]),
  });
  const aborted = call(
    { "house.abort": true, "house.who": "dana", "house.decision": "d1" },
    { start: 5, end: 25 },
  );

  it("leave the span what it is", () => {
    const fact = factOf(aborted, { mappings: [mapping()] });
    assert.deepEqual([fact.kind, fact.dialect], ["tool_call", "genai"]);
    assert.deepEqual(signalsOf(fact), [
      { kind: "cancel_requested", from: 5, until: 25, fields: { decision: "d1" } },
    ]);
    assert.equal(fact.signals[0]?.name, "dana");
  });

  it("say when it happened", () => {
    for (const [where, from] of [
      ["start", 5],
      ["end", 25],
    ] as const) {
      const [signal] = signalsOf(factOf(aborted, { mappings: [mapping(where)] }));
      assert.deepEqual([signal?.from, signal?.until], [from, "same"]);
    }
  });

  it("leave other values alone", () => {
    assert.deepEqual(factOf(call({ "house.abort": false }), { mappings: [mapping()] }).signals, []);
  });
});
