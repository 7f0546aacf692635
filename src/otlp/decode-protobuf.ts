/**
 * ExportTraceServiceRequest and ExportLogsServiceRequest in protobuf → spans and log records, without decoding what nobody asked for.
 *
 * Ids, times, names, status, links and span events are read of every span; of its attributes only those that
 * the plan names. A key is compared as bytes, and the value of an unwanted one is passed over by its length.
 *
 * Promises
 *   - A body that is not one whole message throws `DecodeError` with byte and field path; nothing else is thrown.
 *   - A span with unusable ids or values is refused alone, and counted with what is wrong and how to cure it.
 *   - Order of fields is irrelevant; of a repeated singular field the last wins, of a message field the parts
 *     merge; unknown fields, and known ones of another wire type, are passed over.
 *   - Bytes that are not UTF-8 become U+FFFD and are counted: a log text cut inside a character is no reason
 *     to lose a span.
 *
 * Cost: one pass; memory grows with what is kept, which `DecodeLimits` bounds, and nothing kept holds on to the
 * body. Source: opentelemetry-proto `trace/v1/trace.proto`, `logs/v1/logs.proto`.
 */
import type { AttributePlan } from "../model/attribute-plan.ts";
import type { DecodedLogs } from "../model/log-record.ts";
import type { DecodedTraces } from "../model/span.ts";
import type { ValueReader } from "./any-value.ts";
import type { AttributeReader } from "./attribute-reader.ts";
import { DecodeError } from "./decode-error.ts";
import type { DecodeLimits } from "./decode-limits.ts";
import { fieldPath, logsShape, type MessageShape, tracesShape } from "./field-path.ts";
import { LogReader } from "./protobuf-log.ts";
import { type DecodedItems, type ItemReader, ProtobufRequest } from "./protobuf-request.ts";
import { SpanReader } from "./protobuf-span.ts";
import { logsInProtobuf, type SignalNames, tracesInProtobuf } from "./signal-names.ts";
import { WireError, type WireReader } from "./wire-reader.ts";

export function decodeTracesProtobuf(
  body: Uint8Array,
  plan: AttributePlan,
  limits: DecodeLimits,
): DecodedTraces {
  const { items, rejections, flaws } = decode(body, limits, tracesInProtobuf, tracesShape, (...parts) => {
    return new SpanReader(...parts, plan);
  });
  return { spans: items, rejections, flaws };
}

/** The same for an ExportLogsServiceRequest; a record that is no event is passed over and counted. */
export function decodeLogsProtobuf(body: Uint8Array, plan: AttributePlan, limits: DecodeLimits): DecodedLogs {
  const { items, ...rest } = decode(body, limits, logsInProtobuf, logsShape, (...parts) => {
    return new LogReader(...parts, plan);
  });
  return { records: items, ...rest };
}

function decode<Item>(
  body: Uint8Array,
  limits: DecodeLimits,
  names: SignalNames,
  shape: MessageShape,
  createItems: (reader: WireReader, values: ValueReader, attributes: AttributeReader) => ItemReader<Item>,
): DecodedItems<Item> {
  try {
    return new ProtobufRequest(body, limits, names, createItems).decode();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    const field = fieldPath(body, error.offset, shape) || "the request";
    throw new DecodeError(
      `protobuf body, byte ${error.offset}: ${field} ${error.message}. The body is cut short, damaged, or no ` +
        `${names.message}: send it whole, and with the content type of its encoding`,
      error.offset,
    );
  }
}
