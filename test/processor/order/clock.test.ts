import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Moment } from "../../../src/model/event.ts";
import type { ClockPolicy } from "../../../src/model/order.ts";
import { type DurationNano, unixNano } from "../../../src/model/time.ts";
import {
  clockDomain,
  compareAcrossClocks,
  compareOnOneClock,
  type Reach,
  reach,
  type Span1D,
  stampWidth,
} from "../../../src/processor/order/clock.ts";
import { event, ms, plainClock } from "../../support/scope.ts";

const byStamp: ClockPolicy = { ...plainClock, resolution: null };
const given = (resolution: bigint): ClockPolicy => ({
  ...plainClock,
  resolution: resolution as DurationNano,
});
const at = (nanos: bigint): Moment => ({ at: unixNano(nanos) });
const between = (earliest: bigint, latest: bigint): Moment => ({
  earliest: unixNano(earliest),
  latest: unixNano(latest),
});

describe("the unit of an event's stamps", () => {
  const cases: readonly { name: string; start: Moment; end?: Moment; policy?: ClockPolicy; want: bigint }[] =
    [
      { name: "a whole millisecond", start: at(5_000_000n), want: 1_000_000n },
      { name: "a whole microsecond", start: at(5_001_000n), want: 1_000n },
      { name: "anything finer", start: at(5_001_001n), want: 1n },
      {
        name: "the start tells, whatever the end",
        start: at(5_000_000n),
        end: at(5_000_001n),
        want: 1_000_000n,
      },
      { name: "the end where there is no start", start: "unknown", end: at(7_001_000n), want: 1_000n },
      { name: "the earliest of an interval", start: between(2_000_000n, 2_000_001n), want: 1_000_000n },
      { name: "nothing stamped", start: "unknown", end: "open", want: 1n },
      { name: "what the policy says", start: at(5_000_000n), policy: given(7n), want: 7n },
      { name: "no stamp is without any width", start: at(5_000_000n), policy: given(0n), want: 1n },
    ];
  for (const { name, start, end = "unknown", policy = byStamp, want } of cases) {
    it(name, () => assert.equal(stampWidth({ start, end }, policy), want));
  }
});

describe("where a boundary lies", () => {
  const span = (lo: bigint | null, hi: bigint | null, exact = false): Span1D => ({ lo, hi, exact });
  const cases: readonly {
    name: string;
    start: Moment;
    end: Moment;
    finish: boolean;
    closed?: boolean;
    want: Reach;
  }[] = [
    {
      name: "a stamp covers its unit",
      start: at(100n),
      end: at(150n),
      finish: false,
      want: span(100n, 110n, true),
    },
    { name: "so does the end", start: at(100n), end: at(150n), finish: true, want: span(150n, 160n, true) },
    {
      name: "an interval covers the unit of its latest too, and is no stamp",
      start: between(100n, 120n),
      end: at(150n),
      finish: false,
      want: span(100n, 130n),
    },
    {
      name: "an open end comes after the start",
      start: at(100n),
      end: "open",
      finish: true,
      want: span(100n, null),
    },
    {
      name: "and never, once the run is closed",
      start: at(100n),
      end: "open",
      finish: true,
      closed: true,
      want: "never",
    },
    {
      name: "the start of what never ended is a stamp all the same",
      start: at(100n),
      end: "open",
      finish: false,
      closed: true,
      want: span(100n, 110n, true),
    },
    {
      name: "an unknown start comes before the end",
      start: "unknown",
      end: at(150n),
      finish: false,
      want: span(null, 160n),
    },
    {
      name: "an unknown end comes after the start",
      start: at(100n),
      end: "unknown",
      finish: true,
      want: span(100n, null),
    },
    {
      name: "nothing is known at all",
      start: "unknown",
      end: "unknown",
      finish: false,
      want: span(null, null),
    },
    { name: "nor of the end", start: "unknown", end: "open", finish: true, want: span(null, null) },
    { name: "what was only asked for has no start", start: "none", end: "none", finish: false, want: "none" },
    { name: "and no end", start: "none", end: "none", finish: true, closed: true, want: "none" },
  ];
  for (const { name, start, end, finish, closed = false, want } of cases) {
    it(name, () => {
      const point = {
        event: event({ id: "a", start, end }),
        boundary: finish ? "finished_at" : "started_at",
      } as const;
      assert.deepEqual(
        reach(point, given(10n), (run) => closed && run === "r1"),
        want,
      );
    });
  }
});

describe("comparing two points", () => {
  const span = (lo: number | null, hi: number | null, exact = true): Span1D => ({
    lo: lo === null ? null : BigInt(lo),
    hi: hi === null ? null : BigInt(hi),
    exact,
  });
  const cases: readonly { name: string; p: Span1D; q: Span1D; one: string; across: string }[] = [
    { name: "far apart", p: span(0, 10), q: span(100, 110), one: "before", across: "before" },
    { name: "far apart, the other way", p: span(100, 110), q: span(0, 10), one: "after", across: "after" },
    {
      name: "adjacent decide on one clock",
      p: span(0, 10),
      q: span(10, 20),
      one: "before",
      across: "unknown",
    },
    { name: "adjacent, the other way", p: span(10, 20), q: span(0, 10), one: "after", across: "unknown" },
    {
      name: "one instant more than the skew",
      p: span(0, 10),
      q: span(15, 20),
      one: "before",
      across: "before",
    },
    { name: "the skew exactly", p: span(0, 10), q: span(14, 20), one: "before", across: "unknown" },
    { name: "one more, the other way", p: span(15, 20), q: span(0, 10), one: "after", across: "after" },
    { name: "exactly, the other way", p: span(14, 20), q: span(0, 10), one: "after", across: "unknown" },
    { name: "overlapping stamps tie", p: span(0, 10), q: span(9, 19), one: "tie", across: "unknown" },
    {
      name: "what is no stamp does not tie",
      p: span(0, 10),
      q: span(9, 19, false),
      one: "unknown",
      across: "unknown",
    },
    { name: "on either side", p: span(0, 10, false), q: span(9, 19), one: "unknown", across: "unknown" },
    { name: "no bound above", p: span(0, null, false), q: span(100, 110), one: "unknown", across: "unknown" },
    {
      name: "no bound above, yet too late",
      p: span(100, null, false),
      q: span(0, 10),
      one: "after",
      across: "after",
    },
    { name: "no bound below", p: span(100, 110), q: span(null, 50, false), one: "after", across: "after" },
    {
      name: "no bound below, earlier",
      p: span(0, 10),
      q: span(null, 50, false),
      one: "unknown",
      across: "unknown",
    },
    {
      name: "no bound at all",
      p: span(null, null, false),
      q: span(0, 10),
      one: "unknown",
      across: "unknown",
    },
    {
      name: "the second has none",
      p: span(0, 10),
      q: span(null, null, false),
      one: "unknown",
      across: "unknown",
    },
  ];
  for (const { name, p, q, one, across } of cases) {
    it(name, () => {
      assert.equal(compareOnOneClock(p, q), one);
      assert.equal(compareAcrossClocks(p, q, 5n), across);
      assert.equal(compareAcrossClocks(p, q, null), "unknown");
    });
  }
});

it("an assumed clock is one of each event's own where assuming is switched off", () => {
  const assumed = event({ id: "a", host: "h1", assumed: true, start: { at: ms(0) } });
  const told = event({ id: "a", host: "h1" });
  const strict = { ...plainClock, assumeClock: false };
  assert.equal(clockDomain(assumed, plainClock), "h1");
  assert.equal(clockDomain(told, strict), "h1");
  assert.notEqual(clockDomain(assumed, strict), "h1");
  assert.notEqual(clockDomain(assumed, strict), clockDomain({ ...assumed, id: "b" }, strict));
});
