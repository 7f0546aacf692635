/** What an effect ledger lists as open, over the real core: in flight, unknown, intended, and what closes each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { hours, seconds } from "../../src/model/time.ts";
import { effectsOpen } from "../../src/processor/pipeline.ts";
import { report } from "../../src/processor/report.ts";
import { effectNumbers } from "../../src/telemetry/effect-numbers.ts";
import { at, Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";

const contract = `
contract: shop
tools:
  charge: {effect: external, compensable: true}
effects:
  - {id: pay, tool: charge, intent: plan, lookup: find, compensation: refund, key: args.key, provider_id: result.id, effect_id: [result.id, args.id]}
`;

const call = (spanId: string, name: string, startMs: number, more: Partial<SpanFact> = {}): SpanFact =>
  callFact({ spanId, name, conversation: "c1", args: { key: "K1" }, argsHash: "h", ...more }, startMs);

const result = (id: string): Partial<SpanFact> => ({ result: { id }, hasResult: true });

const states = (driver: Driver): readonly string[] =>
  effectsOpen(driver.state).map(
    ({ state, event, keyRef }) => `${state} ${event} ${keyRef === null ? "" : "keyed"}`,
  );

describe("open effects", () => {
  const cases: readonly {
    readonly name: string;
    readonly facts: readonly SpanFact[];
    readonly open: readonly string[];
  }[] = [
    { name: "an intent that came to nothing", facts: [call("a", "plan", 0)], open: ["intended t1:a keyed"] },
    {
      name: "a call that came of it",
      facts: [call("a", "plan", 0), call("b", "charge", 100, result("P"))],
      open: [],
    },
    {
      name: "a call that runs",
      facts: [call("b", "charge", 100, { ended: false, end: null, outcome: "running" })],
      open: ["in_flight t1:b keyed"],
    },
    {
      name: "a timeout",
      facts: [call("b", "charge", 100, { outcome: "timeout" })],
      open: ["unknown t1:b keyed"],
    },
    {
      name: "a timeout, looked up",
      facts: [call("b", "charge", 100, { outcome: "timeout" }), call("l", "find", 500, result("P"))],
      open: [],
    },
    {
      name: "a timeout, and a lookup that failed",
      facts: [call("b", "charge", 100, { outcome: "timeout" }), call("l", "find", 500, { outcome: "error" })],
      open: ["unknown t1:b keyed"],
    },
    {
      name: "a lookup before the timeout closes nothing",
      facts: [call("l", "find", 0, result("P")), call("b", "charge", 100, { outcome: "timeout" })],
      open: ["unknown t1:b keyed"],
    },
    {
      name: "two effects under one key",
      facts: [call("b", "charge", 0, result("P")), call("c", "charge", 100, result("Q"))],
      open: ["needs_reconciliation t1:b keyed"],
    },
    {
      name: "a saga that failed, and its effect still stands",
      facts: [call("b", "charge", 0, result("P")), call("s", "x", 100, { kind: "saga_failed", name: null })],
      open: ["needs_reconciliation t1:b keyed"],
    },
    {
      name: "a saga that failed, and its effect was undone",
      facts: [
        call("b", "charge", 0, result("P")),
        call("s", "x", 100, { kind: "saga_failed", name: null }),
        call("z", "refund", 200, { args: { key: "K1c", id: "P" } }),
      ],
      open: [],
    },
  ];

  for (const { name, facts, open } of cases) {
    it(name, () => {
      const straight = new Driver(contract).facts(1, ...facts).until(30);
      const reversed = new Driver(contract).facts(1, ...facts.toReversed()).until(30);

      assert.deepEqual(states(straight), open);
      assert.deepEqual(states(reversed), open);
      const listed = report(straight.state).flatMap(({ effectsOpen: list }) => list);
      assert.equal(listed.length, open.length);
      for (const { closedBy } of listed) assert.notEqual(closedBy, "");
    });
  }

  it("a call that never ended is unknown once its run is over, and closed by the lookup of another run", () => {
    const driver = new Driver(contract, { idleTimeout: seconds(60) });
    driver.facts(1, call("b", "charge", 0, { ended: false, end: null, outcome: "running" }));
    assert.deepEqual(states(driver), ["in_flight t1:b keyed"]);
    driver.until(200);
    assert.deepEqual(states(driver), ["unknown t1:b keyed"]);
    driver.facts(300, call("l", "find", 300_000, { traceId: "t2", ...result("P") })).until(330);
    assert.deepEqual(states(driver), []);
  });

  it("stay open when their run is forgotten, until a later look at the key or its time is up", () => {
    const settings = { idleTimeout: seconds(60), maxAge: hours(1), keyTtl: hours(5) };
    const driver = new Driver(contract, settings).facts(1, call("b", "charge", 0, { outcome: "timeout" }));
    driver.until(2 * 3600);
    assert.equal(driver.state.table.runs.size, 0);
    assert.deepEqual(states(driver), ["unknown t1:b keyed"]);

    const lookup = call("l", "find", 7_300_000, { traceId: "t9", conversation: "c9", ...result("P") });
    assert.deepEqual(states(driver.facts(7_300, lookup).until(7_330)), []);

    const silent = new Driver(contract, settings).facts(1, call("b", "charge", 0, { outcome: "timeout" }));
    silent.until(2 * 3600).facts(8 * 3600, call("x", "other", 8 * 3_600_000, { traceId: "t3" }));
    assert.deepEqual(states(silent), []);
  });

  it("as numbers: how many, and how old the oldest", () => {
    const driver = new Driver(contract).facts(1, call("b", "charge", 0, { outcome: "timeout" })).until(30);
    const numbers = effectNumbers(effectsOpen(driver.state), at(100));

    assert.deepEqual([...numbers], [["unknown", { open: 1, oldestSeconds: 99.99 }]]);
  });
});
