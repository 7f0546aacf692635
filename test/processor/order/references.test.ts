import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { indexReferences, referenceTexts } from "../../../src/processor/order/references.ts";
import { type EventSpec, event } from "../../support/scope.ts";

const on = (spec: EventSpec, ...spans: readonly (readonly [string, string])[]): Event => ({
  ...event(spec),
  spans: spans.map(([traceId, spanId]) => ({ traceId, spanId })),
});
const asking = event({ id: "asking", run: "r1" });
const named = (text: string, ...events: readonly Event[]): string | null =>
  indexReferences([...events, asking]).named(text, asking)?.id ?? null;

describe("what a reference means", () => {
  it("an event by its id before anything else", () => {
    const byId = event({ id: "x" });
    const bySpan = on({ id: "y" }, ["r1", "x"]);
    assert.equal(named("x", bySpan, byId, event({ id: "z", callId: "x" })), "x");
  });

  it("a span by trace and id, by id in the run of whoever asks, or by id alone where it is the only one", () => {
    const here = on({ id: "here" }, ["r1", "s1"]);
    const there = on({ id: "there" }, ["r2", "s1"]);
    assert.equal(named("r2:s1", here, there), "there");
    assert.equal(named("s1", here, there), "here");
    assert.equal(named("s1", there), "there");
    assert.equal(named("s1", there, on({ id: "third" }, ["r3", "s1"])), null);
    assert.equal(named("s2", here), null);
  });

  it("a span of two traces that one event tells of is still one event", () => {
    assert.equal(named("s1", on({ id: "both" }, ["r2", "s1"], ["r3", "s1"])), "both");
  });

  it("a call by its id in the run of whoever asks, else anywhere, and never one of several", () => {
    const here = event({ id: "here", callId: "c1" });
    const there = event({ id: "there", callId: "c1", run: "r2" });
    assert.equal(named("c1", here, there), "here");
    assert.equal(named("c1", there, here), "here");
    assert.equal(named("c1", there), "there");
    assert.equal(named("c1", there, event({ id: "third", callId: "c1", run: "r3" })), null);
    assert.equal(named("c1", here, event({ id: "twin", callId: "c1" }), there), null);
    assert.equal(
      named(
        "c1",
        there,
        event({ id: "a", callId: "c1", run: "r3" }),
        event({ id: "b", callId: "c1", run: "r4" }),
      ),
      null,
    );
  });

  it("a span that several could be is no call either", () => {
    const spans = [on({ id: "a" }, ["r2", "s1"]), on({ id: "b" }, ["r3", "s1"])];
    assert.equal(named("s1", ...spans, event({ id: "c", callId: "s1" })), null);
  });

  it("nothing where nothing is called so", () => {
    assert.equal(named("x", event({ id: "y" })), null);
    assert.equal(named("null", event({ id: "y" })), null);
  });

  it("of two events on one span the first by id stands for it, in any order of arrival", () => {
    const [a, b] = [on({ id: "a" }, ["r1", "s1"]), on({ id: "b" }, ["r1", "s1"])];
    for (const events of [
      [a, b],
      [b, a],
    ]) {
      assert.equal(indexReferences(events).span({ traceId: "r1", spanId: "s1" })?.id, "a");
    }
  });

  it("a link names a span, else an event that was written down by hand", () => {
    const references = indexReferences([on({ id: "a" }, ["r1", "s1"]), event({ id: "plain" })]);
    assert.equal(references.span({ traceId: "r1", spanId: "s1" })?.id, "a");
    assert.equal(references.span({ traceId: "r1", spanId: "plain" })?.id, "plain");
    assert.equal(references.span({ traceId: "r2", spanId: "s1" }), null);
  });
});

describe("the texts of a field of references", () => {
  const cases = [
    { name: "none", value: undefined, want: [] },
    { name: "null", value: null, want: [] },
    { name: "one", value: "a", want: ["a"] },
    { name: "empty text", value: "", want: [] },
    { name: "a list", value: ["a", "b"], want: ["a", "b"] },
    { name: "numbers are ids too", value: [7, 8n], want: ["7", "8"] },
    { name: "what is no id is left out", value: ["a", null, true, "", { id: "b" }, ["c"]], want: ["a"] },
  ] as const;
  for (const { name, value, want } of cases) {
    it(name, () => assert.deepEqual(referenceTexts(value), want));
  }
});
