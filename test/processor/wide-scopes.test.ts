import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultSettings } from "../../src/model/settings.ts";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { minutes } from "../../src/model/time.ts";
import { nextDue } from "../../src/processor/pipeline.ts";
import { report } from "../../src/processor/report.ts";
import { Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";

const charge = (traceId: string, order: string, startMs: number, overrides: Partial<SpanFact> = {}) =>
  callFact(
    {
      spanId: `${traceId}-${startMs}`,
      traceId,
      name: "charge",
      args: { order },
      argsHash: order,
      ...overrides,
    },
    startMs,
  );

const once = `
contract: effects
rules:
  - {id: once, kind: count, of: charge, max: 1, bind: [args.order], scope: all, severity: critical}
`;

describe("scope: all", () => {
  it("counts one key over runs, and is final the moment the second event is here", () => {
    const driver = new Driver(once);
    driver.facts(1, charge("t1", "o1", 0)).facts(2, charge("t2", "o2", 1000));
    assert.deepEqual(driver.take("violation"), []);
    driver.facts(3, charge("t3", "o1", 2000));
    const [violation] = driver.take("violation");
    assert.equal(violation?.record.scope, "all");
    assert.equal(violation?.record.instance.code, "count_exceeded");
  });

  it("stays one violation when its runs close, are forgotten, and a third event comes", () => {
    const driver = new Driver(once);
    driver
      .facts(1, charge("t1", "o1", 0))
      .facts(3, charge("t3", "o1", 2000))
      .until(8000);
    driver.facts(8001, charge("t4", "o1", 8_000_000)).until(20_000);
    assert.equal(driver.take("violation").length, 1);
    assert.deepEqual(driver.take("revision"), []);
  });

  it("takes back what a late merge or a better copy undoes", () => {
    const driver = new Driver(once);
    driver.facts(
      1,
      charge("t1", "o1", 0),
      charge("t3", "o1", 2000, { spanId: "x", end: null, ended: false }),
    );
    assert.equal(driver.take("violation").length, 1);
    driver.facts(2, charge("t3", "o9", 2000, { spanId: "x" })).until(60);
    assert.deepEqual(
      driver.take("revision").map(({ change }) => change),
      ["withdrawn"],
    );
  });

  it("does not hang on the order of arrival", () => {
    const facts = [charge("t1", "o1", 0), charge("t2", "o2", 500), charge("t3", "o1", 900)];
    const last = (order: readonly SpanFact[]): string[] => {
      const driver = new Driver(once);
      order.forEach((fact, i) => {
        driver.facts(1 + 20 * i, fact);
      });
      return report(driver.until(200).end().state)
        .flatMap(({ verdicts }) => verdicts)
        .map(({ scopeKey, result }) => `${scopeKey} ${result.verdict} ${result.final}`)
        .sort();
    };
    const forwards = last(facts);
    assert.deepEqual(last([...facts].reverse()), forwards);
    assert.equal(forwards.filter((line) => line.includes("violated")).length, 1);
  });
});

describe("scope: {key: path}", () => {
  const told = `
contract: entity
rules:
  - {id: told, kind: gate, require: notify, before: close, within: 1h, scope: {key: args.account}, severity: high}
`;
  const on = (name: string, account: string | undefined, startMs: number): SpanFact =>
    callFact(
      {
        spanId: `${name}-${startMs}`,
        traceId: `${name}${startMs}`,
        name,
        args: account === undefined ? {} : { account },
      },
      startMs,
    );

  it("joins what happened to one entity in any run, and keeps two entities apart", () => {
    const driver = new Driver(told);
    driver
      .facts(1, on("notify", "a", 0))
      .facts(2, on("close", "a", 1000))
      .facts(3, on("close", "b", 2000));
    driver.until(60);
    const violations = driver.take("violation");
    assert.deepEqual(
      violations.map(({ record }) => [record.scope, record.key, record.traceId]),
      [["key", "b", "close2000"]],
    );
  });

  it("calls nothing missing while an event of the rule hides whose it is, whichever comes first", () => {
    const bare: SpanFact = { ...on("notify", undefined, 0), args: undefined };
    const hidden: SpanFact = { ...bare, hidden: new Map([["args", "not_captured"]]) };
    for (const facts of [
      [hidden, on("close", "b", 2000)],
      [on("close", "b", 2000), hidden],
      // Nothing says why the arguments are not there.
      [bare, on("close", "b", 2000)],
    ] as const) {
      const driver = new Driver(told);
      facts.forEach((fact, index) => {
        driver.facts(1 + 30 * index, fact);
      });
      driver.until(120);
      const standing = driver.take("violation").length - driver.take("revision").length;
      assert.equal(standing, 0);
      assert.equal(driver.take("inconclusive").length, 1);
    }
  });

  it("says nothing of events without the key", () => {
    const driver = new Driver(told).facts(1, on("close", undefined, 0)).until(60);
    assert.deepEqual(driver.take("violation"), []);
  });
});

describe("what wide scopes remember", () => {
  it("ends with key_ttl, is counted, and leaves nothing behind", () => {
    const driver = new Driver(once, { ...defaultSettings, keyTtl: minutes(90) });
    driver
      .facts(1, charge("t1", "o1", 0))
      .facts(3, charge("t3", "o1", 2000))
      .until(40_000);
    assert.deepEqual(
      driver.take("count").filter(({ of }) => of === "key_forgotten"),
      [{ type: "count", of: "key_forgotten", reason: "ttl" }],
    );
    const { wide, ledger } = driver.state;
    assert.equal(wide.events, 0);
    assert.equal(ledger.published.size, 0);
    assert.ok([...wide.byRule.values()].every(({ records, keysOf }) => records.size + keysOf.size === 0));
    assert.equal(nextDue(driver.state), null);
  });
});
