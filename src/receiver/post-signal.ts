/**
 * POST of an OTLP/HTTP export request, of spans or log records: from a plain request to a plain answer.
 *
 * Answers follow the OTLP specification, because senders act on them: 200 means never send this again, even
 * when some items were refused; 503 means send it again later; any other error means drop it. A wrong code
 * here loses data, or has a healthy SDK send the same bad batch again and again. So:
 *
 *   405 415 400 413   the sender must change something; decided from the headers alone where they suffice
 *   503               no room now, or on the way down; always with Retry-After
 *   500               a fault of ours, never of the input
 *   200               the journal holds every item that the answer does not count as rejected
 */
import type { Encoding } from "../otlp/encode-response.ts";
import type { Admission, Lease, Refusal } from "./admission.ts";
import { type ContentCoding, knownCodings, readBody } from "./body.ts";
import { type IngestDeps, type IngestResult, ingest } from "./ingest.ts";
import { contentCodings, encodingOf } from "./media-type.ts";
import type { RequestOutcome } from "./receiver-telemetry.ts";
import {
  type HttpReply,
  methodNotAllowed,
  refused,
  taken,
  unavailable,
  unsupportedCoding,
  unsupportedMediaType,
} from "./reply.ts";
import type { Signal } from "./signal.ts";

/** A request as plain data, its body still on the way. */
export interface ExportRequest {
  readonly method: string;
  /** Names in lower case, as node gives them; of repeated headers node has joined or dropped the later ones. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Reading begins with the first chunk asked for. Throws when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Who sent it, once senders can be told apart; null for anybody. */
  readonly source: string | null;
}

export interface PostDeps<Message, Item> extends IngestDeps<Message, Item> {
  readonly admission: Admission;
  /** Most bytes of a body, as sent and again once decompressed. */
  readonly maxBodyBytes: number;
}

/** The answer; null when the sender went away before its body was whole. */
export async function postSignal<Message, Item>(
  request: ExportRequest,
  deps: PostDeps<Message, Item>,
  signal: Signal<Message, Item>,
): Promise<HttpReply | null> {
  const encoding = encodingOf(header(request, "content-type"));
  const answer = await answerTo(request, encoding, deps, signal);

  const labels = { transport: "http", encoding: encoding ?? "unknown", outcome: answer.outcome } as const;
  deps.telemetry.addRequest(labels);
  if (answer.wireBytes > 0) deps.telemetry.addBytes(labels, answer.wireBytes);
  return answer.reply;
}

interface Answer {
  readonly reply: HttpReply | null;
  readonly outcome: RequestOutcome;
  readonly wireBytes: number;
}

async function answerTo<Message, Item>(
  request: ExportRequest,
  encoding: Encoding | null,
  deps: PostDeps<Message, Item>,
  signal: Signal<Message, Item>,
): Promise<Answer> {
  if (request.method !== "POST")
    return rejected(methodNotAllowed(encoding, request.method, signal.noun.many));
  if (encoding === null) return rejected(unsupportedMediaType(header(request, "content-type")));

  const known = knownCodings(contentCodings(header(request, "content-encoding")));
  if ("unknown" in known) return rejected(unsupportedCoding(encoding, known.unknown));
  if (hasTransferCoding(request)) {
    const message = "of the transfer codings only chunked is taken; say gzip with Content-Encoding instead";
    return rejected(refused(encoding, 400, message));
  }

  const entry = deps.admission.enter();
  if ("refusal" in entry) return busy(encoding, entry.refusal);
  try {
    return await take(request, encoding, known.codings, entry.lease, deps, signal);
  } finally {
    entry.lease.release();
  }
}

async function take<Message, Item>(
  request: ExportRequest,
  encoding: Encoding,
  codings: readonly ContentCoding[],
  lease: Lease,
  deps: PostDeps<Message, Item>,
  signal: Signal<Message, Item>,
): Promise<Answer> {
  const source = { chunks: request.body, declaredBytes: declaredBytes(request), codings };
  const read = await readBody(source, deps.maxBodyBytes, lease);
  const { wireBytes } = read;
  switch (read.kind) {
    case "too_large":
      return rejected(refused(encoding, 413, read.message), wireBytes);
    case "malformed":
      return rejected(refused(encoding, 400, read.message), wireBytes);
    case "refused":
      return busy(encoding, read.refusal, wireBytes);
    case "aborted":
      return { reply: null, outcome: "aborted", wireBytes };
    case "whole": {
      const meta = { transport: "http", encoding, source: request.source } as const;
      const result = await ingest(read.bytes, meta, deps, signal);
      return answerWith(result, encoding, wireBytes, deps, signal);
    }
  }
}

function answerWith<Message, Item>(
  result: IngestResult,
  encoding: Encoding,
  wireBytes: number,
  deps: PostDeps<Message, Item>,
  signal: Signal<Message, Item>,
): Answer {
  switch (result.kind) {
    case "taken":
      return {
        reply: taken(encoding, signal.encodeResponse(encoding, result.partial)),
        outcome: "accepted",
        wireBytes,
      };
    case "undecodable":
      return rejected(refused(encoding, 400, result.message), wireBytes);
    case "refused":
      return busy(encoding, deps.admission.refuse(result.reason, result.retryAfterSeconds), wireBytes);
    case "failed": {
      const message = "a fault inside the service, not in this request; its log says more";
      return { reply: refused(encoding, 500, message), outcome: "failed", wireBytes };
    }
  }
}

function rejected(reply: HttpReply, wireBytes = 0): Answer {
  return { reply, outcome: "rejected", wireBytes };
}

function busy(encoding: Encoding, refusal: Refusal, wireBytes = 0): Answer {
  return {
    reply: unavailable(encoding, refusal.reason, refusal.retryAfterSeconds),
    outcome: "refused",
    wireBytes,
  };
}

/** Node frames bodies by the last coding, chunked, and hands on what is inside unseen. */
function hasTransferCoding(request: ExportRequest): boolean {
  const given = header(request, "transfer-encoding");
  return given !== undefined && given.trim().toLowerCase() !== "chunked";
}

function declaredBytes(request: ExportRequest): number | null {
  const given = header(request, "content-length");
  return given === undefined ? null : Number(given);
}

function header(request: ExportRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value : value?.join(", ");
}
