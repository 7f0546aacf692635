import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { milliseconds, plus, type UnixNano, unixNano } from "../../src/model/time.ts";
import { createSystemClock } from "../../src/service/clock.ts";

const at = (ms: number): UnixNano => plus(unixNano(0n), milliseconds(ms));

describe("the system's clock", () => {
  it("stands still while the system's time goes back, and believes a jump forwards", () => {
    const readings = [10, 20, 15, 19, 21, 90_000].map(at);
    const clock = createSystemClock(() => readings.shift() ?? at(0));
    assert.deepEqual(
      Array.from({ length: 7 }, () => clock.now()),
      [10, 20, 20, 20, 21, 90_000, 90_000].map(at),
    );
  });

  it("is about now", () => {
    const before = BigInt(Date.now()) * 1_000_000n;
    const now = createSystemClock().now();
    assert.ok(now >= before && now <= before + 60_000_000_000n);
  });

  it("wakes once, at its time and not before, also weeks away", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      let now = 0;
      const clock = createSystemClock(() => at(now));
      const pass = (ms: number) => {
        now += ms;
        mock.timers.tick(ms);
      };
      const woken: string[] = [];
      const weeks = 40 * 86_400_000;
      clock.wakeAt(at(weeks), () => woken.push("weeks"));
      clock.wakeAt(at(5), () => woken.push("soon"));
      const cancel = clock.wakeAt(at(6), () => woken.push("cancelled"));
      cancel();
      clock.wakeAt(at(-5), () => woken.push("past"));
      pass(1);
      assert.deepEqual(woken, ["past"]);
      pass(3);
      assert.deepEqual(woken, ["past"]);
      pass(1);
      assert.deepEqual(woken, ["past", "soon"]);
      pass(2_147_483_647);
      assert.deepEqual(woken, ["past", "soon"]);
      pass(weeks - 2_147_483_647);
      assert.deepEqual(woken, ["past", "soon", "weeks"]);
    } finally {
      mock.timers.reset();
    }
  });

  it("waits on when a timer fires before its time", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      let now = 0;
      const clock = createSystemClock(() => at(now));
      let woken = 0;
      clock.wakeAt(at(10), () => {
        woken += 1;
      });
      now = 8;
      mock.timers.tick(10);
      assert.equal(woken, 0);
      now = 10;
      mock.timers.tick(2);
      assert.equal(woken, 1);
    } finally {
      mock.timers.reset();
    }
  });
});
