import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { expose } from "../../src/telemetry/exposition.ts";

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
