import { WireWriter } from "./wire-writer.ts";

/** The two encodings of OTLP/HTTP; an answer uses the one of its request. */
export type Encoding = "protobuf" | "json";

export interface PartialSuccess {
  /** Spans or log records that were refused; 0 with a message is a warning. */
  readonly rejected: number;
  /** In English, for the operator of the sender. */
  readonly errorMessage: string;
}

/**
 * ExportTraceServiceResponse. Full success has no `partial_success` at all (an empty body, `{}` in JSON):
 * senders take its presence for a report.
 */
export function encodeTraceResponse(encoding: Encoding, partial: PartialSuccess | null): Uint8Array {
  return encodeResponse(encoding, partial, "rejectedSpans");
}

/** ExportLogsServiceResponse: the same message, but for the name of its count in JSON. */
export function encodeLogsResponse(encoding: Encoding, partial: PartialSuccess | null): Uint8Array {
  return encodeResponse(encoding, partial, "rejectedLogRecords");
}

function encodeResponse(encoding: Encoding, partial: PartialSuccess | null, countName: string): Uint8Array {
  const full = partial === null || (partial.rejected === 0 && partial.errorMessage === "");
  if (encoding === "json") {
    // 64-bit integers are strings in the JSON mapping of protobuf.
    return jsonBytes(
      full
        ? {}
        : {
            partialSuccess: {
              ...(partial.rejected === 0 ? {} : { [countName]: String(partial.rejected) }),
              errorMessage: partial.errorMessage,
            },
          },
    );
  }
  const writer = new WireWriter();
  if (!full) {
    writer.message(1, () => {
      if (partial.rejected !== 0) writer.int64Always(1, BigInt(partial.rejected));
      writer.text(2, partial.errorMessage);
    });
  }
  return writer.finish();
}

/** `google.rpc.Status`, the body of every 4xx and 5xx answer. `code` is a gRPC code; 0 leaves it out. */
export function encodeStatus(
  encoding: Encoding,
  status: { readonly code: number; readonly message: string },
): Uint8Array {
  if (encoding === "json") {
    return jsonBytes(status.code === 0 ? { message: status.message } : status);
  }
  const writer = new WireWriter();
  writer.int32(1, status.code);
  writer.text(2, status.message);
  return writer.finish();
}

const jsonBytes = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
