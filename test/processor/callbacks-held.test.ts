/** Quarantine of callbacks as facts come in: held, released, expired, admitted; each told once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";

const contract = `contract: c
rules:
  - {id: fit, kind: unknown_callback, scope: conversation, severity: high}
  - {id: quiet, kind: count, of: {kind: callback, callback: unknown}, max: 0, scope: conversation}
`;

/** Open for as long as no root is here. */
const told = (
  kind: string,
  spanId: string,
  startMs: number,
  fields: Readonly<Record<string, string>> = {},
): SpanFact =>
  callFact(
    {
      spanId,
      parentId: "root",
      kind,
      name: null,
      conversation: "conv",
      fields: new Map(Object.entries({ request_id: "A", ...fields })),
    },
    startMs,
  );
const root = callFact({ spanId: "root", kind: "agent_run", conversation: "conv" }, 0);
const rootEnd = { ...root, end: callFact({ spanId: "x" }, 5_000).end };

const dispositions = (driver: Driver): readonly string[] =>
  driver
    .take("detection")
    .filter(({ detector }) => detector === "callback")
    .map(({ reason, event, disposition }) => `${reason} ${event} ${disposition}`);

describe("a callback without a request", () => {
  it("is held once everything before it has had its time, and not before", () => {
    const driver = new Driver(contract).facts(1, told("callback", "c", 500)).until(10);
    assert.deepEqual(dispositions(driver), []);
    assert.deepEqual(dispositions(driver.until(12)), ["unknown t1:c quarantined"]);
    assert.deepEqual(dispositions(driver.facts(20, told("note", "n", 600)).until(60)), [
      "unknown t1:c quarantined",
    ]);
  });

  it("is released when its request turns up, once, and its violations are withdrawn at the close", () => {
    const driver = new Driver(contract).facts(1, told("callback", "c", 500)).until(30);
    assert.deepEqual(
      driver
        .take("violation")
        .map(({ record }) => record.rule)
        .sort(),
      ["fit", "quiet"],
    );
    driver.facts(31, told("request", "r", 100)).until(60);
    // A count stands as it was until no more can come.
    driver.facts(61, rootEnd).until(3 * 3_600);
    assert.deepEqual(dispositions(driver), ["unknown t1:c quarantined", "unknown t1:c released"]);
    assert.deepEqual(
      driver
        .take("revision")
        .map(({ rule, change }) => `${rule.rule} ${change}`)
        .sort(),
      ["fit withdrawn", "quiet withdrawn"],
    );
  });

  it("is never told where its request comes within the wait", () => {
    const driver = new Driver(contract)
      .facts(1, told("callback", "c", 500))
      .facts(5, told("request", "r", 100));
    assert.deepEqual(dispositions(driver.until(60)), []);
  });

  it("expires when its conversation closes", () => {
    const driver = new Driver(contract).facts(1, told("callback", "c", 500), rootEnd).until(60);
    assert.deepEqual(dispositions(driver), ["unknown t1:c quarantined"]);
    driver.until(3 * 3_600);
    assert.deepEqual(dispositions(driver), ["unknown t1:c quarantined", "unknown t1:c expired"]);
  });

  it("is both at once in recorded input", () => {
    const driver = new Driver(contract).facts(1, told("callback", "c", 500), rootEnd).end();
    assert.deepEqual(dispositions(driver), ["unknown t1:c quarantined", "unknown t1:c expired"]);
  });

  it("that the agent admitted is told as that, and neither released nor expired", () => {
    const driver = new Driver(contract)
      .facts(1, told("callback", "c", 500, { disposition: "admitted" }), rootEnd)
      .end();
    assert.deepEqual(dispositions(driver), ["unknown t1:c admitted"]);
  });
});

describe("a request without a callback", () => {
  it("is told when its run is over", () => {
    const driver = new Driver(contract).facts(1, told("request", "r", 100)).until(60);
    assert.deepEqual(dispositions(driver), []);
    driver.facts(61, rootEnd).until(100);
    assert.deepEqual(dispositions(driver), ["missing t1:r expired"]);
    assert.deepEqual(
      driver.take("violation").map(({ record }) => record.rule),
      ["fit"],
    );
  });
});

describe("what is told of callbacks", () => {
  it("does not depend on the order of arrival within the wait", () => {
    const facts = [
      told("request", "r", 100),
      told("callback", "c", 500),
      told("callback", "d", 600),
      told("callback", "e", 700, { request_id: "Z" }),
      rootEnd,
    ];
    const all = facts.map((_, first) => [...facts.slice(first), ...facts.slice(0, first)]);
    const said = all.map((order) => {
      const driver = new Driver(contract);
      for (const [second, fact] of order.entries()) driver.facts(1 + second, fact);
      return [...dispositions(driver.until(3 * 3_600))].sort();
    });
    for (const one of said) {
      assert.deepEqual(one, [
        "duplicate t1:d quarantined",
        "unknown t1:e expired",
        "unknown t1:e quarantined",
      ]);
    }
  });
});
