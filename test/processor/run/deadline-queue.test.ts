import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type UnixNano, unixNano } from "../../../src/model/time.ts";
import {
  createDeadlineQueue,
  type DeadlineQueue,
  nextDeadline,
  pushDeadline,
  takeDue,
} from "../../../src/processor/run/deadline-queue.ts";
import fc from "../../support/properties.ts";

function takeAll(queue: DeadlineQueue, now: UnixNano): string[] {
  const taken: string[] = [];
  for (let key = takeDue(queue, now); key !== null; key = takeDue(queue, now)) taken.push(key);
  return taken;
}

const at = (value: number): UnixNano => unixNano(BigInt(value));

describe("deadline queue", () => {
  it("names the earliest deadline and takes what is due, in order of time then key", () => {
    const queue = createDeadlineQueue();
    pushDeadline(queue, "b", at(20));
    pushDeadline(queue, "c", at(10));
    pushDeadline(queue, "a", at(20));
    assert.equal(nextDeadline(queue), at(10));
    assert.deepEqual(takeAll(queue, at(9)), []);
    assert.deepEqual(takeAll(queue, at(20)), ["c", "a", "b"]);
    assert.equal(nextDeadline(queue), null);
  });

  it("lets an earlier look take the place of a later one, and a look that is queued cover a later one", () => {
    const queue = createDeadlineQueue();
    pushDeadline(queue, "a", at(30));
    pushDeadline(queue, "a", at(10));
    pushDeadline(queue, "a", at(20));
    assert.deepEqual(takeAll(queue, at(10)), ["a"]);
  });

  it("never misses a look and never looks early: every key is taken at its earliest wish", () => {
    const wish = fc.record({ key: fc.constantFrom("a", "b", "c", "d", "e"), at: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 80 }), (wishes) => {
        const queue = createDeadlineQueue();
        const earliest = new Map<string, number>();
        for (const { key, at: time } of wishes) {
          pushDeadline(queue, key, at(time));
          earliest.set(key, Math.min(earliest.get(key) ?? Number.POSITIVE_INFINITY, time));
        }
        const taken = new Map<string, number>();
        for (let time = 0; time <= 50; time += 1) {
          for (const key of takeAll(queue, at(time))) if (!taken.has(key)) taken.set(key, time);
        }
        assert.deepEqual([...taken].sort(), [...earliest].sort());
        assert.equal(nextDeadline(queue), null);
      }),
    );
  });
});
