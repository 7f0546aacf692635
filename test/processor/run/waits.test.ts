import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { durationNano, type UnixNano, unixNano } from "../../../src/model/time.ts";
import { addDeaf, type DeafInterval, dueAfter, waited } from "../../../src/processor/run/waits.ts";
import fc from "../../support/properties.ts";

const at = (value: number): UnixNano => unixNano(BigInt(value));
const deafFrom = (from: number, until: number): DeafInterval => ({ from: at(from), until: at(until) });

describe("waits stand still while we are deaf", () => {
  const cases = [
    { name: "no deaf interval", deaf: [], since: 10, now: 25, want: 15 },
    { name: "deaf in between", deaf: [[12, 20]], since: 10, now: 25, want: 7 },
    { name: "deaf since before", deaf: [[0, 15]], since: 10, now: 25, want: 10 },
    { name: "deaf until now", deaf: [[20, 30]], since: 10, now: 25, want: 10 },
    { name: "deaf all along", deaf: [[0, 30]], since: 10, now: 25, want: 0 },
    {
      name: "deaf before and after only",
      deaf: [
        [0, 10],
        [25, 30],
      ],
      since: 10,
      now: 25,
      want: 15,
    },
    { name: "a time that has not come", deaf: [], since: 30, now: 25, want: 0 },
  ] as const;
  for (const { name, deaf, since, now, want } of cases) {
    it(name, () => {
      const intervals = deaf.map(([from, until]) => deafFrom(from, until));
      assert.equal(waited(at(since), at(now), intervals), BigInt(want));
    });
  }

  it("joins intervals that touch and forgets old ones", () => {
    let intervals: DeafInterval[] = [];
    for (const [from, until] of [
      [0, 5],
      [20, 30],
      [28, 40],
      [50, 60],
    ] as const) {
      intervals = addDeaf(intervals, deafFrom(from, until), at(10));
    }
    assert.deepEqual(intervals, [deafFrom(20, 40), deafFrom(50, 60)]);
  });

  it("counts every nanosecond that was heard, and names the first moment at which a wait is over", () => {
    const interval = fc.tuple(fc.nat(60), fc.nat(20)).map(([from, length]) => deafFrom(from, from + length));
    fc.assert(
      fc.property(
        fc.array(interval, { maxLength: 6 }),
        fc.nat(40),
        fc.integer({ min: 1, max: 40 }),
        (raw, since, wait) => {
          const deaf = raw.reduce<DeafInterval[]>((all, one) => addDeaf(all, one, at(0)), []);
          const heard = (until: number): number => {
            let count = 0;
            for (let t = since; t < until; t += 1) {
              if (!deaf.some(({ from, until: end }) => from <= t && t < end)) count += 1;
            }
            return count;
          };
          for (let now = since; now < 200; now += 7) {
            assert.equal(waited(at(since), at(now), deaf), BigInt(heard(now)));
          }
          const due = Number(dueAfter(at(since), durationNano(BigInt(wait)), deaf));
          assert.ok(heard(due) >= wait);
          assert.ok(heard(due - 1) < wait);
        },
      ),
    );
  });
});
