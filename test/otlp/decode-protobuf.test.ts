import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  attribute,
  bytesOf,
  field,
  fixed32,
  fixed64,
  int,
  requestOf,
  spanIdBytes,
  spanIdHex,
  spanOf,
  tag,
  traceIdBytes,
  traceIdHex,
  varint,
} from "./bytes.ts";
import { decode, onlySpan, text } from "./protobuf-support.ts";

describe("protobuf traces", () => {
  describe("OTLP-4: empty in every way is an empty result", () => {
    const cases: readonly (readonly [string, Uint8Array])[] = [
      ["no bytes", bytesOf()],
      ["empty resource_spans", field(1)],
      ["empty scope_spans", field(1, field(2))],
      ["resource and scope without spans", field(1, field(1), field(2, field(1)))],
    ];
    for (const [name, body] of cases) {
      it(name, () => assert.deepEqual(decode(body), { spans: [], rejections: [], flaws: new Map() }));
    }
  });

  it("OTLP-49: empty resource and scope, before or behind the spans, or none at all", () => {
    const span = field(2, spanOf());
    const plain = onlySpan(field(1, field(2, span)));
    assert.deepEqual(plain.resource, { attributes: new Map(), droppedAttributes: 0 });
    assert.deepEqual(plain.scope, { name: "", version: "", attributes: new Map() });
    assert.deepEqual(onlySpan(field(1, field(1), field(2, field(1), span))), plain);
    assert.deepEqual(onlySpan(field(1, field(2, span, field(1)), field(1))), plain);
  });

  it("OTLP-49: a resource and a scope that come behind their spans are theirs", () => {
    const resource = field(1, field(1, field(1, "service.name"), field(2, text("shop"))));
    const scope = field(1, field(1, "toolorder"), field(2, "1.0"));
    const span = onlySpan(field(1, field(2, field(2, spanOf()), scope), resource));
    assert.equal(span.resource.attributes.get("service.name"), "shop");
    assert.equal(span.scope.name, "toolorder");
    assert.equal(span.scope.version, "1.0");
  });

  describe("OTLP-23: what is no message throws with byte, field and cure", () => {
    const cases: readonly (readonly [string, Uint8Array, RegExp])[] = [
      [
        "cut short",
        requestOf(spanOf()).subarray(0, 20),
        /byte 1: resource_spans\[0\] announces 32 bytes where 18/,
      ],
      ["JSON", Buffer.from('{"resourceSpans":[]}'), /byte 0: field 15 is a group .* content type/],
      ["field 0", bytesOf(0x02, 0x00), /byte 0: the request has field number 0/],
      ["a huge field number", bytesOf(new Uint8Array(5).fill(0xff), 0x01), /field number above 536870911/],
      [
        "a varint of 11 bytes",
        requestOf(spanOf(bytesOf(tag(6, 0), new Uint8Array(10).fill(0x80), 0x01))),
        /spans\[0\]\.kind has a varint longer than 10 bytes/,
      ],
      [
        "a varint that ends with its message",
        requestOf(spanOf(bytesOf(tag(6, 0), 0x80))),
        /spans\[0\]\.kind ends inside a varint/,
      ],
      [
        "a time that ends with its message",
        requestOf(spanOf(bytesOf(tag(7, 1), 1, 2, 3))),
        /start_time_unix_nano needs 8 bytes where 3 are left/,
      ],
      [
        "text longer than its attribute, deep inside",
        requestOf(spanOf(attribute("a", field(5, field(1, bytesOf(0x0a, 0x7f, 0x61)))))),
        /attributes\[0\]\.value\.array_value\.values\[0\]\.string_value announces 127 bytes where 1 are left/,
      ],
      [
        "text longer than its span, with more spans behind it",
        requestOf(spanOf(bytesOf(tag(5, 2), 100)), spanOf(field(5, "x".repeat(200)))),
        /spans\[0\]\.name announces 100 bytes where 0 are left/,
      ],
      [
        "text of 200 bytes in a span with 3, with more spans behind it",
        requestOf(spanOf(bytesOf(tag(5, 2), varint(200), "abc")), spanOf(field(5, "x".repeat(300)))),
        /spans\[0\]\.name announces 200 bytes where 3 are left/,
      ],
      [
        "a value one byte longer than its attribute, its length in three bytes",
        requestOf(
          spanOf(
            field(9, field(1, "a"), tag(2, 2), varint(16_384), field(1, "x".repeat(16_380))),
            field(5, "behind"),
          ),
        ),
        /attributes\[0\]\.value announces 16384 bytes where 16383 are left/,
      ],
      [
        "a key longer than its attribute",
        requestOf(spanOf(field(9, tag(1, 2), 90, "key"), field(5, "x".repeat(100)))),
        /attributes\[0\]\.key announces 90 bytes where 3 are left/,
      ],
      [
        "a length of 64 bits",
        bytesOf(tag(1, 2), varint(2n ** 64n - 1n)),
        /resource_spans\[0\] announces 18446744073709552000 bytes/,
      ],
    ];
    for (const [name, body, message] of cases) {
      it(name, () => assert.throws(() => decode(body), { name: "DecodeError", message }));
    }
  });

  describe("OTLP-45: groups are refused at every level, also unknown ones", () => {
    const group = bytesOf(tag(200, 3), tag(200, 4));
    const cases: readonly (readonly [string, Uint8Array])[] = [
      ["request", group],
      ["resource_spans", field(1, group)],
      ["resource", field(1, field(1, group))],
      ["scope", field(1, field(2, field(1, group)))],
      ["span", requestOf(spanOf(group))],
      ["event", requestOf(spanOf(field(11, group)))],
      ["link", requestOf(spanOf(field(13, group)))],
      ["status", requestOf(spanOf(field(15, group)))],
      ["key-value", requestOf(spanOf(field(9, group)))],
      ["value", requestOf(spanOf(attribute("a", group)))],
      ["array", requestOf(spanOf(attribute("a", field(5, group))))],
      ["a lone end of group", bytesOf(tag(1, 4))],
    ];
    for (const [name, body] of cases) {
      it(name, () => assert.throws(() => decode(body), { name: "DecodeError", message: /group/ }));
    }
  });

  describe("OTLP-27, OTLP-34: a span without usable ids is refused alone, with its cure", () => {
    const good = spanOf(field(5, "good"));
    const bad = (traceId: Uint8Array, spanId: Uint8Array, ...rest: readonly Uint8Array[]): Uint8Array =>
      bytesOf(field(1, traceId), field(2, spanId), ...rest);
    const hexText = (bytes: Uint8Array): Uint8Array => Buffer.from(Buffer.from(bytes).toString("hex"));
    const cases = [
      ["no trace id", bytesOf(field(2, spanIdBytes)), "trace_id", /\.trace_id is empty/],
      ["zero trace id", bad(new Uint8Array(16), spanIdBytes), "trace_id", /\.trace_id is all zero/],
      ["short trace id", bad(traceIdBytes.subarray(1), spanIdBytes), "trace_id", /must be 16 bytes long/],
      ["hex trace id", bad(hexText(traceIdBytes), spanIdBytes), "trace_id", /32 bytes long.*hex text/],
      ["no span id", bytesOf(field(1, traceIdBytes)), "span_id", /\.span_id is empty/],
      ["zero span id", bad(traceIdBytes, new Uint8Array(8)), "span_id", /\.span_id is all zero/],
      ["long span id", bad(traceIdBytes, new Uint8Array(9).fill(1)), "span_id", /must be 8 bytes long/],
      ["hex span id", bad(traceIdBytes, hexText(spanIdBytes)), "span_id", /16 bytes long.*hex text/],
      [
        "short parent",
        spanOf(field(4, spanIdBytes.subarray(1))),
        "parent_span_id",
        /\.parent_span_id must be 8 bytes long/,
      ],
      ["hex parent", spanOf(field(4, hexText(spanIdBytes))), "parent_span_id", /hex text/],
      [
        "hex trace id of a link",
        spanOf(field(13, field(1, hexText(traceIdBytes)), field(2, spanIdBytes))),
        "link_id",
        /\.links\.trace_id is 32 bytes long/,
      ],
    ] as const;
    for (const [name, span, reason, message] of cases) {
      it(name, () => {
        const { spans, rejections } = decode(requestOf(good, span, good, span));
        assert.deepEqual(
          spans.map((kept) => kept.name),
          ["good", "good"],
        );
        assert.equal(rejections.length, 1);
        assert.equal(rejections[0]?.reason, reason);
        assert.equal(rejections[0]?.count, 2);
        assert.match(rejections[0]?.message ?? "", message);
        assert.match(rejections[0]?.message ?? "", /^resource_spans\[0\]\.scope_spans\[0\]\.spans\[1\]/);
      });
    }
  });

  it("OTLP-28: a request whose every span is invalid is a result with all of them counted", () => {
    const { spans, rejections } = decode(requestOf(bytesOf(), bytesOf(), spanOf(field(4, "x"))));
    assert.deepEqual(spans, []);
    assert.deepEqual(
      rejections.map(({ reason, count }) => ({ reason, count })),
      [
        { reason: "trace_id", count: 2 },
        { reason: "parent_span_id", count: 1 },
      ],
    );
  });

  it("OTLP-35: a parent that is absent, empty or all zero is none", () => {
    for (const parent of [[], [field(4)], [field(4, new Uint8Array(8))]]) {
      assert.equal(onlySpan(requestOf(spanOf(...parent))).parentSpanId, "");
    }
    assert.equal(onlySpan(requestOf(spanOf(field(4, spanIdBytes)))).parentSpanId, spanIdHex);
  });

  it("a link that points nowhere is left out, and its span stays", () => {
    const links = [field(13), field(13, field(1, new Uint8Array(16)), field(2, spanIdBytes))];
    const whole = field(13, field(1, traceIdBytes), field(2, spanIdBytes));
    assert.deepEqual(onlySpan(requestOf(spanOf(...links, whole))).links, [
      { traceId: traceIdHex, spanId: spanIdHex },
    ]);
  });

  it("OTLP-38: a kind or code out of range is kept as its number", () => {
    assert.equal(onlySpan(requestOf(spanOf(int(6, 99)))).kind, 99);
    assert.equal(onlySpan(requestOf(spanOf(field(15, int(3, 77))))).statusCode, 77);
  });

  it("OTLP-50: flags above bit 9 are ignored, links and events decoded", () => {
    const event = field(
      11,
      fixed64(1, 5n),
      field(2, "e"),
      field(3, field(1, "k"), field(2, text("v"))),
      int(4, 2),
    );
    const link = field(13, field(1, traceIdBytes), field(2, spanIdBytes), fixed32(6, 0xffff_ffff));
    const span = onlySpan(requestOf(spanOf(fixed32(16, 0xffff_fd01), event, link, int(12, 4), int(14, 6))));
    assert.equal(span.flags, 0x101);
    assert.deepEqual(span.events, [
      { name: "e", time: 5n, attributes: new Map([["k", "v"]]), droppedAttributes: 2 },
    ]);
    assert.deepEqual(span.links, [{ traceId: traceIdHex, spanId: spanIdHex }]);
    assert.deepEqual([span.droppedEvents, span.droppedLinks], [4, 6]);
  });
});
