/** No input gives a 5xx, a fault, a hang, or a lease that is not given back. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { postTraces } from "../../src/receiver/post-traces.ts";
import fc from "../support/properties.ts";
import { request } from "./plain-request.ts";
import { createBench } from "./support.ts";
import { bothTypes, json, requestBody, spanIdOf } from "./wire.ts";

const answers = [200, 400, 405, 413, 415];

describe("hostile input", () => {
  for (const type of bothTypes) {
    const good = requestBody(type, [
      { id: 1, attributes: { "gen_ai.tool.name": "search", "gen_ai.tool.call.arguments": '{"q":1}' } },
      { id: 2, attributes: { __proto__: "x", constructor: "y" } },
    ]);

    it(`${type}: whatever the bytes and headers, an answer that the sender can act on`, async () => {
      const edits = fc.array(fc.record({ at: fc.nat(good.length - 1), byte: fc.nat(255) }), { maxLength: 6 });
      const body = fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        edits.map((changes) => {
          const copy = Buffer.from(good);
          for (const { at, byte } of changes) copy[at] = byte;
          return copy;
        }),
        fc.nat(good.length).map((end) => good.subarray(0, end)),
        fc.nat(good.length).map((end) => Buffer.concat([good, good.subarray(end)])),
      );
      const coding = fc.constantFrom(undefined, "gzip", "identity", "br", "gzip, gzip", "\u00e9");
      const length = fc.option(fc.constantFrom("", "0", "-1", "x", "1e999", "99999999999999999999"));

      await fc.assert(
        fc.asyncProperty(body, coding, length, fc.boolean(), async (bytes, given, declared, zip) => {
          const bench = createBench({ maxBodyBytes: 10_000 });
          const sent = request({
            type,
            body: zip ? gzipSync(bytes) : bytes,
            ...(given === undefined ? {} : { coding: given }),
            headers: declared === null ? {} : { "content-length": declared },
          });
          const reply = await postTraces(sent, bench.deps);

          assert.ok(answers.includes(reply?.status ?? 0), `answered ${reply?.status}`);
          assert.deepEqual(bench.faults, []);
          assert.equal(bench.deps.admission.inFlightBytes, 0);
        }),
        { numRuns: 400 },
      );
    });
  }

  const deep = (depth: number, open: string, close: string): string =>
    open.repeat(depth) + close.repeat(depth);
  const span = (attribute: string, more = ""): string =>
    `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${"a".repeat(32)}","spanId":"${spanIdOf({ id: 1 })}"${more},"attributes":[${attribute}]}]}]}]}`;
  const nested = (depth: number): string =>
    `${'{"arrayValue":{"values":['.repeat(depth)}{"intValue":"1"}${"]}}".repeat(depth)}`;

  const bodies: readonly {
    readonly name: string;
    readonly body: string;
    readonly status: number;
    readonly taken: number;
  }[] = [
    { name: "a million open brackets", body: deep(1_000_000, "[", "]"), status: 400, taken: 0 },
    { name: "a million open objects", body: deep(1_000_000, '{"a":', "}"), status: 400, taken: 0 },
    { name: "a million open brackets, never closed", body: "[".repeat(1_000_000), status: 400, taken: 0 },
    {
      name: "an unknown key with a value 100,000 deep",
      body: `{"x":${deep(100_000, "[", "]")},"resourceSpans":[]}`,
      status: 200,
      taken: 0,
    },
    {
      name: "an attribute nested 64 deep",
      body: span(`{"key":"a","value":${nested(64)}}`),
      status: 200,
      taken: 1,
    },
    {
      name: "an attribute nested 100,000 deep",
      body: span(`{"key":"a","value":${nested(100_000)}}`),
      status: 200,
      taken: 0,
    },
    {
      name: "200,000 attributes on one span",
      body: span(
        Array.from({ length: 200_000 }, (_, i) => `{"key":"k${i}","value":{"intValue":"1"}}`).join(),
      ),
      status: 200,
      taken: 1,
    },
    {
      name: "one attribute key 200,000 times",
      body: span('{"key":"k","value":{"intValue":"1"}},'.repeat(200_000).slice(0, -1)),
      status: 200,
      taken: 1,
    },
    {
      name: "keys that JavaScript objects have",
      body: span(
        ["__proto__", "constructor", "toString", "hasOwnProperty"]
          .map(
            (key) =>
              `{"key":"${key}","value":{"kvlistValue":{"values":[{"key":"${key}","value":{"boolValue":true}}]}}}`,
          )
          .join(),
        ',"__proto__":{"traceId":"x"},"constructor":1,"toString":null',
      ),
      status: 200,
      taken: 1,
    },
    {
      name: "a number of 100,000 digits",
      body: span(`{"key":"a","value":{"intValue":${"9".repeat(100_000)}}}`),
      status: 200,
      taken: 0,
    },
    {
      name: "100,000 empty spans",
      body: `{"resourceSpans":[{"scopeSpans":[{"spans":[${"{},".repeat(99_999)}{}]}]}]}`,
      status: 200,
      taken: 0,
    },
    {
      name: "the wrong shape everywhere",
      body: '{"resourceSpans":[1,"x",null,[],{"scopeSpans":{"spans":3}}]}',
      status: 400,
      taken: 0,
    },
    { name: "a bare value", body: '"resourceSpans"', status: 400, taken: 0 },
    { name: "null", body: "null", status: 400, taken: 0 },
    { name: "spaces only", body: "   ", status: 400, taken: 0 },
  ];
  for (const { name, body, status, taken } of bodies) {
    it(`${name} → ${status}, ${taken} taken`, async () => {
      const bench = createBench();
      const reply = await postTraces(request({ type: json, body: Buffer.from(body) }), bench.deps);

      assert.equal(
        reply?.status,
        status,
        Buffer.from(reply?.body ?? [])
          .toString()
          .slice(0, 300),
      );
      assert.equal(bench.taken.flatMap(({ spans }) => spans).length, taken);
      assert.deepEqual(bench.faults, []);
      assert.equal(Object.hasOwn(Object.prototype, "traceId"), false);
    });
  }
});
