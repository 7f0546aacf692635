import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wants } from "../../../src/model/attribute-plan.ts";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import { byPrecedence } from "../../../src/processor/normalize/detect.ts";
import { createNormalizer } from "../../../src/processor/normalize/normalize.ts";
import { everything, keepAll } from "../../captures/judge-run.ts";
import fc from "../../support/properties.ts";
import { type DialectRow, dialectRows } from "./dialect-rows.ts";
import { at, makeSpan, type SpanSketch } from "./make-span.ts";

const arrival = at(60_000);
const planned = createNormalizer({
  projection: { ...keepAll, id: "whole", all: false, args: [[]], result: [[]] },
  mappings: [],
});
const rows = Object.values(dialectRows).flat();

/** The parts of a fact that a row speaks of, in a row's words. */
function told(fact: SpanFact, row: DialectRow["fact"]): Record<string, unknown> {
  const all: Record<string, unknown> = {
    ...fact,
    hidden: Object.fromEntries(fact.hidden),
    asks: fact.asks.map((ask) => `${ask.fromInput ? "<" : ""}${ask.callId ?? ask.name}`),
    answers: fact.answers.map((answer) => `${answer.callId ?? answer.name} ${answer.status}`),
  };
  return Object.fromEntries(Object.keys(row).map((key) => [key, all[key]]));
}

for (const [family, members] of Object.entries(dialectRows)) {
  describe(`${family}: what is read from a span`, () => {
    for (const row of members) {
      it(row.title, () => {
        const fact = everything.normalize(makeSpan(row.span), arrival, null);
        assert.deepEqual(plain(told(fact, row.fact)), plain(row.fact));
      });
    }
  });
}

it("every dialect has a row", () => {
  const named = new Set(rows.map(({ span }) => everything.normalize(makeSpan(span), arrival, null).dialect));
  for (const dialect of byPrecedence) assert.ok(named.has(dialect.name), dialect.name);
});

describe("what a span says was dropped is unknown, never absent", () => {
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "f",
    "agent.decision.seq": 3,
  };
  const hidden = (sketch: SpanSketch): Readonly<Record<string, string>> =>
    Object.fromEntries(everything.normalize(makeSpan({ attributes, ...sketch }), arrival, null).hidden);

  it("attributes", () => {
    const codes = hidden({ dropped: 3 });
    for (const field of ["args", "result", "attr", "call_id", "key", "parents"]) {
      assert.equal(codes[field], "data_incomplete", field);
    }
    assert.equal(codes.seq, undefined);
  });
  it("span events, which may have held the content", () => {
    assert.deepEqual(hidden({ droppedEvents: 1 }), { args: "data_incomplete", result: "data_incomplete" });
  });
  it("arguments that are here are whole, whatever else was dropped", () => {
    const codes = hidden({ dropped: 3, attributes: { ...attributes, "gen_ai.tool.call.arguments": "{}" } });
    assert.equal(codes.args, undefined);
    assert.equal(codes.result, "data_incomplete");
  });
  it("nothing dropped", () => {
    assert.deepEqual(hidden({}), { args: "not_captured", result: "not_captured" });
  });
});

it("the plan names all that a dialect reads", () => {
  for (const { title, span } of rows) {
    const whole = makeSpan(span);
    const cut = {
      ...whole,
      attributes: new Map([...whole.attributes].filter(([key]) => wants(planned.plan.span, key))),
      events: whole.events.map((event) => ({
        ...event,
        attributes: new Map([...event.attributes].filter(([key]) => wants(planned.plan.event, key))),
      })),
    };
    const without = (fact: SpanFact): SpanFact => ({ ...fact, attr: new Map() });
    assert.deepEqual(
      without(planned.normalize(cut, arrival, null)),
      without(everything.normalize(whole, arrival, null)),
      title,
    );
  }
});

it("never throws, whatever the attributes hold", () => {
  const keys = [
    ...planned.plan.span.exact,
    ...planned.plan.span.prefixes.map((prefix) => `${prefix}0.message.role`),
  ];
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom(
      "{",
      "[[",
      '"\\u"',
      "{'a':",
      "[{",
      "null",
      "TOOL",
      "tool",
      "execute_tool",
      "chat",
      "tool_call",
    ),
  );
  const value = fc.oneof(
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text),
    fc.object(),
  );
  const attributes = fc.array(fc.tuple(fc.constantFrom(...keys), value), { maxLength: 12 });
  fc.assert(
    fc.property(attributes, fc.integer({ min: 0, max: 5 }), fc.string(), (entries, status, message) => {
      const span = makeSpan({ status, message, attributes: Object.fromEntries(entries) as never });
      const fact = everything.normalize(span, arrival, null);
      assert.equal(fact.spanId, "s1");
    }),
    { numRuns: 500 },
  );
});

/** Decoded objects have no prototype; what they hold is what counts. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
