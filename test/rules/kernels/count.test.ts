import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { milliseconds } from "../../../src/model/time.ts";
import type { Count } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { count, named, ruleOf } from "../../support/programs.ts";
import fc from "../../support/properties.ts";
import { closedBy, type EventSpec, event, ms, watermark } from "../../support/scope.ts";

const pay = named("pay");
const paid = (...specs: readonly Partial<EventSpec>[]): Event[] =>
  specs.map((spec, i) => event({ id: `e${i}`, name: "pay", start: i * 10, end: i * 10 + 1, ...spec }));
const id = (value: string | number | null): Partial<EventSpec> => ({
  fields: value === null ? {} : { provider_id: value },
});

describe("a count", () => {
  const distinct: Partial<Count> = { distinct: [["provider_id"]], max: 1 };
  const cases: readonly {
    name: string;
    count: Partial<Count>;
    events: Event[];
    want: readonly (string | number | null)[];
  }[] = [
    { name: "zero is a number", count: { max: 1 }, events: [], want: ["satisfied", null, 0] },
    { name: "as many as allowed", count: { max: 2 }, events: paid({}, {}), want: ["satisfied", null, 2] },
    {
      name: "one too many",
      count: { max: 1 },
      events: paid({}, {}),
      want: ["violated", "count_exceeded", 2],
    },
    { name: "too few", count: { min: 2 }, events: paid({}), want: ["violated", "count_below", 1] },
    {
      name: "the same value twice is one",
      count: distinct,
      events: paid(id("P1"), id("P1")),
      want: ["satisfied", null, 1],
    },
    {
      name: "two values",
      count: distinct,
      events: paid(id("P1"), id("P2")),
      want: ["violated", "count_exceeded", 2],
    },
    {
      name: "a number and its text are two values",
      count: distinct,
      events: paid(id(1), id("1")),
      want: ["violated", "count_exceeded", 2],
    },
    {
      name: "a missing value could be a second one",
      count: distinct,
      events: paid(id("P1"), id(null)),
      want: ["inconclusive", "missing_attribute", 1],
    },
    {
      name: "a missing value alone decides nothing",
      count: distinct,
      events: paid(id(null)),
      want: ["satisfied", null, 0],
    },
    {
      name: "what was asked for is no attempt",
      count: { max: 0 },
      events: paid({ status: "requested" }),
      want: ["satisfied", null, 0],
    },
  ];
  for (const { name, count: more, events, want } of cases) {
    it(name, () => {
      const [one] = judgeOn(ruleOf(count(pay, more)), events).instances;
      assert.deepEqual([one?.verdict, one?.code, one?.value], want);
    });
  }

  it("lists what is past the limit, and names the first as what broke it", () => {
    const [one] = judgeOn(ruleOf(count(pay, { max: 1 })), paid({}, {}, {})).instances;
    assert.deepEqual([one?.anchor, one?.witness, one?.involved], [null, "e1", ["e1", "e2"]]);
  });

  it("keeps one number a key, is vacuous without one, and leaves out what has none", () => {
    const keyed = ruleOf(count(pay, { max: 1, bind: [["args", "id"]] }));
    assert.equal(judgeOn(keyed, []).verdict, "vacuous");
    const events = paid({ args: { id: 1 } }, { args: { id: "1" } }, { args: { id: 2 } }, { args: {} });
    const found = judgeOn(keyed, events).instances.map(({ key, verdict }) => [key, verdict]);
    assert.deepEqual(found, [
      ["1", "violated"],
      ["2", "satisfied"],
    ]);
  });

  it("a key that was not captured may be any key", () => {
    const keyed = ruleOf(count(pay, { max: 1, bind: [["args", "id"]] }));
    const found = judgeOn(keyed, paid({ args: { id: 1 } }, {}));
    assert.deepEqual([found.verdict, found.code], ["inconclusive", "not_captured"]);
  });

  it("is decided early where more can change nothing", () => {
    const early = (more: Partial<Count>, events: Event[]) => {
      const { verdict, final } = judgeOn(ruleOf(count(pay, more)), events, watermark(ms(5)));
      return [verdict, final];
    };
    assert.deepEqual(early({ max: 0 }, paid({})), ["violated", true]);
    assert.deepEqual(early({ max: 1 }, paid({})), ["satisfied", false]);
    assert.deepEqual(early({ min: 1 }, paid({})), ["satisfied", true]);
    assert.deepEqual(early({ min: 2 }, paid({})), ["pending", false]);
    assert.deepEqual(early({ min: 1, max: 1 }, paid({})), ["satisfied", false]);
  });

  it("is not broken by what may have been lost", () => {
    const found = judgeOn(ruleOf(count(pay, { min: 1 })), [], closedBy("max_age", true));
    assert.equal(found.verdict, "inconclusive");
  });
});

describe("a window", () => {
  it("holds what starts within it, its end included", () => {
    const rate = ruleOf(count(pay, { max: 2, window: milliseconds(20) }));
    assert.equal(judgeOn(rate, paid({}, {}, {})).verdict, "violated");
    assert.equal(judgeOn(rate, paid({}, {}, { start: 21 })).verdict, "satisfied");
  });

  it("that skew may move cannot be told", () => {
    const rate = ruleOf(count(pay, { max: 1, window: milliseconds(20) }));
    assert.equal(judgeOn(rate, paid({}, { host: "h2" })).verdict, "inconclusive");
    assert.equal(judgeOn(rate, paid({}, { host: "h2", start: 200 })).verdict, "satisfied");
  });

  it("finds the most that any window holds", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 12 }), fc.nat(12), fc.nat(5), (starts, length, max) => {
        const events = starts.map((start, i) => event({ id: `e${i}`, name: "pay", start }));
        const most = Math.max(
          0,
          ...starts.map((from) => starts.filter((at) => at >= from && at <= from + length).length),
        );
        const found = judgeOn(ruleOf(count(pay, { max, window: milliseconds(length) })), events);
        assert.equal(found.verdict, most > max ? "violated" : "satisfied");
        assert.equal(found.instances[0]?.value, most);
      }),
    );
  });
});
