import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AttributePlan, everything } from "../../src/model/attribute-plan.ts";
import type { DecodedTraces } from "../../src/model/span.ts";
import type { Value } from "../../src/model/value.ts";
import { decodeTracesJson } from "../../src/otlp/decode-json.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import fc from "../support/properties.ts";

const ids = '"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331"';

function decodeSpans(...spans: readonly string[]): DecodedTraces {
  return decodeWith(everything, ...spans);
}

function decodeWith(plan: AttributePlan, ...spans: readonly string[]): DecodedTraces {
  const body = `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join(",")}]}]}]}`;
  return decodeTracesJson(Buffer.from(body), plan, defaultDecodeLimits);
}

const spanWith = (anyValue: string): string => `{${ids},"attributes":[{"key":"a","value":${anyValue}}]}`;

function readValue(anyValue: string): Value | undefined {
  const { spans, rejections } = decodeSpans(spanWith(anyValue));
  assert.deepEqual(rejections, []);
  return spans[0]?.attributes.get("a");
}

function refused(anyValue: string): string {
  const { spans, rejections } = decodeSpans(spanWith(anyValue));
  assert.deepEqual(spans, []);
  assert.equal(rejections[0]?.reason, "value");
  return rejections[0]?.message ?? "";
}

describe("values of JSON traces", () => {
  describe("OTLP-36: times to the last digit, as text and as numbers", () => {
    const times = [
      "0",
      "1",
      "1544712660000000001",
      "1544712660000000000",
      "9007199254740993",
      "18446744073709551615",
    ];
    for (const time of times) {
      for (const written of [time, `"${time}"`, ` ${time}\n`]) {
        it(JSON.stringify(written), () => {
          const { spans, rejections } = decodeSpans(
            `{${ids},"startTimeUnixNano":${written},"endTimeUnixNano":${written},"events":[{"timeUnixNano":${written}}]}`,
          );
          assert.deepEqual(rejections, []);
          const [span] = spans;
          const want = BigInt(time);
          assert.deepEqual([span?.start, span?.end, span?.events[0]?.time], [want, want, want]);
        });
      }
    }
    for (const time of ["-1", '"-1"', "1.5", '"1.5"', '""', '"abc"', "18446744073709551616", "true", "{}"]) {
      it(`${time} is no time and costs its span`, () => {
        const { spans, rejections } = decodeSpans(`{${ids},"startTimeUnixNano":${time}}`, `{${ids}}`);
        assert.equal(spans.length, 1);
        assert.match(
          rejections[0]?.message ?? "",
          /spans\[0\]\.startTimeUnixNano is not a time in nanoseconds/,
        );
      });
    }
    it("whatever stands around them", () => {
      fc.assert(
        fc.property(
          fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
          fc.boolean(),
          fc.string({ unit: fc.constantFrom("1", "9", '"', "\\", ":", ",", "[", " ", "-", "ü") }),
          (time, quoted, name) => {
            const written = quoted ? `"${time}"` : String(time);
            const { spans } = decodeSpans(
              `{${ids},"name":${JSON.stringify(name)},"startTimeUnixNano":${written},"traceState":${JSON.stringify(name)}}`,
            );
            assert.equal(spans[0]?.start, time);
            assert.equal(spans[0]?.name, name);
            assert.equal(spans[0]?.traceState, name);
          },
        ),
        { numRuns: 500 },
      );
    });
  });

  describe("OTLP-37: integers and doubles", () => {
    const integers: readonly (readonly [string, Value])[] = [
      ["0", 0],
      ["-7", -7],
      ["9007199254740991", 9_007_199_254_740_991],
      ["9007199254740992", 9_007_199_254_740_992n],
      ["-9007199254740993", -9_007_199_254_740_993n],
      ["9223372036854775807", 2n ** 63n - 1n],
      ["-9223372036854775808", -(2n ** 63n)],
    ];
    for (const [written, want] of integers) {
      it(`intValue ${written}, both ways`, () => {
        assert.strictEqual(readValue(`{"intValue":${written}}`), want);
        assert.strictEqual(readValue(`{"intValue":"${written}"}`), want);
      });
    }
    for (const written of [
      "9223372036854775808",
      '"-9223372036854775809"',
      "1.5",
      '"x"',
      '""',
      "true",
      "[]",
    ]) {
      it(`intValue ${written} costs its span`, () => {
        assert.match(
          refused(`{"intValue":${written}}`),
          /attributes\[0\]\.value\.intValue is not a 64-bit integer/,
        );
      });
    }
    const doubles: readonly (readonly [string, number])[] = [
      ["1.5", 1.5],
      ["-0.1e-7", -0.1e-7],
      ["3", 3],
      ["0.30000000000000004", 0.30000000000000004],
      ["18446744073709551616", 2 ** 64],
      ['"NaN"', Number.NaN],
      ['"Infinity"', Number.POSITIVE_INFINITY],
      ['"-Infinity"', Number.NEGATIVE_INFINITY],
      ['"2.5"', 2.5],
      ['"-0"', -0],
    ];
    for (const [written, want] of doubles) {
      it(`doubleValue ${written}`, () => assert.ok(Object.is(readValue(`{"doubleValue":${written}}`), want)));
    }
    for (const written of ['"nan"', '"0x10"', '""', "{}"]) {
      it(`doubleValue ${written} costs its span`, () => {
        assert.match(refused(`{"doubleValue":${written}}`), /doubleValue is not a number/);
      });
    }
  });

  it("text, booleans, bytes, arrays, lists, and nothing at all", () => {
    assert.equal(readValue('{"stringValue":"x"}'), "x");
    assert.equal(readValue('{"stringValue":""}'), "");
    assert.equal(readValue('{"boolValue":false}'), false);
    assert.equal(readValue("{}"), null);
    assert.deepEqual(readValue('{"arrayValue":{}}'), []);
    assert.deepEqual(readValue('{"arrayValue":{"values":[{"intValue":1},{},null]}}'), [1, null, null]);
    assert.deepEqual(readValue('{"bytesValue":"AP/+"}'), new Uint8Array([0, 255, 254]));
    assert.deepEqual(readValue('{"bytesValue":"AP_-AA"}'), new Uint8Array([0, 255, 254, 0]));
    assert.deepEqual(readValue('{"bytesValue":""}'), new Uint8Array());
    for (const wrong of ['"A"', '"a b="', '"ä"', "[0,255]"]) {
      assert.match(refused(`{"bytesValue":${wrong}}`), /bytesValue is not base64/);
    }
  });

  it("lists have no prototype: __proto__ and constructor are keys like any other", () => {
    const pairs = ["__proto__", "constructor", "x"].map(
      (key) =>
        `{"key":"${key}","value":{"kvlistValue":{"values":[{"key":"polluted","value":{"boolValue":true}}]}}}`,
    );
    const list = readValue(`{"kvlistValue":{"values":[${pairs.join(",")}]}}`) as {
      readonly [key: string]: Value;
    };
    assert.equal(Object.getPrototypeOf(list), null);
    assert.deepEqual(Object.keys(list), ["__proto__", "constructor", "x"]);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  it("OTLP-41: of attributes with one key the last wins, and the others are counted", () => {
    const { spans, flaws } = decodeSpans(
      `{${ids},"attributes":[{"key":"a","value":{"intValue":1}},{"key":"b"},{"key":"a","value":{"intValue":2}}]}`,
    );
    assert.deepEqual(
      spans[0]?.attributes,
      new Map<string, Value>([
        ["a", 2],
        ["b", null],
      ]),
    );
    assert.deepEqual(flaws, new Map([["duplicate_key", 1]]));
  });

  describe("OTLP-42: values nested 64 deep are kept, deeper ones cost their span", () => {
    const none = {
      span: { exact: new Set<string>(), prefixes: [] },
      event: { exact: new Set<string>(), prefixes: [] },
    };
    const scalars = [
      '{"stringValue":"x"}',
      '{"boolValue":true}',
      '{"intValue":"1"}',
      '{"doubleValue":1}',
      '{"bytesValue":"AA=="}',
      "{}",
    ];
    const nest = (depth: number, innermost: string): string => {
      let value = innermost;
      for (let level = 0; level < depth; level += 1) {
        value =
          level % 2 === 0
            ? `{"arrayValue":{"values":[${value}]}}`
            : `{"kvlistValue":{"values":[{"key":"k","value":${value}}]}}`;
      }
      return value;
    };
    for (const scalar of scalars) {
      it(scalar, () => {
        for (const plan of [everything, none]) {
          assert.equal(decodeWith(plan, spanWith(nest(64, scalar))).spans.length, 1);
          const { spans, rejections } = decodeWith(plan, spanWith(nest(65, scalar)), `{${ids}}`);
          assert.equal(spans.length, 1);
          assert.equal(rejections[0]?.reason, "nesting");
          assert.match(
            rejections[0]?.message ?? "",
            /spans\[0\].* holds a value nested deeper than 64 levels/,
          );
        }
      });
    }
    it("a hundred thousand levels, wanted or not, do not exhaust the stack", () => {
      const levels = 100_000;
      const value = `${'{"arrayValue":{"values":['.repeat(levels)}${"]}}".repeat(levels)}`;
      for (const plan of [everything, none]) {
        const { spans, rejections } = decodeWith(plan, spanWith(value), `{${ids}}`);
        assert.equal(spans.length, 1);
        assert.equal(rejections[0]?.reason, "nesting");
      }
    });
  });

  it("OTLP-51: indices into a string table are read as absent, and counted", () => {
    const { spans, flaws } = decodeSpans(
      `{${ids},"attributes":[{"key":"a","value":{"stringValueStrindex":3}},{"keyStrindex":4,"value":{"intValue":1}},{"key":"b","keyStrindex":0,"value":{"intValue":1}}]}`,
    );
    assert.deepEqual(
      spans[0]?.attributes,
      new Map<string, Value>([
        ["a", null],
        ["b", 1],
      ]),
    );
    assert.deepEqual(flaws, new Map([["strindex", 2]]));
  });
});
