import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Resource } from "../../../src/model/span.ts";
import type { Value } from "../../../src/model/value.ts";
import { clockDomain } from "../../../src/processor/normalize/clock-domain.ts";
import { parsePythonRepr } from "../../../src/processor/normalize/python-repr.ts";
import { isSampled } from "../../../src/processor/normalize/times.ts";
import { decodeBounded, decodeValue, hashOf } from "../../../src/processor/normalize/values.ts";
import { everything } from "../../captures/judge-run.ts";
import fc from "../../support/properties.ts";
import { at, makeSpan } from "./make-span.ts";

describe("decoding text that means to be JSON", () => {
  const cases: readonly {
    readonly title: string;
    readonly text: Value;
    readonly value: Value;
    readonly flaw?: string;
  }[] = [
    { title: "an object", text: '{"a":1}', value: { a: 1 } },
    { title: "with space around it", text: ' {"a":1}\n', value: { a: 1 } },
    { title: "encoded twice", text: '"{\\"a\\":1}"', value: { a: 1 } },
    { title: "a quoted word", text: '"approved"', value: "approved" },
    { title: "plain text", text: "approved", value: "approved" },
    { title: "a number is no JSON here", text: "5310", value: "5310" },
    { title: "text that begins with a bracket", text: "[INFO] done", value: "[INFO] done" },
    {
      title: "an integer beyond 2^53 keeps its digits",
      text: '{"id":9007199254740993}',
      value: { id: 9007199254740993n },
    },
    {
      title: "a long fraction stays a number",
      text: '{"x":0.12345678901234567890}',
      value: { x: 0.12345678901234568 },
    },
    {
      title: "Python's repr",
      text: "{'a': True, 'b': None, 'c': (1, 2)}",
      value: { a: true, b: null, c: [1, 2] },
    },
    { title: "cut short", text: '{"a":"long te', value: '{"a":"long te', flaw: "truncated" },
    { title: "not JSON after all", text: "{a: 1}", value: "{a: 1}", flaw: "unparseable" },
    { title: "a value that is no text", text: 7, value: 7 },
    {
      title: "a key named __proto__",
      text: '{"__proto__":{"a":1}}',
      value: JSON.parse('{"__proto__":{"a":1}}'),
    },
  ];
  for (const { title, text, value, flaw } of cases) {
    it(title, () => assert.deepEqual(decodeValue(text), { value, flaw: flaw ?? null }));
  }

  it("keeps nothing that nests past all reason", () => {
    const deep = `${"[".repeat(200)}${"]".repeat(200)}`;
    assert.deepEqual(decodeBounded(deep), { value: "", flaw: "unparseable" });
    const span = makeSpan({
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "f",
        "gen_ai.tool.call.arguments": `{"a":${deep}}`,
      },
    });
    const fact = everything.normalize(span, at(60_000), null);
    assert.deepEqual([fact.args, fact.argsHash, fact.flaws], [undefined, null, ["unparseable"]]);
  });

  it("reads back whatever JSON a tool can answer", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { minKeys: 1 });
    fc.assert(
      fc.property(object, (value) => {
        const text = JSON.stringify(value);
        // Long integers come back as bigints, which JSON has no word for.
        const written = (decoded: Value): string =>
          JSON.stringify(decoded, (_key, inner) => (typeof inner === "bigint" ? Number(inner) : inner));
        assert.equal(written(decodeValue(text).value), text);
        assert.equal(written(decodeValue(JSON.stringify(text)).value), text);
      }),
    );
  });

  it("never throws", () => {
    const begin = fc.constantFrom("{", "[", '"', "{'", "[(", "{\\", "[None,");
    fc.assert(
      fc.property(begin, fc.string({ unit: "binary" }), (prefix, rest) => {
        decodeValue(prefix + rest);
      }),
    );
  });
});

describe("Python's repr", () => {
  const cases: readonly [string, Value | undefined][] = [
    ["{'q': 'it\\'s', \"r\": \"a\"}", { q: "it's", r: "a" }],
    ["['\\x41', '\\u00e9', 'a\\nb']", ["A", "é", "a\nb"]],
    ["{'n': -1.5e3, 'big': 12345678901234567890}", { n: -1500, big: 12345678901234567890n }],
    ["{}", {}],
    ["[1, 2,]", [1, 2]],
    ["{'d': datetime(2026, 1, 1)}", undefined],
    ["{'a': 1", undefined],
    ["{'a' 1}", undefined],
    ["['\\x4", undefined],
  ];
  for (const [text, value] of cases) it(text, () => assert.deepEqual(parsePythonRepr(text), value));
});

it("equal values hash alike, whatever their spelling", () => {
  assert.equal(hashOf({ a: 1, b: [true, null] }), hashOf(decodeValue('{"b":[true,null],"a":1}').value));
  assert.notEqual(hashOf({ a: 1 }), hashOf({ a: "1" }));
});

describe("clock domain", () => {
  const resource = (attributes: Record<string, Value>): Resource => ({
    attributes: new Map(Object.entries(attributes)),
    droppedAttributes: 0,
  });
  const cases: readonly {
    readonly title: string;
    readonly a: Record<string, Value>;
    readonly b: Record<string, Value>;
    readonly same: boolean;
    readonly assumed: boolean;
  }[] = [
    {
      title: "one host and process",
      a: { "host.id": "h", "process.pid": 1, x: 1 },
      b: { "host.id": "h", "process.pid": 1 },
      same: true,
      assumed: false,
    },
    {
      title: "two processes of a host",
      a: { "host.id": "h", "process.pid": 1 },
      b: { "host.id": "h", "process.pid": 2 },
      same: false,
      assumed: false,
    },
    {
      title: "one process id on two hosts",
      a: { "host.name": "a", "process.pid": 1 },
      b: { "host.name": "b", "process.pid": 1 },
      same: false,
      assumed: false,
    },
    {
      title: "pods",
      a: { "k8s.pod.uid": "p", "service.instance.id": "i" },
      b: { "k8s.pod.uid": "p", "service.instance.id": "i" },
      same: true,
      assumed: false,
    },
    {
      title: "an instance id alone",
      a: { "service.instance.id": "i" },
      b: { "service.instance.id": "i", extra: 1 },
      same: true,
      assumed: false,
    },
    {
      title: "equal resources without identity",
      a: { "service.name": "s" },
      b: { "service.name": "s" },
      same: true,
      assumed: true,
    },
    {
      title: "a process id alone is no identity",
      a: { "process.pid": 1, v: 1 },
      b: { "process.pid": 1, v: 2 },
      same: false,
      assumed: true,
    },
  ];
  for (const { title, a, b, same, assumed } of cases) {
    it(title, () => {
      const [first, second] = [clockDomain(resource(a)), clockDomain(resource(b))];
      assert.equal(first.clock === second.clock, same);
      assert.equal(first.assumed, assumed);
    });
  }
});

describe("upstream sampling", () => {
  const cases: readonly [string, boolean][] = [
    ["", false],
    ["ot=th:0", false],
    ["ot=th:000", false],
    ["ot=th:8", true],
    ["vendor=x, ot=rv:1;th:c", true],
    ["vendor=th:8", false],
    ["ot=rv:abc", false],
  ];
  for (const [state, sampled] of cases) it(state || "none", () => assert.equal(isSampled(state), sampled));
});
