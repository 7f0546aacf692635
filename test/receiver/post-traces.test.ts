/** The status codes are a contract with senders: each row here is one promise, without a socket. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { postTraces } from "../../src/receiver/post-traces.ts";
import { request, type Sent, send } from "./plain-request.ts";
import { createBench } from "./support.ts";
import { bothTypes, json, requestBody, responseOf, spanIdOf, statusOf } from "./wire.ts";

const limit = 100_000;
const oneSpan = [{ id: 1 }];

for (const type of bothTypes) {
  const encoding = type === json ? "json" : "protobuf";
  const good = requestBody(type, oneSpan);

  describe(`POST /v1/traces, ${encoding}: status codes`, () => {
    const padding = Buffer.alloc(limit + 1, 0x20);
    const rows: readonly (Sent & {
      readonly name: string;
      readonly status: number;
      readonly says?: RegExp;
      readonly replyHeaders?: Readonly<Record<string, string>>;
      /** Nothing of the body was consumed. */
      readonly unread?: boolean;
    })[] = [
      { name: "OTLP-1, OTLP-2: a good body", body: good, status: 200 },
      { name: "OTLP-4: an empty body", body: Buffer.alloc(0), status: 200 },
      { name: "OTLP-4: no spans in it", body: requestBody(type, []), status: 200 },
      ...["GET", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH"].map((method) => ({
        name: `OTLP-5: ${method}`,
        method,
        status: 405,
        says: /POST/,
        replyHeaders: { allow: "POST" },
        unread: true,
      })),
      { name: "OTLP-8: a parameter", type: `${type}; charset=utf-8`, body: good, status: 200 },
      { name: "OTLP-8: in upper case", type: type.toUpperCase(), body: good, status: 200 },
      { name: "OTLP-12: gzip", coding: "gzip", body: gzipSync(good), status: 200 },
      { name: "OTLP-12: gzip in upper case", coding: "GZIP", body: gzipSync(good), status: 200 },
      { name: "OTLP-12: gzip by its old name", coding: "x-gzip", body: gzipSync(good), status: 200 },
      { name: "OTLP-12: identity", coding: "identity", body: good, status: 200 },
      { name: "OTLP-12: an empty Content-Encoding", coding: "", body: good, status: 200 },
      { name: "OTLP-13: gzip that is none", coding: "gzip", body: good, status: 400, says: /not gzip/ },
      {
        name: "OTLP-14: truncated gzip",
        coding: "gzip",
        body: gzipSync(good).subarray(0, -5),
        status: 400,
        says: /ends too early/,
      },
      {
        name: "OTLP-14: gzip with garbage behind",
        coding: "gzip",
        body: Buffer.concat([gzipSync(good), Buffer.from("garbage")]),
        status: 400,
        says: /gzip/,
      },
      {
        name: "OTLP-14: gzip of two members",
        coding: "gzip",
        body: Buffer.concat([gzipSync(good.subarray(0, 20)), gzipSync(good.subarray(20))]),
        status: 200,
      },
      ...["br", "zstd", "deflate", "snappy", "gzip, br", "nonsense"].map((coding) => ({
        name: `OTLP-15: Content-Encoding ${coding}`,
        coding,
        body: good,
        status: 415,
        says: new RegExp(`"${coding.split(", ").at(-1)}" is not taken; send gzip, or identity`),
        replyHeaders: { "accept-encoding": "gzip" },
        unread: true,
      })),
      {
        name: "OTLP-16: a byte above the limit",
        body: padding,
        headers: { "content-length": "", "transfer-encoding": "chunked" },
        status: 413,
        says: /limit of 100000 bytes/,
      },
      {
        name: "OTLP-17: inflates above the limit",
        coding: "gzip",
        body: gzipSync(padding),
        status: 413,
        says: /inflates/,
      },
      {
        name: "OTLP-18: declares more than the limit",
        body: good,
        headers: { "content-length": String(limit + 1) },
        status: 413,
        says: /Content-Length/,
        unread: true,
      },
      { name: "OTLP-23: undecodable", body: Buffer.from("\x0f\xff{"), status: 400, says: /./ },
      {
        name: "a transfer coding within the chunks",
        body: good,
        headers: { "transfer-encoding": "gzip, chunked" },
        status: 400,
        says: /Content-Encoding/,
        unread: true,
      },
    ];

    for (const { name, status, says, replyHeaders = {}, unread = false, ...sent } of rows) {
      it(`${name} → ${status}`, async () => {
        const bench = createBench({ maxBodyBytes: limit });
        const sentRequest = request({ type, ...sent });

        const reply = await postTraces(sentRequest, bench.deps);

        assert.ok(reply !== null);
        assert.equal(reply.status, status);
        assert.equal(reply.headers["content-type"], type, "the answer's encoding is the request's");
        for (const [header, value] of Object.entries(replyHeaders))
          assert.equal(reply.headers[header], value);
        if (unread) assert.equal(sentRequest.wasRead(), false, "the body was read");
        if (status === 200) {
          assert.deepEqual(responseOf(type, reply.body), {}, "OTLP-3: no partial_success on full success");
        } else {
          const message = statusOf(type, reply.body).message ?? "";
          assert.match(message, says ?? /./, "OTLP-24: a Status in the request's encoding");
        }
        assert.deepEqual(bench.telemetry.requests, {
          [`${encoding} ${status === 200 ? "accepted" : "rejected"}`]: 1,
        });
        assert.deepEqual(bench.telemetry.rejected, {});
        assert.deepEqual(bench.faults, []);
        assert.equal(bench.deps.admission.inFlightBytes, 0, "memory that was not given back");
      });
    }

    it("OTLP-3: the bytes of a full success are none in protobuf, {} in JSON", async () => {
      const reply = await send({ type, body: good }, createBench().deps);
      assert.equal(Buffer.from(reply.body).toString(), type === json ? "{}" : "");
    });

    it("OTLP-16: a body of exactly the limit is taken", async () => {
      const reply = await send({ type, body: good }, createBench({ maxBodyBytes: good.length }).deps);
      assert.equal(reply.status, 200);
    });

    it("OTLP-19: the limit is what the configuration says", async () => {
      const { deps } = createBench({ maxBodyBytes: good.length - 1 });
      assert.equal((await send({ type, body: good }, deps)).status, 413);
    });

    it("hands on what was sent, with who and how", async () => {
      const bench = createBench();
      await send({ type, body: requestBody(type, [{ id: 1 }, { id: 2 }]) }, bench.deps);

      assert.equal(bench.taken.length, 1);
      const [{ spans, meta } = { spans: [], meta: null }] = bench.taken;
      assert.deepEqual(
        spans.map((span) => span.spanId),
        [spanIdOf({ id: 1 }), spanIdOf({ id: 2 })],
      );
      assert.equal(spans[0]?.end, 1767225601000000001n, "to the last digit");
      assert.deepEqual(meta, { transport: "http", encoding, source: null });
      assert.deepEqual(bench.telemetry.spans, { [`${encoding} accepted`]: 2 });
    });

    it("counts bytes as they came over the wire", async () => {
      const bench = createBench();
      const body = gzipSync(good);
      await send({ type, coding: "gzip", body }, bench.deps);
      assert.deepEqual(bench.telemetry.bytes, { [`${encoding} accepted`]: body.length });
    });
  });
}
