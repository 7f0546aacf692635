import type { RejectReason } from "../model/span.ts";
import type { Fault } from "./findings.ts";

/** Bytes of a trace id and of a span id. Source: opentelemetry/proto/trace/v1/trace.proto. */
export const traceIdLength = 16;
export const spanIdLength = 8;

export type IdReason = Extract<RejectReason, "trace_id" | "span_id" | "parent_span_id" | "link_id">;

/** Everything that can be wrong with one id field; made once, since a hostile body can ask for millions. */
export interface IdFaults {
  readonly empty: Fault;
  readonly zero: Fault;
  readonly hexText: Fault;
  readonly wrongLength: Fault;
  readonly base64: Fault;
  readonly notHex: Fault;
}

/** @param want bytes of the id */
export function idFaults(reason: IdReason, want: number): IdFaults {
  const digits = want * 2;
  return {
    empty: {
      reason,
      cause: "is empty",
      cure: `send the ${want} bytes of the id (${digits} hex digits in JSON)`,
    },
    zero: {
      reason,
      cause: "is all zero, which no id may be",
      cure: "the instrumentation sent an invalid span context: do not export it",
    },
    hexText: {
      reason,
      cause: `is ${digits} bytes long and must be ${want}`,
      cure: "it looks like hex text: protobuf wants the raw bytes of the id, so decode the hex first",
    },
    wrongLength: {
      reason,
      cause: `must be ${want} bytes long and is not`,
      cure: `send the ${want} raw bytes of the id, neither hex nor base64 text`,
    },
    base64: {
      reason,
      cause: "is base64, not hex",
      cure: `OTLP/JSON writes ids as ${digits} hex digits, unlike other bytes: use an OTLP/JSON exporter, not a plain protobuf-to-JSON mapping`,
    },
    notHex: {
      reason,
      cause: `is not ${digits} hex digits`,
      cure: `OTLP/JSON writes ids as hex text of ${digits} digits`,
    },
  };
}

/** Why an id in a protobuf `bytes` field cannot be used; `length` is what was sent. */
export function bytesIdFault(faults: IdFaults, length: number, want: number): Fault {
  if (length === 0) return faults.empty;
  if (length === want) return faults.zero;
  return length === want * 2 ? faults.hexText : faults.wrongLength;
}

/** Why a text in JSON is no id. */
export function textIdFault(faults: IdFaults, text: string, want: number): Fault {
  const digits = want * 2;
  if (text === "") return faults.empty;
  if (text.length === digits && /^0+$/.test(text)) return faults.zero;
  // Base64 of the id, or of its hex text by a sender that did both.
  const base64 = isBase64(text, Math.ceil(want / 3) * 4) || isBase64(text, Math.ceil(digits / 3) * 4);
  return base64 ? faults.base64 : faults.notHex;
}

const isBase64 = (text: string, length: number): boolean =>
  text.length >= length - 2 && text.length <= length && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
