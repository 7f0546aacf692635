import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { seconds, unixNano } from "../../src/model/time.ts";
import { runService } from "../support/running-service.ts";

const contract = `
contract: ops
tools:
  wipe_database: {effect: external}
rules:
  - id: approved
    kind: gate
    require: {tool: ask_operator, result: approved}
    before: {tool: wipe_database}
    bind: [args.database]
    severity: critical
`;

const program = fileURLToPath(new URL("running-agent.ts", import.meta.url));
const children: ChildProcess[] = [];
after(() => {
  for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
});

describe("a dangerous call", () => {
  it("is judged and alerted while it runs, and is one call when it has ended", async () => {
    const service = await runService({
      contracts: [{ file: "ops.yaml", text: contract }],
      now: unixNano(BigInt(Date.now()) * 1_000_000n),
    });
    try {
      const child = spawn(process.execPath, [program, service.tracesUrl], {
        stdio: ["pipe", "pipe", "inherit"],
        timeout: 30_000,
      });
      children.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const began = await lines.next();
      assert.match(String(began.value), /^[0-9a-f]{32}$/);

      const rule = { contract: "ops", rule: "approved", severity: "critical" };
      await service.pass(seconds(9));
      assert.equal(
        (await service.metrics()).sum("toolorder_alert_active", { ...rule, reason: "violated" }),
        0,
      );
      await service.pass(seconds(1));
      const running = await service.metrics();
      assert.equal(running.sum("toolorder_violations_total", rule), 1);
      assert.equal(running.sum("toolorder_alert_active", { ...rule, reason: "violated" }), 1);
      assert.equal(child.exitCode, null, "the call still runs");

      child.stdin.end();
      const counts = await lines.next();
      assert.deepEqual(JSON.parse(String(counts.value)), { spans: 2, signalsSent: 1, signalsDropped: 0 });
      if (child.exitCode === null) await once(child, "exit");
      await service.pass(seconds(11));
      const ended = await service.metrics();
      assert.equal(ended.sum("toolorder_violations_total", rule), 1);
      assert.equal(ended.sum("toolorder_tool_calls_total", { tool: "wipe_database", status: "success" }), 1);
      assert.equal(ended.sum("toolorder_spans_duplicate_total", { disposition: "conflicting" }), 0);
      assert.equal(ended.sum("toolorder_runs_closed_total", { reason: "root_ended" }), 1);
    } finally {
      await service.close();
    }
  });
});
