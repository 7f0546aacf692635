/**
 * What traces and logs do not share on their way in: how a request is decoded to items, which items are our own, and how
 * it is spoken of. All else (limits, admission, answers, counting) is one code.
 */
import type { DecodedLogs, LogRecord } from "../model/log-record.ts";
import type { DecodedTraces, Rejection, Span, WireFlaw } from "../model/span.ts";
import {
  type Encoding,
  encodeLogsResponse,
  encodeTraceResponse,
  type PartialSuccess,
} from "../otlp/encode-response.ts";
import type { Noun } from "./partial-success.ts";
import type { LogRecordOutcome, ReceiverTelemetry, SpanOutcome, Transport } from "./receiver-telemetry.ts";

export interface Decoded<Item> {
  readonly items: readonly Item[];
  /** Log records in which nothing names an event. */
  readonly passedOver: number;
  readonly rejections: readonly Rejection[];
  readonly flaws: ReadonlyMap<WireFlaw, number>;
}

export interface Signal<Message, Item> {
  readonly noun: Noun;
  open(message: Message): Decoded<Item>;
  /** Instrumentation scope that made the item. */
  scopeOf(item: Item): string;
  encodeResponse(encoding: Encoding, partial: PartialSuccess | null): Uint8Array;
  count(telemetry: ReceiverTelemetry, of: CountedAs, count: number): void;
}

export interface CountedAs {
  readonly transport: Transport;
  readonly encoding: Encoding;
  readonly outcome: SpanOutcome | LogRecordOutcome;
}

export const traces: Signal<DecodedTraces, Span> = {
  noun: { one: "span", many: "spans" },
  open: ({ spans, rejections, flaws }) => ({ items: spans, passedOver: 0, rejections, flaws }),
  scopeOf: (span) => span.scope.name,
  encodeResponse: encodeTraceResponse,
  count: (telemetry, { outcome, ...labels }, count) => {
    // Every span is kept: ancestry may need it.
    if (outcome !== "passed_over") telemetry.addSpans({ ...labels, outcome }, count);
  },
};

export const logs: Signal<DecodedLogs, LogRecord> = {
  noun: { one: "log record", many: "log records" },
  open: ({ records, ...rest }) => ({ items: records, ...rest }),
  scopeOf: (record) => record.scope.name,
  encodeResponse: encodeLogsResponse,
  count: (telemetry, labels, count) => telemetry.addLogRecords(labels, count),
};
