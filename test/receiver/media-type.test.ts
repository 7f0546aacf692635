import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodingOf } from "../../src/receiver/media-type.ts";
import { postTraces } from "../../src/receiver/post-traces.ts";
import { request } from "./plain-request.ts";
import { createBench } from "./support.ts";
import { json, protobufType, requestBody, statusOf } from "./wire.ts";

const oneSpan = [{ id: 1 }];

describe("POST /v1/traces: Content-Type", () => {
  const rows = [
    { type: undefined, says: /no Content-Type/ },
    { type: "", says: /not taken/ },
    { type: "text/plain", says: /"text\/plain" is not taken/ },
    { type: "application/x-protobuf+json", says: /not taken/ },
    { type: "application/jsonp", says: /not taken/ },
    { type: "multipart/form-data; boundary=x", says: /not taken/ },
    { type: `x/${"y".repeat(10_000)}`, says: /…" is not taken/ },
  ];
  for (const { type, says } of rows) {
    it(`OTLP-7: ${type === undefined ? "none" : JSON.stringify(type.slice(0, 40))} → 415, nothing consumed`, async () => {
      const bench = createBench();
      const sent = request({ type, body: requestBody(json, oneSpan) });
      const reply = await postTraces(sent, bench.deps);

      assert.equal(reply?.status, 415);
      assert.equal(reply?.headers["content-type"], json, "OTLP-24: JSON where the encoding is unknown");
      assert.equal(reply?.headers.accept, "application/x-protobuf, application/json");
      const { message = "" } = statusOf(json, reply?.body ?? Buffer.alloc(0));
      assert.match(message, says);
      assert.match(message, /application\/x-protobuf or application\/json$/);
      assert.ok(message.length < 300);
      assert.equal(sent.wasRead(), false);
      assert.deepEqual(bench.telemetry.requests, { "unknown rejected": 1 });
    });
  }

  for (const { given, want } of [
    { given: " application/json ", want: "json" },
    { given: "Application/JSON;charset=UTF-8", want: "json" },
    { given: 'application/x-protobuf ; messageType="x"', want: "protobuf" },
    { given: "application/protobuf", want: null },
    { given: "json", want: null },
  ]) {
    it(`OTLP-8: ${JSON.stringify(given)} is ${want}`, () => assert.equal(encodingOf(given), want));
  }

  it("keeps the words of the wire", () => assert.equal(protobufType, "application/x-protobuf"));
});
