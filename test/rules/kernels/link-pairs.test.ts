/** Links: each condition on a pair at its bounds, and what is named. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completeness } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import type { ClockPolicy } from "../../../src/model/order.ts";
import { milliseconds } from "../../../src/model/time.ts";
import { createOrder } from "../../../src/processor/order/happened-before.ts";
import { judge } from "../../../src/rules/judge.ts";
import type { Link, OrderCondition } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { link, named, ruleOf } from "../../support/programs.ts";
import { closedBy, type EventSpec, event, ms, plainClock, watermark } from "../../support/scope.ts";

const [A, W] = [named("a"), named("w")];
const a = (start: number, end = start, more: Partial<EventSpec> = {}): Event =>
  event({ id: "a", name: "a", start, end, ...more });
const w = (start: number, end: number | "open" = start, more: Partial<EventSpec> = {}): Event =>
  event({ id: "w", name: "w", start, end, ...more });

const one = (program: Link, events: readonly Event[], completeness?: Completeness, policy?: ClockPolicy) => {
  const found = judgeOn(ruleOf(program), events, completeness, policy).instances.find(
    ({ anchor }) => anchor === "a",
  );
  assert.ok(found !== undefined);
  return found;
};
const brief = (...asked: Parameters<typeof one>) => {
  const { verdict, code } = one(...asked);
  return code === null ? verdict : `${verdict} ${code}`;
};
const far = { host: "h2" };

describe("lengths of time", () => {
  const response: Partial<Link> = { need: "future", within: milliseconds(20) };
  it("of a response: up to the deadline and no further", () => {
    const answered = (start: number, more: Partial<EventSpec> = {}) =>
      brief(link(A, W, response), [a(0, 10), w(start, start, more)]);
    assert.equal(answered(30), "satisfied");
    assert.equal(answered(30.1), "violated deadline_missed");
    assert.equal(answered(79, far), "inconclusive order_unknown");
    assert.equal(answered(80, far), "inconclusive order_unknown");
    assert.equal(answered(81, far), "violated deadline_missed");
  });
  it("no answer at all missed the deadline; without one it is simply not there", () => {
    assert.equal(brief(link(A, W, response), [a(0, 10)]), "violated deadline_missed");
    assert.equal(brief(link(A, W, { need: "future" }), [a(0, 10)]), "violated witness_missing");
    assert.equal(brief(link(A, W, { within: milliseconds(20) }), [a(0, 10)]), "violated witness_missing");
  });
  it("to a finish that never came are longer than any bound", () => {
    const finished: Partial<Link> = { ...response, witnessBoundary: "finished_at" };
    assert.equal(brief(link(A, W, finished), [a(0, 10), w(15, "open")]), "violated witness_never_finished");
    const forbidden: Partial<Link> = { need: "any", within: null };
    assert.equal(brief(link(A, W, forbidden), [a(0, 10), w(15, "open")]), "satisfied");
  });
  it("to an anchor that never ended are longer than any bound", () => {
    const atEnd: Partial<Link> = { anchorBoundary: "finished_at", within: milliseconds(20) };
    const running = event({ id: "a", name: "a", start: 30, end: "open" });
    assert.equal(brief(link(A, W, atEnd), [running, w(0, 25)]), "violated expired");
    assert.equal(brief(link(A, W, { ...atEnd, within: null }), [running, w(0, 25)]), "satisfied");
  });
  it("to a finish that never comes, in a run that is over, are no answer while the conversation goes on", () => {
    const events = [a(0, 10), w(15, "open")];
    const judged = (over: boolean) =>
      judge(ruleOf(link(A, W, { need: "future", witnessBoundary: "finished_at" })), {
        events,
        order: createOrder(events, plainClock, { closed: () => over }),
        completeness: watermark(ms(900)),
        missingAfter: "vacuous",
        nearMisses: false,
      });
    assert.deepEqual([judged(true).verdict, judged(true).code], ["pending", null]);
    assert.deepEqual([judged(false).verdict, judged(false).code], ["pending", "order_unknown"]);
  });
  it("at least so long: backwards and forwards, inclusive", () => {
    const past = (end: number, more: Partial<EventSpec> = {}) =>
      brief(link(A, W, { noSooner: milliseconds(20) }), [a(100), w(0, end, more)]);
    assert.equal(past(80), "satisfied");
    assert.equal(past(80.1), "violated retry_too_soon");
    const future = (start: number, more: Partial<EventSpec> = {}) =>
      brief(link(A, W, { need: "future", noSooner: milliseconds(20) }), [a(0, 10), w(start, start, more)]);
    assert.equal(future(30), "satisfied");
    assert.equal(future(29.9), "violated retry_too_soon");
    assert.equal(future(65, far), "inconclusive order_unknown");
    assert.equal(future(80, far), "satisfied");
    assert.equal(future(79, far), "inconclusive order_unknown");
    const loose: ClockPolicy = { ...plainClock, skew: null };
    const caused = w(30, 30, { ...far, fields: { parents: ["a"] } });
    assert.equal(
      brief(link(A, W, { need: "future", noSooner: milliseconds(20) }), [a(0, 10), caused], undefined, loose),
      "inconclusive order_unknown",
    );
    assert.equal(
      brief(link(A, W, { need: "future", within: milliseconds(20) }), [a(0, 10), caused], undefined, loose),
      "inconclusive order_unknown",
    );
  });
  it("both bounds may be met by one instant alone", () => {
    const exact = link(A, W, { need: "future", within: milliseconds(20), noSooner: milliseconds(20) });
    assert.deepEqual(
      [29, 30, 31].map((start) => one(exact, [a(0, 10), w(start)]).verdict),
      ["violated", "satisfied", "violated"],
    );
    const wide: ClockPolicy = { ...plainClock, resolution: milliseconds(1) };
    assert.equal(
      brief(link(A, W, { need: "future", noSooner: milliseconds(20) }), [a(0, 10), w(30)], undefined, wide),
      "inconclusive order_unknown",
    );
    assert.equal(
      brief(link(A, W, { need: "future", noSooner: milliseconds(20) }), [a(0, 10), w(29)], undefined, wide),
      "violated retry_too_soon",
    );
  });
});

describe("validity on another clock", () => {
  const until = (value: number, more: Partial<EventSpec> = {}): Event =>
    w(0, 20, { ...far, result: { until: value }, ...more });
  const valid = link(A, W, { validUntil: { operand: { side: "w", path: ["result", "until"] }, unit: "ms" } });
  it("covers the anchor as that clock would have stamped it", () => {
    assert.equal(brief(valid, [a(100), until(150)]), "satisfied");
    assert.equal(brief(valid, [a(100), until(149)]), "inconclusive order_unknown");
    assert.equal(brief(valid, [a(100), until(50)]), "inconclusive order_unknown");
    assert.equal(brief(valid, [a(100), until(49)]), "violated expired");
  });
  it("is the anchor's own matter where the anchor says it", () => {
    const own = link(A, W, { validUntil: { operand: { side: "a", path: ["args", "until"] }, unit: "ms" } });
    const asked = (value: number) => brief(own, [a(100, 100, { args: { until: value } }), w(0, 20, far)]);
    assert.deepEqual([asked(100), asked(99)], ["satisfied", "violated expired"]);
  });
  it("is not known where no clock tells", () => {
    const loose: ClockPolicy = { ...plainClock, skew: null };
    const used = a(100, 100, { fields: { parents: ["w"] } });
    assert.equal(brief(valid, [used, until(150)], undefined, loose), "inconclusive order_unknown");
    const unstamped = a(100, 100, { start: "unknown", end: 100 });
    assert.equal(
      brief(link(A, W, { need: "any", validUntil: valid.validUntil }), [
        unstamped,
        w(0, 20, { result: { until: 150 } }),
      ]),
      "inconclusive order_unknown",
    );
    assert.equal(brief(valid, [a(100), until(150, { start: "unknown" })]), "inconclusive order_unknown");
  });
  it("was not captured", () => assert.equal(brief(valid, [a(100), w(0, 20)]), "inconclusive not_captured"));
});

describe("a second order of the two", () => {
  const inside: OrderCondition = {
    first: { of: "a", boundary: "finished_at" },
    second: { of: "w", boundary: "finished_at" },
    holds: true,
  };
  const running: OrderCondition = {
    first: { of: "w", boundary: "finished_at" },
    second: { of: "a", boundary: "started_at" },
    holds: false,
  };
  const from: Partial<Link> = { witnessBoundary: "started_at" };
  it("that must hold", () => {
    const asked = (end: number | "open", more: Partial<EventSpec> = {}) =>
      brief(link(A, W, { ...from, also: [inside] }), [a(10, 20), w(0, end, more)]);
    assert.equal(asked(30), "satisfied");
    assert.equal(asked(15), "violated overlap");
    assert.equal(asked("open"), "satisfied");
    assert.equal(asked(30, { fields: { parents: [] }, end: "unknown" }), "inconclusive order_unknown");
  });
  it("that must not", () => {
    const asked = (end: number | "open", more: Partial<Link> = {}) =>
      brief(link(A, W, { ...from, also: [running], ...more }), [a(10, 20), w(0, end)]);
    assert.equal(asked(15), "satisfied");
    assert.equal(asked(5), "violated witness_missing");
    assert.equal(asked(15, { quant: "none" }), "violated forbidden_after");
    assert.equal(asked(5, { quant: "none" }), "satisfied");
  });
  it("a tie helps what is asked for, in both senses", () => {
    const tie: ClockPolicy = { ...plainClock, resolution: milliseconds(1), tie: "before" };
    const asked = (more: Partial<Link>) =>
      brief(link(A, W, { ...from, also: [running], ...more }), [a(10, 20), w(0, 10)], undefined, tie);
    // It asks that w still ran. Where that is forbidden, the tie reads as over; where it is wanted, nothing is proved.
    assert.equal(asked({ quant: "none" }), "satisfied");
    assert.equal(asked({}), "inconclusive order_unknown");
  });
});

it("an anchor without its key has no witness, whatever is there", () => {
  const bound = link(A, W, { bind: [{ anchor: ["args", "id"], witness: ["args", "id"] }] });
  assert.equal(brief(bound, [a(50, 50, { args: {} })]), "violated unbound_key");
  assert.equal(brief(bound, [a(50, 50, { args: { id: 1 } })]), "violated witness_missing");
});

describe("which witness is named", () => {
  const at = (id: string, start: number, more: Partial<EventSpec> = {}) =>
    event({ id, name: "w", start, end: start, ...more });
  it("the nearest before the anchor, the nearest after it", () => {
    const events = [at("w1", 10), at("w2", 20), a(50), at("w3", 60), at("w4", 70)];
    assert.equal(one(link(A, W), events).witness, "w2");
    assert.equal(one(link(A, W, { need: "future" }), events).witness, "w3");
    assert.equal(one(link(A, W, { need: "any" }), events).witness, "w3");
    assert.equal(one(link(A, W, { need: "any" }), events.slice(0, 3)).witness, "w2");
  });
  it("one on another clock may be found on the other side of its stamp", () => {
    const later = at("w1", 60, { ...far, fields: {} });
    const parent = a(50, 50, { fields: { parents: ["w1"] } });
    assert.equal(one(link(A, W), [parent, later]).witness, "w1");
    const response = at("w2", 40, { ...far, fields: { parents: ["a"] } });
    assert.equal(one(link(A, W, { need: "future" }), [a(50), response]).witness, "w2");
  });
  it("of several that are asked for the last that was found, and all of them count", () => {
    const events = [at("w1", 10), at("w2", 20), a(50)];
    assert.equal(brief(link(A, W, { atLeast: 2 }), events), "satisfied");
    assert.equal(one(link(A, W, { atLeast: 2 }), events).witness, "w1");
    assert.equal(brief(link(A, W, { atLeast: 3 }), events), "violated witness_missing");
    assert.equal(
      brief(link(A, W, { atLeast: 3 }), [...events, at("w3", 20, far)]),
      "inconclusive order_unknown",
    );
    assert.equal(
      brief(link(A, W, { atLeast: 4 }), [...events, at("w3", 20, far)]),
      "violated witness_missing",
    );
    assert.equal(brief(link(A, W, { atLeast: 0 }), [a(50)]), "violated witness_missing");
    assert.equal(brief(link(A, W, { quant: "none", atLeast: 2 }), events), "violated forbidden_after");
  });
  it("each that may be one counts once, on whichever side of the anchor its stamp lies", () => {
    const doubt = (start: number) => [a(50), at("w1", start, far)];
    for (const need of ["past", "future"] as const) {
      assert.equal(one(link(A, W, { need, atLeast: 2 }), doubt(60)).verdict, "violated");
      assert.equal(one(link(A, W, { need, atLeast: 2 }), doubt(40)).verdict, "violated");
      assert.equal(one(link(A, W, { need }), doubt(60)).verdict, "inconclusive");
    }
  });
  it("never the anchor itself", () => {
    assert.equal(brief(link(A, A, { need: "any" }), [a(50)]), "violated witness_missing");
    assert.equal(brief(link(A, A, { need: "any", quant: "none" }), [a(50)]), "satisfied");
  });
  it("what rests on which evidence", () => {
    assert.equal(one(link(A, W), [a(50), w(0, 10)]).evidence, "clock");
    assert.equal(
      one(link(A, W), [a(50, 50, { fields: { parents: ["w"] } }), w(0, 10)]).evidence,
      "causal_parent",
    );
    assert.equal(one(link(A, W, { need: "any" }), [a(50), w(0, 10)]).evidence, "none");
    assert.equal(one(link(A, W), [a(50)]).evidence, "none");
  });
});

describe("near misses", () => {
  const list = (nearMisses: boolean, program: Link, events: readonly Event[]) =>
    judge(ruleOf(program), {
      events,
      order: createOrder(events, plainClock, { closed: () => true }),
      completeness: closedBy("input_end"),
      missingAfter: "vacuous",
      nearMisses,
    }).instances[0];
  it("are listed where they are asked for, a witness is missing and its link wants one", () => {
    const late = [a(0), w(10)];
    assert.deepEqual(list(true, link(A, W), late)?.nearMisses, [{ event: "w", code: "witness_late" }]);
    assert.deepEqual(list(false, link(A, W), late)?.nearMisses, []);
    assert.equal(list(false, link(A, W), late)?.code, "witness_late");
    const two = [a(50), w(0, 10), event({ id: "w2", name: "w", start: 60 })];
    assert.deepEqual(list(true, link(A, W), two)?.nearMisses, []);
    assert.deepEqual(list(true, link(A, W, { need: "future", quant: "none" }), late)?.nearMisses, []);
  });
  it("leave out what is one, and what is not even near", () => {
    const events = [a(50), w(0, 10), event({ id: "w2", name: "w", start: 60 })];
    assert.deepEqual(list(true, link(A, W, { atLeast: 2 }), events)?.nearMisses, [
      { event: "w2", code: "witness_late" },
    ]);
    assert.deepEqual(list(true, link(A, W, { need: "future" }), [a(50), w(0, 10)])?.nearMisses, []);
    assert.deepEqual(list(true, link(A, W, { need: "future" }), [a(50, 60), w(55)])?.nearMisses, [
      { event: "w", code: "overlap" },
    ]);
    assert.deepEqual(list(true, link(A, A), [a(50)])?.nearMisses, []);
  });
  it("of a start that is asked for: one that began later is late", () => {
    assert.equal(
      brief(link(A, W, { witnessBoundary: "started_at" }), [a(50), w(60, 70)]),
      "violated witness_late",
    );
    assert.equal(brief(link(A, W), [a(50), w(40, 70)]), "violated overlap");
    assert.equal(
      brief(link(A, W, { anchorBoundary: "finished_at" }), [a(50, 60), w(55, 70)]),
      "violated overlap",
    );
  });
});
