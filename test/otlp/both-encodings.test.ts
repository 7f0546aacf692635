/** The two encodings say the same: written by us and read back, and as real exporters wrote them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type AttributePlan, everything } from "../../src/model/attribute-plan.ts";
import type { DecodedTraces, Span } from "../../src/model/span.ts";
import { decodeTracesJson } from "../../src/otlp/decode-json.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import { decodeTracesProtobuf } from "../../src/otlp/decode-protobuf.ts";
import type { Encoding } from "../../src/otlp/encode-response.ts";
import { encodeTraces } from "../../src/otlp/encode-trace.ts";
import fc from "../support/properties.ts";
import { encode, project, request, somePlan } from "./messages.ts";
import { requestType } from "./trace-schema.ts";

const decode = (encoding: Encoding, body: Uint8Array, plan: AttributePlan): DecodedTraces =>
  (encoding === "json" ? decodeTracesJson : decodeTracesProtobuf)(body, plan, defaultDecodeLimits);

/** Spans with everything that the model can hold, ids and times at their borders included. */
const someSpans: fc.Arbitrary<readonly Span[]> = request.map(
  (message) => project(encode(message), everything).spans,
);

describe("both encodings", () => {
  it("OTLP-63: spans come back from either as they went in, and equal from both", () => {
    let compared = 0;
    fc.assert(
      fc.property(someSpans, (spans) => {
        for (const encoding of ["protobuf", "json"] as const) {
          const { spans: got, rejections } = decode(encoding, encodeTraces(encoding, spans), everything);
          assert.deepEqual(rejections, []);
          assert.deepEqual(byGroup(got), byGroup(spans), encoding);
        }
        compared += spans.length;
      }),
      { numRuns: 300 },
    );
    assert.ok(compared > 300);
  });

  it("a plan leaves the same attributes of either", () => {
    fc.assert(
      fc.property(someSpans, (spans) => {
        const [one, other] = (["protobuf", "json"] as const).map((encoding) =>
          decode(encoding, encodeTraces(encoding, spans), somePlan),
        );
        assert.deepEqual(one, other);
      }),
      { numRuns: 200 },
    );
  });

  it("what we write, protobufjs reads", () => {
    fc.assert(
      fc.property(someSpans, (spans) => {
        const body = encodeTraces("protobuf", spans);
        assert.deepEqual(project(body, everything).spans, byGroup(spans));
        assert.equal(requestType.verify(requestType.decode(body)), null);
      }),
      { numRuns: 100 },
    );
  });

  it("spans that share a resource and a scope share their group", () => {
    const spans = fc
      .sample(someSpans, { numRuns: 50, seed: 1 })
      .find((candidates) => candidates.length >= 3 && new Set(candidates.map((s) => s.resource)).size > 1);
    assert.ok(spans !== undefined);
    const body = JSON.parse(Buffer.from(encodeTraces("json", spans)).toString()) as {
      resourceSpans: { scopeSpans: unknown[] }[];
    };
    assert.equal(body.resourceSpans.length, new Set(spans.map((span) => span.resource)).size);
    assert.equal(
      body.resourceSpans.flatMap((group) => group.scopeSpans).length,
      new Set(spans.map((span) => span.scope)).size,
    );
  });

  it("nothing is an empty request in both", () => {
    assert.equal(encodeTraces("protobuf", []).length, 0);
    assert.equal(Buffer.from(encodeTraces("json", [])).toString(), '{"resourceSpans":[]}');
  });
});

describe("requests of real exporters, raw and as JSON", () => {
  const folder = join(import.meta.dirname, "data");
  const files = readdirSync(folder);
  const scenarios = files.filter((name) => name.endsWith(".ndjson"));
  assert.ok(scenarios.length >= 3);

  for (const scenario of scenarios) {
    const lines = readFileSync(join(folder, scenario), "utf8")
      .split("\n")
      .filter((line) => line !== "");
    for (const [index, line] of lines.entries()) {
      const raw = `${scenario.slice(0, -".ndjson".length)}.${index + 1}.otlp.pb`;
      it(raw, () => {
        const body = readFileSync(join(folder, raw));
        for (const plan of [everything, somePlan]) {
          const fromProtobuf = decode("protobuf", body, plan);
          assert.deepEqual(decode("json", Buffer.from(line), plan), fromProtobuf);
          assert.deepEqual(fromProtobuf.spans, project(body, plan).spans);
          assert.ok(fromProtobuf.spans.length > 0);
          assert.deepEqual(fromProtobuf.rejections, []);
        }
      });
    }
  }
});

/** Spans in the order in which grouping by resource and scope puts them. */
function byGroup(spans: readonly Span[]): readonly Span[] {
  const resources = [...new Set(spans.map((span) => span.resource))];
  const scopes = [...new Set(spans.map((span) => span.scope))];
  const rank = (span: Span): number =>
    resources.indexOf(span.resource) * scopes.length + scopes.indexOf(span.scope);
  return [...spans].sort((a, b) => rank(a) - rank(b));
}
