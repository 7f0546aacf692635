import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { InputError } from "../../src/cli/input-error.ts";
import { jsonElements } from "../../src/cli/json-elements.ts";
import { readTraces } from "../../src/cli/traces.ts";

const capture = (name: string): Uint8Array => readFileSync(`test/captures/data/genai-manual-semconv/${name}`);
const read = (content: string | Uint8Array) =>
  readTraces(
    { name: "t", bytes: typeof content === "string" ? new TextEncoder().encode(content) : content },
    "t",
  );

const request = (name: string, start = '"1772359201000000001"'): string =>
  `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"${name}","startTimeUnixNano":${start}}]}]}]}`;

describe("the kind of a trace file is found by its content:", () => {
  const table: readonly {
    readonly name: string;
    readonly content: string | Uint8Array;
    readonly spans?: readonly string[];
    readonly events?: number;
  }[] = [
    { name: "one OTLP request", content: request("a"), spans: ["a"] },
    {
      name: "one OTLP request over several lines",
      content: `\n${JSON.stringify(JSON.parse(request("a")), null, 2)}\n`,
      spans: ["a"],
    },
    { name: "one with a byte order mark", content: `\uFEFF${request("a")}`, spans: ["a"] },
    {
      name: "one request a line, blank lines between",
      content: `${request("a")}\n\n${request("b")}\r\n`,
      spans: ["a", "b"],
    },
    { name: "a list of requests", content: `[${request("a")},\n${request("b")}]`, spans: ["a", "b"] },
    { name: "gzip", content: gzipSync(request("a")), spans: ["a"] },
    {
      name: "a plain list",
      content: '[{"type": "tool_call", "name": "a"}, {"type": "final_answer"}]',
      events: 2,
    },
    {
      name: "a plain list under events",
      content: '{"run": "r9", "events": [{"type": "final_answer"}]}',
      events: 1,
    },
    {
      name: "plain events, one a line",
      content: '{"type": "tool_call", "name": "a"}\n{"type": "final_answer"}\n',
      events: 2,
    },
    { name: "one plain event", content: '{"type": "final_answer"}', events: 1 },
  ];
  for (const { name, content, spans, events } of table) {
    it(name, () => {
      const traces = read(content);
      assert.deepEqual(
        traces.spans.map((span) => span.name),
        spans ?? [],
      );
      assert.equal(traces.events.length, events ?? 0);
    });
  }

  it("a protobuf request, the same spans as its JSON", () => {
    const ids = (names: readonly string[]): readonly string[] =>
      names.flatMap((name) => read(capture(name)).spans.map((span) => span.spanId)).sort();
    const protobuf = ids(["good_protobuf.1.otlp.pb", "good_protobuf.2.otlp.pb", "good_protobuf.3.otlp.pb"]);
    assert.ok(protobuf.length > 5);
    assert.deepEqual(protobuf, ids(["good_protobuf.otlp.json"]));
  });

  it("a list of requests keeps integers to the last digit", () => {
    assert.equal(
      read(`[${request("a", "1772359201000000001")}]`).spans[0]?.start,
      1_772_359_201_000_000_001n,
    );
  });
});

describe("a file that is no trace is refused with place, cause and cure:", () => {
  const table: readonly {
    readonly name: string;
    readonly content: string | Uint8Array;
    readonly place: string;
    readonly says: RegExp;
  }[] = [
    { name: "nothing", content: " \n", place: "t", says: /empty/ },
    { name: "text", content: "hello", place: "t", says: /neither JSON nor/ },
    { name: "half a document", content: '[\n{"type": "final_answer"},\n', place: "t:3", says: /not JSON/ },
    {
      name: "a bad line",
      content: `${request("a")}\n{"resourceSpans": [}\n`,
      place: "t:2",
      says: /this line is not JSON/,
    },
    { name: "a missing comma", content: '[\n{"type": "x"}\n{"type": "y"}]', place: "t:3", says: /not JSON/ },
    { name: "Jaeger JSON", content: '{"data": [{"traceID": "1"}]}', place: "t", says: /Jaeger/ },
    { name: "metrics", content: '{"resourceMetrics": []}', place: "t", says: /another signal/ },
    {
      name: "some other JSON",
      content: '{"a": 1}',
      place: "t",
      says: /neither an OTLP request nor an event/,
    },
    {
      name: "requests and events mixed",
      content: `${request("a")}\n{"type": "final_answer"}`,
      place: "t",
      says: /mixed/,
    },
    {
      name: "broken gzip",
      content: new Uint8Array([0x1f, 0x8b, 8, 0, 0]),
      place: "t",
      says: /cannot be unpacked/,
    },
    { name: "broken protobuf", content: new Uint8Array([0x0a, 0x7f, 1]), place: "t", says: /./ },
    {
      name: "an event without a name",
      content: '[\n\n {"type": "tool_call"}]',
      place: "t:3",
      says: /no `name`/,
    },
  ];
  for (const { name, content, place, says } of table) {
    it(name, () => {
      assert.throws(
        () => read(content),
        (error) => {
          assert.ok(error instanceof InputError, String(error));
          assert.equal(error.place, place);
          assert.match(error.message, says);
          return true;
        },
      );
    });
  }
});

describe("the elements of a JSON array", () => {
  it("know their text and line, whatever strings and brackets they hold", () => {
    const text = '{"events":\n [ {"a": "],\\"["},\n\n  [1, [2]] , "x,]"\n]}';
    const { events } = JSON.parse(text);
    assert.deepEqual(
      jsonElements(text, events).map(({ text: own, line }) => [JSON.parse(own), line]),
      [
        [{ a: '],"[' }, 2],
        [[1, [2]], 4],
        ["x,]", 4],
      ],
    );
  });

  it("are none in an empty one", () => {
    assert.deepEqual(jsonElements("[]", []), []);
  });
});
