/** Short ways to decode messages written by hand. */
import assert from "node:assert/strict";
import { type AttributePlan, everything } from "../../src/model/attribute-plan.ts";
import type { DecodedTraces, Span } from "../../src/model/span.ts";
import type { Value } from "../../src/model/value.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import { decodeTracesProtobuf } from "../../src/otlp/decode-protobuf.ts";
import { attribute, field, requestOf, spanOf } from "./bytes.ts";

export const decode = (body: Uint8Array, plan: AttributePlan = everything): DecodedTraces =>
  decodeTracesProtobuf(body, plan, defaultDecodeLimits);

export const none: AttributePlan = {
  span: { exact: new Set(), prefixes: [] },
  event: { exact: new Set(), prefixes: [] },
};

export function onlySpan(body: Uint8Array, plan: AttributePlan = everything): Span {
  const { spans, rejections } = decode(body, plan);
  assert.deepEqual(rejections, []);
  const [span] = spans;
  assert.ok(span !== undefined && spans.length === 1);
  return span;
}

export const readValue = (anyValue: Uint8Array): Value | undefined =>
  onlySpan(requestOf(spanOf(attribute("a", anyValue)))).attributes.get("a");

export const text = (value: string): Uint8Array => field(1, value);
