import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { demo } from "../../src/cli/demo.ts";
import { fakeTerminal } from "./fake-terminal.ts";

describe("the demo of stale results", () => {
  it("alerts on a call that runs, and draws the late result beside the newer decision", async () => {
    const fake = fakeTerminal();
    assert.equal(await demo(fake.terminal, "stale"), 0, fake.err);
    const parts = fake.out.split(/^── /m);
    const told = (title: string): string => parts.find((part) => part.startsWith(title)) ?? "";
    assert.match(
      told("while the order runs"),
      /toolorder_alert_active\{.*rule="approved-order".*reason="violated"\} 1\n/,
    );
    const run = told("the run, once it is over");
    assert.match(run, /01\. lookup_stock .*<-- late result \(superseded\)\n/);
    assert.match(run, /02\. lookup_stock .*<-- newer decision 2 \(overlaps 01\)\n/);
    assert.match(run, /1 run, 3 tool calls, 1 stale result: 1 violation \(1 critical\)/);
    const metrics = told("metrics");
    assert.match(metrics, /toolorder_stale_results_total\{reason="superseded",effect="read"\} 1\n/);
    assert.match(metrics, /toolorder_violations_total\{.*rule="approved-order".*\} 1\n/);
    assert.match(metrics, /toolorder_tool_calls_total\{tool="order_stock",status="success"\} 1\n/);
  });

  it("names the demos that there are", async () => {
    const fake = fakeTerminal();
    assert.equal(await demo(fake.terminal, "stole"), 2);
    assert.equal(fake.err, "no demo stole: there are order and stale");
  });
});
