/** Our protobuf reader against protobufjs: random messages, cut, bent and rearranged. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AttributePlan, everything } from "../../src/model/attribute-plan.ts";
import type { DecodedTraces, Rejection } from "../../src/model/span.ts";
import { DecodeError } from "../../src/otlp/decode-error.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import { decodeTracesProtobuf } from "../../src/otlp/decode-protobuf.ts";
import fc from "../support/properties.ts";
import { encode, project, request, somePlan } from "./messages.ts";
import { requestType } from "./trace-schema.ts";
import { draws, rearrange, split } from "./wire-tree.ts";

const decode = (body: Uint8Array, plan: AttributePlan = everything): DecodedTraces =>
  decodeTracesProtobuf(body, plan, defaultDecodeLimits);

function byReason(rejections: readonly Rejection[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { reason, count } of rejections) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return counts;
}

/** The result, or null where the body is refused as a whole. Anything else thrown fails the test. */
function attempt(body: Uint8Array): DecodedTraces | null {
  try {
    return decode(body, somePlan);
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error));
    return null;
  }
}

describe("protobuf traces, with protobufjs as the oracle", () => {
  it("decodes random messages as protobufjs does, cut down to the plan", () => {
    fc.assert(
      fc.property(request, fc.constantFrom(everything, somePlan), (message, plan) => {
        const body = encode(message);
        const expected = project(body, plan);
        const got = decode(body, plan);
        assert.deepEqual(got.spans, expected.spans);
        assert.deepEqual(byReason(got.rejections), expected.rejected);
      }),
      { numRuns: 400 },
    );
  });

  it("OTLP-49, OTLP-45: any order of fields, with unknown ones in between, gives the same result", () => {
    fc.assert(
      fc.property(request, fc.integer(), (message, seed) => {
        const body = encode(message);
        const other = rearrange(body, requestType, draws(seed));
        assert.deepEqual(decode(other, somePlan), decode(body, somePlan));
      }),
      { numRuns: 200 },
    );
  });

  it("OTLP-46: a message field in two parts is the two merged, wherever it is cut", () => {
    const resource = { attributes: [{ key: "a", value: { stringValue: "x" } }], droppedAttributesCount: 3 };
    const spans = [{ traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 2), name: "n" }];
    const whole = encode({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
    const inParts = Buffer.concat(
      split(whole, (_, payload) =>
        Buffer.concat(
          split(payload).flatMap((field) => (field.number === 1 ? halves(field.bytes) : [field.bytes])),
        ),
      ).map((field) => field.bytes),
    );
    assert.notDeepEqual(inParts, Buffer.from(whole));
    assert.deepEqual(decode(inParts), decode(whole));
    assert.equal(decode(inParts).spans[0]?.resource.droppedAttributes, 3);
    assert.equal(decode(inParts).spans[0]?.resource.attributes.get("a"), "x");
  });

  it("OTLP-48: a message cut at any byte is refused, but for a cut between two top-level fields", () => {
    const corpus = fc.sample(request, { numRuns: 60, seed: 48 }).map(encode);
    let cuts = 0;
    let prefixes = 0;
    for (const body of corpus.filter((bytes) => bytes.length > 0 && bytes.length < 6_000)) {
      const borders = new Set([0]);
      for (const field of split(body)) borders.add(Math.max(...borders) + field.bytes.length);
      for (let length = 0; length < body.length; length += 1) {
        const got = attempt(body.subarray(0, length));
        cuts += 1;
        if (!borders.has(length)) {
          assert.equal(got, null, `cut at ${length} of ${body.length}`);
          continue;
        }
        prefixes += 1;
        assert.deepEqual(got?.spans, project(body.subarray(0, length), somePlan).spans);
      }
    }
    assert.ok(cuts > 10_000 && prefixes > 50, `${cuts} cuts, ${prefixes} prefixes`);
  });

  it("OTLP-48: flipped bits give an answer or a DecodeError, never anything else", () => {
    const corpus = fc.sample(request, { numRuns: 40, seed: 7 }).map(encode);
    let refused = 0;
    let accepted = 0;
    for (const body of corpus.filter((bytes) => bytes.length > 0)) {
      const next = draws(body.length);
      for (let round = 0; round < 200; round += 1) {
        const bent = Uint8Array.from(body);
        for (let flips = 0; flips <= next(3); flips += 1) {
          const at = next(bent.length);
          bent[at] = (bent[at] ?? 0) ^ (1 << next(8));
        }
        if (attempt(bent) === null) refused += 1;
        else accepted += 1;
      }
    }
    assert.ok(refused > 100 && accepted > 100, `${refused} refused, ${accepted} accepted`);
  });

  it("random bytes give an answer or a DecodeError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void attempt(bytes)),
      {
        numRuns: 2_000,
      },
    );
  });

  it("every DecodeError names its byte and its field", () => {
    const body = encode({
      resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: Buffer.alloc(16, 1), name: "abc" }] }] }],
    });
    // Wire type 7 in place of the name's tag.
    const at = body.lastIndexOf((5 << 3) | 2);
    body[at] = (5 << 3) | 7;
    assert.throws(() => decode(body), {
      name: "DecodeError",
      message: /byte \d+: resource_spans\[0\]\.scope_spans\[0\]\.spans\[0\]\.name has wire type 7/,
    });
  });
});

/** One message field as two, each with a part of its fields; scalars stay as they are. */
function halves(field: Uint8Array): Uint8Array[] {
  const [only] = split(field, (_, payload) => payload);
  if (only === undefined) return [field];
  const inner = split(field.subarray(2));
  return inner.map((part) => Buffer.concat([Buffer.from([field[0] ?? 0, part.bytes.length]), part.bytes]));
}
