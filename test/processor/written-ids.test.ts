/** Events written down by hand: each run may have its `e1`, and each is an anchor of its own. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../src/model/span-fact.ts";
import type { Value } from "../../src/model/value.ts";
import { plainFact } from "../../src/processor/normalize/dialects/plain.ts";
import { at, Driver } from "../support/drive.ts";

const gate = (scope: string) => `
contract: access
rules:
  - {id: gate, kind: gate, require: check, before: read, severity: critical, scope: ${scope}}
`;
const written = (run: string, second: number, fields: Record<string, Value> = {}, id = "e1"): SpanFact =>
  plainFact({
    id,
    run,
    fields: new Map(Object.entries({ kind: "tool_call", name: "read", ...fields })),
    start: at(second),
    end: at(second),
  });

const violations = (driver: Driver) =>
  driver
    .take("violation")
    .map(({ record }) => ({ id: record.id, run: record.traceId, anchor: record.instance.anchor }));

const cases = [
  { name: "of their own", scope: "run", fields: {} },
  { name: "of one conversation, each judged alone", scope: "run", fields: { conversation: "c" } },
  { name: "of one conversation, judged together", scope: "conversation", fields: { conversation: "c" } },
  { name: "of one entity", scope: "{key: args.order}, within: 1h", fields: { args: { order: "o1" } } },
];

describe("events with one written id", () => {
  for (const { name, scope, fields } of cases) {
    it(`are two violations in two runs ${name}, in any order of arrival`, () => {
      const facts = [written("r1", 1, fields), written("r2", 2, fields)];
      const orders = [facts, facts.toReversed()].map((some) => {
        const driver = new Driver(gate(scope));
        some.forEach((fact, index) => {
          driver.facts(3 + 200 * index, fact);
        });
        driver.until(10_000).end();
        assert.deepEqual(driver.take("revision"), []);
        return violations(driver).map(({ id, run }) => ({ id, run }));
      });
      for (const found of orders) {
        assert.deepEqual(found.map(({ run }) => run).sort(), ["r1", "r2"]);
        assert.equal(new Set(found.map(({ id }) => id)).size, 2);
      }
      const [first, second] = orders.map((found) => found.map(({ id, run }) => `${run} ${id}`).sort());
      assert.deepEqual(first, second);
    });

    it(`are counted once each in two runs ${name}`, () => {
      const driver = new Driver(gate(scope)).facts(3, written("r1", 1, fields));
      driver
        .facts(200, written("r2", 2, fields))
        .until(10_000)
        .end();
      assert.equal(driver.take("count").filter(({ of }) => of === "tool_calls").length, 2);
    });
  }

  it("are one violation when one run is sent twice, under the id that was written", () => {
    const driver = new Driver(gate("run")).facts(3, written("r1", 1)).facts(200, written("r1", 1));
    driver.until(10_000).end();
    assert.deepEqual(
      violations(driver).map(({ run, anchor }) => `${run} ${anchor}`),
      ["r1 e1"],
    );
  });

  it("are what an event of their own run means by it", () => {
    // Two clocks that nobody compared: only the parent says what came first.
    const together = { conversation: "c" };
    const driver = new Driver(gate("conversation")).facts(
      3,
      written("r1", 1, { ...together, host: "h1", name: "check" }),
      written("r2", 1, { ...together, host: "h1", name: "other" }),
      written("r1", 2, { ...together, host: "h2", parents: ["e1"] }, "e2"),
      written("r2", 2, { ...together, host: "h2", name: "note", parents: ["e1"] }, "e2"),
    );
    driver.until(10_000).end();
    assert.deepEqual(violations(driver), []);
    assert.deepEqual(driver.take("inconclusive"), []);
  });
});
