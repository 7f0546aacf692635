import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { everything } from "../../src/model/attribute-plan.ts";
import type { Value } from "../../src/model/value.ts";
import {
  attribute,
  bytesOf,
  field,
  fixed64,
  int,
  nested,
  requestOf,
  spanOf,
  tag,
  traceIdHex,
  varint,
} from "./bytes.ts";
import { decode, none, onlySpan, readValue, text } from "./protobuf-support.ts";

describe("values of protobuf traces", () => {
  it("OTLP-41: of attributes with one key the last wins, and the others are counted", () => {
    const body = requestOf(
      spanOf(attribute("a", text("1")), attribute("b", text("2")), attribute("a", text("3"))),
    );
    const { spans, flaws } = decode(body);
    assert.deepEqual(
      spans[0]?.attributes,
      new Map([
        ["a", "3"],
        ["b", "2"],
      ]),
    );
    assert.deepEqual(flaws, new Map([["duplicate_key", 1]]));
  });

  describe("OTLP-42: values nested 64 deep are kept, deeper ones cost their span", () => {
    const scalars = [
      text("x"),
      int(2, 1),
      int(3, 5),
      bytesOf(tag(4, 1), new Uint8Array(8)),
      field(5),
      field(6),
    ];
    for (const [index, scalar] of scalars.entries()) {
      it(`kind ${index + 1}`, () => {
        const depth = index >= 4 ? 63 : 64;
        const deep = attribute("deep", nested(depth, scalar));
        const deeper = attribute("deep", nested(depth + 1, scalar));
        for (const plan of [everything, none]) {
          assert.equal(decode(requestOf(spanOf(deep)), plan).spans.length, 1);
          const { spans, rejections } = decode(requestOf(spanOf(deeper), spanOf()), plan);
          assert.equal(spans.length, 1);
          assert.equal(rejections[0]?.reason, "nesting");
          assert.match(rejections[0]?.message ?? "", /spans\[0\] holds a value nested deeper than 64 levels/);
        }
      });
    }

    it("a hundred thousand levels, wanted or not, do not exhaust the stack", () => {
      // Lengths from the inside out, so that building it is linear.
      const levels = 100_000;
      const parts: Uint8Array[] = [];
      let size = 0;
      for (let level = 0; level < levels; level += 1) {
        const element = bytesOf(tag(1, 2), varint(size));
        const array = bytesOf(tag(5, 2), varint(size + element.length));
        parts.push(element, array);
        size += element.length + array.length;
      }
      const value = Buffer.concat(parts.reverse());
      const body = requestOf(spanOf(attribute("deep", value)), spanOf());
      for (const plan of [everything, none]) {
        const { spans, rejections } = decode(body, plan);
        assert.equal(spans.length, 1);
        assert.equal(rejections[0]?.reason, "nesting");
      }
    });

    it("in a resource it costs the spans of that resource, before and behind it, and no others", () => {
      const deep = field(1, field(1, field(1, "deep"), field(2, nested(65, text("x")))));
      const spans = field(2, field(2, spanOf()), field(2, spanOf()));
      const { spans: kept, rejections } = decode(
        bytesOf(field(1, deep, spans), field(1, spans), field(1, spans, deep)),
      );
      assert.equal(kept.length, 2);
      assert.deepEqual(
        rejections.map(({ reason, count }) => ({ reason, count })),
        [{ reason: "nesting", count: 4 }],
      );
    });
  });

  it("OTLP-43: bytes that are no UTF-8 become U+FFFD and are counted; U+FFFD as sent is not", () => {
    const broken = Buffer.from([0x66, 0xc3, 0x28, 0xff]);
    const body = requestOf(
      spanOf(field(5, broken), attribute("sent", text("\ufffd")), attribute("nul", text("a\0b"))),
    );
    const { spans, flaws } = decode(body);
    assert.equal(spans[0]?.name, "f\ufffd(\ufffd");
    assert.equal(spans[0]?.attributes.get("sent"), "\ufffd");
    assert.equal(spans[0]?.attributes.get("nul"), "a\0b");
    assert.deepEqual(flaws, new Map([["invalid_utf8", 1]]));
    // Encoded surrogates are no UTF-8 either; a byte order mark in a text is a character.
    const more = decode(requestOf(spanOf(field(5, Buffer.from([0xed, 0xa0, 0x80])), field(3, "\ufeffx"))));
    assert.equal(more.flaws.get("invalid_utf8"), 1);
    assert.equal(more.spans[0]?.traceState, "\ufeffx");
  });

  describe("OTLP-46: repeated singular fields, packed values and merged messages", () => {
    it("the last of a repeated scalar wins", () => {
      const span = onlySpan(
        requestOf(bytesOf(field(1, "wrong"), spanOf(field(5, "a"), field(5, "b"), int(6, 1), int(6, 3)))),
      );
      assert.equal(span.traceId, traceIdHex);
      assert.equal(span.name, "b");
      assert.equal(span.kind, 3);
    });

    it("a scalar with the wire type of a packed list is an unknown field", () => {
      const span = onlySpan(requestOf(spanOf(int(6, 2), field(6, varint(5)), field(7, new Uint8Array(16)))));
      assert.equal(span.kind, 2);
      assert.equal(span.start, 0n);
    });

    it("a status in two parts is the two merged", () => {
      const span = onlySpan(requestOf(spanOf(field(15, int(3, 2)), field(15, field(2, "boom")))));
      assert.equal(span.statusCode, 2);
      assert.equal(span.statusMessage, "boom");
    });

    it("a value in two parts: arrays and lists go on, another kind replaces", () => {
      const parts = (...values: readonly Uint8Array[]): Value | undefined =>
        onlySpan(
          requestOf(spanOf(field(9, field(1, "a"), ...values.map((value) => field(2, value))))),
        ).attributes.get("a");
      const array = (value: string): Uint8Array => field(5, field(1, text(value)));
      const pair = (key: string): Uint8Array => field(6, field(1, field(1, key), field(2, text(key))));
      assert.deepEqual(parts(array("1"), array("2")), ["1", "2"]);
      assert.deepEqual({ ...(parts(pair("x"), pair("y")) as object) }, { x: "x", y: "y" });
      assert.deepEqual(parts(array("1"), pair("x"), array("2")), ["2"]);
      assert.equal(parts(array("1"), text("t")), "t");
      assert.deepEqual(parts(text("t"), bytesOf()), "t");
      assert.deepEqual(readValue(bytesOf(array("1"), array("2"))), ["1", "2"]);
      assert.deepEqual(readValue(bytesOf(text("t"), int(3, 4))), 4);
    });

    it("the last of a repeated key decides whether the attribute is wanted", () => {
      const plan = { ...none, span: { exact: new Set(["b"]), prefixes: [] } };
      const twoKeys = field(9, field(1, "b"), field(2, text("v")), field(1, "a"));
      const other = field(9, field(2, text("v")), field(1, "a"), field(1, "b"));
      assert.deepEqual(onlySpan(requestOf(spanOf(twoKeys)), plan).attributes, new Map());
      assert.deepEqual(onlySpan(requestOf(spanOf(other)), plan).attributes, new Map([["b", "v"]]));
    });
  });

  describe("OTLP-47: numbers to the last digit", () => {
    for (const time of [0n, 1n, 1_544_712_660_000_000_001n, 2n ** 53n + 1n, 2n ** 64n - 1n]) {
      it(`time ${time}`, () => {
        const span = onlySpan(
          requestOf(spanOf(fixed64(7, time), fixed64(8, time), field(11, fixed64(1, time)))),
        );
        assert.deepEqual([span.start, span.end, span.events[0]?.time], [time, time, time]);
      });
    }
    const integers: readonly (readonly [bigint, Value])[] = [
      [0n, 0],
      [-1n, -1],
      [-128n, -128],
      [2n ** 31n, 2 ** 31],
      [-(2n ** 32n), -(2 ** 32)],
      [2n ** 53n - 1n, 2 ** 53 - 1],
      [2n ** 53n, 2n ** 53n],
      [-(2n ** 53n) + 1n, -(2 ** 53) + 1],
      [-(2n ** 53n), -(2n ** 53n)],
      [2n ** 63n - 1n, 2n ** 63n - 1n],
      [-(2n ** 63n), -(2n ** 63n)],
    ];
    for (const [sent, want] of integers) {
      it(`int_value ${sent}`, () => assert.strictEqual(readValue(int(3, sent)), want));
    }
    it("negative enums and int32 of ten bytes, a bool that is only set above bit 32", () => {
      assert.equal(onlySpan(requestOf(spanOf(int(6, -3n)))).kind, -3);
      assert.equal(onlySpan(requestOf(spanOf(field(15, int(3, -1n))))).statusCode, -1);
      assert.equal(readValue(int(2, 2n ** 40n)), true);
    });
  });

  it("OTLP-51: indices into a string table are read as absent, and counted", () => {
    const body = requestOf(
      spanOf(
        attribute("a", int(8, 3)),
        field(9, int(3, 7), field(2, text("nameless"))),
        field(9, field(1, "named"), field(2, text("v")), int(3, 7)),
        attribute("list", field(6, field(1, int(3, 1), field(2, text("x"))))),
      ),
    );
    const { spans, flaws } = decode(body);
    const [span] = spans;
    assert.deepEqual([...(span?.attributes.keys() ?? [])], ["a", "named", "list"]);
    assert.equal(span?.attributes.get("a"), null);
    assert.deepEqual(Object.keys(span?.attributes.get("list") ?? {}), []);
    assert.deepEqual(flaws, new Map([["strindex", 4]]));
  });
});
