/** Bounds and endings of the server: bombs, slow senders, too many of them, and going down. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { defaultHttpReceiver } from "../../src/config/receivers.ts";
import { milliseconds } from "../../src/model/time.ts";
import { createHttpServer } from "../../src/receiver/http-server.ts";
import { ListenError } from "../../src/receiver/listen-error.ts";
import { bounded, chunk, createBench, deferred, head, lastChunk, openRaw, withServer } from "./support.ts";
import { bomb, bothTypes, json, protobufType, requestBody, statusOf } from "./wire.ts";

const good = requestBody(json, [{ id: 1 }]);
const wholeRequest = Buffer.concat([
  Buffer.from(head({ "content-type": json, "content-length": good.length })),
  good,
]);

describe("HTTP server: limits", bounded, () => {
  it("OTLP-19: 64 MiB a request unless the configuration says otherwise", () => {
    assert.equal(defaultHttpReceiver.maxRequestBodyBytes, 64 * 1024 * 1024);
  });

  for (const type of bothTypes) {
    for (const framing of ["declared", "chunked"] as const) {
      it(`OTLP-17: a bomb of 200 MiB (${type}, ${framing}) → 413, and a good request beside it 200`, async () => {
        const limit = 8 * 1024 * 1024;
        const bench = createBench({ maxBodyBytes: limit });
        // Every byte that the body takes passes through its lease.
        let most = 0;
        const { enter } = bench.deps.admission;
        const watched = {
          ...bench.deps.admission,
          enter: () => {
            const entry = enter();
            if (!("lease" in entry)) return entry;
            const { lease } = entry;
            const grow = (bytes: number) => {
              const refusal = lease.grow(bytes);
              most = Math.max(most, bench.deps.admission.inFlightBytes);
              return refusal;
            };
            return { lease: { ...lease, grow } };
          },
        };
        const body = bomb(200 * 1024 * 1024);
        await withServer({ ...bench, deps: { ...bench.deps, admission: watched } }, async ({ port, url }) => {
          const connection = await openRaw(port);
          const headers = { "content-type": type, "content-encoding": "gzip" };
          if (framing === "declared") {
            connection.write(head({ ...headers, "content-length": body.length }));
            connection.write(body);
          } else {
            connection.write(head({ ...headers, "transfer-encoding": "chunked" }));
            connection.write(chunk(body));
            connection.write(lastChunk);
          }
          const beside = fetch(url, {
            method: "POST",
            headers: { "content-type": json, "content-encoding": "gzip" },
            body: gzipSync(good),
          });

          const [reply, other] = await Promise.all([connection.reply(), beside]);
          assert.equal(reply.status, 413);
          assert.equal(reply.headers.get("content-type"), type);
          assert.equal(reply.headers.get("retry-after"), undefined, "not to be sent again");
          assert.equal(other.status, 200);
          assert.ok(most > limit / 2 && most < 2 * limit, `held ${most} bytes under a limit of ${limit}`);
          assert.equal(bench.deps.admission.inFlightBytes, 0);
          connection.socket.destroy();
        });
      });
    }
  }

  it("OTLP-18: a declared length above the limit → 413 before any of it is sent", async () => {
    await withServer(createBench(), async ({ port }) => {
      const connection = await openRaw(port);
      connection.write(head({ "content-type": protobufType, "content-length": 64 * 1024 * 1024 + 1 }));
      const reply = await connection.reply();
      assert.equal(reply.status, 413);
      assert.match(statusOf(protobufType, reply.body).message ?? "", /max_request_body_size/);
      connection.socket.destroy();
    });
  });

  it("OTLP-22: a head that never ends times out with 408", async () => {
    const config = { readHeaderTimeout: milliseconds(50), readTimeout: milliseconds(50) };
    await withServer(
      createBench(),
      async ({ port }) => {
        const connection = await openRaw(port);
        connection.write("POST /v1/traces HTTP/1.1\r\nhost: te");
        assert.equal((await connection.reply()).status, 408);
        await connection.closed();
      },
      { config },
    );
  });

  for (const type of bothTypes) {
    it(`OTLP-22, OTLP-24: a ${type} body that never ends times out with 408, a Status in its encoding`, async () => {
      const config = { readHeaderTimeout: milliseconds(50), readTimeout: milliseconds(50) };
      const bench = createBench();
      await withServer(
        bench,
        async ({ port }) => {
          const connection = await openRaw(port);
          connection.write(head({ "content-type": type, "content-length": 100 }));
          connection.write("{");
          const reply = await connection.reply();
          assert.equal(reply.status, 408);
          assert.equal(reply.headers.get("content-type"), type);
          assert.match(statusOf(type, reply.body).message ?? "", /in time/);
          await connection.closed();
          await bench.telemetry.counted(1);
        },
        { config },
      );
      assert.deepEqual(bench.telemetry.requests, { [`${type === json ? "json" : "protobuf"} aborted`]: 1 });
    });
  }

  it("OTLP-22: connections past the bound are closed, and those within it served", async () => {
    await withServer(
      createBench(),
      async ({ port }) => {
        const [first, second] = [await openRaw(port), await openRaw(port)];
        const third = await openRaw(port);
        await third.closed();
        for (const connection of [first, second]) {
          connection.write(wholeRequest);
          assert.equal((await connection.reply()).status, 200);
          connection.socket.destroy();
        }
      },
      { config: { maxConnections: 2 } },
    );
  });
});

describe("HTTP server: going down", bounded, () => {
  function heldUp() {
    const [asked, journaled] = [deferred<void>(), deferred<{ kind: "accepted" }>()];
    const bench = createBench({
      accept: () => {
        asked.resolve();
        return journaled.promise;
      },
    });
    return { bench, asked: asked.promise, release: () => journaled.resolve({ kind: "accepted" }) };
  }

  it("OTLP-26: while draining a new request → 503 with Retry-After, and one under way finishes", async () => {
    const { bench, asked, release } = heldUp();
    await withServer(bench, async ({ port }) => {
      const [old, young] = [await openRaw(port), await openRaw(port)];
      old.write(wholeRequest);
      await asked;
      bench.deps.admission.drain();

      young.write(wholeRequest);
      const refusal = await young.reply();
      assert.equal(refusal.status, 503);
      assert.match(refusal.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
      assert.equal(refusal.headers.get("connection"), "close");
      await young.closed();

      release();
      assert.equal((await old.reply()).status, 200);
      await old.closed();
    });
  });

  it("OTLP-26: close waits for what is under way, and for nobody who is silent", async () => {
    const { bench, asked, release } = heldUp();
    await withServer(bench, async ({ port, server }) => {
      const [busy, silent, idle] = [await openRaw(port), await openRaw(port), await openRaw(port)];
      idle.write(head({ "content-type": json, "content-length": 0 }));
      assert.equal((await idle.reply()).status, 200);
      busy.write(wholeRequest);
      await asked;

      let closed = false;
      const closing = server.close().then(() => {
        closed = true;
      });
      await Promise.all([silent.closed(), idle.closed()]);
      assert.equal(closed, false);
      await assert.rejects(fetch(`http://127.0.0.1:${port}/`), "no new connections");

      release();
      assert.equal((await busy.reply()).status, 200);
      await closing;
    });
  });

  it("close does not wait for connections whose answer began before it, and then ended", async () => {
    const ended = deferred<void>();
    const fallback = (_request: unknown, response: ServerResponse): void => {
      response.write("begun");
      void ended.promise.then(() => response.end());
    };
    await withServer(
      createBench(),
      async ({ port, server }) => {
        const connection = await openRaw(port);
        connection.write("GET /slow HTTP/1.1\r\nhost: test\r\n\r\n");
        const { status, headers } = await connection.reply();
        assert.equal(status, 200);
        assert.equal(headers.get("connection"), "keep-alive");

        const closing = server.close(10 * bounded.timeout);
        ended.resolve();
        await closing;
      },
      { fallback },
    );
  });

  it("cuts off what is under way when the grace is over", async () => {
    const { bench, asked } = heldUp();
    await withServer(bench, async ({ port, server }) => {
      const connection = await openRaw(port);
      connection.write(wholeRequest);
      await asked;
      await server.close(1);
      await assert.rejects(connection.reply(), /ended/);
    });
  });
});

describe("HTTP server: opening", bounded, () => {
  it("a port in use is an error with its place, cause and cure", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const config = { ...defaultHttpReceiver, endpoint: { host: "127.0.0.1", port } };
      const server = createHttpServer({ config, traces: createBench().deps });
      await assert.rejects(server.listen(), (error) => {
        assert.ok(error instanceof ListenError);
        assert.equal(error.code, "EADDRINUSE");
        assert.equal(error.address, `127.0.0.1:${port}`);
        assert.match(error.message, /^receivers\.otlp\.protocols\.http\.endpoint: cannot listen on 127/);
        assert.match(error.message, /in use by another process\. Stop that one .* or set another port$/);
        return true;
      });
    } finally {
      other.close();
    }
  });

  it("an address that is not ours is an error too", async () => {
    const config = { ...defaultHttpReceiver, endpoint: { host: "192.0.2.1", port: 0 } };
    const server = createHttpServer({ config, traces: createBench().deps });
    await assert.rejects(server.listen(), /EADDRNOTAVAIL|no network interface of this machine/);
  });
});
