import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Histogram, Registry } from "prom-client";
import { createLabelCap, overflow } from "../../src/telemetry/label-cap.ts";
import { toolCallDuration } from "../../src/telemetry/metrics-traffic.ts";
import fc from "../support/properties.ts";
import { scrape, telemetry } from "./telemetry.ts";

describe("a counter", () => {
  it("shows its total at every scrape, not what came since", async () => {
    const one = telemetry();
    one.series.toolCalls.add({ tool: "a", status: "success" });
    assert.equal((await scrape(one)).metrics.sum("toolorder_tool_calls_total", { tool: "a" }), 1);
    assert.equal((await scrape(one)).metrics.sum("toolorder_tool_calls_total", { tool: "a" }), 1);
    one.series.toolCalls.add({ tool: "a", status: "success" }, 2);
    assert.equal((await scrape(one)).metrics.sum("toolorder_tool_calls_total", { tool: "a" }), 3);
  });

  it("can be raised to a total and not lowered", async () => {
    const one = telemetry();
    const labels = { contract: "c", rule: "r", verdict: "vacuous" };
    one.series.verdicts.raiseTo(labels, 5);
    one.series.verdicts.raiseTo(labels, 3);
    assert.equal(one.series.verdicts.peek(labels), 5);
    assert.equal((await scrape(one)).metrics.sum("toolorder_verdicts_total", labels), 5);
  });
});

describe("a gauge", () => {
  it("shows the last value, down as well as up", async () => {
    const one = telemetry();
    const labels = { contract: "c", rule: "r", severity: "high", reason: "violated" };
    for (const value of [1, 0]) {
      one.series.alertActive.set(labels, value);
      assert.equal((await scrape(one)).metrics.series("toolorder_alert_active", labels)[0]?.value, value);
    }
  });
});

describe("a histogram", () => {
  it("agrees with prom-client's own on any observations", async () => {
    const length = fc.oneof(
      fc.double({ min: 0, max: 2_000, noNaN: true }),
      fc.constantFrom(...toolCallDuration.buckets),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(length), async (seconds) => {
        const one = telemetry();
        const registry = new Registry();
        const oracle = new Histogram({
          name: toolCallDuration.name,
          help: toolCallDuration.help,
          labelNames: ["tool"],
          buckets: [...toolCallDuration.buckets],
          registers: [registry],
        });
        for (const value of seconds) {
          one.series.toolCallDuration.observe({ tool: "a" }, value);
          oracle.observe({ tool: "a" }, value);
        }
        const shown = (text: string) =>
          text
            .split("\n")
            .filter((line) => line.startsWith("toolorder"))
            .map((line) =>
              line.replace(/\{.*\}/, (labels) => labels.replace(/[{}]/g, "").split(",").sort().join()),
            )
            .sort();
        assert.deepEqual(
          shown(await one.registry.getSingleMetricAsString(toolCallDuration.name)),
          shown(await registry.metrics()),
        );
      }),
      { numRuns: 50 },
    );
  });

  it("takes a length below 0, a clock's error, as 0", async () => {
    const one = telemetry();
    one.series.spanLag.observe({}, -3);
    const { metrics } = await scrape(one);
    assert.equal(metrics.sum("toolorder_span_lag_seconds_sum"), 0);
    assert.equal(metrics.sum("toolorder_span_lag_seconds_count"), 1);
    assert.equal(metrics.sum("toolorder_span_lag_seconds_bucket", { le: "0.1" }), 1);
  });
});

describe("names from traffic", () => {
  it("keep to the cap, the first ones by name, the rest as other and counted", async () => {
    const one = telemetry({ labelValues: 2 });
    for (const tool of ["a", "b", "c", "d", "a", "c"]) one.series.toolCalls.add({ tool, status: "success" });
    const { metrics } = await scrape(one);
    const calls = (tool: string) => metrics.sum("toolorder_tool_calls_total", { tool });
    assert.deepEqual([calls("a"), calls("b"), calls("c"), calls(overflow)], [2, 1, 0, 3]);
    assert.equal(metrics.sum("toolorder_label_values_folded_total", { label: "tool" }), 3);
  });

  it("are the same names in every metric", async () => {
    const one = telemetry({ labelValues: 1 });
    one.series.toolCalls.add({ tool: "a", status: "success" });
    one.series.toolCallDuration.observe({ tool: "b" }, 1);
    const { metrics } = await scrape(one);
    assert.equal(metrics.sum("toolorder_tool_call_duration_seconds_count", { tool: overflow }), 1);
  });

  it("are cut, and lose control characters", () => {
    const cap = createLabelCap(10, () => undefined);
    assert.equal(cap.fit("tool", "a\nb\u0000c"), "a b c");
    assert.equal(cap.fit("tool", "x".repeat(500)).length, 128);
  });

  it("do not touch labels of the configuration", async () => {
    const one = telemetry({ labelValues: 1 });
    for (const rule of ["a", "b", "c"]) {
      one.series.violations.add({ contract: "c", rule, severity: "low", category: "effect" });
    }
    assert.equal((await scrape(one)).metrics.series("toolorder_violations_total").length, 3);
  });
});
