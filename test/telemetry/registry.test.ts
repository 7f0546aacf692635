import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { declarations } from "../../src/telemetry/metrics.ts";
import { rule, scrape, telemetry, zeros } from "./telemetry.ts";

describe("the registry", () => {
  it("exports exactly the declared metrics, each with its help and type", async () => {
    const { text } = await scrape(telemetry());
    const shown = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    assert.deepEqual(shown.sort(), declarations.map(({ name, type }) => `${name} ${type}`).sort());
    for (const { name, help } of declarations) assert.ok(text.includes(`# HELP ${name} ${help}\n`), name);
  });

  it("has the series that a contract declares at 0, and only of rules that measure", async () => {
    const one = telemetry();
    one.declareRules(
      1,
      [rule(), rule({ rule: "n", measures: "count" }), rule({ rule: "w", measures: "wait" })],
      0,
    );
    const { metrics } = await scrape(one);
    const found = (name: string) => metrics.series(name, {}).map(({ labels, value }) => [labels.rule, value]);
    assert.deepEqual(found("toolorder_contract_metric_total"), [["n", 0]]);
    assert.deepEqual(found("toolorder_contract_metric_wait_seconds_count"), [["w", 0]]);
  });

  it("has every series of a loaded rule at 0 before anything happened", async () => {
    const one = telemetry();
    one.declareRules(1, [rule()], 12.5);
    const { metrics } = await scrape(one);
    const about = { contract: "access", rule: "auth" };
    for (const [name, labels] of [
      ["toolorder_violations_total", { severity: "critical", category: "safety_gate" }],
      ["toolorder_verdicts_total", { verdict: "satisfied" }],
      ["toolorder_verdicts_total", { verdict: "violated" }],
      ["toolorder_verdicts_total", { verdict: "inconclusive" }],
      ["toolorder_verdicts_total", { verdict: "vacuous" }],
      ["toolorder_violations_revised_total", { change: "withdrawn" }],
      ["toolorder_violations_revised_total", { change: "merged" }],
      ["toolorder_violations_revised_total", { change: "reinstated" }],
      ["toolorder_inconclusive_total", { code: "not_captured" }],
      ["toolorder_inconclusive_total", { code: "evicted" }],
      ["toolorder_alert_active", { severity: "critical", reason: "violated" }],
      ["toolorder_alert_active", { severity: "critical", reason: "inconclusive" }],
      ["toolorder_alerts_total", { severity: "critical", reason: "violated" }],
      ["toolorder_rule_matches_total", { side: "anchor" }],
      ["toolorder_rule_matches_total", { side: "witness" }],
      ["toolorder_rule_last_match_timestamp_seconds", { side: "anchor" }],
    ] as const) {
      const found = metrics.series(name, { ...about, ...labels });
      assert.deepEqual(
        found.map(({ value }) => value),
        [0],
        `${name} ${JSON.stringify(labels)}`,
      );
    }
    const info = metrics.series("toolorder_contract_info", {
      ...about,
      revision: "abc",
      severity: "critical",
      owner: "support",
      stage: "enforced",
      runbook: "https://runbooks.example/a",
    });
    assert.deepEqual(
      info.map(({ value }) => value),
      [1],
    );
    assert.equal(metrics.sum("toolorder_contracts_loaded"), 1);
    assert.equal(metrics.sum("toolorder_contracts_loaded_timestamp_seconds"), 12.5);
    assert.equal(metrics.sum("toolorder_contracts_last_reload_successful"), 1);
  });

  it("alerts on inconclusive verdicts of critical rules alone, and calls nothing vacuous that never closes", async () => {
    const one = telemetry();
    one.declareRules(1, [rule({ severity: "high", scope: "all" })], 0);
    const { metrics } = await scrape(one);
    assert.deepEqual(
      metrics.series("toolorder_alert_active").map(({ labels }) => labels.reason),
      ["violated"],
    );
    assert.deepEqual(metrics.series("toolorder_verdicts_total", { verdict: "vacuous" }), []);
  });

  it("knows without any contract what can be counted", async () => {
    const { metrics } = await scrape(telemetry());
    for (const [name, least] of [
      ["toolorder_stale_results_total", 15],
      ["toolorder_runs_closed_total", 6],
      ["toolorder_spans_late_total", 2],
      ["toolorder_spans_duplicate_total", 2],
      ["toolorder_data_quality_total", 20],
      ["toolorder_anomalies_total", 2],
      ["toolorder_receiver_spans_total", 8],
      ["toolorder_receiver_requests_total", 8],
      ["toolorder_journal_entries_appended_total", 4],
      ["toolorder_label_values_folded_total", 3],
      ["toolorder_mapping_matches_total", 1],
    ] as const) {
      const found = metrics.series(name);
      assert.ok(found.length >= least && found.every(({ value }) => value === 0), name);
    }
    assert.equal(metrics.series("toolorder_journal_info", { kind: "memory" })[0]?.value, 1);
    assert.equal(metrics.series("toolorder_build_info", { version: "1.2.3" })[0]?.value, 1);
  });

  it("reads live numbers when it is scraped, not before", async () => {
    let runsOpen = 1;
    const one = telemetry({ live: () => ({ ...zeros, runsOpen, runsReopenable: 2, runsForgotten: 3 }) });
    assert.equal((await scrape(one)).metrics.sum("toolorder_runs_open"), 1);
    runsOpen = 5;
    const { metrics } = await scrape(one);
    assert.equal(metrics.sum("toolorder_runs_open"), 5);
    assert.equal(metrics.sum("toolorder_runs_remembered", { state: "forgotten" }), 3);
  });

  it("forgets the description of rules that another set of contracts has not", async () => {
    const one = telemetry();
    one.declareRules(1, [rule(), rule({ rule: "second" })], 0);
    one.declareRules(1, [rule({ rule: "third" })], 0);
    const { metrics } = await scrape(one);
    const shown = metrics.series("toolorder_contract_info").map(({ labels }) => labels.rule ?? "");
    assert.deepEqual(shown, ["third"]);
  });
});
