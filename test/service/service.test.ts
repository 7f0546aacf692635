import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { after, before, describe, it } from "node:test";
import { defaultConfig } from "../../src/config/config.ts";
import type { Entry } from "../../src/model/entry.ts";
import { seconds, unixNano } from "../../src/model/time.ts";
import { createCore } from "../../src/service/core.ts";
import { type Service, type ServiceOptions, startService } from "../../src/service/service.ts";
import { StartError } from "../../src/service/start-error.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { declarations } from "../../src/telemetry/metrics.ts";
import { Exposition } from "../support/exposition.ts";
import { repositoryRoot } from "../support/repository.ts";
import { type RunningService, runService } from "../support/running-service.ts";

const example = join(repositoryRoot, "examples/customer-access");
const contracts = [{ file: "contract.yaml", text: readFileSync(join(example, "contract.yaml"), "utf8") }];
const incident = readFileSync(join(example, "traces/incident.otlp.json"));
const loopback = { host: "127.0.0.1", port: 0 };

const post = (url: string, body: Uint8Array | string) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });

const silent = createLog({ write: () => undefined });

const small = (options: Partial<ServiceOptions> = {}, maxWaiting = 1_000): Promise<Service> =>
  startService({
    config: {
      ...defaultConfig,
      http: { ...defaultConfig.http, endpoint: loopback },
      prometheus: { ...defaultConfig.prometheus, endpoint: loopback },
      journal: { mode: "memory", maxWaiting },
    },
    contracts,
    log: silent,
    processMetrics: false,
    ...options,
  });

describe("the service, given plan data read before the check", () => {
  let service: RunningService;
  before(async () => {
    // Soon after the recorded run: a stamp from the far future would be no time at all.
    service = await runService({
      contracts,
      now: unixNano(BigInt(Date.parse("2026-03-02T12:00:00Z")) * 1_000_000n),
    });
  });
  after(() => service.close());

  const rule = { contract: "customer-feature-access", rule: "auth-gate" };

  it("has the violation's series at 0 before, and at 1 once decision_wait has passed", async () => {
    assert.deepEqual(
      (await service.metrics()).series("toolorder_violations_total", rule).map(({ value }) => value),
      [0],
    );
    const answer = await post(service.tracesUrl, incident);
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), {});
    await service.pass(seconds(9));
    assert.equal((await service.metrics()).sum("toolorder_violations_total", rule), 0);
    await service.pass(seconds(1));
    const metrics = await service.metrics();
    assert.equal(metrics.sum("toolorder_violations_total", rule), 1);
    assert.equal(metrics.sum("toolorder_violations_total"), 1);
    assert.equal(metrics.sum("toolorder_alert_active", { ...rule, reason: "violated" }), 1);
    assert.equal(metrics.sum("toolorder_verdicts_total", { ...rule, verdict: "violated" }), 1);
    assert.equal(metrics.sum("toolorder_violations_by_service_total", { service: "support-agent" }), 1);
    assert.equal(metrics.sum("toolorder_tool_calls_total", { status: "success" }), 5);
    assert.equal(metrics.sum("toolorder_runs_closed_total", { reason: "root_ended" }), 1);
  });

  it("wrote one line about it, with the trace and without values", () => {
    const lines = service.log().filter(({ violation }) => violation !== undefined);
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.rule, "auth-gate");
    assert.equal(lines[0]?.code, "witness_late");
    assert.match(String(lines[0]?.trace_id), /^[0-9a-f]{32}$/);
  });

  it("OTLP-30: counts nothing twice when the sender sends it again", async () => {
    const before = await service.metrics();
    assert.equal((await post(service.tracesUrl, incident)).status, 200);
    await service.pass(seconds(60));
    const metrics = await service.metrics();
    for (const name of [
      "toolorder_violations_total",
      "toolorder_verdicts_total",
      "toolorder_tool_calls_total",
    ]) {
      assert.equal(metrics.sum(name), before.sum(name), name);
    }
    assert.ok(metrics.sum("toolorder_spans_duplicate_total", { disposition: "identical" }) > 0);
  });

  it("lets the alert fall after alert_hold, and the count stand", async () => {
    await service.pass(seconds(15 * 60));
    const metrics = await service.metrics();
    assert.equal(metrics.sum("toolorder_alert_active"), 0);
    assert.equal(metrics.sum("toolorder_violations_total"), 1);
    assert.equal(metrics.sum("toolorder_alerts_total"), 1);
  });

  it("labels no series beyond its declaration", async () => {
    const declared = new Map(declarations.map((one) => [String(one.name), one]));
    const { samples } = await service.metrics();
    assert.ok(samples.length > 100);
    for (const { name, labels } of samples) {
      const base = declared.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, "");
      const known = declared.get(base);
      assert.ok(known, `${name} is not declared`);
      const own = Object.keys(labels).filter((label) => label !== "le");
      assert.deepEqual(own.sort(), [...known.labels].sort(), name);
    }
  });
});

describe("the service, while it starts", () => {
  it("refuses contracts that do not load, with every problem", async () => {
    const broken = [{ file: "a.yaml", text: "contract: a\nruels: []\nrules: [{kind: gaet}]\n" }];
    await assert.rejects(small({ contracts: broken }), (error) => {
      assert.ok(error instanceof StartError);
      assert.ok(error.problems.length >= 2);
      return true;
    });
  });

  it("closes what it opened when a port is taken", async () => {
    const first = await small();
    const port = Number(new URL(first.urls.traces).port);
    const config = {
      ...defaultConfig,
      http: { ...defaultConfig.http, endpoint: { host: "127.0.0.1", port } },
      prometheus: { ...defaultConfig.prometheus, endpoint: loopback },
    };
    await assert.rejects(small({ config }), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, /receivers\.otlp\.protocols\.http\.endpoint.*in use/);
      return true;
    });
    await first.close();
    // Had the failed one left a server behind, this test's process would not end.
  });
});

describe("the service, when it cannot keep up", () => {
  /** Judges each entry of facts for a moment, so that the journal fills. */
  function slowCore() {
    const core = createCore();
    const seen: Entry[] = [];
    return {
      ...core,
      seen,
      step(entry: Entry) {
        seen.push(entry);
        const until = performance.now() + (entry.type === "facts" ? 12 : 0);
        while (performance.now() < until);
        return core.step(entry);
      },
    };
  }

  const spans = (trace: string, count: number): string =>
    JSON.stringify({
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: Array.from({ length: count }, (_, index) => ({
                traceId: trace.padStart(32, "0"),
                spanId: (index + 1).toString(16).padStart(16, "0"),
                name: "work",
                startTimeUnixNano: "1767225600000000000",
                endTimeUnixNano: "1767225601000000000",
              })),
            },
          ],
        },
      ],
    });

  it("OTLP-25: refuses with 503 and Retry-After, journals that it was deaf, and then takes the same batch", async () => {
    const core = slowCore();
    const service = await small({ core }, 1_000);
    try {
      assert.equal((await post(service.urls.traces, spans("a", 8_000))).status, 200);
      const refused = await post(service.urls.traces, spans("b", 600));
      assert.equal(refused.status, 503);
      assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
      await service.idle();
      assert.equal((await post(service.urls.traces, spans("b", 600))).status, 200);
      await service.idle();
      const order = core.seen.map((entry) =>
        entry.type === "facts" ? `facts ${Number.parseInt(entry.facts[0]?.traceId ?? "", 16)}` : entry.type,
      );
      const deaf = order.indexOf("deaf");
      assert.ok(deaf > 0, order.join());
      assert.ok(order.lastIndexOf("facts 10") < deaf && deaf < order.indexOf("facts 11"), order.join());
      const metrics = new Exposition(await (await fetch(service.urls.metrics)).text());
      assert.equal(metrics.sum("toolorder_receiver_requests_total", { outcome: "refused" }), 1);
      assert.equal(metrics.sum("toolorder_receiver_spans_total", { outcome: "accepted" }), 8_600);
      assert.ok(metrics.sum("toolorder_journal_entries_appended_total", { type: "deaf" }) >= 1);
      assert.equal(metrics.sum("toolorder_journal_waiting"), 0);
    } finally {
      await service.close();
    }
  });

  it("serves metrics while it judges a large request, in slices", async () => {
    const core = slowCore();
    const service = await small({ core }, 1_000_000);
    try {
      assert.equal((await post(service.urls.traces, spans("c", 8_000))).status, 200);
      const metrics = new Exposition(await (await fetch(service.urls.metrics)).text());
      assert.ok(
        metrics.sum("toolorder_journal_waiting") > 0,
        "everything was judged before the scrape was served",
      );
    } finally {
      await service.close();
    }
  });
});

describe("the service, while it stops", () => {
  it("OTLP-26: is not ready first, finishes what is under way, takes nothing new, and judges what it took", async () => {
    const service = await small();
    const { port } = new URL(service.urls.traces);
    const answer = Promise.withResolvers<number>();
    const half = request({
      host: "127.0.0.1",
      port,
      path: "/v1/traces",
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": incident.length,
        expect: "100-continue",
      },
    });
    half.once("response", (response) => {
      response.resume();
      answer.resolve(response.statusCode ?? 0);
    });
    half.once("error", answer.reject);
    const underWay = Promise.withResolvers<void>();
    half.once("continue", () => underWay.resolve());
    half.flushHeaders();
    await underWay.promise;

    const closed = service.close();
    const ready = await fetch(service.urls.ready);
    assert.equal(ready.status, 503);
    assert.equal(((await ready.json()) as { state: string }).state, "draining");
    await assert.rejects(post(service.urls.traces, incident));
    half.end(incident);
    assert.equal(await answer.promise, 200);
    await closed;
    await service.close();
    await assert.rejects(fetch(service.urls.ready));
  });
});
