import { connect, type Socket } from "node:net";
import { defaultHttpReceiver, type HttpReceiverConfig } from "../../src/config/receivers.ts";
import { everything } from "../../src/model/attribute-plan.ts";
import type { Span } from "../../src/model/span.ts";
import { unixNano } from "../../src/model/time.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import { createAdmission } from "../../src/receiver/admission.ts";
import { createDecode } from "../../src/receiver/decode.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "../../src/receiver/http-server.ts";
import type { BatchMeta } from "../../src/receiver/ingest.ts";
import type { PostTracesDeps } from "../../src/receiver/post-traces.ts";
import type { ReceiverTelemetry } from "../../src/receiver/receiver-telemetry.ts";

/** Counts as `outcome` or `encoding/outcome` → number, in the order in which they first came. */
export interface RecordedTelemetry extends ReceiverTelemetry {
  readonly requests: Record<string, number>;
  readonly spans: Record<string, number>;
  readonly logRecords: Record<string, number>;
  readonly bytes: Record<string, number>;
  readonly rejected: Record<string, number>;
  readonly flaws: Record<string, number>;
  /** Resolves once so many requests were counted. */
  counted(requests: number): Promise<void>;
}

export function recordTelemetry(): RecordedTelemetry {
  const add = (into: Record<string, number>, key: string, count: number): void => {
    into[key] = (into[key] ?? 0) + count;
  };
  const recorded = { requests: {}, spans: {}, logRecords: {}, bytes: {}, rejected: {}, flaws: {} };
  let total = 0;
  let wake: () => void = () => {};
  return {
    ...recorded,
    addRequest: ({ encoding, outcome }) => {
      add(recorded.requests, `${encoding} ${outcome}`, 1);
      total += 1;
      wake();
    },
    addBytes: ({ encoding, outcome }, bytes) => add(recorded.bytes, `${encoding} ${outcome}`, bytes),
    addSpans: ({ encoding, outcome }, count) => add(recorded.spans, `${encoding} ${outcome}`, count),
    addLogRecords: ({ encoding, outcome }, count) =>
      add(recorded.logRecords, `${encoding} ${outcome}`, count),
    addRejected: (reason, count) => add(recorded.rejected, reason, count),
    addFlaw: (flaw, count) => add(recorded.flaws, flaw, count),
    async counted(requests) {
      while (total < requests) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Everything that `postTraces` needs, with the real decoders and a pipeline that takes all. */
export interface Bench {
  readonly deps: PostTracesDeps;
  readonly telemetry: RecordedTelemetry;
  readonly taken: { readonly spans: readonly Span[]; readonly meta: BatchMeta }[];
  readonly faults: unknown[];
}

export function createBench(
  overrides: Partial<PostTracesDeps> & { maxInFlightBytes?: number; waitingSpans?: () => number } = {},
): Bench {
  const { maxInFlightBytes = 256 * 1024 * 1024, waitingSpans = () => 0, ...replaced } = overrides;
  const telemetry = recordTelemetry();
  const taken: Bench["taken"][number][] = [];
  const faults: unknown[] = [];
  const deps: PostTracesDeps = {
    decode: createDecode(() => everything, defaultDecodeLimits),
    accept: (spans, meta) => {
      taken.push({ spans, meta });
      return Promise.resolve({ kind: "accepted" });
    },
    admission: createAdmission({
      maxInFlightBytes,
      maxWaitingSpans: 1000,
      waitingSpans,
      now: () => unixNano(0n),
    }),
    telemetry,
    onFault: (error) => faults.push(error),
    maxBodyBytes: defaultHttpReceiver.maxRequestBodyBytes,
    ...replaced,
  };
  return { deps, telemetry, taken, faults };
}

/** Runs `use` against a server on a port of its own, and closes it whatever happens. */
export async function withServer(
  bench: Bench,
  use: (server: {
    readonly port: number;
    readonly url: string;
    readonly server: HttpServer;
  }) => Promise<void>,
  options: { config?: Partial<HttpReceiverConfig>; fallback?: HttpServerOptions["fallback"] } = {},
): Promise<void> {
  const config: HttpReceiverConfig = {
    ...defaultHttpReceiver,
    maxRequestBodyBytes: bench.deps.maxBodyBytes,
    endpoint: { host: "127.0.0.1", port: 0 },
    ...options.config,
  };
  const server = createHttpServer({
    config,
    traces: bench.deps,
    ...(options.fallback === undefined ? {} : { fallback: options.fallback }),
  });
  const { port } = await server.listen();
  try {
    await use({ port, url: `http://127.0.0.1:${port}${config.tracesUrlPath}`, server });
  } finally {
    await server.close(0);
  }
}

/** For suites with sockets: a fault must not become a wait without end. Generous, since nothing is timed. */
export const bounded = { timeout: 20_000 };

export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** A connection that sends just the bytes it is told to, and reads one answer at a time. */
export interface RawConnection {
  readonly socket: Socket;
  write(bytes: string | Uint8Array): void;
  /** The next answer, `100 Continue` among them; rejects when the connection ends first. */
  reply(options?: { bodiless?: boolean }): Promise<RawReply>;
  /** Resolves once the other side has closed. */
  closed(): Promise<void>;
  /** What broke the connection, such as a reset; null while it is whole, or when it ended in good order. */
  error(): Error | null;
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ host: "127.0.0.1", port });
  let received = Buffer.alloc(0);
  let ended = false;
  let broken: Error | null = null;
  let wake: () => void = () => {};
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on("error", (error: Error) => {
    broken = error;
  });
  for (const event of ["end", "close", "error"] as const) {
    socket.on(event, () => {
      ended = true;
      wake();
    });
  }
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));

  async function until(enough: () => boolean): Promise<void> {
    while (!enough()) {
      if (ended) throw new Error(`the connection ended after ${JSON.stringify(received.toString("latin1"))}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    socket,
    write(bytes) {
      socket.write(bytes);
    },
    async reply({ bodiless = false } = {}) {
      await until(() => received.includes("\r\n\r\n"));
      const headEnd = received.indexOf("\r\n\r\n");
      const [statusLine = "", ...lines] = received.subarray(0, headEnd).toString("latin1").split("\r\n");
      const headers = new Map(
        lines.map((line) => {
          const colon = line.indexOf(":");
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
        }),
      );
      const length = bodiless ? 0 : Number(headers.get("content-length") ?? 0);
      const end = headEnd + 4 + length;
      await until(() => received.length >= end);
      const body = received.subarray(headEnd + 4, end);
      received = received.subarray(end);
      return { status: Number(statusLine.split(" ")[1]), headers, body };
    },
    error: () => broken,
    async closed() {
      if (socket.destroyed) return;
      await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    },
  };
}

/** The head of a POST, with the blank line that ends it. */
export function head(headers: Readonly<Record<string, string | number>>, path = "/v1/traces"): string {
  const lines = Object.entries({ host: "test", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** One chunk of a chunked body. */
export function chunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

export const lastChunk = "0\r\n\r\n";

/** A promise with its ends in hand. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
