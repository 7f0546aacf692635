/**
 * Spans back to an ExportTraceServiceRequest. What decoding left out (unwanted attributes, link attributes,
 * schema URLs) is not there to be written; what is there decodes to the same spans again.
 *
 * Numbers: a whole number is written as an integer and any other as a double. A double that happened to be
 * whole (`5.0`) comes back as the same number.
 */
import type { Resource, Scope, Span } from "../model/span.ts";
import type { Encoding } from "./encode-response.ts";
import { encodeTraceJson } from "./encode-trace-json.ts";
import { encodeTraceProtobuf } from "./encode-trace-protobuf.ts";

export function encodeTraces(encoding: Encoding, spans: readonly Span[]): Uint8Array {
  const groups = groupSpans(spans);
  return encoding === "json" ? encodeTraceJson(groups) : encodeTraceProtobuf(groups);
}

export interface ResourceGroup {
  readonly resource: Resource;
  readonly scopes: readonly { readonly scope: Scope; readonly spans: readonly Span[] }[];
}

/** Spans that share a resource or scope object share its group, in order of first appearance. */
function groupSpans(spans: readonly Span[]): readonly ResourceGroup[] {
  const groups = new Map<Resource, Map<Scope, Span[]>>();
  for (const span of spans) {
    const scopes = groups.get(span.resource) ?? new Map<Scope, Span[]>();
    groups.set(span.resource, scopes);
    const members = scopes.get(span.scope) ?? [];
    scopes.set(span.scope, members);
    members.push(span);
  }
  return [...groups].map(([resource, scopes]) => ({
    resource,
    scopes: [...scopes].map(([scope, members]) => ({ scope, spans: members })),
  }));
}
