import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Rejection, RejectReason, WireFlaw } from "../../src/model/span.ts";
import { summarise, warningOf } from "../../src/receiver/partial-success.ts";
import { send } from "./plain-request.ts";
import { createBench } from "./support.ts";
import { bothTypes, json, requestBody, responseOf, spanIdOf } from "./wire.ts";

const oneSpan = [{ id: 1 }];

for (const type of bothTypes) {
  const encoding = type === json ? "json" : "protobuf";
  const good = requestBody(type, oneSpan);

  describe(`POST /v1/traces, ${encoding}: partial success`, () => {
    const zeros = "0".repeat(32);

    it("OTLP-27: some spans invalid: the count is exact, the message is set, the others are taken", async () => {
      const bench = createBench();
      const body = requestBody(type, [
        { id: 1 },
        { id: 2, traceId: zeros },
        { id: 3 },
        { id: 4, traceId: "abcd" },
      ]);

      const reply = await send({ type, body }, bench.deps);

      const { partialSuccess } = responseOf(type, reply.body);
      assert.equal(reply.status, 200);
      assert.equal(partialSuccess?.rejectedSpans, 2);
      assert.match(partialSuccess?.errorMessage ?? "", /2 spans were rejected: .*trace/i);
      assert.deepEqual(
        bench.taken[0]?.spans.map((span) => span.spanId),
        [spanIdOf({ id: 1 }), spanIdOf({ id: 3 })],
      );
      assert.deepEqual(bench.telemetry.spans, { [`${encoding} accepted`]: 2, [`${encoding} rejected`]: 2 });
      assert.deepEqual(bench.telemetry.rejected, { trace_id: 2 });
      assert.deepEqual(bench.telemetry.requests, { [`${encoding} accepted`]: 1 });
    });

    it("OTLP-27: each kind of bad id is told, with how many spans it cost", async () => {
      const bench = createBench();
      const body = requestBody(type, [
        { id: 1 },
        { id: 2, traceId: zeros },
        { id: 3, traceId: zeros },
        { id: 4, traceId: "abcd" },
        { id: 5, traceId: "" },
      ]);

      const reply = await send({ type, body }, bench.deps);

      const { partialSuccess } = responseOf(type, reply.body);
      assert.equal(partialSuccess?.rejectedSpans, 4);
      const message = partialSuccess?.errorMessage ?? "";
      assert.match(message, /^4 spans were rejected: 2 × \S*[tT]race\S* is all zero/);
      assert.match(message, /; 1 × \S*[tT]race\S* (?:must be 16 bytes long|is not 32 hex digits)/);
      assert.match(message, /; 1 × \S*[tT]race\S* is empty/);
      assert.deepEqual(bench.telemetry.rejected, { trace_id: 4 });
    });

    it("OTLP-28: all spans invalid: 200, all of them rejected, nothing journaled", async () => {
      const bench = createBench();
      const spans = [1, 2, 3].map((id) => ({ id, traceId: zeros }));

      const reply = await send({ type, body: requestBody(type, spans) }, bench.deps);

      assert.equal(reply.status, 200);
      assert.equal(responseOf(type, reply.body).partialSuccess?.rejectedSpans, 3);
      assert.deepEqual(bench.taken, []);
      assert.deepEqual(bench.telemetry.spans, { [`${encoding} rejected`]: 3 });
    });

    it("OTLP-29: a warning without rejection: rejected 0, message not empty", async () => {
      const bench = createBench({
        accept: () => Promise.resolve({ kind: "accepted", warning: "the clock runs a day ahead" }),
      });
      const reply = await send({ type, body: good }, bench.deps);

      const { partialSuccess } = responseOf(type, reply.body);
      assert.equal(partialSuccess?.rejectedSpans ?? 0, 0);
      assert.equal(partialSuccess?.errorMessage, "the clock runs a day ahead");
      assert.deepEqual(bench.telemetry.spans, { [`${encoding} accepted`]: 1 });
    });

    it("OTLP-27: spans that only the pipeline could refuse count as well, once", async () => {
      const bench = createBench({
        accept: () =>
          Promise.resolve({
            kind: "accepted",
            rejections: [{ reason: "value", message: "a value that cannot be kept", count: 1 }],
          }),
      });
      const body = requestBody(type, [{ id: 1 }, { id: 2 }, { id: 3, traceId: zeros }]);
      const reply = await send({ type, body }, bench.deps);

      assert.equal(responseOf(type, reply.body).partialSuccess?.rejectedSpans, 2);
      assert.deepEqual(bench.telemetry.spans, { [`${encoding} accepted`]: 1, [`${encoding} rejected`]: 2 });
    });

    it("spans of scope toolorder are dropped, counted, and not rejected", async () => {
      const bench = createBench();
      const body = requestBody(type, [
        { id: 1, scope: "toolorder" },
        { id: 2 },
        { id: 3, scope: "toolorder" },
        { id: 4, scope: "toolorder.test" },
      ]);
      const reply = await send({ type, body }, bench.deps);

      assert.deepEqual(responseOf(type, reply.body), {});
      assert.deepEqual(
        bench.taken[0]?.spans.map((span) => span.spanId),
        [spanIdOf({ id: 2 }), spanIdOf({ id: 4 })],
      );
      assert.deepEqual(bench.telemetry.spans, {
        [`${encoding} accepted`]: 2,
        [`${encoding} dropped_own`]: 2,
      });
    });

    it("nothing but spans of scope toolorder is an empty request", async () => {
      const bench = createBench();
      const reply = await send(
        { type, body: requestBody(type, [{ id: 1, scope: "toolorder" }]) },
        bench.deps,
      );

      assert.equal(reply.status, 200);
      assert.deepEqual(responseOf(type, reply.body), {});
      assert.deepEqual(bench.taken, []);
    });
  });
}

describe("partial success: what it says", () => {
  const rejection = (reason: RejectReason, count: number, message: string = reason): Rejection => ({
    reason,
    message,
    count,
  });
  const rows: readonly {
    readonly name: string;
    readonly rejections: readonly Rejection[];
    readonly warning?: string;
    readonly want: ReturnType<typeof summarise>;
  }[] = [
    { name: "OTLP-3: nothing, when there is nothing to say", rejections: [], want: null },
    { name: "OTLP-3: nothing, when nothing was rejected", rejections: [rejection("utf8", 0)], want: null },
    {
      name: "OTLP-29: a warning alone",
      rejections: [],
      warning: "mind this",
      want: { rejected: 0, errorMessage: "mind this" },
    },
    {
      name: "OTLP-27: one span",
      rejections: [rejection("nesting", 1, "too deep")],
      want: { rejected: 1, errorMessage: "1 span was rejected: 1 × too deep" },
    },
    {
      name: "OTLP-27: each reason once, the most frequent first, with the first message about it",
      rejections: [
        rejection("nesting", 1, "too deep"),
        rejection("trace_id", 2, "spans[0].traceId"),
        rejection("trace_id", 3, "spans[7].traceId"),
      ],
      want: { rejected: 6, errorMessage: "6 spans were rejected: 5 × spans[0].traceId; 1 × too deep" },
    },
    {
      name: "OTLP-27: two faults of one field apart, whichever batch they came from",
      rejections: [
        { ...rejection("span_id", 1, "spans[0].spanId is empty"), cause: "is empty" },
        { ...rejection("span_id", 2, "spans[3].spanId is all zero"), cause: "is all zero" },
        { ...rejection("span_id", 4, "spans[9].spanId is empty"), cause: "is empty" },
      ],
      want: {
        rejected: 7,
        errorMessage: "7 spans were rejected: 5 × spans[0].spanId is empty; 2 × spans[3].spanId is all zero",
      },
    },
    {
      name: "OTLP-27: rejections drown a warning",
      rejections: [rejection("nesting", 1, "too deep")],
      warning: "mind this",
      want: { rejected: 1, errorMessage: "1 span was rejected: 1 × too deep" },
    },
  ];
  for (const { name, rejections, warning = null, want } of rows) {
    it(name, () => assert.deepEqual(summarise(rejections, warning), want));
  }

  it("OTLP-21: stays short whatever the decoder says, and the count stays exact", () => {
    const reasons: readonly RejectReason[] = [
      "trace_id",
      "span_id",
      "parent_span_id",
      "link_id",
      "nesting",
      "value",
      "utf8",
    ];
    const long = "x".repeat(100_000);
    const rejections = Array.from({ length: 10_000 }, (_, i) =>
      rejection(reasons[i % reasons.length] ?? "value", 1, `${i}${long}`),
    );
    const partial = summarise(rejections, null);
    assert.equal(partial?.rejected, 10_000);
    assert.ok((partial?.errorMessage.length ?? Number.POSITIVE_INFINITY) <= 1_500);
    assert.equal(summarise([], long)?.errorMessage.length, 1_500);
  });

  it("leaves room for each of many kinds", () => {
    const rejections = Array.from({ length: 24 }, (_, i) => ({
      ...rejection("link_id", 24 - i, `fault ${i} ${"x".repeat(500)}`),
      cause: `fault ${i}`,
    }));
    const message = summarise(rejections, null)?.errorMessage ?? "";
    assert.ok(message.length <= 1_500);
    for (let i = 0; i < 24; i += 1) assert.ok(message.includes(`${24 - i} × fault ${i} `), `${i}`);
  });

  for (const { flaws, want } of [
    { flaws: [], want: null },
    { flaws: [["snake_case_key", 3]], want: null },
    {
      flaws: [
        ["enum_name", 1],
        ["duplicate_key", 2],
      ],
      want: null,
    },
    { flaws: [["strindex", 2]], want: /^2 attribute keys or values .* left out/ },
  ] as const satisfies readonly { flaws: readonly (readonly [WireFlaw, number])[]; want: RegExp | null }[]) {
    it(`OTLP-29: warns only of what was lost: ${JSON.stringify(flaws)}`, () => {
      const warning = warningOf(new Map<WireFlaw, number>(flaws));
      if (want === null) assert.equal(warning, null);
      else assert.match(warning ?? "", want);
    });
  }
});
