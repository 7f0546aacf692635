/**
 * The answers of the OTLP/HTTP paths. Every 4xx and 5xx carries a `google.rpc.Status` in the encoding of the
 * request (JSON where that is unknown), as the OTLP specification asks.
 */
import { type Encoding, encodeStatus } from "../otlp/encode-response.ts";
import { contentCodingNames } from "./body.ts";
import { mediaTypes } from "./media-type.ts";

/** A response as plain data. Header names in lower case. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Codes of `google.rpc.Code`, for the Status inside the body. Senders go by the HTTP status; this is for the
 * people who read the body. 413 has RESOURCE_EXHAUSTED without RetryInfo: not to be sent again.
 */
const rpcCodes = new Map<number, number>([
  [400, 3],
  [404, 5],
  [405, 12],
  [408, 4],
  [413, 8],
  [415, 3],
  [417, 3],
  [431, 3],
  [500, 13],
  [503, 14],
]);
const unknownRpcCode = 2;

/** 200; `response` is the export response of the request's signal. */
export function taken(encoding: Encoding, response: Uint8Array): HttpReply {
  return { status: 200, headers: { "content-type": mediaTypes[encoding] }, body: response };
}

export function refused(
  encoding: Encoding | null,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  const written = encoding ?? "json";
  return {
    status,
    headers: { "content-type": mediaTypes[written], ...headers },
    body: encodeStatus(written, { code: rpcCodes.get(status) ?? unknownRpcCode, message }),
  };
}

export function methodNotAllowed(encoding: Encoding | null, method: string, what = "spans"): HttpReply {
  return refused(encoding, 405, `${quoted(method)} is not served here; send ${what} with POST`, {
    allow: "POST",
  });
}

export function unsupportedMediaType(contentType: string | undefined): HttpReply {
  const given =
    contentType === undefined ? "the request has no Content-Type" : `${quoted(contentType)} is not taken`;
  return refused(null, 415, `${given}; send ${mediaTypes.protobuf} or ${mediaTypes.json}`, {
    accept: `${mediaTypes.protobuf}, ${mediaTypes.json}`,
  });
}

export function unsupportedCoding(encoding: Encoding, coding: string): HttpReply {
  const accepted = contentCodingNames.join(", ");
  const message = `Content-Encoding ${quoted(coding)} is not taken; send ${accepted}, or identity`;
  return refused(encoding, 415, message, { "accept-encoding": accepted });
}

export function unavailable(encoding: Encoding, reason: string, retryAfterSeconds: number): HttpReply {
  return refused(encoding, 503, `${reason}; send it again in ${retryAfterSeconds} s`, {
    "retry-after": String(retryAfterSeconds),
  });
}

/** `served`: in words, what is served where. */
export function notFound(encoding: Encoding | null, path: string, served: string): HttpReply {
  return refused(encoding, 404, `nothing is served at ${quoted(path)}; ${served}`);
}

/** What a client sent, short enough to be shown back. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
