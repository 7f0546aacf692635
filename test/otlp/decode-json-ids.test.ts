import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeText, onlySpan, rejection, requestText, spanId, spanText, traceId } from "./json-support.ts";

describe("ids of JSON traces", () => {
  describe("OTLP-32: ids are hex in any case", () => {
    for (const [name, change] of [
      ["lower", (id: string) => id],
      ["upper", (id: string) => id.toUpperCase()],
      ["mixed", (id: string) => id.replace(/[a-f]/, (digit) => digit.toUpperCase())],
    ] as const) {
      it(name, () => {
        const link = `"links":[{"traceId":"${change(traceId)}","spanId":"${change(spanId)}"}]`;
        const text = `{"traceId":"${change(traceId)}","spanId":"${change(spanId)}","parentSpanId":"${change(spanId)}",${link}}`;
        const [span] = decodeText(requestText(text)).spans;
        assert.equal(span?.traceId, traceId);
        assert.equal(span?.spanId, spanId);
        assert.equal(span?.parentSpanId, spanId);
        assert.deepEqual(span?.links, [{ traceId, spanId }]);
      });
    }
  });

  describe("OTLP-33: base64 ids are refused by span, with the field and the cure", () => {
    const base64 = (hex: string): string => Buffer.from(hex, "hex").toString("base64");
    const cases = [
      [`{"traceId":"${base64(traceId)}","spanId":"${spanId}"}`, "trace_id", "traceId"],
      [`{"traceId":"${traceId}","spanId":"${base64(spanId)}"}`, "span_id", "spanId"],
      [spanText(`"parentSpanId":"${base64(spanId)}"`), "parent_span_id", "parentSpanId"],
      [
        spanText(`"links":[{"traceId":"${base64(traceId)}","spanId":"${spanId}"}]`),
        "link_id",
        "links.traceId",
      ],
      [`{"traceId":"${base64(traceId).replace("==", "")}","spanId":"${spanId}"}`, "trace_id", "traceId"],
      [
        `{"traceId":"${Buffer.from(traceId).toString("base64")}","spanId":"${spanId}"}`,
        "trace_id",
        "traceId",
      ],
    ] as const;
    for (const [span, reason, field] of cases) {
      it(span, () => {
        const refused = rejection(span);
        assert.equal(refused.reason, reason);
        assert.ok(refused.message.startsWith(`resourceSpans[0].scopeSpans[0].spans[1].${field} is base64`));
        assert.match(refused.message, /hex digits/);
      });
    }
  });

  describe("OTLP-27, OTLP-34: a span without usable ids is refused alone", () => {
    const cases = [
      [`{"spanId":"${spanId}"}`, "trace_id", /traceId is empty/],
      [`{"traceId":"","spanId":"${spanId}"}`, "trace_id", /traceId is empty/],
      [`{"traceId":"${"0".repeat(32)}","spanId":"${spanId}"}`, "trace_id", /traceId is all zero/],
      [`{"traceId":"${traceId}0","spanId":"${spanId}"}`, "trace_id", /traceId is not 32 hex digits/],
      [`{"traceId":"${traceId.replace("a", "g")}","spanId":"${spanId}"}`, "trace_id", /not 32 hex digits/],
      [`{"traceId":123,"spanId":"${spanId}"}`, "value", /traceId is not text/],
      [`{"traceId":"${traceId}"}`, "span_id", /spanId is empty/],
      [`{"traceId":"${traceId}","spanId":"${"0".repeat(16)}"}`, "span_id", /spanId is all zero/],
      [`{"traceId":"${traceId}","spanId":"abc"}`, "span_id", /spanId is not 16 hex digits/],
      [spanText('"parentSpanId":"abcd"'), "parent_span_id", /parentSpanId is not 16 hex digits/],
      ["7", "value", /spans\[1\] is not an object/],
      ["[]", "value", /spans\[1\] is not an object/],
    ] as const;
    for (const [span, reason, message] of cases) {
      it(span, () => {
        const refused = rejection(span);
        assert.equal(refused.reason, reason);
        assert.match(refused.message, message);
      });
    }
  });

  it("OTLP-28: a request whose every span is invalid is a result with all of them counted", () => {
    const { spans, rejections } = decodeText(requestText("{}", "{}", "5"));
    assert.deepEqual(spans, []);
    assert.deepEqual(
      rejections.map(({ reason, count }) => ({ reason, count })),
      [
        { reason: "trace_id", count: 2 },
        { reason: "value", count: 1 },
      ],
    );
  });

  it("OTLP-35: a parent that is absent, null, empty or all zero is none", () => {
    for (const parent of [
      "",
      '"parentSpanId":null',
      '"parentSpanId":""',
      `"parentSpanId":"${"0".repeat(16)}"`,
    ]) {
      assert.equal(onlySpan(parent).parentSpanId, "");
    }
  });
});
