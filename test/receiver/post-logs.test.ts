/** POST /v1/logs makes the promises of /v1/traces: each row is one, without a socket. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { defaultHttpReceiver } from "../../src/config/receivers.ts";
import { everything } from "../../src/model/attribute-plan.ts";
import type { LogRecord } from "../../src/model/log-record.ts";
import { unixNano } from "../../src/model/time.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import { createAdmission } from "../../src/receiver/admission.ts";
import { createDecode, createDecodeLogs } from "../../src/receiver/decode.ts";
import { createHttpServer } from "../../src/receiver/http-server.ts";
import { type PostLogsDeps, postLogs } from "../../src/receiver/post-logs.ts";
import type { HttpReply } from "../../src/receiver/reply.ts";
import { encodeLogs } from "../otlp/log-messages.ts";
import { logsResponseType } from "../otlp/trace-schema.ts";
import { request, type Sent } from "./plain-request.ts";
import { bounded, recordTelemetry } from "./support.ts";
import { bothTypes, json, type MediaType, requestBody, statusOf } from "./wire.ts";

const limit = 100_000;
const marks = { exact: new Set(["event.name"]), prefixes: [] };
const zeros = "0".repeat(32);

interface Sketch {
  readonly event?: string;
  readonly scope?: string;
  readonly traceId?: string;
}

function body(type: MediaType, sketches: readonly Sketch[]): Buffer {
  const message = {
    resourceLogs: [
      {
        scopeLogs: sketches.map(({ event, scope = "test", traceId }) => ({
          scope: { name: scope },
          logRecords: [
            {
              timeUnixNano: "1767225600000000001",
              body: { stringValue: "a line" },
              ...(traceId !== undefined && { traceId }),
              attributes: event === undefined ? [] : [{ key: "event.name", value: { stringValue: event } }],
            },
          ],
        })),
      },
    ],
  };
  return Buffer.from(type === json ? JSON.stringify(message) : encodeLogs(message));
}

function createBench(overrides: Partial<PostLogsDeps> = {}) {
  const telemetry = recordTelemetry();
  const taken: LogRecord[] = [];
  const faults: unknown[] = [];
  const deps: PostLogsDeps = {
    decode: createDecodeLogs(() => ({ ...everything, log: marks }), defaultDecodeLimits),
    accept: (records) => {
      taken.push(...records);
      return Promise.resolve({ kind: "accepted" });
    },
    admission: createAdmission({
      maxInFlightBytes: 1024 * 1024,
      maxWaitingSpans: 1000,
      waitingSpans: () => 0,
      now: () => unixNano(0n),
    }),
    telemetry,
    onFault: (error) => faults.push(error),
    maxBodyBytes: limit,
    ...overrides,
  };
  return { deps, telemetry, taken, faults };
}

async function send(sent: Sent, deps: PostLogsDeps): Promise<HttpReply> {
  const reply = await postLogs(request(sent), deps);
  assert.ok(reply !== null, "no answer");
  return reply;
}

/** What a sender reads of a 200. */
function partialOf(type: MediaType, bytes: Uint8Array): unknown {
  if (type === json) return JSON.parse(Buffer.from(bytes).toString("utf8"));
  return logsResponseType.toObject(logsResponseType.decode(bytes), { longs: String });
}

for (const type of bothTypes) {
  const encoding = type === json ? "json" : "protobuf";
  const good = body(type, [{ event: "a" }]);

  describe(`POST /v1/logs, ${encoding}`, () => {
    const rows: readonly (Sent & {
      readonly name: string;
      readonly status: number;
      readonly says?: RegExp;
    })[] = [
      { name: "OTLP-1, OTLP-2: a good body", body: good, status: 200 },
      { name: "OTLP-4: an empty body", body: Buffer.alloc(0), status: 200 },
      { name: "OTLP-4: no records in it", body: body(type, []), status: 200 },
      { name: "OTLP-5: GET", method: "GET", status: 405, says: /send log records with POST/ },
      { name: "OTLP-7: another media type", type: "text/plain", body: good, status: 415, says: /not taken/ },
      { name: "OTLP-8: a parameter", type: `${type}; charset=utf-8`, body: good, status: 200 },
      { name: "OTLP-12: gzip", coding: "gzip", body: gzipSync(good), status: 200 },
      { name: "OTLP-12: identity", coding: "identity", body: good, status: 200 },
      { name: "OTLP-13: gzip that is none", coding: "gzip", body: good, status: 400, says: /not gzip/ },
      { name: "OTLP-15: another coding", coding: "br", body: good, status: 415, says: /"br" is not taken/ },
      { name: "OTLP-16: above the limit", body: Buffer.alloc(limit + 1, 0x20), status: 413, says: /100000/ },
      {
        name: "OTLP-17: above the limit once inflated",
        coding: "gzip",
        body: gzipSync(Buffer.alloc(limit * 10, 0x20)),
        status: 413,
      },
      {
        name: "OTLP-23: what is no message",
        body: Buffer.from([0xff, 0xff]),
        status: 400,
        says: /ExportLogsServiceRequest/,
      },
    ];
    for (const { name, status, says, ...sent } of rows) {
      it(name, async () => {
        const bench = createBench();
        const reply = await send({ type, ...sent }, bench.deps);
        assert.equal(reply.status, status);
        if (status === 200) assert.deepEqual(partialOf(type, reply.body), {});
        else {
          const answered = reply.headers["content-type"] === json ? json : type;
          assert.match(statusOf(answered, reply.body).message ?? "", says ?? /./);
        }
        assert.deepEqual(bench.faults, []);
      });
    }

    it("OTLP-27: of some bad records the good ones are taken, and the count has the name that logs give it", async () => {
      const bench = createBench();
      const sketches = [
        { event: "a" },
        { event: "b", traceId: "abcd" },
        { event: "c", traceId: "ef" },
        { event: "d" },
      ];
      const reply = await send({ type, body: body(type, sketches) }, bench.deps);
      assert.equal(reply.status, 200);
      const { partialSuccess } = partialOf(type, reply.body) as { partialSuccess: Record<string, string> };
      assert.equal(partialSuccess.rejectedLogRecords, "2");
      assert.match(partialSuccess.errorMessage ?? "", /^2 log records were rejected: 2 × .*trace/i);
      assert.equal(bench.taken.length, 2);
      assert.deepEqual(bench.telemetry.logRecords, {
        [`${encoding} accepted`]: 2,
        [`${encoding} rejected`]: 2,
      });
      assert.deepEqual(bench.telemetry.rejected, { trace_id: 2 });
      assert.deepEqual(bench.telemetry.spans, {});
    });

    it("takes a record without a trace, passes over ordinary lines, drops its own, and counts each", async () => {
      const bench = createBench({
        accept: (records) => {
          bench.taken.push(...records);
          return Promise.resolve({ kind: "accepted", passedOver: 1 });
        },
      });
      const sketches = [
        { event: "a" },
        { event: "b", traceId: zeros },
        {},
        {},
        { event: "c", scope: "toolorder" },
      ];
      const reply = await send({ type, body: body(type, sketches) }, bench.deps);
      assert.deepEqual(partialOf(type, reply.body), {});
      assert.equal(bench.taken.length, 2);
      assert.deepEqual(bench.telemetry.logRecords, {
        [`${encoding} accepted`]: 1,
        [`${encoding} passed_over`]: 3,
        [`${encoding} dropped_own`]: 1,
      });
    });

    it("OTLP-25, OTLP-26, OTLP-31: overload and a drain are 503 with Retry-After, a fault of ours 500", async () => {
      const full = createBench({
        accept: () => Promise.resolve({ kind: "refused", reason: "full", retryAfterSeconds: 7 }),
      });
      const refused = await send({ type, body: good }, full.deps);
      assert.equal(refused.status, 503);
      assert.equal(refused.headers["retry-after"], "7");
      assert.deepEqual(full.telemetry.logRecords, { [`${encoding} refused`]: 1 });

      const draining = createBench();
      draining.deps.admission.drain();
      assert.equal((await send({ type, body: good }, draining.deps)).status, 503);

      const broken = createBench({ accept: () => Promise.reject(new Error("x")) });
      assert.equal((await send({ type, body: good }, broken.deps)).status, 500);
      assert.equal(broken.faults.length, 1);
      assert.deepEqual(broken.telemetry.requests, { [`${encoding} failed`]: 1 });
    });
  });
}

describe("the paths", bounded, () => {
  const tracesDeps = () => ({
    ...createBench().deps,
    decode: createDecode(() => everything, defaultDecodeLimits),
    accept: () => Promise.resolve({ kind: "accepted" as const }),
  });

  async function statuses(
    config: { logsUrlPath?: string },
    logs: PostLogsDeps | null,
    paths: readonly string[],
  ) {
    const server = createHttpServer({
      config: { ...defaultHttpReceiver, endpoint: { host: "127.0.0.1", port: 0 }, ...config },
      traces: tracesDeps(),
      ...(logs !== null && { logs }),
    });
    const { port } = await server.listen();
    try {
      const answers: [number, string][] = [];
      for (const path of paths) {
        const sent = path === "/v1/traces" ? requestBody(json, [{ id: 1 }]) : body(json, [{ event: "a" }]);
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: "POST",
          headers: { "content-type": json },
          body: sent,
        });
        answers.push([answer.status, await answer.text()]);
      }
      return answers;
    } finally {
      await server.close(0);
    }
  }

  it("OTLP-6, OTLP-9: both are served on one port, a sub-path of neither", async () => {
    const paths = ["/v1/logs", "/v1/traces", "/v1/logs", "/v1/logs/", "/v1/logs/x", "/v1/metrics"];
    const answers = await statuses({}, createBench().deps, paths);
    assert.deepEqual(
      answers.map(([status]) => status),
      [200, 200, 200, 404, 404, 404],
    );
    assert.match(answers[3]?.[1] ?? "", /spans to POST \/v1\/traces, log records to POST \/v1\/logs/);
  });

  it("OTLP-6: the path can be another, and without a pipeline of logs there is none", async () => {
    const other = await statuses({ logsUrlPath: "/house/logs" }, createBench().deps, [
      "/house/logs",
      "/v1/logs",
    ]);
    assert.deepEqual(
      other.map(([status]) => status),
      [200, 404],
    );
    const none = await statuses({}, null, ["/v1/logs", "/v1/traces"]);
    assert.deepEqual(
      none.map(([status]) => status),
      [404, 200],
    );
  });
});
