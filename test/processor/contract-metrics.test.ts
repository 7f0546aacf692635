/** Rules that only measure (docs/semantics.md 5): what they add to their series, when, and that nothing breaks them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";

const rules = (...lines: readonly string[]): string =>
  `contract: m\nrules:\n${lines.map((line) => `  - ${line}\n`).join("")}`;
const root = callFact({ spanId: "root", kind: "agent_run", name: "agent" }, 0);
const call = (name: string, startMs: number, more: Partial<SpanFact> = {}): SpanFact =>
  callFact({ spanId: `${name}-${startMs}`, parentId: "root", name, ...more }, startMs);
const builtOn = (...events: readonly string[]): Partial<SpanFact> => ({
  fields: new Map([["parents", events]]),
});

const metricsOf = (driver: Driver): readonly unknown[] =>
  driver
    .take("contract_metric")
    .map((output) => [output.rule.rule, output.of === "count" ? output.count : output.seconds]);

describe("metric_count", () => {
  const contract = rules(
    "{id: searches, kind: metric_count, of: search}",
    "{id: queries, kind: metric_count, of: search, distinct: args.q}",
    "{id: others, kind: metric_count, of: nothing}",
  );
  const facts = [
    call("search", 100, { args: { q: "a" } }),
    call("search", 200, { args: { q: "a" } }),
    call("search", 300, { args: { q: "b" } }),
    root,
  ];

  it("counts once, when its run closes, and is satisfied", () => {
    const driver = new Driver(contract).facts(1, ...facts);
    assert.deepEqual(metricsOf(driver), []);
    driver.until(60);
    assert.deepEqual(metricsOf(driver), [
      ["searches", 3],
      ["queries", 2],
    ]);
    assert.deepEqual([...new Set(driver.take("verdict").map(({ verdict }) => verdict))], ["satisfied"]);
    assert.deepEqual(driver.take("violation"), []);
  });

  it("counts no more of a run that is opened again", () => {
    const driver = new Driver(contract).facts(1, ...facts).until(60);
    driver.clear().facts(100, call("search", 400)).until(200);
    assert.deepEqual(metricsOf(driver), []);
  });
});

describe("metric_wait", () => {
  const contract = rules("{id: slow, kind: metric_wait, of: write}");

  it("observes the time from the last causal parent's finish", () => {
    const driver = new Driver(contract)
      .facts(
        1,
        call("read", 0),
        call("check", 500),
        call("write", 1010, builtOn("t1:read-0", "t1:check-500")),
        call("search", 1500, builtOn("t1:read-0")),
        root,
      )
      .until(60);
    // check ended at 510 ms; the search is not meant.
    assert.deepEqual(metricsOf(driver), [["slow", 0.5]]);
    assert.deepEqual(driver.take("violation"), []);
  });

  it("observes nothing where no parent is named, or one is not here", () => {
    const driver = new Driver(contract)
      .facts(1, call("write", 100), call("write", 200, builtOn("t1:nowhere")), root)
      .until(60);
    assert.deepEqual(metricsOf(driver), []);
  });

  it("speaks of a part of the run where it says so", () => {
    const part = rules("{id: late, kind: metric_wait, of: write, scope: {after: check}}");
    const driver = new Driver(part)
      .facts(
        1,
        call("read", 0),
        call("write", 110, builtOn("t1:read-0")),
        call("check", 500),
        call("write", 1010, builtOn("t1:check-500")),
        root,
      )
      .until(60);
    assert.deepEqual(metricsOf(driver), [["late", 0.5]]);
  });
});
