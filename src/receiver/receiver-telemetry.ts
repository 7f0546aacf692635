import type { RejectReason, WireFlaw } from "../model/span.ts";
import type { Encoding } from "../otlp/encode-response.ts";

export type Transport = "http";

/**
 * What became of a request.
 *   accepted  answered 200: the journal holds its spans (perhaps fewer than were sent)
 *   rejected  answered 4xx: it can never be taken as it is
 *   refused   answered 503: it may be sent again, and should be
 *   failed    answered 500: a fault of ours
 *   aborted   the sender went away before its body was whole; nobody read an answer
 */
export type RequestOutcome = "accepted" | "rejected" | "refused" | "failed" | "aborted";

/** What became of a span. `dropped_own`: this service made it, and its own output must not come back as input. */
export type SpanOutcome = "accepted" | "rejected" | "refused" | "failed" | "dropped_own";

/**
 * What became of a log record. `accepted`: it is an event, or a part of one. `passed_over`: well-formed, and nothing
 * reads such records (ordinary log lines).
 */
export type LogRecordOutcome = SpanOutcome | "passed_over";

/** `unknown`: the Content-Type named no encoding that we take. */
export interface RequestLabels {
  readonly transport: Transport;
  readonly encoding: Encoding | "unknown";
  readonly outcome: RequestOutcome;
}

export interface SpanLabels {
  readonly transport: Transport;
  readonly encoding: Encoding;
  readonly outcome: SpanOutcome;
}

export interface LogRecordLabels {
  readonly transport: Transport;
  readonly encoding: Encoding;
  readonly outcome: LogRecordOutcome;
}

/**
 * Where the receiver counts. Plain increments, called once a request and never once a span; all labels are
 * bounded. The telemetry of the service puts them into `toolorder_receiver_*` and `toolorder_data_quality_total`.
 */
export interface ReceiverTelemetry {
  addRequest(labels: RequestLabels): void;
  /** Body bytes as they came over the wire, before decompression. */
  addBytes(labels: RequestLabels, bytes: number): void;
  addSpans(labels: SpanLabels, count: number): void;
  addLogRecords(labels: LogRecordLabels, count: number): void;
  /** Spans and log records refused alone, by what was wrong with them; also counted with outcome `rejected`. */
  addRejected(reason: RejectReason, count: number): void;
  /** Things taken although the standard says otherwise. */
  addFlaw(flaw: WireFlaw, count: number): void;
}
