/** What users of such receivers have reported, as far as it is a matter of request and answer. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { type Bench, createBench, withServer } from "./support.ts";
import { bothTypes, json, type MediaType, protobufType, requestBody, responseOf, statusOf } from "./wire.ts";

const report = (file: string): Buffer =>
  readFileSync(new URL(`../field-reports/data/${file}`, import.meta.url));

function spanNames(bench: Bench): readonly string[] {
  return bench.taken.flatMap(({ spans }) => spans.map((span) => span.name));
}

async function send(url: string, headers: Readonly<Record<string, string>>, body: Uint8Array) {
  // fetch sets text/plain by itself for strings only; bytes go without a type.
  const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    body: await response.bytes(),
  };
}

describe("field reports, over HTTP", () => {
  it("P01: base64 ids → 200, both spans rejected with a message that names the field, nothing taken", async () => {
    const bench = createBench();
    await withServer(bench, async ({ url }) => {
      const reply = await send(url, { "content-type": json }, report("P01.json"));
      const { partialSuccess } = responseOf(json, reply.body);

      assert.equal(reply.status, 200);
      assert.equal(partialSuccess?.rejectedSpans, 2);
      assert.match(partialSuccess?.errorMessage ?? "", /traceId.*(base64|hex)/);
      assert.deepEqual(bench.taken, []);
    });
  });

  it("P05: a wrong type, or none, → 415 that names both right ones, nothing taken", async () => {
    const bench = createBench();
    await withServer(bench, async ({ url }) => {
      for (const headers of [{ "content-type": "text/plain" }, {}]) {
        const reply = await send(url, headers, report("P05.json"));
        const { message = "" } = statusOf(json, reply.body);
        assert.equal(reply.status, 415);
        assert.match(message, /application\/json/);
        assert.match(message, /application\/x-protobuf/);
      }
      assert.deepEqual(bench.taken, []);
    });
  });

  it("P15: one good span and one with over-long ids → 200, one rejected, one taken", async () => {
    const bench = createBench();
    await withServer(bench, async ({ url }) => {
      const reply = await send(url, { "content-type": protobufType }, report("P15.pb"));
      const { partialSuccess } = responseOf(protobufType, reply.body);

      assert.equal(reply.status, 200);
      assert.equal(partialSuccess?.rejectedSpans, 1);
      assert.match(partialSuccess?.errorMessage ?? "", /trace_?id.*32.*16/i);
      assert.deepEqual(spanNames(bench), ["execute_tool good"]);
    });
  });

  it("P17: 200 MiB of spaces behind a good body, gzipped → 413, while the body alone → 200", async () => {
    const limit = 64 * 1024 * 1024;
    const bench = createBench({ maxBodyBytes: limit });
    const plain = report("P17.json");
    const padded = gzipSync(Buffer.concat([plain, Buffer.alloc(200 * 1024 * 1024, 0x20)]));
    await withServer(bench, async ({ url }) => {
      const headers = { "content-type": json, "content-encoding": "gzip" };
      const [bombed, alone] = await Promise.all([
        send(url, headers, padded),
        send(url, { "content-type": json }, plain),
      ]);
      assert.equal(bombed.status, 413);
      assert.equal(bombed.type, json);
      assert.equal(alone.status, 200);
      assert.equal(spanNames(bench).length, 2);
    });
  });

  for (const type of bothTypes) {
    it(`P19: a good body (${type}) → an answer that nobody can take for a failure`, async () => {
      await withServer(createBench(), async ({ url }) => {
        const body = type === json ? report("P19.json") : requestBody(type, [{ id: 1 }]);
        const reply = await send(url, { "content-type": type }, body);
        assert.equal(reply.status, 200);
        assert.equal(reply.type, type);
        assert.equal(Buffer.from(reply.body).toString(), emptyAnswer(type));
      });
    });
  }

  it("P23: a body that was cut off → 400 with a Status, nothing taken, and the next one → 200", async () => {
    const bench = createBench();
    await withServer(bench, async ({ url }) => {
      const cut = await send(url, { "content-type": json }, report("P23.json"));
      const { code, message = "" } = statusOf(json, cut.body);
      assert.equal(cut.status, 400);
      assert.equal(cut.type, json);
      assert.equal(code, 3);
      assert.notEqual(message, "");
      assert.deepEqual(bench.taken, []);

      const next = await send(url, { "content-type": json }, report("P19.json"));
      assert.equal(next.status, 200);
    });
  });
});

function emptyAnswer(type: MediaType): string {
  return type === json ? "{}" : "";
}
