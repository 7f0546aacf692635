import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { Boundary, ClockPolicy, OrderUse } from "../../../src/model/order.ts";
import { milliseconds } from "../../../src/model/time.ts";
import { createOrder, type OrderContext } from "../../../src/processor/order/happened-before.ts";
import { type EventSpec, event, ms, plainClock } from "../../support/scope.ts";

const deployed: ClockPolicy = { ...plainClock, resolution: milliseconds(1), tie: "before" };
const closed: OrderContext = { closed: () => true };

interface Asked {
  readonly policy?: ClockPolicy;
  readonly use?: OrderUse;
  readonly context?: OrderContext;
}

/** `ask([a, b], "a>", "b<")`: the truth, and what it rests on or why it is not known. */
function ask(
  events: readonly Event[],
  from: string,
  to: string,
  { policy = deployed, use = "required", context = {} }: Asked = {},
) {
  const point = (text: string) => {
    const found = events.find(({ id }) => id === text.slice(0, -1));
    assert.ok(found !== undefined);
    const boundary: Boundary = text.endsWith(">") ? "finished_at" : "started_at";
    return { event: found, boundary };
  };
  const { truth, evidence, code } = createOrder(events, policy, context).before(point(from), point(to), use);
  return `${truth} ${code ?? evidence}`;
}
const a = (spec: Partial<EventSpec> = {}): Event => event({ id: "a", start: 0, end: 10, ...spec });
const b = (spec: Partial<EventSpec> = {}): Event => event({ id: "b", start: 20, end: 30, ...spec });

describe("what never ends, in a closed run", () => {
  const open = b({ end: "open" });
  const cases: readonly { name: string; events: readonly Event[]; from: string; to: string; want: string }[] =
    [
      {
        name: "comes before nothing",
        events: [a(), open],
        from: "b>",
        to: "a<",
        want: "false never_finished",
      },
      {
        name: "and not before another that never ends",
        events: [a({ end: "open" }), open],
        from: "a>",
        to: "b>",
        want: "false never_finished",
      },
      {
        name: "a start comes before it",
        events: [a({ end: "open" }), open],
        from: "a<",
        to: "b>",
        want: "true never_finished",
      },
      {
        name: "so does an end that came",
        events: [a(), open],
        from: "a>",
        to: "b>",
        want: "true never_finished",
      },
      {
        name: "and one of which only the time is unknown",
        events: [a({ end: "unknown" }), open],
        from: "a>",
        to: "b>",
        want: "true never_finished",
      },
      {
        name: "whatever two clocks say",
        events: [a({ host: "h2" }), open],
        from: "a<",
        to: "b>",
        want: "true never_finished",
      },
      {
        name: "also where a cause says it, since that is the stronger word",
        events: [a(), b({ end: "open", fields: { parents: ["a"] } })],
        from: "a>",
        to: "b>",
        want: "true never_finished",
      },
      {
        name: "what it caused came after it all the same",
        events: [a({ end: "open" }), b({ fields: { parents: ["a"] } })],
        from: "a>",
        to: "b<",
        want: "true causal_parent",
      },
      {
        name: "nothing is known of what was only asked for",
        events: [a({ start: "none", end: "none" }), open],
        from: "a<",
        to: "b>",
        want: "unknown order_unknown",
      },
      {
        name: "nor to it",
        events: [open, a({ start: "none", end: "none" })],
        from: "b>",
        to: "a<",
        want: "unknown order_unknown",
      },
    ];
  for (const { name, events, from, to, want } of cases) {
    it(name, () => assert.equal(ask(events, from, to, { context: closed }), want));
  }

  it("is told run by run: the end of one that goes on is still to come", () => {
    const other = a({ run: "r2", end: "open" });
    const context = { closed: (run: string) => run === "r1" };
    assert.equal(ask([other, open], "a>", "b>", { context }), "unknown order_unknown");
    assert.equal(ask([other, open], "a<", "b>", { context }), "true never_finished");
    assert.equal(ask([other, open], "b>", "a<", { context }), "false never_finished");
  });
});

describe("ties", () => {
  it("with what never ended: the reverse order is surely false", () => {
    const events = [a({ start: 20, end: 20 }), b({ end: "open" })];
    assert.equal(ask(events, "a>", "b<", { context: closed }), "true tie_rule");
    assert.equal(ask(events, "a>", "b<"), "unknown order_unknown");
  });
  it("with what only its end tells of go by what that says of its start", () => {
    const events = [a({ start: "unknown", end: 20 }), b()];
    assert.equal(ask(events, "a>", "b<"), "true tie_rule");
    assert.equal(
      ask([a({ start: "unknown", end: 20 }), b({ end: 20 })], "a>", "b<"),
      "unknown order_unknown",
    );
    assert.equal(
      ask([a({ start: 20, end: 20 }), b({ start: "none", end: "none" })], "a>", "b<"),
      "unknown order_unknown",
    );
  });
  it("of two within one unit go by decision numbers of one orchestrator alone", () => {
    const numbered = (x: Partial<EventSpec>, y: Partial<EventSpec>) =>
      ask([a({ start: 20, end: 20, ...x }), b({ end: 20, ...y })], "a>", "b<");
    const seq = (number: number, more: Partial<EventSpec> = {}) => ({ fields: { seq: number }, ...more });
    assert.equal(numbered(seq(1), seq(2)), "true tie_rule");
    assert.equal(numbered(seq(1), {}), "unknown order_unknown");
    assert.equal(numbered({}, seq(2)), "unknown order_unknown");
    assert.equal(numbered(seq(1, { invocation: "x" }), seq(2, { invocation: "y" })), "unknown order_unknown");
    assert.equal(numbered(seq(1), seq(1)), "unknown order_unknown");
  });
  it("are no tie where the second is longer than the unit", () => {
    const meeting = (end: number) => ask([a({ start: 20, end: 20 }), b({ end })], "a>", "b<");
    assert.equal(meeting(21), "true tie_rule");
    assert.equal(meeting(20.5), "unknown order_unknown");
  });
});

describe("what an answer rests on", () => {
  it("an assumed clock is named where either of the two has one", () => {
    assert.equal(ask([a(), b()], "a>", "b<"), "true clock");
    assert.equal(ask([a({ assumed: true }), b()], "a>", "b<"), "true assumed_clock");
    assert.equal(ask([a(), b({ assumed: true })], "a>", "b<"), "true assumed_clock");
    assert.equal(ask([a(), b()], "b>", "a<"), "false clock");
  });
  it("two clocks by their bound", () => {
    assert.equal(ask([a(), b({ host: "h2", start: 100 })], "a>", "b<"), "true skew_bound");
    assert.equal(ask([a({ start: 100, end: 110 }), b({ host: "h2" })], "a>", "b<"), "false skew_bound");
  });
  it("an event of no scope is compared by clocks alone", () => {
    const [outside, again] = [a(), a({ start: 40, end: 50 })];
    const inside = b({ fields: { parents: ["a"] }, links: ["a"] } as Partial<EventSpec>);
    const order = createOrder([inside], deployed);
    const started = { event: inside, boundary: "started_at" } as const;
    const after = (one: Event) => order.before({ event: one, boundary: "finished_at" }, started, "required");
    assert.deepEqual(after(outside), { truth: "true", evidence: "clock" });
    assert.deepEqual(after(again), { truth: "false", evidence: "clock" });
    assert.deepEqual(after(outside), { truth: "true", evidence: "clock" });
    const flipped = order.before(started, { event: outside, boundary: "finished_at" }, "required");
    assert.deepEqual(flipped, { truth: "false", evidence: "clock" });
  });
});

describe("why an order is not known", () => {
  const cases: readonly {
    name: string;
    first: Partial<EventSpec>;
    second?: Partial<EventSpec>;
    want: string;
  }[] = [
    {
      name: "an end before its start",
      first: { end: "unknown", flaws: ["end_before_start"] },
      want: "invalid_interval",
    },
    {
      name: "a time that nobody believes",
      first: { end: "unknown", flaws: ["time_out_of_range"] },
      want: "time_out_of_range",
    },
    {
      name: "the first of two flaws",
      first: { end: "unknown", flaws: ["time_out_of_range", "end_before_start"] },
      want: "invalid_interval",
    },
    {
      name: "of the second event",
      first: { host: "h2" },
      second: { start: "unknown", end: 30, flaws: ["time_out_of_range"] },
      want: "time_out_of_range",
    },
    {
      name: "the first event's flaw before the second's",
      first: { end: "unknown", flaws: ["end_before_start"] },
      second: { start: "unknown", flaws: ["time_out_of_range"] },
      want: "invalid_interval",
    },
    {
      name: "not a flaw that left both stamps",
      first: { host: "h2", flaws: ["time_out_of_range", "end_before_start"] },
      want: "order_unknown",
    },
    { name: "nor an unknown end without a flaw", first: { end: "unknown" }, want: "order_unknown" },
  ];
  for (const { name, first, second = {}, want } of cases) {
    it(name, () => assert.equal(ask([a(first), b(second)], "a>", "b<"), `unknown ${want}`));
  }
});

describe("an inferred offset", () => {
  // h2 is ahead by 3,990 to 4,010 ms.
  const known = (run = "r1"): Event[] => [
    event({ id: "p", start: 1000, end: 1100, host: "h1", run }),
    event({ id: "s", start: 5010, end: 5090, host: "h2", run, fields: { parent: "p", sync: true } }),
  ];
  const policy: ClockPolicy = { ...plainClock, skew: null };
  const after = (start: number, more: Partial<EventSpec> = {}, run = "r1") =>
    ask(
      [...known(run), a({ start: 1200, end: 1300 }), b({ start, end: 9000, host: "h2", ...more })],
      "a>",
      "b<",
      { policy },
    );

  it("decides where every offset agrees", () => {
    assert.equal(after(1300 + 4010), "unknown order_unknown");
    assert.equal(after(1300 + 4010.000001), "true inferred_offset");
    assert.equal(after(1300 + 3989.999999), "false inferred_offset");
    assert.equal(after(1300 + 3990), "unknown order_unknown");
    assert.equal(after(1300 + 3989), "false inferred_offset");
  });
  it("decides nothing where a bound is missing", () => {
    assert.equal(after(0, { start: "unknown", end: 9000 }), "unknown order_unknown");
    assert.equal(after(0, { start: "unknown", end: 1300 + 3989 }), "false inferred_offset");
    assert.equal(after(1300 + 4011, { end: "open" }), "true inferred_offset");
    assert.equal(
      ask(
        [...known(), a({ start: 1200, end: "open" }), b({ start: 9000, end: 9001, host: "h2" })],
        "a>",
        "b<",
        { policy },
      ),
      "unknown order_unknown",
    );
    assert.equal(
      ask(
        [...known(), a({ start: 1200, end: "open" }), b({ start: 5000, end: 5001, host: "h2" })],
        "a>",
        "b<",
        { policy },
      ),
      "false inferred_offset",
    );
  });
  it("is used only where it was found: not in another run, nor between two", () => {
    assert.equal(after(9000, {}, "r2"), "unknown order_unknown");
    assert.equal(after(9000, { run: "r2" }), "unknown order_unknown");
  });
  it("is found by the deployment's policy, and left unused by a rule that says so", () => {
    const events = [...known(), a({ start: 1200, end: 1300 }), b({ start: 9000, end: 9001, host: "h2" })];
    assert.equal(
      ask(events, "a>", "b<", { policy: { ...policy, inferOffset: false } }),
      "unknown order_unknown",
    );
    assert.equal(
      ask(events, "a>", "b<", {
        policy,
        context: { deployment: { ...policy, resolution: milliseconds(20) } },
      }),
      "true inferred_offset",
    );
  });
  it("comes from clients and servers that are no events, too", () => {
    const [parent, child] = known();
    assert.ok(parent !== undefined && child !== undefined);
    const events = [a({ start: 1200, end: 1300 }), b({ start: 9000, end: 9001, host: "h2" })];
    assert.equal(
      ask(events, "a>", "b<", { policy, context: { pairs: [{ parent, child }] } }),
      "true inferred_offset",
    );
    assert.equal(ask(events, "a>", "b<", { policy }), "unknown order_unknown");
  });
  it("widens distances by what it leaves open", () => {
    const events = [...known(), a({ start: 1200, end: 1300 }), b({ start: 9000, end: 9001, host: "h2" })];
    const between = (order: ReturnType<typeof createOrder>) =>
      order.distance(
        { event: events[2] as Event, boundary: "finished_at" },
        { event: events[3] as Event, boundary: "started_at" },
      );
    assert.deepEqual(between(createOrder(events, policy)), { least: ms(3690), most: ms(3710) });
    assert.equal(between(createOrder(events, { ...policy, evidence: "causal" })), null);
  });
});

describe("distances and stamps", () => {
  const order = (events: readonly Event[], policy = deployed, context: OrderContext = {}) =>
    createOrder(events, policy, context);
  const at = (one: Event, boundary: Boundary) => ({ event: one, boundary });

  it("run backwards too, and within one event", () => {
    const [x, y] = [a(), b()];
    assert.deepEqual(order([x, y]).distance(at(y, "started_at"), at(x, "finished_at")), {
      least: ms(-11) + 1n,
      most: ms(-9) - 1n,
    });
    assert.deepEqual(order([x, y]).distance(at(x, "started_at"), at(x, "finished_at")), {
      least: ms(9) + 1n,
      most: ms(11) - 1n,
    });
  });
  it("are not told by refuted stamps", () => {
    const [x, y] = [a({ start: 90, end: 100 }), b({ fields: { parents: ["a"] } })];
    assert.equal(order([x, y]).distance(at(x, "finished_at"), at(y, "started_at")), null);
  });
  it("need every bound", () => {
    const asked = (one: Partial<EventSpec>, other: Partial<EventSpec>) => {
      const [x, y] = [a(one), b(other)];
      return order([x, y]).distance(at(x, "finished_at"), at(y, "started_at"));
    };
    assert.equal(asked({ end: "unknown" }, {}), null);
    assert.equal(asked({}, { start: "unknown" }), null);
    assert.equal(asked({ start: "none", end: "none" }, {}), null);
    assert.equal(asked({}, { start: "none", end: "none" }), null);
  });
  it("a stamp is the first and the last instant that its digits can mean", () => {
    const stampOf = (one: Event, boundary: Boundary, context: OrderContext = {}) =>
      order([one], deployed, context).stamp(at(one, boundary));
    assert.deepEqual(stampOf(a(), "finished_at"), { earliest: ms(10), latest: ms(11) - 1n });
    assert.equal(stampOf(a({ end: "open" }), "finished_at"), null);
    assert.equal(stampOf(a({ end: "open" }), "finished_at", closed), null);
    assert.equal(stampOf(a({ start: "unknown" }), "started_at"), null);
    assert.equal(stampOf(a({ start: "none", end: "none" }), "started_at"), null);
  });
  it("says whether any stamp is refuted, and whether causes alone count", () => {
    const contradicted = [a({ start: 90, end: 100 }), b({ fields: { parents: ["a"] } })];
    assert.deepEqual([order(contradicted).refuted, order([a(), b()]).refuted], [true, false]);
    assert.equal(order([], { ...deployed, evidence: "causal" }).causalOnly, true);
    assert.equal(order([]).causalOnly, false);
  });
});
