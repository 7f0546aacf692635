import type { UnixNano } from "./time.ts";
import type { Value } from "./value.ts";

/** Attribute keys to values. A Map, so that `__proto__` is a key like any other. The last of duplicate keys wins. */
export type Attributes = ReadonlyMap<string, Value>;

/** Source: OTLP `Resource`. One object is shared by all spans of one `ResourceSpans`. */
export interface Resource {
  readonly attributes: Attributes;
  readonly droppedAttributes: number;
}

/** Source: OTLP `InstrumentationScope`. Shared by all spans of one `ScopeSpans`. */
export interface Scope {
  readonly name: string;
  readonly version: string;
  readonly attributes: Attributes;
}

/** Source: OTLP `Span.Event`. */
export interface SpanEvent {
  readonly name: string;
  readonly time: UnixNano;
  readonly attributes: Attributes;
  readonly droppedAttributes: number;
}

/** Source: OTLP `Span.Link`. Ids in lower-case hex. */
export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
}

/** 0 unset, 1 ok, 2 error (OTLP `Status.StatusCode`); other numbers are kept and mean unset. */
export type StatusCode = number;

/**
 * One span as `otlp` decodes it: ids, times, names, status, links, span events, and of the attributes only
 * those that the attribute plan names.
 */
export interface Span {
  /** 32 lower-case hex digits, never all zero. */
  readonly traceId: string;
  /** 16 lower-case hex digits, never all zero. */
  readonly spanId: string;
  /** 16 lower-case hex digits; empty for a root. An all-zero parent is decoded as empty. */
  readonly parentSpanId: string;
  /** OTLP `flags`: bit 8 says that bit 9 (parent is remote) is meant. Higher bits are ignored. */
  readonly flags: number;
  readonly traceState: string;
  readonly name: string;
  /** OTLP `SpanKind`: 1 internal, 2 server, 3 client, 4 producer, 5 consumer; 0 and others unspecified. */
  readonly kind: number;
  /** 0 when absent. Not yet checked for sense: `normalize` does that. */
  readonly start: UnixNano;
  /** 0 when absent. */
  readonly end: UnixNano;
  readonly attributes: Attributes;
  readonly droppedAttributes: number;
  readonly events: readonly SpanEvent[];
  readonly droppedEvents: number;
  readonly links: readonly SpanLink[];
  readonly droppedLinks: number;
  readonly statusCode: StatusCode;
  readonly statusMessage: string;
  readonly resource: Resource;
  readonly scope: Scope;
}

export type RejectReason =
  | "trace_id"
  | "span_id"
  | "parent_span_id"
  | "link_id"
  | "nesting"
  | "value"
  | "utf8";

/** Spans that were refused alone while their batch lived. */
export interface Rejection {
  readonly reason: RejectReason;
  /** What is wrong, without its place: what has it in common is told once. Where it is not there, `reason` says enough. */
  readonly cause?: string;
  /** Names the field, where it stands and the cure; goes into `partial_success.error_message`. */
  readonly message: string;
  readonly count: number;
}

/** Things accepted although the standard says otherwise; counted as data quality. */
export type WireFlaw = "snake_case_key" | "enum_name" | "strindex" | "duplicate_key" | "invalid_utf8";

/** What one ExportTraceServiceRequest held. */
export interface DecodedTraces {
  readonly spans: readonly Span[];
  readonly rejections: readonly Rejection[];
  readonly flaws: ReadonlyMap<WireFlaw, number>;
}
