/** What a call has of the HTTP requests below it (docs/dialects.md#http-requests-below-a-call). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { Value } from "../../../src/model/value.ts";
import fc from "../../support/properties.ts";
import type { SpanSketch } from "../normalize/make-span.ts";
import { agent, assembleSpans, calls, chat, tool } from "./make-facts.ts";

const root = agent("a", { id: "root", end: 1000 });
const save = (attributes: Record<string, Value> = {}, status = 1): SpanSketch =>
  tool("save", { id: "c", parent: "root", start: 10, end: 90, status, attributes });

type Attributes = Readonly<Record<string, Value>>;
let made = 0;
/** A request below the call, in the newer spelling. */
function request(method: string, attributes: Attributes = {}, more: SpanSketch = {}): SpanSketch {
  made += 1;
  return {
    id: `h${made}`,
    parent: "c",
    name: method,
    kind: 3,
    start: 10 + made / 1000,
    ...more,
    attributes: { "http.request.method": method, "url.full": "https://api/x", ...attributes },
  };
}
const sent = (name: string, value: Value): Attributes => ({ [`http.request.header.${name}`]: [value] });
const got = (name: string, value: Value): Attributes => ({ [`http.response.header.${name}`]: [value] });
const status = (code: number): Attributes => ({ "http.response.status_code": code });
const lost: Attributes = { "error.type": "ECONNRESET" };

const callOf = (spans: readonly SpanSketch[]): Event => {
  const found = calls(assembleSpans([root, ...spans])).find(({ id }) => id === "t1:c");
  assert.ok(found);
  return found;
};
const names = ["key", "if_match", "version", "outcome", "retryable", "attempt"] as const;
/** Fields of the call; `?` is unknown. */
const lent = (spans: readonly SpanSketch[]) => {
  const { fields, hidden } = callOf(spans);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = fields.get(name);
      if (value !== undefined) return [[name, value]];
      return hidden.has(name) ? [[name, "?"]] : [];
    }),
  );
};

const rows: readonly {
  title: string;
  spans: () => readonly SpanSketch[];
  want: Readonly<Record<string, Value>>;
}[] = [
  { title: "nothing below", spans: () => [save()], want: {} },
  {
    title: "a request without anything to say",
    spans: () => [save(), request("POST", status(200))],
    want: {},
  },
  {
    title: "headers, in the newer spelling",
    spans: () => [
      save(),
      request("PUT", {
        ...sent("idempotency-key", "k1"),
        ...sent("if-match", '"4"'),
        ...got("etag", '"5"'),
        ...status(200),
      }),
    ],
    want: { key: "k1", if_match: "4", version: "5" },
  },
  {
    title: "headers, in the older spelling",
    spans: () => [
      save(),
      {
        ...request("PUT"),
        attributes: {
          "http.method": "put",
          "http.request.header.idempotency_key": ["k1"],
          "http.request.header.if_match": ['W/"4"'],
          "http.response.header.etag": "5",
          "http.status_code": 412,
        },
      },
    ],
    want: { key: "k1", if_match: "W/4", version: "5", outcome: "conflict" },
  },
  {
    title: "what the call says itself stands",
    spans: () => [
      save({ "agent.idempotency_key": "own", "agent.outcome": "ok" }),
      request("POST", { ...sent("idempotency-key", "k1"), ...status(409) }),
    ],
    want: { key: "own", outcome: "ok" },
  },
  { title: "409", spans: () => [save(), request("POST", status(409))], want: { outcome: "conflict" } },
  { title: "412", spans: () => [save(), request("PATCH", status(412))], want: { outcome: "conflict" } },
  {
    title: "422",
    spans: () => [save(), request("POST", status(422))],
    want: { outcome: "failed", retryable: false },
  },
  {
    title: "428",
    spans: () => [save(), request("PUT", status(428))],
    want: { outcome: "failed", retryable: false },
  },
  { title: "500 is the call's own to judge", spans: () => [save(), request("POST", status(500))], want: {} },
  { title: "no response", spans: () => [save({}, 2), request("POST", lost)], want: { outcome: "unknown" } },
  { title: "no response to a read is no effect", spans: () => [save({}, 2), request("GET", lost)], want: {} },
  { title: "still under way", spans: () => [save(), request("POST", {}, { end: null })], want: {} },
  {
    title: "an error with a status has been answered",
    spans: () => [save({}, 2), request("POST", { "error.type": "500", ...status(500) })],
    want: {},
  },
  {
    title: "sent again and answered",
    spans: () => [
      save(),
      request("POST", lost),
      request("POST", { ...status(200), "http.request.resend_count": 1 }),
    ],
    want: { attempt: 2 },
  },
  {
    title: "answered, and the second try lost",
    spans: () => [save(), request("POST", status(503)), request("POST", lost)],
    want: { outcome: "unknown", attempt: 2 },
  },
  {
    title: "a count alone",
    spans: () => [save(), request("POST", { ...status(200), "http.resend_count": 3 })],
    want: { attempt: 4 },
  },
  {
    title: "two writes that disagree",
    spans: () => [
      save(),
      request("POST", { ...sent("idempotency-key", "k1"), ...status(409), "url.full": "https://api/a" }),
      request("POST", { ...sent("idempotency-key", "k2"), ...status(200), "url.full": "https://api/b" }),
    ],
    want: { key: "?", outcome: "?" },
  },
  {
    title: "two writes that agree",
    spans: () => [
      save(),
      request("POST", { ...sent("idempotency-key", "k1"), ...status(409), "url.full": "https://api/a" }),
      request("POST", { ...sent("idempotency-key", "k1"), ...status(409), "url.full": "https://api/b" }),
    ],
    want: { key: "k1", outcome: "conflict", attempt: 2 },
  },
  {
    title: "a read before the write does not speak for it",
    spans: () => [
      save(),
      request("GET", { ...got("etag", '"4"'), ...status(200) }),
      request("PUT", { ...sent("if-match", '"4"'), ...got("etag", '"5"'), ...status(200) }),
    ],
    want: { if_match: "4", version: "5" },
  },
  {
    title: "reads alone",
    spans: () => [save(), request("GET", { ...got("etag", '"4"'), ...status(200) })],
    want: { version: "4" },
  },
  {
    title: "a header of two values",
    spans: () => [save(), request("POST", { "http.request.header.idempotency-key": ["a", "b"] })],
    want: { key: "?" },
  },
  {
    title: "a header that was blotted out",
    spans: () => [save(), request("POST", sent("idempotency-key", "[REDACTED]"))],
    want: { key: "?" },
  },
  {
    title: "a write on any version",
    spans: () => [save(), request("PUT", sent("if-match", "*"))],
    want: { if_match: "*" },
  },
  {
    title: "a write on several versions",
    spans: () => [save(), request("PUT", sent("if-match", '"1", "2"'))],
    want: { if_match: "?" },
  },
  {
    title: "below plain spans",
    spans: () => [
      save(),
      { id: "db", parent: "c", name: "work" },
      request("POST", status(409), { parent: "db" }),
    ],
    want: { outcome: "conflict" },
  },
  {
    title: "a model's own request is not the tool's",
    spans: () => [save(), chat([], { id: "m", parent: "c" }), request("POST", status(409), { parent: "m" })],
    want: {},
  },
  {
    title: "an inner agent's is not",
    spans: () => [
      save(),
      agent("b", { id: "b", parent: "c" }),
      request("POST", status(409), { parent: "b" }),
    ],
    want: {},
  },
  {
    title: "an inner call's is that call's",
    spans: () => [
      save(),
      tool("other", { id: "i", parent: "c", start: 20 }),
      request("POST", status(409), { parent: "i" }),
    ],
    want: {},
  },
  {
    title: "what the server did for it is not",
    spans: () => [
      save(),
      request("POST", status(200), { id: "out" }),
      { id: "srv", parent: "out", name: "POST", kind: 2 },
      request("POST", status(409), { parent: "srv" }),
    ],
    want: {},
  },
  {
    title: "a server's span is no request of the call",
    spans: () => [save(), { ...request("POST", status(409)), kind: 2 }],
    want: {},
  },
];

describe("a call has of its HTTP requests", () => {
  for (const { title, spans, want } of rows) it(title, () => assert.deepEqual(lent(spans()), want));

  it("nothing of the request that carried it to an MCP server, and all of what the server sent", () => {
    const mcp = { "mcp.method.name": "tools/call", "gen_ai.tool.name": "save" };
    const client: SpanSketch = {
      id: "c",
      parent: "root",
      name: "tools/call save",
      kind: 3,
      start: 10,
      end: 90,
      status: 1,
      attributes: mcp,
    };
    const server: SpanSketch = {
      id: "s",
      parent: "w",
      name: "tools/call save",
      kind: 2,
      start: 20,
      end: 80,
      status: 1,
      attributes: mcp,
    };
    const carrier = request("POST", { ...sent("idempotency-key", "transport"), ...status(200) }, { id: "w" });
    const effect = request("POST", { ...sent("idempotency-key", "k1"), ...status(409) }, { parent: "s" });
    assert.deepEqual(lent([client, carrier, server, effect]), { key: "k1", outcome: "conflict" });
  });

  it("the same in whatever order they came", () => {
    const spans = rows.find(({ title }) => title === "answered, and the second try lost")?.spans() ?? [];
    fc.assert(
      fc.property(fc.shuffledSubarray([...spans], { minLength: spans.length }), (shuffled) => {
        assert.deepEqual(lent(shuffled), { outcome: "unknown", attempt: 2 });
      }),
    );
  });

  it("a word that headers were not recorded, where they were not", () => {
    const flawed = (spans: readonly SpanSketch[]) => callOf(spans).flaws.includes("headers_not_captured");
    assert.equal(flawed([save(), request("POST", status(200))]), true);
    assert.equal(flawed([save()]), false);
    const all = {
      ...sent("idempotency-key", "k"),
      ...sent("if-match", "1"),
      ...got("etag", "2"),
      ...status(200),
    };
    assert.equal(flawed([save(), request("POST", all)]), false);
    // Some headers are there, so these were looked for and the request had none.
    assert.equal(
      flawed([
        save(),
        request("POST", { ...sent("content-type", "a/b"), ...got("content-type", "a/b"), ...status(200) }),
      ]),
      false,
    );
  });
});
