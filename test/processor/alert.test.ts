import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RuleRef } from "../../src/model/output.ts";
import { seconds, type UnixNano, unixNano } from "../../src/model/time.ts";
import { createAlerts, expire, lower, nextExpiry, raise } from "../../src/processor/alert.ts";

const at = (second: number): UnixNano => unixNano(BigInt(second) * 1_000_000_000n);
const rule: RuleRef = { contract: "c", rule: "r", severity: "critical", category: "safety_gate" };
const hold = seconds(900);

describe("alert state", () => {
  it("rises once, holds from the newest finding, and falls when its hold is over", () => {
    const alerts = createAlerts();
    assert.deepEqual(raise(alerts, rule, "violated", "v1", at(0)), [
      { type: "alert", rule, reason: "violated", active: true },
    ]);
    assert.deepEqual(raise(alerts, rule, "violated", "v2", at(100)), []);
    assert.equal(nextExpiry(alerts, hold), at(1000));
    assert.deepEqual(expire(alerts, at(999), hold), []);
    assert.deepEqual(expire(alerts, at(1000), hold), [
      { type: "alert", rule, reason: "violated", active: false },
    ]);
    assert.equal(nextExpiry(alerts, hold), null);
  });

  it("falls at once when the last standing finding is withdrawn, and not before", () => {
    const alerts = createAlerts();
    raise(alerts, rule, "violated", "v1", at(0));
    raise(alerts, rule, "violated", "v2", at(100));
    assert.deepEqual(lower(alerts, rule, "violated", "v2"), []);
    assert.equal(nextExpiry(alerts, hold), at(900));
    assert.deepEqual(lower(alerts, rule, "violated", "v1"), [
      { type: "alert", rule, reason: "violated", active: false },
    ]);
    assert.deepEqual(lower(alerts, rule, "violated", "v1"), []);
  });

  it("keeps inconclusive apart from violated", () => {
    const alerts = createAlerts();
    raise(alerts, rule, "violated", "v", at(0));
    assert.equal(raise(alerts, rule, "inconclusive", "v", at(0)).length, 1);
  });
});
