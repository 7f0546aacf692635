import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { buildCausalGraph } from "../../../src/processor/order/causal-graph.ts";
import { inferOffsets, type SyncPair } from "../../../src/processor/order/offset-interval.ts";
import { type EventSpec, event, ms, plainClock } from "../../support/scope.ts";

const parent = (spec: Partial<EventSpec> = {}): Event =>
  event({ id: "p", start: 1000, end: 1100, host: "h1", ...spec });
/** 4 s ahead, and 10 ms shorter on either side: ahead by 3,990 to 4,010 ms. */
const child = (spec: Partial<EventSpec> = {}): Event =>
  event({ id: "c", start: 5010, end: 5090, host: "h2", ...spec });
const between = (pairs: readonly SyncPair[], from = "h1", to = "h2", run = "r1") =>
  inferOffsets([], pairs, plainClock).between(from, to, run);
const ahead = { least: ms(3990), most: ms(4010) };

describe("the offset of two clocks", () => {
  it("is what lets the child lie inside its parent", () => {
    assert.deepEqual(between([{ parent: parent(), child: child() }]), ahead);
  });

  it("is the same seen from the other clock, and for a parent there", () => {
    const pair = { parent: parent(), child: child() };
    assert.deepEqual(between([pair], "h2", "h1"), { least: ms(-4010), most: ms(-3990) });
    // The same two clocks, but the parent's name sorts after the child's.
    const swapped = { parent: parent({ host: "h2" }), child: child({ host: "h1" }) };
    assert.deepEqual(between([swapped], "h2", "h1"), ahead);
    assert.deepEqual(between([swapped]), { least: ms(-4010), most: ms(-3990) });
  });

  it("is as wide as the stamps allow", () => {
    const wide = { ...plainClock, resolution: null };
    const found = inferOffsets([], [{ parent: parent(), child: child() }], wide).between("h1", "h2", "r1");
    assert.deepEqual(found, { least: ms(3989) + 1n, most: ms(4011) - 1n });
  });

  it("is told of one run alone, and of these two clocks alone", () => {
    const pairs = [{ parent: parent(), child: child() }];
    assert.equal(between(pairs, "h1", "h2", "r2"), null);
    assert.equal(between(pairs, "h1", "h3"), null);
    assert.equal(between([]), null);
  });

  it("is what all pairs allow, whichever clock has the parent", () => {
    const early = { parent: parent(), child: child({ start: 5000, end: 5050 }) };
    const late = { parent: parent(), child: child({ start: 5050, end: 5095 }) };
    const back = {
      parent: event({ id: "q", start: 6000, end: 6100, host: "h2" }),
      child: event({ id: "d", start: 1999, end: 2102, host: "h1" }),
    };
    assert.deepEqual(between([early]), { least: ms(3950), most: ms(4000) });
    assert.deepEqual(between([late]), { least: ms(3995), most: ms(4050) });
    assert.deepEqual(between([early, late]), { least: ms(3995), most: ms(4000) });
    assert.deepEqual(between([late, early]), { least: ms(3995), most: ms(4000) });
    assert.equal(between([back]), null, "a child longer than its parent fits nowhere");
    const fits = { ...back, child: event({ id: "d", start: 2002, end: 2101, host: "h1" }) };
    assert.deepEqual(between([early, late, fits]), { least: ms(3998), most: ms(3999) });
  });

  it("is a single number where only one fits", () => {
    const exact = { parent: parent(), child: child({ start: 5000, end: 5100 }) };
    assert.deepEqual(between([exact]), { least: ms(4000), most: ms(4000) });
    assert.deepEqual(inferOffsets([], [exact], plainClock).stepped, []);
  });

  it("that no number fits is a clock that was set: both pairs are named", () => {
    const offsets = inferOffsets(
      [],
      [
        { parent: parent(), child: child() },
        { parent: parent({ id: "b" }), child: child({ id: "a", start: 9010, end: 9090 }) },
      ],
      plainClock,
    );
    assert.equal(offsets.between("h1", "h2", "r1"), null);
    assert.equal(offsets.between("h2", "h1", "r1"), null);
    assert.deepEqual(offsets.stepped, [["a", "b", "c", "p"]]);
  });

  const silent = [
    { name: "one clock", pair: { parent: parent(), child: child({ host: "h1" }) } },
    { name: "a child that still runs", pair: { parent: parent(), child: child({ end: "open" }) } },
    { name: "a parent that still runs", pair: { parent: parent({ end: "open" }), child: child() } },
    { name: "a start that nobody believes", pair: { parent: parent({ start: "unknown" }), child: child() } },
    { name: "nor of the child", pair: { parent: parent(), child: child({ start: "unknown" }) } },
    {
      name: "a child that was never seen",
      pair: { parent: parent(), child: child({ start: "none", end: "none" }) },
    },
    {
      name: "a child of which only model turns tell",
      pair: { parent: parent(), child: child({ start: { earliest: ms(5010), latest: ms(5020) } }) },
    },
  ];
  for (const { name, pair } of silent) {
    it(`is not told by ${name}`, () => {
      assert.equal(between([pair]), null);
      assert.equal(between([pair], "h1", "h1"), null);
    });
  }
});

describe("among plain events", () => {
  const of = (fields: EventSpec["fields"] & object) => {
    const events = [parent(), child({ fields })];
    return inferOffsets(buildCausalGraph(events).edges, [], plainClock).between("h1", "h2", "r1");
  };
  it("a child says itself that its parent waited for it", () => {
    assert.deepEqual(of({ parent: "p", sync: true }), ahead);
    assert.equal(of({ parent: "p" }), null);
    assert.equal(of({ parent: "p", sync: "true" }), null);
  });
  it("a link or a causal parent waits for nothing", () => {
    assert.equal(of({ links: ["p"], sync: true }), null);
    assert.equal(of({ parents: ["p"], sync: true }), null);
  });
});
