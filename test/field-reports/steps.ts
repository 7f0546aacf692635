/** Sends what `data/manifest.json` says, as it says: method, headers, compression, padding, repeats. */
import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";

export interface Step {
  readonly file: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expect_status: number | readonly number[];
  readonly repeat?: number;
  readonly content_encoding?: "gzip";
  /** The body is filled with spaces up to this size before it is compressed. */
  readonly pad_mib?: number;
}

export interface Case {
  readonly id: string;
  readonly family: string;
  readonly steps: readonly Step[];
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
  readonly wanted: readonly number[];
}

export const dataFolder = join(import.meta.dirname, "data");

export function readManifest(): readonly Case[] {
  const text = readFileSync(join(dataFolder, "manifest.json"), "utf8");
  return (JSON.parse(text) as { readonly cases: readonly Case[] }).cases;
}

/** Runs one step, as often as it says, against the address of the traces' path. */
export async function runStep(step: Step, tracesUrl: string, ready?: Uint8Array): Promise<readonly Answer[]> {
  const body = ready ?? (await bodyOf(step));
  const answers: Answer[] = [];
  for (let time = 0; time < (step.repeat ?? 1); time += 1) answers.push(await send(step, body, tracesUrl));
  return answers;
}

/** The body as it goes over the wire. */
export async function bodyOf({
  file,
  content_encoding: encoding,
  pad_mib: padMib,
}: Step): Promise<Uint8Array> {
  const plain = readFileSync(join(dataFolder, file));
  if (padMib !== undefined) return padded(plain, padMib);
  return encoding === "gzip" ? gzipSync(plain) : plain;
}

/** Compressed piece by piece, so that only the receiver could ever hold it whole. */
async function padded(plain: Uint8Array, mib: number): Promise<Uint8Array> {
  const spaces = Buffer.alloc(1024 * 1024, " ");
  const chunks: Uint8Array[] = [];
  function* pieces(): Generator<Uint8Array> {
    yield plain;
    for (let piece = 0; piece < mib; piece += 1) yield spaces;
  }
  await pipeline(Readable.from(pieces()), createGzip(), async (compressed: AsyncIterable<Uint8Array>) => {
    for await (const chunk of compressed) chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

/** Not `fetch`, which sends a media type of its own where none is given. */
function send(step: Step, body: Uint8Array, tracesUrl: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string | number> = { ...step.headers, "content-length": body.byteLength };
    if (step.content_encoding !== undefined) headers["content-encoding"] = step.content_encoding;
    const outgoing = request(new URL(step.path, tracesUrl), { method: step.method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: bytes.toString("utf8"),
          bytes,
          wanted: [step.expect_status].flat(),
        });
      });
    });
    // A receiver that refuses a large body may close before it has all of it; its answer counts.
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "ECONNRESET") reject(error);
    });
    outgoing.setTimeout(30_000, () => outgoing.destroy(new Error(`no answer to ${step.file} within 30 s`)));
    outgoing.end(body);
  });
}
