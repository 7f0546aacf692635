import type { RejectReason } from "../model/span.ts";
import type { Fault } from "./findings.ts";

/** Bytes of a trace id and of a span id. Source: opentelemetry/proto/trace/v1/trace.proto. */
export const traceIdLength = 16;
export const spanIdLength = 8;

export type IdReason = Extract<RejectReason, "trace_id" | "span_id" | "parent_span_id" | "link_id">;

/** Why an id in a protobuf `bytes` field cannot be used. `length` is what was sent, `want` what must be. */
export function bytesIdFault(reason: IdReason, length: number, want: number): Fault {
  if (length === 0) return { reason, cause: "is empty", cure: `send the ${want} bytes of the id` };
  if (length === want) return zeroId(reason);
  if (length === want * 2) {
    return {
      reason,
      cause: `is ${length} bytes long and must be ${want}`,
      cure: "it looks like hex text: protobuf wants the raw bytes of the id, so decode the hex first",
    };
  }
  return {
    reason,
    cause: `must be ${want} bytes long and is not`,
    cure: `send the ${want} raw bytes of the id, neither hex nor base64 text`,
  };
}

export function zeroId(reason: IdReason): Fault {
  return {
    reason,
    cause: "is all zero, which no id may be",
    cure: "the instrumentation sent an invalid span context: do not export it",
  };
}

/** Why a text in JSON is no id. */
export function textIdFault(reason: IdReason, text: string, want: number): Fault {
  const digits = want * 2;
  if (text === "") return { reason, cause: "is empty", cure: `send the id as ${digits} hex digits` };
  if (/^0+$/.test(text) && text.length === digits) return zeroId(reason);
  const base64 = Math.ceil(want / 3) * 4;
  if (isBase64(text, base64) || isBase64(text, Math.ceil(digits / 3) * 4)) {
    return {
      reason,
      cause: "is base64, not hex",
      cure: `OTLP/JSON writes ids as ${digits} hex digits, unlike other bytes: use an OTLP/JSON exporter rather than a plain protobuf-to-JSON mapping`,
    };
  }
  return {
    reason,
    cause: `is not ${digits} hex digits`,
    cure: `OTLP/JSON writes ids as hex text of ${digits} digits`,
  };
}

const isBase64 = (text: string, length: number): boolean =>
  (text.length === length || text.length === length - 1 || text.length === length - 2) &&
  /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
