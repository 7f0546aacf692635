/** What only a socket can show: connections, framing, paths. Every test has a server of its own. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import express from "express";
import { bounded, chunk, createBench, head, lastChunk, openRaw, withServer } from "./support.ts";
import { bothTypes, json, type MediaType, protobufType, requestBody, responseOf, statusOf } from "./wire.ts";

const good = (type: MediaType): Buffer => requestBody(type, [{ id: 1 }]);

function post(type: MediaType, body: Uint8Array, more: Readonly<Record<string, string>> = {}): Buffer {
  const headers = { "content-type": type, "content-length": body.length, ...more };
  return Buffer.concat([Buffer.from(head(headers)), body]);
}

describe("HTTP server: one good request", bounded, () => {
  for (const type of bothTypes) {
    it(`OTLP-1, OTLP-2, OTLP-3: ${type} → 200 in the same encoding, without partial_success`, async () => {
      const bench = createBench();
      await withServer(bench, async ({ url }) => {
        const headers = { "content-type": type };
        const response = await fetch(url, { method: "POST", headers, body: good(type) });

        assert.equal(response.status, 200);
        assert.equal(response.headers.get("content-type"), type);
        assert.deepEqual(responseOf(type, await response.bytes()), {});
        assert.equal(bench.taken.length, 1);
      });
    });

    it(`OTLP-4: ${type}, an empty body → 200, nothing rejected`, async () => {
      const bench = createBench();
      await withServer(bench, async ({ url }) => {
        const response = await fetch(url, { method: "POST", headers: { "content-type": type } });
        assert.equal(response.status, 200);
        assert.deepEqual(responseOf(type, await response.bytes()), {});
        assert.deepEqual(bench.telemetry.spans, {});
      });
    });

    it(`OTLP-12: ${type}, gzip`, async () => {
      await withServer(createBench(), async ({ url }) => {
        const headers = { "content-type": type, "content-encoding": "gzip" };
        const response = await fetch(url, { method: "POST", headers, body: gzipSync(good(type)) });
        assert.equal(response.status, 200);
      });
    });
  }
});

describe("HTTP server: paths and methods", bounded, () => {
  const otherPaths = [
    "/v1/traces/",
    "/v1/traces/x",
    "/V1/traces",
    "//v1/traces",
    "/v1/trace%73",
    "/v1/metrics",
    "/v1/logs",
    "/v1development/profiles",
    "/",
    "*",
  ];
  it("OTLP-6: any other path → 404 with a Status, a trailing slash and a sub-path included", async () => {
    const bench = createBench();
    await withServer(bench, async ({ port }) => {
      const connection = await openRaw(port);
      for (const path of otherPaths) {
        for (const type of bothTypes) {
          const body = good(type);
          connection.write(head({ "content-type": type, "content-length": body.length }, path));
          connection.write(body);
          const reply = await connection.reply();
          assert.equal(reply.status, 404, path);
          assert.equal(reply.headers.get("content-type"), type, "OTLP-24");
          assert.match(statusOf(type, reply.body).message ?? "", /POST \/v1\/traces$/);
        }
      }
      assert.deepEqual(bench.taken, []);
      connection.socket.destroy();
    });
  });

  for (const target of ["/v1/traces?a=b", "http://elsewhere/v1/traces", "HTTPS://elsewhere:1/v1/traces?x"]) {
    it(`OTLP-6: ${target} is the path`, async () => {
      await withServer(createBench(), async ({ port }) => {
        const connection = await openRaw(port);
        connection.write(head({ "content-type": json, "content-length": 0 }, target));
        assert.equal((await connection.reply()).status, 200);
        connection.socket.destroy();
      });
    });
  }

  it("OTLP-6: a configured path works, and the default then does not", async () => {
    const config = { tracesUrlPath: "/otlp/spans" };
    await withServer(
      createBench(),
      async ({ url, port }) => {
        const send = { method: "POST", headers: { "content-type": json }, body: "{}" };
        assert.match(url, /\/otlp\/spans$/);
        assert.equal((await fetch(url, send)).status, 200);
        assert.equal((await fetch(`http://127.0.0.1:${port}/v1/traces`, send)).status, 404);
        assert.equal((await fetch(`${url}/`, send)).status, 404);
      },
      { config },
    );
  });

  it("OTLP-5: GET, PUT and HEAD → 405 with Allow, and the connection lives on", async () => {
    await withServer(createBench(), async ({ port }) => {
      const connection = await openRaw(port);
      for (const method of ["GET", "PUT", "HEAD"]) {
        connection.write(`${method} /v1/traces HTTP/1.1\r\nhost: test\r\n\r\n`);
        const reply = await connection.reply({ bodiless: method === "HEAD" });
        assert.equal(reply.status, 405);
        assert.equal(reply.headers.get("allow"), "POST");
        if (method !== "HEAD") assert.match(statusOf(json, reply.body).message ?? "", /POST/);
      }
      connection.write(post(json, good(json)));
      assert.equal((await connection.reply()).status, 200);
      connection.socket.destroy();
    });
  });

  it("leaves other paths to the fallback, and keeps those of OTLP", async () => {
    const app = express();
    app.get("/hello", (_request, response) => void response.send("from express"));
    app.post("/v1/traces/", (_request, response) => void response.status(418).end());
    await withServer(
      createBench(),
      async ({ url, port }) => {
        const send = { method: "POST", headers: { "content-type": json }, body: "{}" };
        const hello = await fetch(`http://127.0.0.1:${port}/hello`);
        assert.equal(await hello.text(), "from express");
        assert.equal((await fetch(url, send)).status, 200);
        assert.equal((await fetch(`${url}/`, send)).status, 404);
        assert.equal((await fetch(`http://127.0.0.1:${port}/v1/logs`, send)).status, 404);
      },
      { fallback: app },
    );
  });
});

describe("HTTP server: connections", bounded, () => {
  it("OTLP-9, OTLP-10: 1000 requests on one connection, both encodings and gzip in turn", async () => {
    const bench = createBench();
    await withServer(bench, async ({ port }) => {
      const connection = await openRaw(port);
      for (let i = 0; i < 1000; i += 1) {
        const type = i % 2 === 0 ? json : protobufType;
        const body = good(type);
        connection.write(
          i % 3 === 0 ? post(type, gzipSync(body), { "content-encoding": "gzip" }) : post(type, body),
        );
        const reply = await connection.reply();
        assert.equal(reply.status, 200);
        assert.equal(reply.headers.get("content-type"), type);
      }
      assert.equal(bench.taken.length, 1000);
      connection.socket.destroy();
    });
  });

  for (const type of bothTypes) {
    it(`OTLP-10: ${type} in chunks of any size, without Content-Length`, async () => {
      const bench = createBench();
      await withServer(bench, async ({ port }) => {
        const connection = await openRaw(port);
        for (const size of [1, 7, 1000]) {
          const body = good(type);
          connection.write(head({ "content-type": type, "transfer-encoding": "chunked" }));
          for (let at = 0; at < body.length; at += size)
            connection.write(chunk(body.subarray(at, at + size)));
          connection.write(lastChunk);
          assert.equal((await connection.reply()).status, 200, `chunks of ${size}`);
        }
        assert.equal(bench.taken.length, 3);
        assert.deepEqual(bench.taken[1]?.spans, bench.taken[0]?.spans);
        connection.socket.destroy();
      });
    });
  }

  it("answers pipelined requests in their order", async () => {
    await withServer(createBench(), async ({ port }) => {
      const connection = await openRaw(port);
      const bad = Buffer.from("[");
      const requests = [good(json), bad, good(json), good(json), bad].map((body) => post(json, body));
      connection.write(Buffer.concat(requests));

      const statuses: number[] = [];
      for (const _ of requests) statuses.push((await connection.reply()).status);
      assert.deepEqual(statuses, [200, 400, 200, 200, 400]);
      connection.socket.destroy();
    });
  });

  it("OTLP-10: Expect: 100-continue is answered, then the request", async () => {
    const bench = createBench();
    await withServer(bench, async ({ port }) => {
      const connection = await openRaw(port);
      const body = good(protobufType);
      const headers = { "content-type": protobufType, "content-length": body.length, expect: "100-continue" };
      connection.write(head(headers));
      assert.equal((await connection.reply()).status, 100);
      connection.write(body);
      assert.equal((await connection.reply()).status, 200);
      assert.equal(bench.taken.length, 1);
      connection.socket.destroy();
    });
  });

  for (const { name, headers, status } of [
    { name: "an unknown type", headers: { "content-type": "text/plain", "content-length": 10 }, status: 415 },
    { name: "too much", headers: { "content-type": json, "content-length": 1e10 }, status: 413 },
    {
      name: "an unknown coding",
      headers: { "content-type": json, "content-encoding": "br", "content-length": 9 },
      status: 415,
    },
  ]) {
    it(`OTLP-10, OTLP-18: with ${name}, Expect: 100-continue is answered ${status} and the body never asked for`, async () => {
      await withServer(createBench(), async ({ port }) => {
        const connection = await openRaw(port);
        connection.write(head({ ...headers, expect: "100-continue" }));
        const reply = await connection.reply();
        assert.equal(reply.status, status);
        assert.equal(reply.headers.get("connection"), "close", "framing is lost where the body may yet come");
        connection.socket.destroy();
      });
    });
  }

  it("any other Expect → 417 with a Status", async () => {
    await withServer(createBench(), async ({ port }) => {
      const connection = await openRaw(port);
      connection.write(head({ "content-type": protobufType, "content-length": 1, expect: "a-miracle" }));
      const reply = await connection.reply();
      assert.equal(reply.status, 417);
      assert.match(statusOf(protobufType, reply.body).message ?? "", /100-continue/);
      connection.socket.destroy();
    });
  });

  it("OTLP-7: a small body that was refused is read away, and the connection lives on", async () => {
    await withServer(createBench(), async ({ port }) => {
      const connection = await openRaw(port);
      for (const [type, status] of [
        ["text/plain", 415],
        [json, 200],
        ["text/plain", 415],
        [json, 200],
      ] as const) {
        const body = good(json);
        connection.write(head({ "content-type": type, "content-length": body.length }));
        const [start, rest] = [body.subarray(0, 10), body.subarray(10)];
        connection.write(start);
        // A refusal comes before the rest is sent; a good request waits for it.
        if (status === 415) assert.equal((await connection.reply()).status, status);
        connection.write(rest);
        if (status === 200) assert.equal((await connection.reply()).status, status);
      }
      connection.socket.destroy();
    });
  });

  for (const framing of ["content-length", "transfer-encoding"] as const) {
    it(`OTLP-16: a sender that goes on sending past a 413 reads it, and is not reset (${framing})`, async () => {
      const limit = 1024 * 1024;
      await withServer(createBench({ maxBodyBytes: limit }), async ({ port }) => {
        const connection = await openRaw(port);
        // Many times the limit: more than the kernel's buffers take, so that an early close cannot go unseen.
        const pieces = Array.from({ length: 32 }, () => Buffer.alloc(limit / 2, 0x20));
        connection.write(
          head({
            "content-type": json,
            [framing]: framing === "content-length" ? (pieces.length * limit) / 2 : "chunked",
          }),
        );
        for (const piece of pieces) connection.write(framing === "content-length" ? piece : chunk(piece));
        if (framing === "transfer-encoding") connection.write(lastChunk);

        const reply = await connection.reply();
        assert.equal(reply.status, 413);
        assert.equal(reply.headers.get("connection"), "close");
        assert.match(statusOf(json, reply.body).message ?? "", /limit of 1048576 bytes/);
        await connection.closed();
        assert.equal(connection.error(), null);
      });
    });
  }

  it("OTLP-25: a body that is refused half-way is read away, and the connection lives on", async () => {
    const bench = createBench({ maxInFlightBytes: 1_000 });
    const other = bench.deps.admission.enter();
    assert.ok("lease" in other);
    other.lease.grow(900);
    await withServer(bench, async ({ port }) => {
      const connection = await openRaw(port);
      connection.write(head({ "content-type": json, "content-length": 500_000 }));
      connection.write(Buffer.alloc(1_000, 0x20));
      assert.equal((await connection.reply()).status, 503);
      connection.write(Buffer.alloc(499_000, 0x20));

      other.lease.release();
      connection.write(post(json, good(json)));
      assert.equal((await connection.reply()).status, 200);
      connection.socket.destroy();
    });
  });

  it("a sender that goes away in the middle harms nobody", async () => {
    const bench = createBench();
    await withServer(bench, async ({ port, url }) => {
      const connection = await openRaw(port);
      connection.write(head({ "content-type": json, "content-length": 1000, expect: "100-continue" }));
      await connection.reply();
      connection.write(Buffer.alloc(500, 0x20));
      connection.socket.destroy();
      await bench.telemetry.counted(1);

      const response = await fetch(url, { method: "POST", headers: { "content-type": json }, body: "{}" });
      assert.equal(response.status, 200);
      assert.equal(bench.deps.admission.inFlightBytes, 0);
      assert.deepEqual(bench.telemetry.requests, { "json aborted": 1, "json accepted": 1 });
      assert.deepEqual(bench.faults, []);
    });
  });

  for (const { name, bytes, status } of [
    { name: "no HTTP", bytes: "hello there\r\n\r\n", status: 400 },
    { name: "HTTP/2 without negotiation", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", status: 400 },
    { name: "two lengths", bytes: head({ "content-length": "1, 2" }), status: 400 },
    {
      name: "length and chunks",
      bytes: head({ "content-length": 1, "transfer-encoding": "chunked" }),
      status: 400,
    },
    { name: "an endless header", bytes: head({ "content-type": "x".repeat(20_000) }), status: 431 },
  ]) {
    it(`${name} → ${status} with a Status, and the connection is closed`, async () => {
      await withServer(createBench(), async ({ port }) => {
        const connection = await openRaw(port);
        connection.write(bytes);
        const reply = await connection.reply();
        assert.equal(reply.status, status);
        assert.notEqual(statusOf(json, reply.body).message ?? "", "");
        await connection.closed();
      });
    });
  }
});
