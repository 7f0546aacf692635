import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Value } from "../../src/model/value.ts";
import {
  attributeText,
  decodeBytes,
  decodeText,
  ids,
  none,
  onlySpan,
  rejection,
  requestText,
  spanId,
  spanText,
  traceId,
} from "./json-support.ts";

describe("JSON traces", () => {
  describe("OTLP-4: empty in every way is an empty result", () => {
    const cases = [
      "",
      "{}",
      '{"resourceSpans":[]}',
      '{"resourceSpans":null}',
      '{"resourceSpans":[{}]}',
      '{"resourceSpans":[null]}',
      '{"resourceSpans":[{"scopeSpans":[]}]}',
      '{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[]},null,{"spans":null}]}]}',
    ];
    for (const body of cases) {
      it(body || "no bytes", () =>
        assert.deepEqual(decodeText(body), { spans: [], rejections: [], flaws: new Map() }),
      );
    }
  });

  describe("OTLP-23: what is no request throws with place and cure, and quotes nothing", () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['{"resourceSpans":[', /character 18: the text ends too soon/],
      ['{"resourceSpans":[{"a":"secret', /character 30: the text ends inside a string/],
      ['{"resourceSpans" []}', /character 17: a colon must stand here/],
      ['{"resourceSpans":[1 2]}', /character 20: a comma or \] must stand here/],
      ['{"resourceSpans":[]} {}', /character 21: there is text behind the JSON value/],
      ["{resourceSpans:[]}", /character 1: a key in double quotes must stand here/],
      ["{'resourceSpans':[]}", /character 1: a key in double quotes/],
      ['{"resourceSpans":[],}', /character 20: a key in double quotes/],
      ['{"resourceSpans":[nope]}', /character 18: a JSON value must stand here/],
      ['{"a":"\\x"}', /character 6: this escape does not exist/],
      ['{"a":"\t"}', /character 6: a control character must be escaped/],
      ["\0", /character 0: a JSON value must stand here/],
      ["   ", /character 3: the text ends too soon/],
      ["[]", /root is an array and must be an object/],
      ["null", /root is null and must be an object/],
      ['"text"', /root is a string and must be an object/],
      ["17", /root is a number and must be an object/],
      ['{"resourceSpans":{}}', /resourceSpans is not an array/],
      ['{"resourceSpans":[7]}', /resourceSpans\[0\] is not an object/],
      ['{"resourceSpans":[{"scopeSpans":"x"}]}', /resourceSpans\[0\]\.scopeSpans is not an array/],
      [
        '{"resourceSpans":[{},{"scopeSpans":[{},{"spans":{}}]}]}',
        /resourceSpans\[1\]\.scopeSpans\[1\]\.spans is not an array/,
      ],
    ];
    for (const [body, message] of cases) {
      it(JSON.stringify(body), () => {
        assert.throws(
          () => decodeText(body),
          (error: Error) => {
            assert.equal(error.name, "DecodeError");
            assert.match(error.message, message);
            assert.doesNotMatch(error.message, /secret|nope/);
            return true;
          },
        );
      });
    }

    it("every truncation of a request, at the character where it ends", () => {
      const body = requestText(spanText(`"name":"a\\u00e9\\n",${attributeText('{"doubleValue":-1.5e+3}')}`));
      for (let length = 1; length < body.length; length += 1) {
        assert.throws(() => decodeText(body.slice(0, length)), {
          name: "DecodeError",
          message: /^JSON body, character \d+: /,
        });
      }
    });
  });

  describe("OTLP-38: enums as numbers, and names counted", () => {
    const cases = [
      ['"kind":3,"status":{"code":2}', 3, 2, 0],
      ['"kind":"SPAN_KIND_CLIENT","status":{"code":"STATUS_CODE_ERROR"}', 3, 2, 2],
      ['"kind":"SPAN_KIND_NEW","status":{"code":"?"}', 0, 0, 2],
      ['"kind":99,"status":{"code":-5}', 99, -5, 0],
      ['"kind":"4","status":{"code":null}', 4, 0, 0],
      ['"kind":4294967299,"status":null', 3, 0, 0],
    ] as const;
    for (const [fields, kind, code, names] of cases) {
      it(fields, () => {
        const { spans, flaws } = decodeText(requestText(spanText(fields)));
        assert.equal(spans[0]?.kind, kind);
        assert.equal(spans[0]?.statusCode, code);
        assert.equal(flaws.get("enum_name") ?? 0, names);
      });
    }
  });

  it("OTLP-39: snake_case keys are accepted and counted, at every level", () => {
    const body = `{"resource_spans":[{"resource":{"dropped_attributes_count":1},"scope_spans":[{"spans":[{
      "trace_id":"${traceId}","span_id":"${spanId}","parent_span_id":"${spanId}","trace_state":"a=b",
      "start_time_unix_nano":"5","end_time_unix_nano":"6","dropped_attributes_count":2,
      "dropped_events_count":3,"dropped_links_count":4,
      "events":[{"time_unix_nano":"7"}],"links":[{"trace_id":"${traceId}","span_id":"${spanId}"}],
      "attributes":[{"key":"a","value":{"string_value":"x"}},{"key":"b","value":{"array_value":{"values":[{"int_value":"1"}]}}}]
    }]}]}]}`;
    const { spans, rejections, flaws } = decodeText(body);
    assert.deepEqual(rejections, []);
    const [span] = spans;
    assert.equal(span?.parentSpanId, spanId);
    assert.deepEqual([span?.start, span?.end, span?.events[0]?.time], [5n, 6n, 7n]);
    assert.deepEqual([span?.droppedAttributes, span?.droppedEvents, span?.droppedLinks], [2, 3, 4]);
    assert.equal(span?.resource.droppedAttributes, 1);
    assert.equal(span?.traceState, "a=b");
    assert.deepEqual(
      span?.attributes,
      new Map<string, Value>([
        ["a", "x"],
        ["b", [1]],
      ]),
    );
    assert.equal(span?.links.length, 1);
    assert.deepEqual(flaws, new Map([["snake_case_key", 18]]));
  });

  describe("OTLP-40: unknown keys are ignored and null is absent, at every level", () => {
    it("unknown keys", () => {
      const extra =
        '"x1":{"y":[1,{"z":null}]},"x2":[[{}]],"__proto__":{"name":"evil"},"constructor":{"traceId":"x"}';
      const body = `{${extra},"resourceSpans":[{${extra},"resource":{${extra},"attributes":[{${extra},"key":"r","value":{${extra},"stringValue":"v"}}]},
        "scopeSpans":[{${extra},"scope":{${extra},"name":"s"},"spans":[{${extra},${ids},
        "events":[{${extra},"name":"e"}],"links":[{${extra}}],"status":{${extra},"code":1},
        "attributes":[{${extra},"key":"a","value":{${extra},"arrayValue":{${extra},"values":[{${extra},"boolValue":true}]}}}]}]}]}]}`;
      const { spans, rejections, flaws } = decodeText(body);
      assert.deepEqual(rejections, []);
      assert.deepEqual(flaws, new Map());
      const [span] = spans;
      assert.equal(span?.name, "");
      assert.equal(span?.scope.name, "s");
      assert.equal(span?.statusCode, 1);
      assert.deepEqual(span?.attributes, new Map([["a", [true]]]));
      assert.deepEqual(span?.resource.attributes, new Map([["r", "v"]]));
      assert.equal(span?.events[0]?.name, "e");
    });

    it("null", () => {
      const names = [
        "parentSpanId",
        "traceState",
        "flags",
        "name",
        "kind",
        "startTimeUnixNano",
        "endTimeUnixNano",
        "attributes",
        "droppedAttributesCount",
        "events",
        "droppedEventsCount",
        "links",
        "droppedLinksCount",
        "status",
      ];
      const nulls = names.map((name) => `"${name}":null`).join(",");
      assert.deepEqual(onlySpan(nulls), onlySpan(""));
      const body = `{"resourceSpans":[null,{"resource":null,"scopeSpans":[null,{"scope":null,"spans":[null,${spanText(
        '"attributes":[null,{"key":"a","value":null},{"key":"b","value":{"stringValue":null}},{"key":null,"value":{"intValue":1}}],"events":[null],"links":[null]',
      )},null]}]}]}`;
      const { spans, rejections } = decodeText(body);
      assert.deepEqual(rejections, []);
      assert.equal(spans.length, 1);
      assert.deepEqual(
        spans[0]?.attributes,
        new Map<string, Value>([
          ["a", null],
          ["b", null],
          ["", 1],
        ]),
      );
      assert.deepEqual(spans[0]?.events, []);
    });

    it("unknown keys a hundred thousand levels deep, with a long integer inside", () => {
      const deep = `${'{"x":['.repeat(100_000)}1544712660000000001${"]}".repeat(100_000)}`;
      assert.equal(onlySpan(`"name":"n","unknown":${deep}`).name, "n");
      assert.throws(() => decodeText(`{"unknown":${'{"x":['.repeat(100_000)}`), { name: "DecodeError" });
    });
  });

  it("OTLP-50: flags above bit 9 are ignored", () => {
    assert.equal(onlySpan('"flags":4294966529').flags, 0x101);
    assert.equal(onlySpan('"flags":"257"').flags, 0x101);
  });

  it("a field of the wrong type costs its span, and says which field", () => {
    const cases = [
      ['"name":7', "name is not text"],
      ['"attributes":{}', "attributes is not an array"],
      ['"attributes":[7]', "attributes[0] is not an object"],
      ['"attributes":[{"key":7}]', "attributes[0].key is not text"],
      ['"attributes":[{"key":"a","value":"x"}]', "attributes[0].value is not an AnyValue object"],
      ['"attributes":[{},{"key":"a","value":{"boolValue":1}}]', "attributes[1].value.boolValue is neither"],
      [
        '"events":[{"attributes":[{"value":{"intValue":1.5}}]}]',
        "events[0].attributes[0].value.intValue is not",
      ],
      ['"droppedAttributesCount":-1', "droppedAttributesCount is not a whole number"],
      ['"kind":{}', "kind is not a number"],
      ['"status":2', "status is not an object"],
      ['"links":7', "links is not an array"],
    ] as const;
    for (const [fields, message] of cases) {
      const refused = rejection(spanText(fields));
      assert.equal(refused.reason, "value");
      assert.ok(refused.message.includes(`spans[1].${message}`), refused.message);
    }
  });

  it("a resource of the wrong type costs the spans of that resource, and no others", () => {
    const scopeSpans = `"scopeSpans":[{"spans":[${spanText()},${spanText()}]}]`;
    const body = `{"resourceSpans":[{"resource":7,${scopeSpans}},{${scopeSpans}}]}`;
    const { spans, rejections } = decodeText(body);
    assert.equal(spans.length, 2);
    assert.deepEqual(
      rejections.map(({ reason, count }) => ({ reason, count })),
      [{ reason: "value", count: 2 }],
    );
    assert.match(rejections[0]?.message ?? "", /^resourceSpans\[0\]\.resource is not an object/);
  });

  it("only wanted attributes are materialised", () => {
    const plan = { ...none, span: { exact: new Set(["a"]), prefixes: ["p."] } };
    const list = ["a", "b", "p.1", "p", "q.1"].map((key) => `{"key":"${key}","value":{"stringValue":"v"}}`);
    assert.deepEqual([...onlySpan(`"attributes":[${list.join(",")}]`, plan).attributes.keys()], ["a", "p.1"]);
  });

  it("OTLP-43: byte order mark, NUL, lone surrogates and bytes that are no UTF-8", () => {
    assert.equal(decodeText(`\ufeff${requestText(spanText())}`).spans.length, 1);
    assert.equal(onlySpan('"name":"a\\u0000b"').name, "a\0b");
    const lone = decodeText(
      requestText(spanText(`"name":"\\ud800x",${attributeText('{"stringValue":"\\udc00"}')}`)),
    );
    assert.equal(lone.spans[0]?.name, "\ufffdx");
    assert.equal(lone.spans[0]?.attributes.get("a"), "\ufffd");
    assert.deepEqual(lone.flaws, new Map([["invalid_utf8", 2]]));
    assert.equal(onlySpan('"name":"\\ud83d\\ude00"').name, "😀");

    const broken = Buffer.from(requestText(spanText('"name":"abc"')));
    broken[broken.indexOf("abc")] = 0xff;
    const decoded = decodeBytes(broken);
    assert.equal(decoded.spans[0]?.name, "\ufffdbc");
    assert.deepEqual(decoded.flaws, new Map([["invalid_utf8", 1]]));

    const utf16 = Buffer.from(`\ufeff${requestText(spanText())}`, "utf16le");
    assert.throws(() => decodeBytes(utf16), { name: "DecodeError", message: /UTF-8/ });
    assert.deepEqual(decodeText(requestText(spanText('"name":"\ufffd"'))).flaws, new Map());
  });

  describe("OTLP-44: timestamps and integers in two halves", () => {
    const halves = '{"low":1,"high":2,"unsigned":true}';
    const cases = [
      [`"startTimeUnixNano":${halves}`, "startTimeUnixNano"],
      [`"endTimeUnixNano":${halves}`, "endTimeUnixNano"],
      [`"events":[{"timeUnixNano":${halves}}]`, "timeUnixNano"],
      [attributeText(`{"intValue":${halves}}`), "attributes[0].value.intValue"],
    ] as const;
    for (const [fields, field] of cases) {
      it(field, () => {
        assert.throws(
          () => decodeText(requestText(spanText(), spanText(fields))),
          (error: Error) => {
            assert.equal(error.name, "DecodeError");
            assert.ok(error.message.includes(`spans[1].${field} is an object with low and high halves`));
            assert.match(error.message, /decimal text/);
            return true;
          },
        );
      });
    }
  });
});
