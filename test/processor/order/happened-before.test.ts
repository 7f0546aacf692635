import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { Boundary, ClockPolicy, OrderUse, Relation } from "../../../src/model/order.ts";
import { type DurationNano, milliseconds } from "../../../src/model/time.ts";
import { createOrder, type OrderContext } from "../../../src/processor/order/happened-before.ts";
import { event, ms, plainClock } from "../../support/scope.ts";

/** As deployed: stamps as wide as their unit, a finish and a start that meet are in order. */
const deployed: ClockPolicy = { ...plainClock, resolution: null, tie: "before" };

const side = (text: string): { id: string; boundary: Boundary } => ({
  id: text.replace(/[<>]$/, ""),
  boundary: text.endsWith("<") ? "started_at" : "finished_at",
});

/** `relation("a>", "b<")`: did a finish before b started? */
function ask(
  events: readonly Event[],
  from: string,
  to: string,
  policy: ClockPolicy = deployed,
  use: OrderUse = "required",
  context: OrderContext = {},
): Relation {
  const order = createOrder(events, policy, context);
  const point = (text: string) => {
    const { id, boundary } = side(text);
    const found = events.find((one) => one.id === id);
    assert.ok(found !== undefined);
    return { event: found, boundary };
  };
  return order.before(point(from), point(to), use);
}

describe("one clock", () => {
  const at = (start: number, end: number | "open" = start): { start: number; end: number | "open" } => ({
    start,
    end,
  });
  const cases: readonly {
    name: string;
    a: { start: number; end: number | "open" };
    b: { start: number; end: number | "open" };
    policy?: Partial<ClockPolicy>;
    use?: OrderUse;
    want: string;
  }[] = [
    { name: "a finish a unit before a start decides", a: at(0, 10), b: at(11, 12), want: "true" },
    {
      name: "adjacent stamps decide, also where a tie would prove nothing",
      a: at(0, 10),
      b: at(11, 12),
      use: "forbidden",
      want: "true",
    },
    { name: "a finish a unit after a start decides", a: at(0, 12), b: at(11, 14), want: "false" },
    { name: "a tie helps where the order is required", a: at(0, 10), b: at(10, 12), want: "true" },
    {
      name: "a tie proves nothing where it is forbidden",
      a: at(0, 10),
      b: at(10, 12),
      use: "forbidden",
      want: "unknown",
    },
    { name: "nor for a blocker", a: at(0, 10), b: at(10, 12), use: "blocker", want: "unknown" },
    {
      name: "nor where ties are unknown",
      a: at(0, 10),
      b: at(10, 12),
      policy: { tie: "unknown" },
      want: "unknown",
    },
    {
      name: "two calls shorter than the unit could be either way",
      a: at(10, 10),
      b: at(10, 10),
      want: "unknown",
    },
    { name: "only the first is shorter than the unit", a: at(10, 10), b: at(10, 12), want: "true" },
    { name: "microseconds are their own unit", a: at(0.001, 10.001), b: at(10.002, 12), want: "true" },
    {
      name: "a millisecond stamp covers the microseconds in it",
      a: at(0.001, 10.5),
      b: at(10, 12),
      want: "true",
    },
    {
      name: "a given resolution overrides",
      a: at(0, 10),
      b: at(12, 14),
      policy: { resolution: milliseconds(5) },
      use: "forbidden",
      want: "unknown",
    },
    { name: "what never ended comes before nothing", a: at(0, "open"), b: at(11, 12), want: "unknown" },
    {
      name: "what began after the start cannot have ended before it",
      a: at(12, "open"),
      b: at(11, 12),
      want: "false",
    },
  ];
  for (const { name, a, b, policy = {}, use = "required", want } of cases) {
    it(name, () => {
      const events = [event({ id: "a", ...a }), event({ id: "b", ...b })];
      assert.equal(ask(events, "a>", "b<", { ...deployed, ...policy }, use).truth, want);
      assert.equal(ask(events.toReversed(), "a>", "b<", { ...deployed, ...policy }, use).truth, want);
    });
  }

  it("different decision numbers tell two ties apart", () => {
    const numbered = (a: number, b: number): Event[] => [
      event({ id: "a", start: 10, fields: { seq: a } }),
      event({ id: "b", start: 10, fields: { seq: b } }),
    ];
    assert.deepEqual(ask(numbered(1, 2), "a>", "b<"), { truth: "true", evidence: "tie_rule" });
    assert.equal(ask(numbered(1, 1), "a>", "b<").truth, "unknown");
    assert.equal(ask(numbered(2, 1), "a>", "b<").truth, "false");
  });

  it("two starts, two finishes, and a start before a finish that tie are unknown", () => {
    const events = [event({ id: "a", start: 5, end: 10 }), event({ id: "b", start: 5, end: 10 })];
    assert.equal(ask(events, "a<", "b<").truth, "unknown");
    assert.equal(ask(events, "a>", "b>").truth, "unknown");
    const meeting = [event({ id: "a", start: 10, end: 12 }), event({ id: "b", start: 5, end: 10 })];
    assert.equal(ask(meeting, "a<", "b>").truth, "unknown");
  });

  it("an assumed clock says so, and can be switched off", () => {
    const events = [event({ id: "a", end: 1, assumed: true }), event({ id: "b", start: 20, assumed: true })];
    assert.deepEqual(ask(events, "a>", "b<"), { truth: "true", evidence: "assumed_clock" });
    assert.equal(ask(events, "a>", "b<", { ...deployed, assumeClock: false }).truth, "unknown");
  });
});

describe("boundaries that nobody stamped", () => {
  const b = event({ id: "b", start: 11, end: 12 });
  it("an end before the start is unknown, and says why", () => {
    const a = event({ id: "a", start: 1, end: "unknown", flaws: ["end_before_start"] });
    assert.deepEqual(ask([a, b], "a>", "b<"), {
      truth: "unknown",
      evidence: "none",
      code: "invalid_interval",
    });
    const late = event({ id: "a", start: 20, end: "unknown", flaws: ["end_before_start"] });
    assert.equal(ask([late, b], "a>", "b<").truth, "false");
  });
  it("a time out of range is unknown, and bounded by the other stamp", () => {
    const a = event({ id: "a", start: "unknown", end: 9, flaws: ["time_out_of_range"] });
    assert.equal(ask([a, b], "a<", "b<").truth, "true");
    assert.equal(ask([a, b], "b>", "a<").truth, "false");
    const open = event({ id: "a", start: "unknown", end: 30, flaws: ["time_out_of_range"] });
    assert.equal(ask([open, b], "a<", "b<").code, "time_out_of_range");
  });
  it("an interval decides only where all of it does, and never ties", () => {
    const between = (from: number, to: number): Event =>
      event({
        id: "a",
        start: { earliest: ms(from), latest: ms(to) },
        end: { earliest: ms(from), latest: ms(to) },
      });
    assert.equal(ask([between(1, 9), b], "a>", "b<").truth, "true");
    assert.equal(ask([between(1, 11), b], "a>", "b<").truth, "unknown");
    assert.equal(ask([between(13, 14), b], "a>", "b<").truth, "false");
  });
  it("a call that was only asked for has no boundary at all", () => {
    const asked = event({ id: "a", start: "none", end: "none", status: "requested" });
    assert.equal(ask([asked, b], "a<", "b<").truth, "unknown");
  });
  it("in a closed run what is open never ended", () => {
    const closed = { closed: () => true };
    const a = event({ id: "a", start: 1, end: "open" });
    assert.deepEqual(ask([a, b], "a>", "b<", deployed, "required", closed), {
      truth: "false",
      evidence: "never_finished",
    });
    assert.equal(ask([a, b], "b>", "a>", deployed, "required", closed).truth, "true");
  });
});

describe("two clocks", () => {
  const pair = (gap: number): Event[] => [
    event({ id: "a", start: 0, end: 100, host: "h1" }),
    event({ id: "b", start: 100 + gap, end: 200 + gap, host: "h2" }),
  ];
  const cases = [
    { gap: 51, skew: 50, want: "true" },
    { gap: 50, skew: 50, want: "unknown" },
    { gap: -50, skew: 50, want: "unknown" },
    { gap: -51, skew: 50, want: "false" },
    { gap: 5000, skew: null, want: "unknown" },
  ];
  for (const { gap, skew, want } of cases) {
    it(`${gap} ms apart, bound ${skew}`, () => {
      const policy = { ...plainClock, skew: skew === null ? null : milliseconds(skew) };
      assert.equal(ask(pair(gap), "a>", "b<", policy).truth, want);
    });
  }

  it("a child that its parent waited for narrows the offset", () => {
    const events = [
      event({ id: "p", start: 1000, end: 1100, host: "h1" }),
      event({ id: "s", start: 5010, end: 5090, host: "h2", fields: { parent: "p", sync: true } }),
      event({ id: "a", start: 1200, end: 1250, host: "h1" }),
      event({ id: "b", start: 5300, end: 5350, host: "h2" }),
    ];
    const policy = { ...plainClock, skew: null };
    assert.deepEqual(ask(events, "a>", "b<", policy), { truth: "true", evidence: "inferred_offset" });
    assert.equal(ask(events, "b>", "a<", policy).truth, "false");
    assert.equal(ask(events, "a>", "b<", { ...policy, inferOffset: false }).truth, "unknown");
    const order = createOrder(events, policy);
    const [a, b] = [events[2], events[3]];
    assert.ok(a !== undefined && b !== undefined);
    const apart = order.distance({ event: a, boundary: "finished_at" }, { event: b, boundary: "started_at" });
    assert.deepEqual(apart, { least: ms(5300 - 4010 - 1250), most: ms(5300 - 3990 - 1250) });
  });

  it("children that cannot all have been inside their parents are a clock step: nothing is inferred", () => {
    const events = [
      event({ id: "p", start: 1000, end: 1100, host: "h1" }),
      event({ id: "s", start: 5010, end: 5090, host: "h2", fields: { parent: "p", sync: true } }),
      event({ id: "q", start: 2000, end: 2100, host: "h1" }),
      event({ id: "t", start: 9010, end: 9090, host: "h2", fields: { parent: "q", sync: true } }),
    ];
    const policy = { ...plainClock, skew: null };
    assert.equal(ask(events, "p>", "t<", policy).truth, "unknown");
    assert.equal(createOrder(events, policy).anomalies[0]?.anomaly, "clock_contradiction");
  });
});

describe("causal edges", () => {
  const a = event({ id: "a", start: 500, end: 600 });
  const child = (fields: Record<string, string[] | string | number>): Event =>
    event({ id: "b", start: 100, end: 200, fields });

  it("a causal parent finished before its child started, whatever the clock says", () => {
    const events = [a, child({ parents: ["a"] })];
    assert.deepEqual(ask(events, "a>", "b<"), { truth: "true", evidence: "causal_parent" });
    assert.equal(ask(events, "b>", "a<").truth, "false");
    assert.deepEqual(createOrder(events, deployed).anomalies, [
      { anomaly: "clock_contradiction", events: ["a", "b"] },
    ]);
  });

  it("a link or a span parent had started, and says nothing about its end", () => {
    for (const field of ["links", "parent"]) {
      const events = [a, child({ [field]: "a" })];
      assert.equal(ask(events, "a<", "b<").truth, "true");
      // Inside one clock the pair takes the edge's word and no other.
      assert.equal(ask(events, "a>", "b<").code, "clock_contradiction");
    }
  });

  it("parents are found by event id, by span id and by call id, and not where two could be meant", () => {
    const spans = { ...event({ id: "t1:s1", start: 0, end: 50 }), spans: [{ traceId: "r1", spanId: "s1" }] };
    assert.equal(
      ask([spans, child({ parents: ["s1"] })], "t1:s1>", "b<", { ...deployed, skew: null }).evidence,
      "causal_parent",
    );
    const call = event({ id: "x", callId: "call-1", start: 0, end: 300 });
    assert.equal(ask([call, child({ parents: ["call-1"] })], "x>", "b<").truth, "true");
    const twin = event({ id: "y", callId: "call-1", start: 0, end: 300 });
    assert.equal(ask([call, twin, child({ parents: ["call-1"] })], "x>", "b<").truth, "false");
  });

  it("edges are transitive over events between", () => {
    const events = [
      event({ id: "a", start: 0, end: 1, host: "h1" }),
      event({ id: "m", start: 0, end: 1, host: "h2", fields: { parents: ["a"] } }),
      event({ id: "b", start: 0, end: 1, host: "h3", fields: { parents: ["m"] } }),
    ];
    assert.equal(ask(events, "a>", "b<", { ...plainClock, skew: null }).truth, "true");
    assert.equal(ask(events, "a<", "b>", { ...plainClock, skew: null }).truth, "true");
  });

  it("decisions of one orchestrator are in order, also over a gap; siblings and other orchestrators are not", () => {
    const call = (id: string, seq: number, invocation: string): Event =>
      event({ id, host: id, fields: { seq }, invocation });
    const events = [
      call("a", 1, "x"),
      call("b", 4, "x"),
      call("c", 9, "x"),
      call("d", 9, "x"),
      call("e", 2, "y"),
    ];
    const policy = { ...plainClock, skew: null };
    assert.deepEqual(ask(events, "a<", "c<", policy), { truth: "true", evidence: "decision_sequence" });
    assert.equal(ask(events, "b<", "d<", policy).truth, "true");
    assert.equal(ask(events, "c<", "d<", policy).truth, "unknown");
    assert.equal(ask(events, "a<", "e<", policy).truth, "unknown");
    assert.equal(ask(events, "a>", "c<", policy).truth, "unknown");
  });

  it("a local root that is no ancestor had not started first", () => {
    const root = { ...event({ id: "root", start: 1000 }), spans: [{ traceId: "r1", spanId: "s1" }] };
    const orphan = event({ id: "orphan", start: 0, end: 10, invocation: "s1" });
    assert.equal(ask([root, orphan], "orphan>", "root<").truth, "true");
    assert.deepEqual(createOrder([root, orphan], deployed).anomalies, []);
  });

  it("references in a circle prove nothing", () => {
    const events = [
      event({ id: "a", start: 0, end: 10, fields: { parents: ["b"] } }),
      event({ id: "b", start: 20, end: 30, fields: { parents: ["a"] } }),
      event({ id: "c", start: 40, end: 50 }),
    ];
    assert.equal(ask(events, "a>", "b<").code, "causal_cycle");
    assert.equal(ask(events, "b>", "a<").code, "causal_cycle");
    assert.equal(ask(events, "a>", "c<").truth, "true");
    assert.deepEqual(createOrder(events, deployed).anomalies[0], {
      anomaly: "causal_cycle",
      events: ["a", "b"],
    });
  });

  it("only causes count where clocks are ignored", () => {
    const policy: ClockPolicy = { ...deployed, evidence: "causal" };
    const events = [
      event({ id: "a", start: 0, end: 1 }),
      event({ id: "b", start: 5, end: 6 }),
      event({ id: "c", start: 5, end: 6, fields: { parents: ["a"] } }),
    ];
    assert.equal(ask(events, "a>", "b<", policy).code, "unenforced_order");
    assert.equal(ask(events, "b>", "a<", policy).code, "order_unknown");
    assert.equal(ask(events, "a>", "c<", policy).truth, "true");
  });

  it("a logical time that is not above its parent's refutes the edge", () => {
    const events = [
      event({ id: "a", start: 0, end: 1, fields: { logical_time: 7 } }),
      event({ id: "b", start: 5, end: 6, fields: { parents: ["a"], logical_time: 7 } }),
    ];
    assert.equal(ask(events, "a>", "b<").code, "clock_contradiction");
    assert.equal(createOrder(events, deployed).anomalies.length, 1);
  });
});

describe("refuted clocks", () => {
  it("what an edge contradicts between two clocks is used no more in that scope", () => {
    const events = [
      event({ id: "a", start: 9000, end: 9100, host: "h1" }),
      event({ id: "b", start: 3000, end: 3100, host: "h2", fields: { parents: ["a"] } }),
      event({ id: "c", start: 3500, end: 3600, host: "h2" }),
      event({ id: "d", start: 3500, end: 3600, host: "h3" }),
    ];
    assert.equal(ask(events, "a>", "c<").code, "clock_contradiction");
    assert.equal(ask(events, "a>", "d<").truth, "false");
    assert.equal(ask(events, "b>", "c<").truth, "true");
  });

  it("a contradiction inside the skew refutes nothing", () => {
    const events = [
      event({ id: "a", start: 0, end: 130, host: "h1" }),
      event({ id: "b", start: 100, end: 200, host: "h2", fields: { parents: ["a"] } }),
      event({ id: "c", start: 500, end: 600, host: "h2" }),
    ];
    assert.equal(ask(events, "a>", "c<").truth, "true");
    assert.deepEqual(createOrder(events, deployed).anomalies, []);
  });

  it("neighbouring decision numbers refute, and leave finish before start unknown rather than false", () => {
    const events = [
      event({ id: "auth", start: 3000, end: 3100, host: "h2", fields: { seq: 1 } }),
      event({ id: "read", start: 200, end: 300, host: "h1", fields: { seq: 2 } }),
    ];
    assert.equal(ask(events, "auth<", "read<").truth, "true");
    assert.equal(ask(events, "auth>", "read<").code, "clock_contradiction");
  });

  it("the deployment's bound refutes, whatever a rule's own says", () => {
    const events = [
      event({ id: "a", start: 9000, end: 9100, host: "h1" }),
      event({ id: "b", start: 3000, end: 3100, host: "h2", fields: { parents: ["a"] } }),
      event({ id: "c", start: 3500, end: 3600, host: "h2" }),
    ];
    const loose = { ...deployed, skew: milliseconds(100_000) };
    const context = { deployment: deployed };
    assert.equal(ask(events, "c>", "a<", loose, "required", context).code, "clock_contradiction");
    const strict = { ...deployed, skew: 0n as DurationNano };
    const patient = { deployment: { ...deployed, skew: milliseconds(100_000) } };
    assert.equal(ask(events, "c>", "a<", strict, "required", patient).truth, "true");
  });
});

describe("distances", () => {
  const of = (events: readonly Event[], policy: ClockPolicy) => {
    const [a, b] = events;
    assert.ok(a !== undefined && b !== undefined);
    return createOrder(events, policy).distance(
      { event: a, boundary: "finished_at" },
      { event: b, boundary: "started_at" },
    );
  };
  const a = event({ id: "a", start: 0, end: 100 });
  it("are exact for stamps without width, and as wide as the unit otherwise", () => {
    const b = event({ id: "b", start: 150 });
    assert.deepEqual(of([a, b], plainClock), { least: ms(50), most: ms(50) });
    assert.deepEqual(of([a, b], deployed), { least: ms(49) + 1n, most: ms(51) - 1n });
  });
  it("between two clocks move by the skew, and nobody knows them without a bound", () => {
    const b = event({ id: "b", start: 150, host: "h2" });
    assert.deepEqual(of([a, b], plainClock), { least: ms(0), most: ms(100) });
    assert.equal(of([a, b], { ...plainClock, skew: null }), null);
    assert.equal(of([a, b], { ...plainClock, evidence: "causal" }), null);
  });
  it("do not exist to what is open", () => {
    assert.equal(of([event({ id: "a", end: "open" }), event({ id: "b", start: 5 })], plainClock), null);
  });
});
