import type { Attributes, Rejection, Resource, Scope, WireFlaw } from "./span.ts";
import type { UnixNano } from "./time.ts";
import type { Value } from "./value.ts";

/**
 * One log record as `otlp` decodes it, with every attribute: a record has no id of its own, so that all it says is
 * what tells it from another. Source: OTLP `LogRecord`.
 */
export interface LogRecord {
  /** When it happened; 0 when absent. Not yet checked for sense. */
  readonly time: UnixNano;
  /** When the first collector saw it; 0 when absent. */
  readonly observedTime: UnixNano;
  /** OTLP `SeverityNumber`; 0 unspecified. */
  readonly severity: number;
  readonly severityText: string;
  readonly body: Value;
  readonly attributes: Attributes;
  readonly droppedAttributes: number;
  /** W3C trace flags; higher bits are reserved and ignored. */
  readonly flags: number;
  /** 32 lower-case hex digits; empty when it was written outside of any trace. */
  readonly traceId: string;
  /** 16 lower-case hex digits: the span in which it was written; empty when there was none. */
  readonly spanId: string;
  /** Field `event_name`; empty when absent. Older SDKs write the attribute `event.name` instead. */
  readonly eventName: string;
  readonly resource: Resource;
  readonly scope: Scope;
}

/** What one ExportLogsServiceRequest held. */
export interface DecodedLogs {
  /** Records that may be events. */
  readonly records: readonly LogRecord[];
  /** Well-formed records in which nothing names an event: ordinary log lines, passed over without being kept. */
  readonly passedOver: number;
  readonly rejections: readonly Rejection[];
  readonly flaws: ReadonlyMap<WireFlaw, number>;
}
