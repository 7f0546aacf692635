/** Input that is too much of something. Nothing here is timed: what would not end, or end the process, fails by that. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AttributePlan, everything } from "../../src/model/attribute-plan.ts";
import type { DecodedTraces } from "../../src/model/span.ts";
import type { Value, ValueObject } from "../../src/model/value.ts";
import { decodeTracesJson } from "../../src/otlp/decode-json.ts";
import { type DecodeLimits, defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import { decodeTracesProtobuf } from "../../src/otlp/decode-protobuf.ts";
import { encodeTraces } from "../../src/otlp/encode-trace.ts";
import { attribute, bytesOf, field, requestOf, spanIdHex, spanOf, traceIdHex } from "./bytes.ts";

const wanted = (...keys: readonly string[]): AttributePlan => ({
  span: { exact: new Set(keys), prefixes: [] },
  event: { exact: new Set(keys), prefixes: [] },
});

const text = (value: string): Uint8Array => field(1, value);

/** The same spans in both encodings; the JSON is made from what protobuf gave, with everything kept. */
function inBoth(body: Uint8Array, plan: AttributePlan, limits: DecodeLimits): readonly DecodedTraces[] {
  const generous: DecodeLimits = { maxNesting: 64, maxAttributes: 1e7, maxValues: 1e7 };
  const json = encodeTraces("json", decodeTracesProtobuf(body, everything, generous).spans);
  return [decodeTracesProtobuf(body, plan, limits), decodeTracesJson(json, plan, limits)];
}

describe("hostile input", () => {
  it("an attribute of 10 MB, wanted and not", () => {
    const long = "ü".repeat(5_000_000);
    const body = requestOf(spanOf(attribute("long", text(long)), attribute("a", text("b"))));
    for (const { spans } of inBoth(body, wanted("a"), defaultDecodeLimits)) {
      assert.deepEqual(spans[0]?.attributes, new Map([["a", "b"]]));
    }
    for (const { spans } of inBoth(body, wanted("long"), defaultDecodeLimits)) {
      assert.equal(spans[0]?.attributes.get("long"), long);
    }
  });

  it("a million attributes of which the last is wanted", () => {
    const one = attribute("unwanted.key", text("v"));
    const many = Buffer.alloc(one.length * 1_000_000, one);
    const body = requestOf(spanOf(many, attribute("last", text("x"))));
    const pair = (key: string): string => `{"key":"${key}","value":{"stringValue":"x"}}`;
    const pairs = `${`${pair("unwanted.key")},`.repeat(1_000_000)}${pair("last")}`;
    const json = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${traceIdHex}","spanId":"${spanIdHex}","attributes":[${pairs}]}]}]}]}`;
    const plan = wanted("last");
    for (const { spans } of [
      decodeTracesProtobuf(body, plan, defaultDecodeLimits),
      decodeTracesJson(Buffer.from(json), plan, defaultDecodeLimits),
    ]) {
      assert.deepEqual(spans[0]?.attributes, new Map([["last", "x"]]));
      assert.equal(spans[0]?.droppedAttributes, 0);
    }
  });

  it("attributes past the limit are counted as dropped, and keys already kept still change", () => {
    const many = Array.from({ length: 50 }, (_, index) => attribute(`k${index}`, text("v")));
    const body = requestOf(spanOf(...many, attribute("k0", text("new"))));
    // JSON is written from a map, in which k0 has its last value already.
    for (const { spans } of inBoth(body, everything, { ...defaultDecodeLimits, maxAttributes: 20 })) {
      assert.equal(spans[0]?.attributes.size, 20);
      assert.equal(spans[0]?.attributes.get("k0"), "new");
      assert.equal(spans[0]?.droppedAttributes, 30);
    }
  });

  it("a span that would pass the values of a request is refused, and small ones before it are kept", () => {
    const limits = { ...defaultDecodeLimits, maxValues: 1_000 };
    const elements = Array.from({ length: 2_000 }, () => field(1, text("x")));
    const bodies = [
      requestOf(spanOf(field(5, "small")), spanOf(attribute("a", field(5, ...elements)))),
      requestOf(
        spanOf(field(5, "small")),
        spanOf(...Array.from({ length: 2_000 }, () => field(11, field(2, "e")))),
      ),
      requestOf(
        spanOf(field(5, "small")),
        spanOf(
          attribute("a", field(6, ...Array.from({ length: 2_000 }, (_, i) => field(1, field(1, `k${i}`))))),
        ),
      ),
    ];
    for (const body of bodies) {
      for (const { spans, rejections } of inBoth(body, everything, limits)) {
        assert.deepEqual(
          spans.map((span) => span.name),
          ["small"],
        );
        assert.equal(rejections[0]?.reason, "value");
        assert.match(rejections[0]?.message ?? "", /above 1000; send fewer spans/);
      }
    }
  });

  it("millions of empty spans, events and messages stay within memory and are counted", () => {
    const spans = Buffer.alloc(2_000_000, bytesOf(field(2)));
    const body = field(1, field(2, spans));
    const { rejections } = decodeTracesProtobuf(body, everything, defaultDecodeLimits);
    assert.equal(rejections[0]?.count, 1_000_000);

    const events = Buffer.alloc(6_000_000, bytesOf(field(11)));
    const result = decodeTracesProtobuf(requestOf(spanOf(events)), everything, defaultDecodeLimits);
    assert.deepEqual(result.spans, []);
    assert.equal(result.rejections[0]?.reason, "value");

    const resources = Buffer.alloc(2_000_000, bytesOf(field(1)));
    assert.deepEqual(decodeTracesProtobuf(resources, everything, defaultDecodeLimits).spans, []);
  });

  it("messages of refused spans are bounded, whatever is sent", () => {
    const spans = Array.from({ length: 500 }, (_, index) => bytesOf(field(1, new Uint8Array(index))));
    const { rejections } = decodeTracesProtobuf(requestOf(...spans), everything, defaultDecodeLimits);
    assert.ok(rejections.length <= 4);
    assert.equal(
      rejections.reduce((sum, { count }) => sum + count, 0),
      500,
    );
  });

  it("__proto__ and constructor are keys like any other", () => {
    const pair = (key: string): Uint8Array => field(1, field(1, key), field(2, text("x")));
    const body = requestOf(
      spanOf(
        attribute("__proto__", field(6, pair("__proto__"), pair("toString"))),
        attribute("constructor", text("c")),
      ),
    );
    for (const { spans } of inBoth(body, wanted("__proto__", "constructor"), defaultDecodeLimits)) {
      const attributes = spans[0]?.attributes ?? new Map<string, Value>();
      assert.deepEqual([...attributes.keys()], ["__proto__", "constructor"]);
      const list = attributes.get("__proto__") as ValueObject;
      assert.equal(Object.getPrototypeOf(list), null);
      assert.deepEqual(Object.keys(list), ["__proto__", "toString"]);
    }
    assert.equal((Object.prototype as { x?: string }).x, undefined);
  });

  it("what is kept does not hold on to the body", () => {
    const body = requestOf(spanOf(attribute("b", field(7, new Uint8Array([1, 2, 3])))));
    const [span] = decodeTracesProtobuf(body, everything, defaultDecodeLimits).spans;
    const kept = span?.attributes.get("b");
    body.fill(0);
    assert.deepEqual(kept, new Uint8Array([1, 2, 3]));
    assert.notEqual((kept as Uint8Array).buffer, body.buffer);
    assert.equal(span?.traceId, traceIdHex);
    assert.equal(span?.spanId, spanIdHex);
  });

  it("the body may be a window into a larger buffer", () => {
    const body = requestOf(spanOf(attribute("a", text("b"))));
    const larger = new Uint8Array(body.length + 20).fill(0xff);
    larger.set(body, 7);
    const window = larger.subarray(7, 7 + body.length);
    assert.deepEqual(
      decodeTracesProtobuf(window, everything, defaultDecodeLimits),
      decodeTracesProtobuf(body, everything, defaultDecodeLimits),
    );
  });
});
