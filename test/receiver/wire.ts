/**
 * The receiver's bodies as protobufjs reads and writes them: an oracle that shares no code with `src/otlp`.
 * Only the fields that these tests look at.
 */
import { gzipSync } from "node:zlib";
import protobuf from "protobufjs";

const schema = protobuf.parse(`
  syntax = "proto3";
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; int32 string_value_strindex = 8; } }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message InstrumentationScope { string name = 1; string version = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
  }
  message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ExportTracePartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
  message ExportTraceServiceResponse { ExportTracePartialSuccess partial_success = 1; }
  message Status { int32 code = 1; string message = 2; }
`).root;

export const json = "application/json";
export const protobufType = "application/x-protobuf";
export const bothTypes = [json, protobufType] as const;
export type MediaType = (typeof bothTypes)[number];

/** One span of a test's request; `id` fills both ids, so that spans are told apart. */
export interface WireSpan {
  readonly id: number;
  /** Trace id in hex, where it shall not be a good one. */
  readonly traceId?: string;
  readonly scope?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

const startNanos = "1767225600000000000";
const endNanos = "1767225601000000001";

export function traceIdOf({ id, traceId }: WireSpan): string {
  return traceId ?? id.toString(16).padStart(32, "a");
}

export function spanIdOf({ id }: WireSpan): string {
  return id.toString(16).padStart(16, "b");
}

/** An ExportTraceServiceRequest with one ScopeSpans a span. */
export function requestBody(type: MediaType, spans: readonly WireSpan[]): Buffer {
  return type === json ? jsonBody(spans) : protobufBody(spans);
}

function jsonBody(spans: readonly WireSpan[]): Buffer {
  const scopeSpans = spans.map((span) => ({
    scope: { name: span.scope ?? "test" },
    spans: [
      {
        traceId: traceIdOf(span),
        spanId: spanIdOf(span),
        name: `execute_tool ${span.id}`,
        kind: 1,
        startTimeUnixNano: startNanos,
        endTimeUnixNano: endNanos,
        attributes: Object.entries(span.attributes ?? {}).map(([key, value]) => ({
          key,
          value: { stringValue: value },
        })),
      },
    ],
  }));
  return Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans }] }));
}

function protobufBody(spans: readonly WireSpan[]): Buffer {
  const scopeSpans = spans.map((span) => ({
    scope: { name: span.scope ?? "test" },
    spans: [
      {
        traceId: Buffer.from(traceIdOf(span), "hex"),
        spanId: Buffer.from(spanIdOf(span), "hex"),
        name: `execute_tool ${span.id}`,
        kind: 1,
        startTimeUnixNano: startNanos,
        endTimeUnixNano: endNanos,
        attributes: Object.entries(span.attributes ?? {}).map(([key, value]) => ({
          key,
          value: { stringValue: value },
        })),
      },
    ],
  }));
  return encodeRequest({ resourceSpans: [{ scopeSpans }] });
}

/** Any request in protobufjs' own object form. */
export function encodeRequest(request: Record<string, unknown>): Buffer {
  const type = schema.lookupType("ExportTraceServiceRequest");
  return Buffer.from(type.encode(type.fromObject(request)).finish());
}

export interface ResponseMessage {
  readonly partialSuccess?: { readonly rejectedSpans?: number; readonly errorMessage?: string };
}

/** Reads an ExportTraceServiceResponse; fails on anything that is not one. */
export function responseOf(type: MediaType, body: Uint8Array): ResponseMessage {
  return decoded("ExportTraceServiceResponse", type, body) as ResponseMessage;
}

/** Reads a `google.rpc.Status`; fails on anything that is not one. */
export function statusOf(type: MediaType, body: Uint8Array): { code?: number; message?: string } {
  return decoded("Status", type, body) as { code?: number; message?: string };
}

function decoded(name: string, type: MediaType, body: Uint8Array): Record<string, unknown> {
  const message = schema.lookupType(name);
  // JSON has 64-bit integers as text; fromObject reads both, so that one shape comes out.
  const object =
    type === json ? message.fromObject(JSON.parse(Buffer.from(body).toString("utf8"))) : message.decode(body);
  return message.toObject(object, { longs: Number });
}

/** Gzip of `value` repeated to `bytes`, without ever holding it: members of 1 MiB, one behind the other. */
export function bomb(bytes: number, value = 0x20, ahead: Uint8Array = new Uint8Array(0)): Buffer {
  const piece = 1024 * 1024;
  const member = gzipSync(Buffer.alloc(piece, value), { level: 9 });
  const members = Array.from({ length: Math.ceil(bytes / piece) }, () => member);
  return Buffer.concat([ahead.length > 0 ? gzipSync(ahead) : ahead, ...members]);
}
