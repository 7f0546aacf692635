/** JSON of any shape under the keys that are read: nothing but a `DecodeError` leaves the decoder. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { everything } from "../../src/model/attribute-plan.ts";
import { DecodeError } from "../../src/otlp/decode-error.ts";
import { decodeTracesJson } from "../../src/otlp/decode-json.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import fc from "../support/properties.ts";

function decode(body: string): number | "refused" {
  try {
    return decodeTracesJson(Buffer.from(body), everything, defaultDecodeLimits).spans.length;
  } catch (error) {
    assert.ok(error instanceof DecodeError, `${String(error)} for ${body.slice(0, 1000)}`);
    return "refused";
  }
}

const keys = fc.constantFrom(
  ...[
    "resourceSpans",
    "resource_spans",
    "scopeSpans",
    "spans",
    "resource",
    "scope",
    "attributes",
    "key",
    "value",
  ],
  ...["stringValue", "string_value", "intValue", "doubleValue", "boolValue", "bytesValue", "arrayValue"],
  ...[
    "kvlistValue",
    "values",
    "stringValueStrindex",
    "keyStrindex",
    "traceId",
    "spanId",
    "parentSpanId",
    "links",
  ],
  ...["events", "status", "code", "kind", "flags", "startTimeUnixNano", "timeUnixNano", "name", "traceState"],
  ...[
    "droppedAttributesCount",
    "message",
    "__proto__",
    "constructor",
    "toString",
    "valueOf",
    "length",
    "low",
    "high",
  ],
);
const leaf = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.double(),
  fc.bigInt().map(String),
  fc.constantFrom(null, true, "a".repeat(32), "b".repeat(16), "NaN", "-Infinity", "1e3", "", 0, "0"),
);
const { any } = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: "large", maxDepth: 12 },
    leaf,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(keys, tie("any"), { maxKeys: 5 }),
  ),
}));
const span = fc.dictionary(keys, any, { maxKeys: 10 });
const request = fc.record({
  resourceSpans: fc.array(
    fc.record({
      resource: fc.option(fc.dictionary(keys, any)),
      scopeSpans: fc.array(fc.record({ scope: any, spans: fc.array(span, { maxLength: 3 }) }), {
        maxLength: 2,
      }),
    }),
    { maxLength: 2 },
  ),
});

describe("JSON of any shape", () => {
  it("is spans, rejections, or a DecodeError", () => {
    fc.assert(
      fc.property(fc.oneof(request, any), (value) => void decode(JSON.stringify(value) ?? "")),
      { numRuns: 500 },
    );
  });

  it("an index that is an object with a toString of its own is only an index", () => {
    for (const index of [
      '{"toString":{}}',
      '{"valueOf":1}',
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    ]) {
      const resource = `{"attributes":[{"keyStrindex":${index}}]}`;
      assert.equal(decode(`{"resourceSpans":[{"resource":${resource},"scopeSpans":[]}]}`), 0);
    }
  });

  it("a text as long as a body is no number, and no pattern runs out of stack on it", () => {
    const digits = "9".repeat(48 * 1024 * 1024);
    const ids = `"traceId":"${"a".repeat(32)}","spanId":"${"b".repeat(16)}"`;
    const value = `"attributes":[{"key":"k","value":{"doubleValue":"${digits}"}}]`;
    assert.equal(decode(`{"resourceSpans":[{"scopeSpans":[{"spans":[{${ids},${value}}]}]}]}`), 1);
  });
});
