/** Short ways to decode requests written by hand. */
import assert from "node:assert/strict";
import { type AttributePlan, everything } from "../../src/model/attribute-plan.ts";
import type { DecodedTraces, Span } from "../../src/model/span.ts";
import { decodeTracesJson } from "../../src/otlp/decode-json.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";

export const decodeBytes = (body: Uint8Array, plan: AttributePlan = everything): DecodedTraces =>
  decodeTracesJson(body, plan, defaultDecodeLimits);
export const decodeText = (body: string, plan: AttributePlan = everything): DecodedTraces =>
  decodeBytes(Buffer.from(body), plan);

export const none: AttributePlan = {
  span: { exact: new Set(), prefixes: [] },
  event: { exact: new Set(), prefixes: [] },
};

export const traceId = "0af7651916cd43dd8448eb211c80319c";
export const spanId = "b7ad6b7169203331";
export const ids = `"traceId":"${traceId}","spanId":"${spanId}"`;

/** A request with these spans, each the text of its object. */
export const requestText = (...spans: readonly string[]): string =>
  `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join(",")}]}]}]}`;
/** A span with ids and these fields, as JSON text. */
export const spanText = (fields = ""): string => `{${ids}${fields === "" ? "" : `,${fields}`}}`;

export function onlySpan(fields: string, plan: AttributePlan = everything): Span {
  const { spans, rejections } = decodeText(requestText(spanText(fields)), plan);
  assert.deepEqual(rejections, []);
  const [span] = spans;
  assert.ok(span !== undefined && spans.length === 1);
  return span;
}

export const attributeText = (anyValue: string): string => `"attributes":[{"key":"a","value":${anyValue}}]`;
/** What the second of three spans is refused for, while the others live. */
export function rejection(span: string): { reason: string; message: string } {
  const { spans, rejections } = decodeText(requestText(spanText(), span, spanText()));
  assert.equal(spans.length, 2);
  assert.equal(rejections.length, 1);
  const [first] = rejections;
  assert.equal(first?.count, 1);
  return { reason: first?.reason ?? "", message: first?.message ?? "" };
}
