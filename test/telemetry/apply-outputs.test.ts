import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { describe, it } from "node:test";
import type { Output, RuleRef, ViolationRecord } from "../../src/model/output.ts";
import { unixNano } from "../../src/model/time.ts";
import type { InstanceVerdict } from "../../src/model/verdict.ts";
import { createOutputSink } from "../../src/telemetry/apply-outputs.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { rule, scrape, telemetry } from "./telemetry.ts";

const ref: RuleRef = { contract: "access", rule: "auth", severity: "critical", category: "safety_gate" };
const scope = { scope: "run", key: "t1" } as const;
const instance: InstanceVerdict = {
  anchor: "t1:s1",
  key: "",
  verdict: "violated",
  final: true,
  code: "witness_late",
  witness: "t1:s2",
  nearMisses: [],
  evidence: "clock",
  completeness: "wait",
  reason: "check_requester_authorization came after get_customer_plan",
  involved: [],
};
const record: ViolationRecord = {
  ...ref,
  ...scope,
  id: "v1",
  ruleRevision: "abc",
  action: "block",
  title: null,
  expected: "check_requester_authorization before get_customer_plan",
  why: null,
  traceId: "t1",
  conversation: "c1",
  service: "support",
  agent: null,
  instance,
  at: unixNano(1_500_000_000_000_000_000n),
  record: "v1.1",
  supersedes: null,
};

const second = { record: "v1.2", supersedes: "v1.1" };

function setUp() {
  const one = telemetry();
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ write: (line: string) => lines.push(JSON.parse(line)) });
  const sink = createOutputSink(one, log);
  one.declareRules(1, [rule()], 0);
  sink.startRules([{ contract: "access", rule: "auth", scope: "run" }]);
  const apply = async (...outputs: readonly Output[]) => {
    sink.applyOutputs(outputs);
    sink.derive();
    return (await scrape(one)).metrics;
  };
  return { apply, lines };
}

describe("an output", () => {
  const at = unixNano(1_700_000_000_250_000_000n);
  const rows: readonly {
    output: Output;
    metric: string;
    labels: Readonly<Record<string, string>>;
    value?: number;
  }[] = [
    {
      output: { type: "violation", record },
      metric: "toolorder_violations_total",
      labels: { contract: "access", rule: "auth", severity: "critical", category: "safety_gate" },
    },
    {
      output: { type: "violation", record },
      metric: "toolorder_violations_by_service_total",
      labels: { service: "support", agent: "unknown", severity: "critical" },
    },
    {
      output: { type: "revision", rule: ref, scope, id: "v1", change: "withdrawn", instance, at, ...second },
      metric: "toolorder_violations_revised_total",
      labels: { contract: "access", rule: "auth", change: "withdrawn" },
    },
    {
      output: {
        type: "inconclusive",
        rule: ref,
        scope,
        id: "v1",
        instance: { ...instance, verdict: "inconclusive", code: "not_captured" },
        at,
        ...second,
      },
      metric: "toolorder_inconclusive_total",
      labels: { contract: "access", rule: "auth", code: "not_captured" },
    },
    {
      output: { type: "contract_metric", of: "count", rule: ref, count: 3 },
      metric: "toolorder_contract_metric_total",
      labels: { contract: "access", rule: "auth" },
      value: 3,
    },
    {
      output: { type: "contract_metric", of: "wait", rule: ref, seconds: 2 },
      metric: "toolorder_contract_metric_wait_seconds_sum",
      labels: { contract: "access", rule: "auth" },
      value: 2,
    },
    {
      output: { type: "verdict", rule: ref, scope, verdict: "satisfied" },
      metric: "toolorder_verdicts_total",
      labels: { contract: "access", rule: "auth", verdict: "satisfied" },
    },
    {
      output: { type: "run_closed", run: "t1", reason: "root_ended" },
      metric: "toolorder_runs_closed_total",
      labels: { reason: "root_ended" },
    },
    {
      output: { type: "count", of: "tool_calls", tool: "get_plan", status: "success" },
      metric: "toolorder_tool_calls_total",
      labels: { tool: "get_plan", status: "success" },
    },
    {
      output: { type: "count", of: "late", disposition: "reopened" },
      metric: "toolorder_spans_late_total",
      labels: { disposition: "reopened" },
    },
    {
      output: { type: "count", of: "duplicate", disposition: "conflicting" },
      metric: "toolorder_spans_duplicate_total",
      labels: { disposition: "conflicting" },
    },
    {
      output: { type: "count", of: "flaw", flaw: "truncated" },
      metric: "toolorder_data_quality_total",
      labels: { flaw: "truncated" },
    },
    {
      output: { type: "count", of: "anomaly", anomaly: "causal_cycle" },
      metric: "toolorder_anomalies_total",
      labels: { anomaly: "causal_cycle" },
    },
    {
      output: { type: "duration", of: "tool_call", tool: "get_plan", seconds: 3 },
      metric: "toolorder_tool_call_duration_seconds_bucket",
      labels: { tool: "get_plan", le: "5" },
    },
    {
      output: { type: "duration", of: "span_lag", seconds: 5 },
      metric: "toolorder_span_lag_seconds_bucket",
      labels: { le: "5" },
    },
    {
      output: { type: "duration", of: "decision_latency", seconds: 11 },
      metric: "toolorder_decision_latency_seconds_sum",
      labels: {},
      value: 11,
    },
    {
      output: {
        type: "detection",
        detector: "stale_result",
        reason: "superseded",
        tool: "get_plan",
        effect: "write",
        event: "t1:s1",
        by: "t1:s2",
        run: "t1",
        conversation: null,
        at,
        applied: "unknown",
        evidence: { identity: "model_turn", order: "clock", note: "agent.decision.seq on both calls" },
      },
      metric: "toolorder_stale_results_total",
      labels: { reason: "superseded", effect: "write" },
    },
    {
      output: {
        type: "detection",
        detector: "version_conflict",
        reason: "forced",
        tool: "write_ticket",
        effect: "write",
        event: "t1:s1",
        by: "t1:s2",
        run: "t1",
        conversation: null,
        at,
        applied: null,
        evidence: { identity: "attribute", order: "clock", note: "read again" },
      },
      metric: "toolorder_version_conflicts_total",
      labels: { reason: "forced" },
    },
    {
      output: {
        type: "detection",
        detector: "version_conflict",
        reason: "forced",
        tool: "write_ticket",
        effect: "write",
        event: "t1:s1",
        by: "t1:s2",
        run: "t1",
        conversation: null,
        at,
        applied: null,
        evidence: { identity: "attribute", order: "clock", note: "read again" },
      },
      metric: "toolorder_tool_version_conflicts_total",
      labels: { tool: "write_ticket" },
    },
    {
      output: {
        type: "count",
        of: "reducer_rejection",
        contract: "access",
        rule: "flow",
        reason: "illegal_transition",
      },
      metric: "toolorder_reducer_rejections_total",
      labels: { contract: "access", rule: "flow", reason: "illegal_transition" },
    },
    {
      output: { type: "rule_match", contract: "access", rule: "auth", side: "witness", count: 1, at },
      metric: "toolorder_rule_matches_total",
      labels: { contract: "access", rule: "auth", side: "witness" },
    },
    {
      output: { type: "rule_match", contract: "access", rule: "auth", side: "anchor", count: 1, at },
      metric: "toolorder_rule_last_match_timestamp_seconds",
      labels: { contract: "access", rule: "auth", side: "anchor" },
      value: 1_700_000_000.25,
    },
    {
      output: { type: "alert", rule: ref, reason: "violated", active: true },
      metric: "toolorder_alert_active",
      labels: { contract: "access", rule: "auth", severity: "critical", reason: "violated" },
    },
    {
      output: { type: "alert", rule: ref, reason: "violated", active: true },
      metric: "toolorder_alerts_total",
      labels: { contract: "access", rule: "auth", severity: "critical", reason: "violated" },
    },
  ];
  for (const { output, metric, labels, value = 1 } of rows) {
    it(`${output.type} moves ${metric}`, async () => {
      const metrics = await setUp().apply(output);
      assert.deepEqual(
        metrics.series(metric, labels).map((sample) => sample.value),
        [value],
      );
    });
  }
});

describe("alerts", () => {
  it("count once for each time they rise", async () => {
    const { apply } = setUp();
    const alert = (active: boolean): Output => ({ type: "alert", rule: ref, reason: "violated", active });
    await apply(alert(true), alert(true), alert(false));
    const metrics = await apply(alert(true));
    assert.equal(metrics.sum("toolorder_alerts_total"), 2);
    assert.equal(metrics.sum("toolorder_alert_active"), 1);
  });
});

describe("vacuous verdicts", () => {
  const closed = (key: string): Output => ({
    type: "contract_closed",
    contract: "access",
    scope: { scope: "run", key },
  });

  it("are the closed scopes in which the contract took part and the rule had nothing to say", async () => {
    const { apply } = setUp();
    const metrics = await apply(closed("a"), closed("b"), closed("c"), {
      type: "verdict",
      rule: ref,
      scope,
      verdict: "satisfied",
    });
    assert.equal(metrics.sum("toolorder_verdicts_total", { verdict: "vacuous" }), 2);
    assert.equal(metrics.sum("toolorder_verdicts_total", { verdict: "satisfied" }), 1);
  });

  it("do not come of runs in which the contract took no part, nor of another kind of scope", async () => {
    const { apply } = setUp();
    const metrics = await apply(
      { type: "run_closed", run: "t", reason: "root_ended" },
      { type: "contract_closed", contract: "access", scope: { scope: "conversation", key: "c" } },
    );
    assert.equal(metrics.sum("toolorder_verdicts_total", { verdict: "vacuous" }), 0);
  });
});

describe("the log", () => {
  it("has one line a violation, with what leads to it and none of its values", async () => {
    const { apply, lines } = setUp();
    await apply({ type: "violation", record });
    assert.equal(lines.length, 1);
    const { time, ...line } = lines[0] ?? {};
    assert.match(String(time), /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual(line, {
      level: "warn",
      name: "toolorder",
      violation: "v1",
      contract: "access",
      rule: "auth",
      severity: "critical",
      category: "safety_gate",
      action: "block",
      code: "witness_late",
      reason: "check_requester_authorization came after get_customer_plan",
      trace_id: "t1",
      conversation: "c1",
      service: "support",
      agent: null,
      scope: "run",
      anchor: "t1:s1",
      witness: "t1:s2",
      evidence: "clock",
      complete_by: "wait",
      record: "v1.1",
      supersedes: null,
      msg: "violated: check_requester_authorization before get_customer_plan",
    });
  });

  it("never shows arguments and results, whoever logs them by mistake", () => {
    const lines: string[] = [];
    const log = createLog({ write: (line: string) => lines.push(line) });
    log.warn({ args: { card: "4111" }, event: { result: { token: "4111" }, args: "4111" } }, "oops");
    assert.equal(lines.length, 1);
    assert.ok(!lines[0]?.includes("4111"), lines[0]);
  });

  it("drops lines that nobody takes, counts them, and counts violations all the same", async () => {
    const full = Object.assign(new EventEmitter(), { write: () => void full.emit("drop", "line") });
    const one = telemetry();
    const sink = createOutputSink(one, createLog(full));
    sink.applyOutputs([
      { type: "violation", record },
      { type: "violation", record },
    ]);
    sink.derive();
    const { metrics } = await scrape(one);
    assert.equal(metrics.sum("toolorder_log_lines_dropped_total"), 2);
    assert.equal(metrics.sum("toolorder_violations_total"), 2);
  });

  it("says which violation was revised, and how", async () => {
    const { apply, lines } = setUp();
    await apply({
      type: "revision",
      rule: ref,
      scope,
      id: "v1",
      change: "withdrawn",
      instance: { ...instance, verdict: "satisfied", code: null },
      at: unixNano(1n),
      ...second,
    });
    assert.equal(lines[0]?.violation, "v1");
    assert.equal(lines[0]?.record, "v1.2");
    assert.equal(lines[0]?.supersedes, "v1.1");
    assert.equal(lines[0]?.change, "withdrawn");
    assert.equal(lines[0]?.verdict, "satisfied");
    assert.equal(lines[0]?.msg, "violation withdrawn");
  });

  it("says of what was undecided that it is so no longer", async () => {
    const { apply, lines } = setUp();
    const settled = { ...instance, verdict: "satisfied", code: null } as const;
    const at = unixNano(1n);
    const metrics = await apply({
      ...{ type: "revision", rule: ref, scope, id: "v1", change: "settled", instance: settled, at },
      ...second,
    });
    assert.equal(lines[0]?.msg, "inconclusive settled");
    const labels = { contract: "access", rule: "auth", change: "settled" };
    assert.equal(metrics.sum("toolorder_violations_revised_total", labels), 1);
  });
});
