import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Value } from "../../../src/model/value.ts";
import { plainFact } from "../../../src/processor/normalize/dialects/plain.ts";
import { everything } from "../../captures/judge-run.ts";
import { at, makeSpan, type SpanSketch } from "./make-span.ts";

const fields: Readonly<Record<string, Value>> = {
  kind: "tool_call",
  name: "get_plan",
  status: "denied",
  args: { plan_id: 7 },
  result: "approved",
  conversation: "conv",
  host: "h1",
  agent: "support",
  seq: 3,
  parents: ["e0"],
  links: ["e9"],
  parent: "e8",
  service: "crm",
  call_id: "c1",
  attr: { "agent.state.version": 4 },
};

/** The same event as a span carries it. */
function onTheWire(values: Readonly<Record<string, Value>>, sketch: SpanSketch = {}): SpanSketch {
  const attributes = Object.fromEntries(
    Object.entries({ id: "e1", run: "r1", ...values }).map(([key, value]) => [
      `toolorder.event.${key}`,
      value,
    ]),
  );
  return { ...sketch, attributes };
}

describe("plain events", () => {
  it("make one fact from a list and from a span", () => {
    const listed = plainFact({
      id: "e1",
      run: "r1",
      fields: new Map(Object.entries(fields)),
      start: at(5),
      end: at(9),
    });
    const sent = everything.normalize(makeSpan(onTheWire(fields, { start: 5, end: 9 })), at(60), null);
    assert.deepEqual(sent, listed);
  });

  it("read structured fields from JSON text", () => {
    const written = {
      ...fields,
      args: '{"plan_id":7}',
      parents: '["e0"]',
      attr: '{"agent.state.version":4}',
    };
    const sent = everything.normalize(makeSpan(onTheWire(written, { start: 5, end: 9 })), at(60), null);
    const whole = everything.normalize(makeSpan(onTheWire(fields, { start: 5, end: 9 })), at(60), null);
    assert.deepEqual(sent, whole);
  });

  it("put every field where rules look for it", () => {
    const fact = plainFact({
      id: "e1",
      run: "r1",
      fields: new Map(Object.entries(fields)),
      start: at(5),
      end: at(9),
    });
    assert.deepEqual(
      [
        fact.eventId,
        fact.traceId,
        fact.spanId,
        fact.parentId,
        fact.kind,
        fact.name,
        fact.outcome,
        fact.clock,
      ],
      ["e1", "r1", "e1", "e8", "tool_call", "get_plan", "refused", "h1"],
    );
    assert.deepEqual(
      [...fact.fields],
      [
        ["seq", 3],
        ["parents", ["e0"]],
        ["service", "crm"],
        ["parent", "e8"],
      ],
    );
    assert.deepEqual([...fact.attr], [["agent.state.version", 4]]);
    assert.deepEqual(fact.links, [{ traceId: "r1", spanId: "e9" }]);
  });

  const cases = [
    { title: "a status left out is success", fields: {}, outcome: "success" },
    { title: "denied is another word for refused", fields: { status: "denied" }, outcome: "refused" },
    { title: "a word that is no status is unknown", fields: { status: "meh" }, outcome: "unknown" },
  ] as const;
  for (const { title, fields: given, outcome } of cases) {
    it(title, () => {
      const fact = plainFact({
        id: "e",
        run: "r",
        fields: new Map(Object.entries(given)),
        start: at(1),
        end: at(1),
      });
      assert.equal(fact.outcome, outcome);
    });
  }

  it("an event without an end is open, one that ends before it starts has an unknown end", () => {
    const open = plainFact({ id: "e", run: "r", fields: new Map(), start: at(1), end: null });
    assert.deepEqual([open.ended, open.end, open.flaws], [false, null, []]);
    const invalid = plainFact({ id: "e", run: "r", fields: new Map(), start: at(2), end: at(1) });
    assert.deepEqual([invalid.ended, invalid.end, invalid.flaws], [true, null, ["end_before_start"]]);
    const sent = everything.normalize(makeSpan(onTheWire({}, { start: 2, end: 1 })), at(60), null);
    assert.deepEqual([sent.ended, sent.end, sent.flaws], [true, null, ["end_before_start"]]);
  });

  it("two deliveries of one span are one identity", () => {
    const fact = plainFact({
      id: "e2",
      run: "r",
      fields: new Map([["span", "s-1"]]),
      start: at(1),
      end: at(1),
    });
    assert.deepEqual([fact.spanId, fact.eventId], ["s-1", "e2"]);
  });

  it("the sender's name wins over one that the event states", () => {
    const span = makeSpan(onTheWire({ source: "approvals" }));
    assert.equal(everything.normalize(span, at(60), "billing").fields.get("source"), "billing");
    assert.equal(everything.normalize(span, at(60), null).fields.get("source"), "approvals");
  });
});
