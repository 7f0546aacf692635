import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import { createNormalizer } from "../../../src/processor/normalize/normalize.ts";
import { keepAll } from "../../captures/judge-run.ts";
import { at, makeSpan, type SpanSketch } from "./make-span.ts";

const normalizer = createNormalizer({ projection: { ...keepAll, all: false }, mappings: [] });
const factOf = (sketch: SpanSketch): SpanFact =>
  normalizer.normalize(makeSpan(sketch), at(60_000), "token-1");

const tool = {
  name: "execute_tool mail",
  kind: 3,
  start: 5,
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "mail",
    "gen_ai.tool.call.id": "c1",
    "agent.decision.seq": 4,
  },
} as const;
const parent = "00f067aa0ba902b7";
const signal = (more: Readonly<Record<string, string | number | boolean>> = {}): SpanSketch => ({
  ...tool,
  id: "signal",
  parent: "tool",
  end: 5,
  attributes: { ...tool.attributes, "toolorder.signal": "start", ...more },
});

describe("a start signal", () => {
  it("is the fact of the span that has begun, and nothing more", () => {
    const begun = factOf(
      signal({ "toolorder.signal.parent": parent, "toolorder.signal.parent_remote": false }),
    );
    const { startSignal, startSignals, ...rest } = begun;
    assert.deepEqual([startSignal, startSignals], [true, "all"]);
    const open = factOf({ ...tool, id: "tool", parent, end: null, flags: 0x100 });
    assert.deepEqual(rest, { ...open, flaws: [] });
    assert.deepEqual(
      [begun.spanId, begun.parentId, begun.ended, begun.outcome, begun.callId, begun.fields.get("seq")],
      ["tool", parent, false, "running", "c1", 4],
    );
  });

  it("keeps whether the parent is in another process", () => {
    const remote = (word: boolean) =>
      factOf(signal({ "toolorder.signal.parent": parent, "toolorder.signal.parent_remote": word }))
        .parentRemote;
    assert.deepEqual([remote(true), remote(false)], [true, false]);
    assert.equal(factOf(signal({ "toolorder.signal.parent": parent })).parentRemote, null);
  });

  it("of a root, or with a parent that is no id, has none", () => {
    for (const bad of [undefined, "", "xyz", "0000000000000000", "00F067AA0BA902B7"]) {
      const more = bad === undefined ? {} : { "toolorder.signal.parent": bad };
      assert.equal(factOf(signal(more)).parentId, null, bad);
    }
  });

  it("that names no span, or says something else, is an ordinary span", () => {
    for (const sketch of [
      { ...signal(), parent: "" },
      { ...signal(), attributes: { ...tool.attributes, "toolorder.signal": "stop" } },
    ]) {
      const fact = factOf(sketch);
      assert.equal(fact.spanId, "signal");
      assert.equal(fact.startSignal, undefined);
      assert.equal(fact.ended, true);
    }
  });

  it("tells that signals before it were lost", () => {
    assert.equal(factOf(signal({ "toolorder.signal.dropped": 3 })).startSignals, "some");
  });

  it("is of the same clock as the call, whose resource does not say that there are signals", () => {
    const resource = { "service.name": "agent" };
    const call = factOf({ ...tool, id: "tool", resource });
    const begun = factOf({ ...signal(), resource: { ...resource, "toolorder.start_signals": true } });
    assert.equal(begun.clock, call.clock);
    assert.equal(call.startSignals, undefined);
    assert.notEqual(factOf({ ...tool, resource: { "service.name": "other" } }).clock, call.clock);
  });

  for (const [word, says] of [
    [true, "all"],
    ["true", "all"],
    [false, undefined],
    ["yes", undefined],
  ] as const) {
    it(`is not needed where the resource of every span says toolorder.start_signals=${word}`, () => {
      assert.equal(factOf({ ...tool, resource: { "toolorder.start_signals": word } }).startSignals, says);
    });
  }
});
