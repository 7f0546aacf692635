import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { milliseconds, seconds, type UnixNano, unixNano } from "../../../src/model/time.ts";
import { type CompletenessInput, createCompleteness } from "../../../src/processor/run/completeness.ts";

const at = (second: number): UnixNano => unixNano(BigInt(Math.round(second * 1000)) * 1_000_000n);

function event(overrides: Partial<Event> = {}): Event {
  return {
    arrivedAt: at(100),
    unsettled: new Set(),
    start: { at: at(90) },
    end: { at: at(95) },
    ...overrides,
  } as Event;
}

function ask(input: Partial<CompletenessInput>, about = event()) {
  const looks: UnixNano[] = [];
  const completeness = createCompleteness({
    now: at(105),
    deaf: [],
    wait: seconds(10),
    waitSuffices: true,
    counted: () => null,
    closed: null,
    runsClosed: null,
    gap: false,
    watermark: null,
    skew: milliseconds(50),
    reads: () => new Set(["name"]),
    look: (time) => looks.push(time),
    ...input,
  });
  return { source: completeness.complete({ event: about, boundary: "started_at" }), looks, completeness };
}

describe("complete(p)", () => {
  const cases = [
    { name: "waiting, and says when to look again", input: {}, want: null, looks: [at(110)] },
    { name: "waited exactly long enough", input: { now: at(110) }, want: "wait", looks: [] },
    {
      name: "a closed scope knows everything",
      input: { closed: "root_ended" as const },
      want: "root_ended",
      looks: [],
    },
    {
      name: "all known runs of a wider scope closed",
      input: { runsClosed: "idle" as const },
      want: "idle",
      looks: [],
    },
    {
      name: "waiting is no knowledge where a running call could decide",
      input: { now: at(500), waitSuffices: false },
      want: null,
      looks: [],
    },
    {
      name: "below the watermark by more than the skew",
      input: { watermark: at(90.051) },
      want: "watermark",
      looks: [],
    },
    { name: "inside the skew of the watermark", input: { watermark: at(90.05) }, want: null, looks: [] },
    {
      name: "deaf time does not count",
      input: { now: at(112), deaf: [{ from: at(101), until: at(104) }] },
      want: null,
      looks: [at(113)],
    },
  ] as const;
  for (const { name, input, want, looks } of cases) {
    it(name, () => {
      const answer = ask(input);
      assert.equal(answer.source, want);
      assert.deepEqual(answer.looks, looks);
    });
  }

  it("waits for a finish from when the end came, and for a start from when that came", () => {
    const about = event({ endArrivedAt: at(200) });
    const { completeness } = ask({ now: at(205) }, about);
    assert.equal(completeness.complete({ event: about, boundary: "started_at" }), "wait");
    assert.equal(completeness.complete({ event: about, boundary: "finished_at" }), null);
    const later = ask({ now: at(210) }, about).completeness;
    assert.equal(later.complete({ event: about, boundary: "finished_at" }), "wait");
  });

  it("is not known while a field that the rule reads may still be inherited, however long we wait", () => {
    const unsettled = event({ unsettled: new Set(["conversation"]) });
    assert.equal(ask({ now: at(900), reads: () => new Set(["conversation"]) }, unsettled).source, null);
    assert.equal(ask({ now: at(900), reads: () => new Set(["args"]) }, unsettled).source, "wait");
    assert.equal(ask({ closed: "idle", reads: () => new Set(["conversation"]) }, unsettled).source, "idle");
  });

  it("passes a deadline only after the wait, and asks to be looked at then", () => {
    const { completeness, looks } = ask({ now: at(105) });
    assert.equal(completeness.passed(at(96)), false);
    assert.deepEqual(looks.slice(1), [at(106)]);
    assert.equal(completeness.passed(at(95)), true);
    assert.equal(completeness.passed(at(200)), false);
  });
});
