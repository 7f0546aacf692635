/** What a count says besides its verdict, when it is final, and what it makes of doubt. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completeness } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import type { ClockPolicy } from "../../../src/model/order.ts";
import { milliseconds } from "../../../src/model/time.ts";
import type { Count } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { count, named, ruleOf } from "../../support/programs.ts";
import { closedBy, type EventSpec, event, ms, plainClock, watermark } from "../../support/scope.ts";

const pay = named("pay");
const approved = named("pay", {
  tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }],
  text: "approved pay",
});
const paid = (...specs: readonly Partial<EventSpec>[]): Event[] =>
  specs.map((spec, i) => event({ id: `e${i}`, name: "pay", start: i * 10, end: i * 10 + 1, ...spec }));
const open = watermark(ms(1000));
const one = (program: Count, events: readonly Event[], completeness?: Completeness, policy?: ClockPolicy) => {
  const [found] = judgeOn(ruleOf(program), events, completeness, policy).instances;
  assert.ok(found !== undefined);
  return found;
};

describe("the record of a count", () => {
  it("kept: how many there are, and what closed the scope", () => {
    const found = one(count(pay, { max: 2 }), paid({}), closedBy("idle"));
    assert.deepEqual([found.value, found.completeness, found.involved, found.witness], [1, "idle", [], null]);
    assert.equal(found.reason, "as many pay as allowed");
  });
  it("too many: for good whatever comes, so it rests on no completeness", () => {
    const found = one(count(pay, { max: 1 }), paid({}, {}, {}), open);
    assert.deepEqual(
      [found.verdict, found.final, found.completeness, found.value],
      ["violated", true, null, 3],
    );
    assert.equal(found.reason, "more pay than the 1 allowed");
    assert.equal(one(count(pay, { max: 1 }), paid({}, {}), closedBy("idle")).completeness, null);
  });
  it("too few, at the end and so far", () => {
    const end = one(count(pay, { min: 2 }), paid({}), closedBy("idle"));
    assert.deepEqual(
      [end.verdict, end.code, end.final, end.completeness],
      ["violated", "count_below", true, "idle"],
    );
    assert.equal(end.reason, "fewer pay than the 2 asked for");
    const now = one(count(pay, { min: 2 }), paid({}), open);
    assert.deepEqual(
      [now.verdict, now.code, now.final, now.reason],
      ["pending", null, false, "fewer pay than the 2 asked for, so far"],
    );
  });
  it("the rule's own code, in both directions and nowhere else", () => {
    assert.equal(one(count(pay, { max: 0, code: "duplicate_effect" }), paid({})).code, "duplicate_effect");
    assert.equal(one(count(pay, { min: 2, code: "duplicate_effect" }), paid({})).code, "duplicate_effect");
    assert.equal(one(count(pay, { min: 1, code: "duplicate_effect" }), paid({})).code, null);
    assert.equal(
      one(count(pay, { min: 2, code: "duplicate_effect" }), [], closedBy("evicted")).code,
      "evicted",
    );
  });
  it("of values: which paths were counted", () => {
    const distinct = count(pay, { distinct: [["args", "id"], ["user"]], max: 0 });
    const found = one(distinct, paid({ args: { id: 1 }, fields: { user: "u" } }));
    assert.equal(found.reason, "more different args.id, user of pay than the 0 allowed");
  });
  it("between both bounds: final at the close alone", () => {
    const both = count(pay, { min: 1, max: 2 });
    assert.deepEqual(
      [one(both, paid({}), open).verdict, one(both, paid({}), open).final],
      ["satisfied", false],
    );
    assert.equal(one(both, paid({})).final, true);
    assert.equal(one(both, [], open).verdict, "pending");
    assert.equal(one(both, []).verdict, "violated");
  });
});

describe("an event that may count", () => {
  const ok = { result: "ok" };
  const doubt = {};
  const verdict = (bounds: Partial<Count>, events: readonly Event[], completeness?: Completeness) => {
    const found = one(count(approved, bounds), events, completeness);
    return [found.verdict, found.code, found.final, found.value];
  };
  it("may be one too many: not to be told, and final with the scope", () => {
    assert.deepEqual(verdict({ max: 1 }, paid(ok, doubt)), ["inconclusive", "not_captured", true, 1]);
    assert.deepEqual(verdict({ max: 1 }, paid(ok, doubt), open), ["inconclusive", "not_captured", false, 1]);
    assert.deepEqual(verdict({ max: 1 }, paid(doubt)), ["satisfied", null, true, 0]);
    assert.deepEqual(verdict({ max: 1 }, paid(ok, ok, doubt)), ["violated", "count_exceeded", true, 2]);
  });
  it("may be what was asked for: pending while more can come", () => {
    assert.deepEqual(verdict({ min: 1 }, paid(doubt)), ["inconclusive", "not_captured", true, 0]);
    assert.deepEqual(verdict({ min: 1 }, paid(doubt), open), ["pending", "not_captured", false, 0]);
    assert.deepEqual(verdict({ min: 2 }, paid(doubt)), ["violated", "count_below", true, 0]);
    assert.deepEqual(verdict({ min: 1 }, paid(doubt, ok)), ["satisfied", null, true, 1]);
  });
  it("may be too many or what was asked for: then more that comes can mend nothing for sure", () => {
    assert.deepEqual(verdict({ min: 1, max: 1 }, paid(doubt, doubt), open), [
      "inconclusive",
      "not_captured",
      false,
      0,
    ]);
    assert.deepEqual(verdict({ min: 2, max: 2 }, paid(doubt, doubt), open), [
      "pending",
      "not_captured",
      false,
      0,
    ]);
  });
  it("gives the reason of the first that is in doubt", () => {
    const events = paid(ok, { hidden: { result: "not_kept" } }, doubt);
    assert.deepEqual(verdict({ max: 1 }, events).slice(0, 2), ["inconclusive", "not_kept"]);
    const found = one(count(approved, { max: 1 }), events);
    assert.equal(found.reason, "how many approved pay there are cannot be told");
  });
  it("with a value that is there already adds nothing", () => {
    const distinct = { distinct: [["args", "id"]], max: 1 };
    const id = (value: number | string | null, result?: string) => ({
      args: { id: value },
      ...(result === undefined ? {} : { result }),
    });
    assert.deepEqual(verdict(distinct, paid(id(1, "ok"), id(1))), ["satisfied", null, true, 1]);
    assert.deepEqual(verdict(distinct, paid(id(1, "ok"), id(2))), ["inconclusive", "not_captured", true, 1]);
    assert.deepEqual(verdict({ ...distinct, max: 2 }, paid(id(1, "ok"), id(2), id(2))), [
      "satisfied",
      null,
      true,
      1,
    ]);
    assert.deepEqual(verdict({ ...distinct, max: 2 }, paid(id(1, "ok"), id(2), id(3))), [
      "inconclusive",
      "not_captured",
      true,
      1,
    ]);
  });
  it("without its value may have one of its own, for a reason", () => {
    const values = { distinct: [["args", "id"]], max: 1 };
    const of = (spec: Partial<EventSpec>) => {
      const found = one(count(pay, values), paid({ args: { id: 1 } }, spec));
      return [found.verdict, found.code, found.value];
    };
    assert.deepEqual(of({ args: { id: null } }), ["inconclusive", "missing_attribute", 1]);
    assert.deepEqual(of({ args: { id: "" } }), ["inconclusive", "missing_attribute", 1]);
    assert.deepEqual(of({}), ["inconclusive", "not_captured", 1]);
    assert.deepEqual(of({ args: { id: 1 } }), ["satisfied", null, 1]);
    const both = one(
      count(approved, values),
      paid({ args: { id: 1 }, result: "ok" }, { hidden: { result: "not_kept" } }),
    );
    assert.deepEqual([both.verdict, both.code], ["inconclusive", "not_kept"]);
    const missing = one(
      count(approved, values),
      paid({ args: { id: 1 }, result: "ok" }, { args: {}, hidden: { result: "not_kept" } }),
    );
    assert.deepEqual([missing.verdict, missing.code], ["inconclusive", "not_kept"]);
  });
  it("under any key, with a value of its own, is one of that key for sure", () => {
    const keyed = { bind: [["args", "id"]], distinct: [["user"]], min: 1 };
    const of = (spec: Partial<EventSpec>) => one(count(pay, keyed), paid(spec)).verdict;
    assert.equal(of({ fields: { user: "u" } }), "satisfied");
    assert.equal(of({}), "inconclusive");
  });
  it("under any key is one of that key only if it counts for sure", () => {
    const keyed = { bind: [["args", "id"]], min: 1 };
    assert.equal(one(count(approved, keyed), paid({ result: "ok" })).verdict, "satisfied");
    const found = one(count(approved, keyed), paid({}));
    assert.deepEqual(
      [found.verdict, found.reason],
      ["inconclusive", "how many approved pay of one key there are cannot be told"],
    );
    assert.equal(
      one(count(approved, keyed), paid({ result: "ok" })).reason,
      "as many approved pay as allowed, whatever their key",
    );
  });
  it("under any key may be too few and too many at once: then nothing to come mends it for sure", () => {
    const keyed = count(pay, { bind: [["args", "id"]], min: 2, max: 2 });
    const of = (events: readonly Event[]) => [
      one(keyed, events, open).verdict,
      one(keyed, events, open).final,
    ];
    assert.deepEqual(of(paid({}, {}, {})), ["inconclusive", false]);
    assert.deepEqual(of(paid({}, {})), ["pending", false]);
    assert.equal(one(keyed, paid({}, {})).final, true);
  });
  it("of several paths needs every one", () => {
    const pairs = {
      distinct: [
        ["args", "id"],
        ["args", "n"],
      ],
      max: 1,
    };
    const of = (...args: readonly Record<string, number>[]) => {
      const found = one(count(pay, pairs), paid(...args.map((one) => ({ args: one }))));
      return [found.verdict, found.value];
    };
    assert.deepEqual(of({ id: 1, n: 1 }, { id: 1, n: 1 }), ["satisfied", 1]);
    assert.deepEqual(of({ id: 1, n: 1 }, { id: 1, n: 2 }), ["violated", 2]);
    assert.deepEqual(of({ id: 1, n: 1 }, { id: 1 }), ["inconclusive", 1]);
  });
});

describe("the witness of too many values", () => {
  it("is the first event with a value more, in order of start", () => {
    const values = count(pay, { distinct: [["args", "id"]], max: 1 });
    const found = one(
      values,
      paid(
        { args: { id: 1 } },
        { args: { id: 1 } },
        { args: { id: 2 } },
        { args: { id: 2 } },
        { args: { id: 3 } },
      ).toReversed(),
    );
    assert.deepEqual([found.witness, found.involved, found.value], ["e2", ["e2", "e4"], 3]);
  });
});

describe("a window over doubtful times", () => {
  const within = (bounds: Partial<Count>, events: readonly Event[], policy?: ClockPolicy) => {
    const found = one(count(pay, { window: milliseconds(20), ...bounds }), events, undefined, policy);
    return [found.verdict, found.code, found.value];
  };
  const at = (start: number, host = "h1", more: Partial<EventSpec> = {}): Partial<EventSpec> => ({
    start,
    host,
    ...more,
  });

  it("includes its end, by the whole width of stamps", () => {
    assert.deepEqual(within({ max: 1 }, paid(at(0), at(20))), ["violated", "count_exceeded", 2]);
    assert.deepEqual(within({ max: 1 }, paid(at(0), at(21))), ["satisfied", null, 1]);
    const wide: ClockPolicy = { ...plainClock, resolution: milliseconds(1) };
    assert.deepEqual(within({ max: 1 }, paid(at(0), at(20)), wide), ["inconclusive", "order_unknown", 1]);
    assert.deepEqual(within({ max: 1 }, paid(at(0), at(19)), wide), ["violated", "count_exceeded", 2]);
  });

  it("takes those of two clocks for sure only as far apart as skew allows", () => {
    const skewed: ClockPolicy = { ...plainClock, skew: milliseconds(5) };
    assert.deepEqual(within({ max: 1 }, paid(at(0), at(15, "h2")), skewed), [
      "violated",
      "count_exceeded",
      2,
    ]);
    assert.deepEqual(within({ max: 1 }, paid(at(0), at(16, "h2")), skewed), [
      "inconclusive",
      "order_unknown",
      1,
    ]);
    assert.deepEqual(within({ max: 1 }, paid(at(0), at(25, "h2")), skewed), [
      "inconclusive",
      "order_unknown",
      1,
    ]);
    assert.deepEqual(within({ max: 1 }, paid(at(0), at(26, "h2")), skewed), ["satisfied", null, 1]);
  });

  it("holds for sure only what all lies together, whichever clock began it", () => {
    const loose: ClockPolicy = { ...plainClock, skew: milliseconds(25) };
    // Each within the window of itself alone: the other clock may be 25 ms off, either way.
    assert.deepEqual(within({ max: 1 }, paid(at(10), at(10, "h2")), loose), [
      "inconclusive",
      "order_unknown",
      1,
    ]);
    const skewed: ClockPolicy = { ...plainClock, skew: milliseconds(5) };
    assert.deepEqual(within({ max: 2 }, paid(at(0), at(10, "h2"), at(20)), skewed), [
      "violated",
      "count_exceeded",
      3,
    ]);
    assert.deepEqual(within({ max: 2 }, paid(at(0), at(10, "h2"), at(20, "h3")), skewed), [
      "inconclusive",
      "order_unknown",
      2,
    ]);
  });

  it("looks past one that is outside where clocks differ, or stamps are refuted", () => {
    const skewed: ClockPolicy = { ...plainClock, skew: milliseconds(5) };
    const events = paid(at(0), at(21), at(22, "h2"));
    assert.deepEqual(within({ max: 1 }, events, skewed)[0], "violated");
    assert.deepEqual(within({ max: 2 }, events, skewed), ["satisfied", null, 2]);
    const refuted = paid(at(0), at(30, "h1", { end: 40 }), at(22, "h1", { fields: { parents: ["e1"] } }));
    assert.deepEqual(within({ max: 1 }, refuted), ["inconclusive", "order_unknown", 1]);
  });

  it("is the fullest of all, wherever it begins", () => {
    assert.deepEqual(within({ max: 2 }, paid(at(0), at(100), at(101), at(102))), [
      "violated",
      "count_exceeded",
      3,
    ]);
    assert.deepEqual(within({ max: 3 }, paid(at(0), at(100), at(101), at(102))), ["satisfied", null, 3]);
    assert.deepEqual(within({ min: 3 }, paid(at(0), at(10), at(101))), ["violated", "count_below", 2]);
    assert.deepEqual(within({ min: 1 }, []), ["violated", "count_below", 0]);
    const found = one(
      count(pay, { window: milliseconds(20), max: 2 }),
      paid(at(0), at(100), at(101), at(102)),
    );
    assert.deepEqual([found.witness, found.involved], ["e3", ["e3"]]);
  });

  it("may hold what has no start", () => {
    assert.deepEqual(within({ max: 1 }, paid(at(0), { start: "unknown", end: "unknown" })), [
      "inconclusive",
      "order_unknown",
      1,
    ]);
    assert.deepEqual(within({ max: 1 }, paid({ start: "unknown", end: 5 })), ["satisfied", null, 1]);
  });

  it("gives the reason of the window that may be too full", () => {
    const doubts = (spec: Partial<EventSpec>) =>
      one(
        count(approved, { window: milliseconds(20), max: 1 }),
        paid({ result: "ok" }, { ...spec, start: 500 }, { start: 501, result: "ok" }),
      );
    assert.deepEqual([doubts({}).verdict, doubts({}).code], ["inconclusive", "not_captured"]);
  });
});
