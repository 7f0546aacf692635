import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { expose } from "../../src/telemetry/exposition.ts";
import { rule, scrape, telemetry } from "./telemetry.ts";

describe("the text format", () => {
  it("has the media type that Prometheus 3 insists on", async () => {
    const { contentType } = await expose(new Registry());
    assert.equal(contentType, "text/plain; version=0.0.4; charset=utf-8");
  });

  it("escapes what must be escaped, and writes what is no number as Prometheus does", async () => {
    const registry = new Registry();
    const gauge = new Gauge({
      name: "g",
      help: "one\nline \\ two",
      labelNames: ["l"],
      registers: [registry],
    });
    gauge.set({ l: 'a"b\\c\nd' }, Number.POSITIVE_INFINITY);
    gauge.set({ l: "nan" }, Number.NaN);
    gauge.set({ l: "low" }, Number.NEGATIVE_INFINITY);
    assert.equal(
      (await expose(registry)).body,
      [
        "# HELP g one\\nline \\\\ two",
        "# TYPE g gauge",
        'g{l="a\\"b\\\\c\\nd"} +Inf',
        'g{l="nan"} NaN',
        'g{l="low"} -Inf',
        "",
      ].join("\n"),
    );
  });

  it("says what prom-client itself would say", async () => {
    const registry = new Registry();
    const counter = new Counter({
      name: "c_total",
      help: "c",
      labelNames: ["a", "b"],
      registers: [registry],
    });
    counter.inc({ a: "1", b: "2" }, 3);
    counter.inc({ a: "x" });
    new Gauge({ name: "g", help: "g", registers: [registry] }).set(1.5);
    const lines = (text: string) => text.split("\n").filter((line) => line !== "");
    assert.deepEqual(lines((await expose(registry)).body), lines(await registry.metrics()));
  });

  it("keeps the rules of the format: one group a metric, no series twice, cumulative buckets", async () => {
    const one = telemetry({ processMetrics: true });
    one.declareRules(1, [rule(), rule({ rule: 'odd "name"\\' })], 1);
    for (const seconds of [0.001, 3, 9_999]) one.series.toolCallDuration.observe({ tool: "a" }, seconds);
    const { text } = await scrape(one);
    const series = new Set<string>();
    const seen = new Set<string>();
    const buckets = new Map<string, number>();
    let current = "";
    for (const line of text.trimEnd().split("\n")) {
      const [, kind, named = ""] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) \S/.exec(line) ?? [];
      if (kind !== undefined) {
        assert.ok(kind === "TYPE" ? named === current : !seen.has(named), `${named} stands in two groups`);
        current = named;
        seen.add(named);
        continue;
      }
      const sample = /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*",?)+\})? (\S+)$/.exec(
        line,
      );
      assert.ok(sample, `not a sample: ${line}`);
      const [, name = "", labels = "", value = ""] = sample;
      assert.match(name, new RegExp(`^${current}(?:_bucket|_sum|_count)?$`));
      assert.ok(!series.has(name + labels), `${name}${labels} stands twice`);
      series.add(name + labels);
      assert.ok(["NaN", "+Inf", "-Inf"].includes(value) || Number.isFinite(Number(value)), line);
      if (!name.endsWith("_bucket")) continue;
      const rest = labels.replace(/,?le="[^"]*"/, "");
      assert.ok(Number(value) >= (buckets.get(name + rest) ?? 0), `${line} falls`);
      buckets.set(name + rest, Number(value));
    }
    assert.ok(series.size > 100);
    assert.equal(buckets.get('toolorder_tool_call_duration_seconds_bucket{tool="a"}'), 3);
  });

  it("carries the metrics of the process", async () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const { body } = await expose(registry);
    for (const name of [
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "nodejs_eventloop_lag_p99_seconds",
    ]) {
      assert.match(body, new RegExp(`^${name} `, "m"));
    }
  });

  it("lets others run while it writes a large registry", async () => {
    const registry = new Registry();
    const counter = new Counter({ name: "c_total", help: "c", labelNames: ["l"], registers: [registry] });
    for (let index = 0; index < 20_000; index += 1) counter.inc({ l: String(index) });
    let turns = 0;
    let done = false;
    const count = () => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const { body } = await expose(registry);
    done = true;
    assert.equal(body.split("\n").length, 20_003);
    assert.ok(turns >= 9, `only ${turns} turns of the event loop`);
  });
});
