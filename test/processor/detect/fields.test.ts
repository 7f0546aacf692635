import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import type { Value } from "../../../src/model/value.ts";
import { Driver } from "../../support/drive.ts";
import { callFact } from "../../support/facts.ts";

const contract = `
contract: fields
tools:
  A: {effect: write}
rules:
  - {id: late, kind: stale_result, scope: conversation}
  - {id: begun, kind: stale_effect, scope: conversation}
`;

const call = (spanId: string, startMs: number, fields: Readonly<Record<string, Value>>): SpanFact =>
  callFact({ spanId, conversation: "c1", fields: new Map(Object.entries(fields)) }, startMs);

const broken = (driver: Driver): string[] => driver.take("violation").map(({ record }) => record.rule);

describe("what detectors found, as rules read it", () => {
  it("is read at once where numbers say it: nothing to come takes that back", () => {
    const driver = new Driver(contract).facts(1, call("a", 3, { seq: 1 }), call("b", 8, { seq: 2 }));
    assert.deepEqual(broken(driver), ["late"]);
    assert.deepEqual(driver.take("detection"), [], "counted only when nothing before its end can come");
    assert.equal(driver.until(11).take("detection").length, 1);
  });

  it("waits where a span to come may change which of two runs began first", () => {
    const driver = new Driver(contract).facts(
      1,
      call("a", 3, { run_id: "R1" }),
      call("b", 8, { run_id: "R2" }),
    );
    assert.deepEqual(broken(driver), []);
    assert.deepEqual(broken(driver.until(12)), ["late"]);
  });

  it("has then nothing to take back", () => {
    const driver = new Driver(contract)
      .facts(1, call("a", 3, { run_id: "R1" }), call("b", 8, { run_id: "R2" }))
      .facts(2, call("c", 0, { run_id: "R2" }));
    assert.deepEqual(broken(driver.until(12)), ["late", "begun"], "now R1 is the newer one");
    assert.deepEqual(
      driver
        .take("detection")
        .map(({ detector, event, by }) => `${detector} ${event} < ${by}`)
        .sort(),
      ["stale_effect t1:b < t1:a", "stale_result t1:b < t1:a", "stale_result t1:c < t1:a"],
    );
  });

  it("shows an effect while it still runs", () => {
    const running = { ...call("a", 8, { turn: 1 }), end: null, ended: false };
    const turn = callFact(
      { spanId: "u", kind: "user_turn", name: null, conversation: "c1", fields: new Map([["turn", 2]]) },
      3,
    );
    assert.deepEqual(broken(new Driver(contract).facts(1, turn, running)), ["begun"]);
  });
});
