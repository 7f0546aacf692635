/**
 * Reads a request's body, and never holds more of it than allowed.
 *
 * The limit counts what was sent and, apart from it, what that inflates to: a thousandth of the limit can
 * inflate to the limit. Both are also charged to the request's lease, chunk by chunk as memory is taken, so
 * that the bound holds across requests.
 *
 * Gzip follows RFC 1952 strictly: several members are one body, as `gunzip` reads them; anything else behind
 * a member, padding included, is an error, and so is an end before the last check sum.
 *
 * Cost: at most twice the body's size for the moment in which its chunks are joined.
 */
import { createGunzip, type Gunzip } from "node:zlib";
import type { Lease, Refusal } from "./admission.ts";

export interface BodySource {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Content-Length; null for a chunked body. */
  readonly declaredBytes: number | null;
  /** Codings that this module knows, in the order of the Content-Encoding header. */
  readonly codings: readonly ContentCoding[];
}

export type BodyReading =
  | { readonly kind: "whole"; readonly bytes: Uint8Array; readonly wireBytes: number }
  | { readonly kind: "too_large"; readonly message: string; readonly wireBytes: number }
  | { readonly kind: "malformed"; readonly message: string; readonly wireBytes: number }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly wireBytes: number }
  /** The connection broke first. */
  | { readonly kind: "aborted"; readonly wireBytes: number };

/** Every content coding that is taken; a further one is a row here and a branch in `createDecoder`. */
export const contentCodingNames = ["gzip"] as const;
export type ContentCoding = (typeof contentCodingNames)[number];

/** One is enough for every real sender, and each more multiplies what a few bytes can inflate to. */
const maxCodings = 1;

/** Which codings these are, or the first that is not taken. */
export function knownCodings(
  names: readonly string[],
): { readonly codings: readonly ContentCoding[] } | { readonly unknown: string } {
  const codings: ContentCoding[] = [];
  for (const name of names) {
    const known = contentCodingNames.find((candidate) => candidate === name);
    if (known === undefined) return { unknown: name };
    codings.push(known);
  }
  return codings.length > maxCodings ? { unknown: names.join(", ") } : { codings };
}

export async function readBody(source: BodySource, limit: number, lease: Lease): Promise<BodyReading> {
  if (source.declaredBytes !== null && source.declaredBytes > limit) {
    return { kind: "too_large", message: tooLarge("declared", limit), wireBytes: 0 };
  }

  const sent = await collect(source.chunks, limit, lease);
  const [coding] = source.codings;
  if (sent.kind !== "whole" || coding === undefined) return sent;
  return inflate(sent.bytes, coding, limit, lease);
}

async function collect(chunks: AsyncIterable<Uint8Array>, limit: number, lease: Lease): Promise<BodyReading> {
  const parts: Uint8Array[] = [];
  let wireBytes = 0;
  try {
    for await (const chunk of chunks) {
      wireBytes += chunk.length;
      if (wireBytes > limit) return { kind: "too_large", message: tooLarge("sent", limit), wireBytes };
      const refusal = lease.grow(chunk.length);
      if (refusal !== null) return { kind: "refused", refusal, wireBytes };
      parts.push(chunk);
    }
  } catch {
    // The only thing that breaks a request's stream is the connection: reset, timed out or cut short.
    return { kind: "aborted", wireBytes };
  }
  return { kind: "whole", bytes: join(parts, wireBytes), wireBytes };
}

/** Runs in zlib's threads, chunk by chunk; the event loop stays free in between. */
function inflate(
  bytes: Uint8Array,
  coding: ContentCoding,
  limit: number,
  lease: Lease,
): Promise<BodyReading> {
  const wireBytes = bytes.length;
  const chunkSize = inflatedChunkSize(bytes, limit);
  // zlib allocates a chunk ahead of the data that it will hold.
  const refusal = lease.grow(chunkSize);
  if (refusal !== null) return Promise.resolve({ kind: "refused", refusal, wireBytes });

  return new Promise((resolve) => {
    const decoder = createDecoder(coding, chunkSize);
    const parts: Uint8Array[] = [];
    let inflated = 0;
    let charged = chunkSize;

    function finish(reading: BodyReading): void {
      decoder.destroy();
      resolve(reading);
    }

    decoder.on("data", (part: Uint8Array) => {
      inflated += part.length;
      if (inflated > limit) {
        finish({ kind: "too_large", message: tooLarge("inflates to", limit), wireBytes });
        return;
      }
      parts.push(part);
      if (inflated <= charged) return;
      charged += chunkSize;
      const noRoom = lease.grow(chunkSize);
      if (noRoom !== null) finish({ kind: "refused", refusal: noRoom, wireBytes });
    });
    decoder.on("error", (error: NodeJS.ErrnoException) => {
      finish({ kind: "malformed", message: malformed(coding, error), wireBytes });
    });
    decoder.on("end", () => {
      const behind = bytes.length - decoder.bytesWritten;
      if (behind > 0) {
        const message = `the body is ${coding} with ${behind} further bytes behind its end; send only the compressed message`;
        finish({ kind: "malformed", message, wireBytes });
        return;
      }
      finish({ kind: "whole", bytes: join(parts, inflated), wireBytes });
    });
    decoder.end(bytes);
  });
}

function createDecoder(coding: ContentCoding, chunkSize: number): Gunzip {
  switch (coding) {
    case "gzip":
      return createGunzip({ chunkSize });
  }
}

/** Deflate cannot expand further (RFC 1951: 258 bytes from two bits, less the block's own). */
const mostDeflateExpands = 1032;
const smallestChunk = 1024;
const largestChunk = 1024 * 1024;

/**
 * A gzip body ends with the length that it inflates to, so that one chunk of that size saves both the many
 * small steps and the joining. It is the sender's word: capped by what the bytes could inflate to at all.
 */
function inflatedChunkSize(bytes: Uint8Array, limit: number): number {
  const stated =
    bytes.length < 4 ? 0 : Buffer.from(bytes.buffer, bytes.byteOffset + bytes.length - 4, 4).readUInt32LE(0);
  // One more than stated: a chunk that comes out exactly full makes zlib allocate another.
  const wanted = Math.min(stated + 1, bytes.length * mostDeflateExpands, limit + 1);
  return Math.min(Math.max(wanted, smallestChunk), largestChunk);
}

function join(parts: readonly Uint8Array[], total: number): Uint8Array {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts, total);
}

function tooLarge(how: "declared" | "sent" | "inflates to", limit: number): string {
  const what = {
    declared: `the body's Content-Length is above the limit of ${limit} bytes`,
    sent: `the body is larger than the limit of ${limit} bytes`,
    "inflates to": `the body inflates to more than the limit of ${limit} bytes`,
  }[how];
  return `${what}; send fewer spans a request, or raise receivers.otlp.protocols.http.max_request_body_size`;
}

function malformed(coding: ContentCoding, error: NodeJS.ErrnoException): string {
  const cut = error.code === "Z_BUF_ERROR";
  const cause = cut ? `the body is ${coding} that ends too early` : `the body is not ${coding}`;
  return `${cause} (${error.message}), though Content-Encoding says ${coding}; compress it, or leave the header out`;
}
