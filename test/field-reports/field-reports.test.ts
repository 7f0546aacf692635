import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { hours } from "../../src/model/time.ts";
import type { Exposition } from "../support/exposition.ts";
import { type RunningService, runService } from "../support/running-service.ts";
import { type FieldReport, fieldReports } from "./cases.ts";
import { type Answer, type Case, readManifest, runStep } from "./steps.ts";

const manifest = readManifest();

describe("field reports", () => {
  it("are all here, each with its outcome", () => {
    const ids = manifest.map(({ id }) => id).sort();
    assert.ok(ids.length >= 39, `only ${ids.length} cases in the manifest`);
    assert.deepEqual(Object.keys(fieldReports).sort(), ids);
    const contracts = readdirSync(import.meta.dirname)
      .filter((name) => name.endsWith(".contract.yaml"))
      .map((name) => name.replace(".contract.yaml", ""));
    const judged = ids.filter((id) => fieldReports[id]?.rules !== undefined);
    assert.deepEqual(contracts.sort(), judged);
  });

  for (const { id, steps } of manifest) {
    const report = fieldReports[id];
    if (report === undefined) continue;
    const waits = report.waits === undefined ? "" : ` (waits in part for: ${report.waits})`;
    it(`${id}: ${report.title}${waits}`, async () => {
      await withService(id, async (service) => {
        const answers = await send(steps, service);
        if (report.rejected !== undefined)
          assert.equal(rejectedSpans(answers), report.rejected, "rejected spans");
        await service.pass(hours(3));
        const metrics = await service.metrics();
        checkCalls(metrics, report);
        checkFindings(metrics, report);
        checkRules(metrics, service, id, report);
      });
    });
  }
});

async function withService(id: string, use: (service: RunningService) => Promise<void>): Promise<void> {
  const file = `${id}.contract.yaml`;
  const path = join(import.meta.dirname, file);
  const contracts = existsSync(path) ? [{ file, text: readFileSync(path, "utf8") }] : [];
  const service = await runService({ contracts });
  try {
    await use(service);
  } finally {
    await service.close();
  }
}

async function send(steps: Case["steps"], service: RunningService): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const step of steps) answers.push(...(await runStep(step, service.tracesUrl)));
  for (const { status, wanted, body } of answers)
    assert.ok(wanted.includes(status), `answered ${status}: ${body}`);
  return answers;
}

/** What `partial_success.rejected_spans` of all answers says together. */
function rejectedSpans(answers: readonly Answer[]): number {
  return answers.reduce((sum, { headers, body, bytes }) => {
    if (headers["content-type"]?.startsWith("application/json") === true) {
      const { partialSuccess } = JSON.parse(body) as { partialSuccess?: { rejectedSpans?: string | number } };
      return sum + Number(partialSuccess?.rejectedSpans ?? 0);
    }
    // Field 1 of the response, of one or two bytes of length, and in it field 1, here a small number.
    const inner = (bytes[1] ?? 0) < 0x80 ? 2 : 3;
    return sum + (bytes[0] === 0x0a && bytes[inner] === 0x08 ? (bytes[inner + 1] ?? 0) : 0);
  }, 0);
}

function checkCalls(metrics: Exposition, report: FieldReport): void {
  // What a model only asked for is no call yet.
  const calls = metrics
    .series("toolorder_tool_calls_total")
    .filter(({ labels }) => labels.status !== "requested");
  const byTool = new Map<string, number>();
  for (const { labels, value } of calls) {
    if (value > 0) byTool.set(labels.tool ?? "", (byTool.get(labels.tool ?? "") ?? 0) + value);
  }
  assert.deepEqual(sorted(Object.fromEntries(byTool)), sorted(report.calls), "tool calls");
  const failed = calls.filter(({ labels }) => !["success", "awaiting"].includes(labels.status ?? ""));
  assert.equal(
    failed.reduce((sum, { value }) => sum + value, 0),
    report.failed ?? 0,
    `calls that did not succeed: ${JSON.stringify(failed)}`,
  );
  const longest = metrics.sum("toolorder_tool_call_duration_seconds_sum");
  assert.ok(longest >= 0 && longest < 3_600, `durations add up to ${longest} s`);
}

function checkFindings(metrics: Exposition, report: FieldReport): void {
  for (const [flaw, count] of Object.entries(report.flaws ?? {})) {
    assert.equal(metrics.sum("toolorder_data_quality_total", { flaw }), count, `flaw ${flaw}`);
  }
  assert.equal(
    metrics.sum("toolorder_spans_duplicate_total", { disposition: "identical" }),
    report.duplicates ?? 0,
    "duplicate spans",
  );
  assert.equal(metrics.sum("toolorder_spans_duplicate_total", { disposition: "conflicting" }), 0);
  assert.equal(metrics.sum("toolorder_runs_open"), 0, "runs still open");
  const stale = metrics.series("toolorder_stale_results_total").filter(({ value }) => value > 0);
  assert.deepEqual(
    Object.fromEntries(stale.map(({ labels, value }) => [labels.reason, value])),
    report.stale ?? {},
    "stale results",
  );
  if (report.callbacks === undefined) return;
  const callbacks = metrics.series("toolorder_unknown_callbacks_total").filter(({ value }) => value > 0);
  assert.deepEqual(
    Object.fromEntries(
      callbacks.map(({ labels, value }) => [`${labels.reason} ${labels.disposition}`, value]),
    ),
    report.callbacks,
    "callbacks",
  );
}

function checkRules(metrics: Exposition, service: RunningService, id: string, report: FieldReport): void {
  const nothingRan = Object.keys(report.calls).length === 0;
  for (const [rule, wanted] of Object.entries(report.rules ?? {})) {
    const labels = { contract: id, rule };
    const violations = metrics.series("toolorder_violations_total", labels);
    assert.equal(violations.length, 1, `${rule}: its series is there, whatever happened`);
    const inconclusive = metrics
      .series("toolorder_inconclusive_total", labels)
      .filter(({ value }) => value > 0);
    const verdict = { violations: metrics.sum("toolorder_violations_total", labels), inconclusive };
    assert.equal(
      verdict.violations,
      wanted.violations ?? 0,
      `${rule}: violations, ${JSON.stringify(verdict)}`,
    );
    assert.equal(
      inconclusive.reduce((sum, { value }) => sum + value, 0),
      wanted.inconclusive ?? 0,
      `${rule}: inconclusive, ${JSON.stringify(verdict)}`,
    );
    // 0 violations say something only of a rule that came to a verdict.
    if (!nothingRan) assert.ok(metrics.sum("toolorder_verdicts_total", labels) > 0, `${rule}: no verdict`);

    const lines = service.log().filter((line) => line.rule === rule && line.violation !== undefined);
    assert.equal(lines.length, wanted.violations ?? 0, `${rule}: one log line a violation`);
    for (const line of lines) {
      if (wanted.code !== undefined) assert.equal(line.code, wanted.code, `${rule}: code`);
      if (wanted.anchor !== undefined) assert.match(String(line.anchor), new RegExp(`:${wanted.anchor}`));
      assert.ok(String(line.reason).length > 0, `${rule}: a reason`);
    }
    for (const { labels: found } of inconclusive) {
      if (wanted.code !== undefined) assert.equal(found.code, wanted.code, `${rule}: code`);
    }
  }
}

const sorted = (record: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
