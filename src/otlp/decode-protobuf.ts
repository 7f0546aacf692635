/**
 * ExportTraceServiceRequest in protobuf → spans, without decoding what nobody asked for.
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
 * body. Source: opentelemetry-proto `trace/v1/trace.proto`.
 */
import type { AttributePlan } from "../model/attribute-plan.ts";
import type { DecodedTraces } from "../model/span.ts";
import { DecodeError } from "./decode-error.ts";
import type { DecodeLimits } from "./decode-limits.ts";
import { fieldPath } from "./field-path.ts";
import { ProtobufTraces } from "./protobuf-traces.ts";
import { WireError } from "./wire-reader.ts";

export function decodeTracesProtobuf(
  body: Uint8Array,
  plan: AttributePlan,
  limits: DecodeLimits,
): DecodedTraces {
  try {
    return new ProtobufTraces(body, plan, limits).decode();
  } catch (error) {
    if (error instanceof WireError) throw undecodable(body, error);
    throw error;
  }
}

function undecodable(body: Uint8Array, error: WireError): DecodeError {
  const field = fieldPath(body, error.offset) || "the request";
  return new DecodeError(
    `protobuf body, byte ${error.offset}: ${field} ${error.message}. The body is cut short, damaged, or no ` +
      "ExportTraceServiceRequest: send it whole, and with the content type of its encoding",
    error.offset,
  );
}
