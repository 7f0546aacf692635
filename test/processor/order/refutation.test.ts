import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event, Moment } from "../../../src/model/event.ts";
import type { ClockPolicy } from "../../../src/model/order.ts";
import { milliseconds } from "../../../src/model/time.ts";
import { buildCausalGraph } from "../../../src/processor/order/causal-graph.ts";
import { inferOffsets } from "../../../src/processor/order/offset-interval.ts";
import { findRefutations } from "../../../src/processor/order/refutation.ts";
import { type EventSpec, event, ms, plainClock } from "../../support/scope.ts";

const deployed: ClockPolicy = { ...plainClock, skew: milliseconds(50) };
const byStamp: ClockPolicy = { ...deployed, resolution: null };

function refuted(events: readonly Event[], policy: ClockPolicy = deployed) {
  const graph = buildCausalGraph(events);
  return findRefutations(graph, inferOffsets(graph.edges, [], policy), policy);
}
const pairs = (events: readonly Event[], policy: ClockPolicy = deployed): readonly string[] =>
  refuted(events, policy).anomalies.map(({ events: ids }) => ids.join(" "));

const parent = (spec: Partial<EventSpec> = {}): Event => event({ id: "p", start: 0, end: 100, ...spec });
const child = (spec: Partial<EventSpec> = {}): Event =>
  event({ id: "c", start: 0, end: 500, fields: { parents: ["p"] }, ...spec });

describe("what an edge contradicts", () => {
  const cases: readonly {
    name: string;
    p?: Partial<EventSpec>;
    c: Partial<EventSpec>;
    policy?: ClockPolicy;
    want: boolean;
  }[] = [
    { name: "a child that began after its parent ended", c: { start: 101 }, want: false },
    { name: "one that began with its end", c: { start: 100 }, want: false },
    { name: "one that began before it", c: { start: 99 }, want: true },
    {
      name: "within the unit of the stamps",
      c: { start: 99.5 },
      policy: { ...byStamp, resolution: milliseconds(1) },
      want: false,
    },
    {
      name: "a unit before",
      c: { start: 99 },
      policy: { ...byStamp, resolution: milliseconds(1) },
      want: true,
    },
    { name: "a link asks for the start alone", c: { start: 50, fields: { links: ["p"] } }, want: false },
    {
      name: "and is contradicted by it",
      p: { start: 60 },
      c: { start: 50, fields: { links: ["p"] } },
      want: true,
    },
    { name: "two clocks: by more than the skew", c: { start: 49, host: "h2" }, want: true },
    { name: "the skew itself is allowed", c: { start: 50, host: "h2" }, want: false },
    {
      name: "no skew is enough where none is known",
      c: { start: -9000, host: "h2" },
      policy: { ...deployed, skew: null },
      want: false,
    },
    {
      name: "a parent that runs had at least started",
      p: { start: 60, end: "open" },
      c: { start: 50 },
      want: true,
    },
    {
      name: "and may have ended at any time after that",
      p: { start: 40, end: "open" },
      c: { start: 50 },
      want: false,
    },
    { name: "a child of unknown start ended too early", c: { start: "unknown", end: 50 }, want: true },
    { name: "or may have begun in time", c: { start: "unknown", end: 500 }, want: false },
    {
      name: "a parent of which nothing is known",
      p: { start: "unknown", end: "unknown" },
      c: { start: 50 },
      want: false,
    },
    {
      name: "a parent that was only asked for",
      p: { start: "none", end: "none" },
      c: { start: 50 },
      want: false,
    },
    { name: "a child that was only asked for", c: { start: "none", end: "none" }, want: false },
  ];
  for (const { name, p = {}, c, policy = deployed, want } of cases) {
    it(name, () => assert.deepEqual(pairs([parent(p), child(c)], policy), want ? ["c p"] : []));
  }

  it("is measured by the inferred offset where there is one, whatever the skew", () => {
    const known = [
      event({ id: "q", start: 1000, end: 1100, host: "h1" }),
      event({ id: "s", start: 5010, end: 5090, host: "h2", fields: { parent: "q", sync: true } }),
    ];
    // h2 is ahead by 3,990 to 4,010 ms: at 100 on h1 it shows 4,090 at least.
    const late = (start: number) => [
      ...known,
      parent({ host: "h1" }),
      child({ start, end: 9000, host: "h2" }),
    ];
    assert.deepEqual(pairs(late(4090)), []);
    assert.deepEqual(pairs(late(4089)), ["c p"]);
    assert.deepEqual(pairs(late(4089.999999)), ["c p"]);
    assert.deepEqual(pairs(late(4089), { ...deployed, inferOffset: false }), []);
    assert.deepEqual(pairs(late(4089), { ...deployed, skew: null }), ["c p"]);
    assert.deepEqual(
      pairs([...known, parent({ start: "unknown", end: "unknown" }), child({ start: 9, host: "h2" })]),
      [],
    );
    assert.deepEqual(
      pairs([...known, parent({ host: "h1" }), child({ start: "unknown", end: "unknown", host: "h2" })]),
      [],
    );
  });
});

describe("what a refutation covers", () => {
  const [h1, h2, h3] = ["h1", "h2", "h3"].map((host) => event({ id: `on ${host}`, host }));
  assert.ok(h1 !== undefined && h2 !== undefined && h3 !== undefined);

  it("of two clocks: all that these two say of each other", () => {
    const found = refuted([parent({ start: 9000, end: 9100 }), child({ host: "h2" }), h1, h2, h3]);
    assert.equal(found.has(h1, h2), true);
    assert.equal(found.has(h2, h1), true);
    assert.equal(found.has(h1, h1), false);
    assert.equal(found.has(h1, h3), false);
    assert.equal(found.has(h2, h3), false);
  });

  it("of one clock: this pair alone", () => {
    const [p, c] = [parent({ start: 9000, end: 9100 }), child()];
    const found = refuted([p, c, h1, h2]);
    assert.equal(found.has(p, c), true);
    assert.equal(found.has(c, p), true);
    assert.equal(found.has(p, h1), false);
    assert.equal(found.has(h1, h2), false);
  });

  it("by logical times: this pair alone, also of two clocks", () => {
    const [p, c] = [
      parent({ fields: { logical_time: 7 } }),
      child({ start: 900, host: "h2", fields: { parents: ["p"], logical_time: 7 } }),
    ];
    const found = refuted([p, c, h1, h2]);
    assert.equal(found.has(c, p), true);
    assert.equal(found.has(h1, h2), false);
    assert.deepEqual(found.anomalies, [{ anomaly: "clock_contradiction", events: ["c", "p"] }]);
  });

  it("is nothing where nothing contradicts", () => {
    const found = refuted([parent(), child({ start: 200 })]);
    assert.equal(found.has(parent(), child()), false);
    assert.deepEqual(found.anomalies, []);
  });

  it("is reported once a pair, sorted, with clocks that were set", () => {
    const events = [
      parent({ start: 9000, end: 9100 }),
      child({ fields: { parents: ["p"], links: ["p"] } }),
      event({ id: "a", start: 100, end: 200, fields: { parents: ["p"] } }),
      event({ id: "q", start: 1000, end: 1100, host: "h1" }),
      event({ id: "s", start: 5000, end: 5200, host: "h2", fields: { parent: "q", sync: true } }),
    ];
    assert.deepEqual(pairs(events), ["a p", "c p", "q s"]);
  });
});

describe("neighbouring decisions", () => {
  const decided = (id: string, seq: number, start: number | Moment, more: Partial<EventSpec> = {}): Event =>
    event({ id, start, end: typeof start === "number" ? start : "unknown", fields: { seq }, ...more });

  it("of one clock refute each pair that is the wrong way round, and no other", () => {
    const events = [
      decided("a", 1, 10),
      decided("b", 1, 30),
      decided("c", 2, 20),
      decided("d", 2, 40),
      decided("e", 2, 5),
    ];
    assert.deepEqual(pairs(events), ["a e", "b c", "b e"]);
    assert.deepEqual(pairs(events.toReversed()), ["a e", "b c", "b e"]);
  });

  it("of two clocks are told by the latest and the earliest start", () => {
    const events = [
      decided("a", 1, 10),
      decided("b", 1, 100),
      decided("c", 2, 49, { host: "h2" }),
      decided("d", 2, 300, { host: "h2" }),
    ];
    assert.deepEqual(pairs(events), ["b c"]);
    assert.deepEqual(pairs(events.toReversed()), ["b c"]);
    assert.deepEqual(pairs([decided("a", 1, 99), decided("c", 2, 49, { host: "h2" })]), []);
  });

  it("that are equally early: the first by id speaks for them", () => {
    const events = [
      decided("b", 1, 100),
      decided("a", 1, 100),
      decided("d", 2, 0, { host: "h2" }),
      decided("c", 2, 0, { host: "h2" }),
    ];
    assert.deepEqual(pairs(events), ["a c"]);
    assert.deepEqual(pairs(events.toReversed()), ["a c"]);
  });

  it("take the whole stamp: the finer one may be over first though it began later", () => {
    const events = [
      decided("a", 1, 50.4),
      decided("coarse", 2, 0, { host: "h2" }),
      decided("fine", 2, 0.2, { host: "h2" }),
    ];
    assert.deepEqual(pairs(events, byStamp), ["a fine"]);
  });

  it("look past what has no start", () => {
    const events = [
      decided("a", 1, "none", { end: "none" }),
      decided("b", 1, 100),
      decided("c", 2, "none", { end: "none" }),
      decided("d", 2, 10),
    ];
    assert.deepEqual(pairs(events), ["b d"]);
    assert.deepEqual(pairs([decided("a", 1, "unknown"), decided("d", 2, 10)]), []);
    assert.deepEqual(pairs([decided("a", 1, 100), decided("d", 2, "unknown", { end: 10 })]), ["a d"]);
  });

  it("are neighbours over a gap, and only neighbours", () => {
    const events = [decided("a", 1, 100), decided("b", 5, 110), decided("c", 9, 90)];
    assert.deepEqual(pairs(events), ["b c"]);
    assert.deepEqual(pairs([decided("a", 1, 100), decided("c", 9, 90)]), ["a c"]);
  });

  it("of an interval take the earliest of the one, and the latest of the other", () => {
    const between = (from: number, to: number): Moment => ({ earliest: ms(from), latest: ms(to) });
    assert.deepEqual(pairs([decided("a", 1, between(50, 90)), decided("b", 2, between(10, 49))]), ["a b"]);
    assert.deepEqual(pairs([decided("a", 1, between(50, 90)), decided("b", 2, between(10, 50))]), []);
  });

  it("say nothing about when calls ended", () => {
    assert.deepEqual(pairs([decided("a", 1, 10, { end: 100 }), decided("b", 2, 50)]), []);
  });

  it("contradict stamps that are adjacent", () => {
    assert.deepEqual(pairs([decided("a", 1, 10), decided("b", 2, 9.999999)]), ["a b"]);
    assert.deepEqual(pairs([decided("a", 1, 10), decided("b", 2, 10)]), []);
  });

  it("of several clocks: pairs of one clock by themselves, those of two by their latest and earliest", () => {
    const events = [
      decided("a", 1, 1000),
      decided("b", 1, 900),
      decided("c", 2, 500),
      decided("d", 2, 0, { host: "h2" }),
      decided("e", 1, 950, { host: "h2" }),
    ];
    assert.deepEqual(pairs(events), ["a c", "a d", "b c", "c e", "d e"]);
  });
});

it("ids that read alike when joined are told apart", () => {
  const events = [
    event({ id: "a", start: 90, end: 100 }),
    event({ id: "bc", start: 0, end: 500, fields: { parents: ["a"] } }),
    event({ id: "ab", start: 90, end: 100 }),
    event({ id: "c", start: 0, end: 500, fields: { parents: ["ab"] } }),
  ];
  assert.deepEqual(pairs(events), ["a bc", "ab c"]);
  const [a, bc, ab, c] = events;
  assert.ok(a !== undefined && bc !== undefined && ab !== undefined && c !== undefined);
  const found = refuted([a, bc, { ...ab, start: a.start, end: { at: ms(-5) } }, c]);
  assert.deepEqual([found.has(a, bc), found.has(ab, c)], [true, false]);
});
