/**
 * The one node:http server of the receiver. It turns sockets into plain requests for `postTraces` and
 * `postLogs` and plain replies into bytes; everything else about a request is decided there. Their paths come before the
 * fallback (an express app, say), which would cost several times as much a request.
 *
 * What it sees to itself
 *   - `Expect: 100-continue` is answered only once the body is wanted, so that a refused one is never sent.
 *   - An answer that comes before the body was read reaches the sender all the same: closing at once would
 *     reset the connection and lose it. Small bodies are read away and the connection kept; for large ones
 *     the connection lingers, within bounds, and is closed.
 *   - Slow senders run into timeouts; connections are counted and bounded.
 *   - `close` lets requests under way finish, and closes what is silent.
 */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { HttpReceiverConfig } from "../config/receivers.ts";
import type { DurationNano } from "../model/time.ts";
import { answerClientError } from "./client-error.ts";
import { linger, type SenderState, unreadBody } from "./early-answer.ts";
import { ListenError } from "./listen-error.ts";
import { encodingOf } from "./media-type.ts";
import { type PostLogsDeps, postLogs } from "./post-logs.ts";
import type { ExportRequest } from "./post-signal.ts";
import { type PostTracesDeps, postTraces } from "./post-traces.ts";
import { type HttpReply, notFound, refused } from "./reply.ts";

export interface HttpServerOptions {
  readonly config: HttpReceiverConfig;
  readonly traces: Omit<PostTracesDeps, "maxBodyBytes">;
  /** Without it, log records have no way in. */
  readonly logs?: Omit<PostLogsDeps, "maxBodyBytes">;
  /** Everything that is not of OTLP. Without one, all of that is 404. */
  readonly fallback?: RequestListener;
}

export interface HttpServer {
  /** Resolves with the address that is open; rejects with a `ListenError`. */
  listen(): Promise<{ readonly host: string; readonly port: number }>;
  /**
   * Refuses new requests (503 with Retry-After) and opens no new connections; resolves when those under way
   * are answered, or when `graceMilliseconds` have passed and they were cut off.
   */
  close(graceMilliseconds?: number): Promise<void>;
}

const configKey = "receivers.otlp.protocols.http.endpoint";

/** Within Kubernetes' 30 s from SIGTERM to SIGKILL, with room for the checkpoint. */
const defaultGraceMilliseconds = 10_000;

/** How often node looks for timeouts that have passed: they are late by this much at most. */
const timeoutCheckMilliseconds = 1_000;

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { config, fallback } = options;
  const maxBodyBytes = config.maxRequestBodyBytes;
  const deps: PostTracesDeps = { ...options.traces, maxBodyBytes };
  const { logs } = options;
  const ways = new Map<string, (request: ExportRequest) => Promise<HttpReply | null>>();
  if (logs !== undefined) ways.set(config.logsUrlPath, (sent) => postLogs(sent, { ...logs, maxBodyBytes }));
  ways.set(config.tracesUrlPath, (sent) => postTraces(sent, deps));
  const paths = [...ways.keys()];
  const served =
    logs === undefined
      ? `send spans to POST ${config.tracesUrlPath}`
      : `send spans to POST ${config.tracesUrlPath}, log records to POST ${config.logsUrlPath}`;
  /** Open sockets, with the requests that each is busy with (more than one when pipelined). */
  const sockets = new Map<Duplex, Set<ServerResponse>>();
  let closing = false;

  const server = createServer({
    headersTimeout: toMilliseconds(config.readHeaderTimeout),
    requestTimeout: toMilliseconds(config.readTimeout),
    keepAliveTimeout: toMilliseconds(config.idleTimeout),
    connectionsCheckingInterval: timeoutCheckMilliseconds,
    noDelay: true,
  });
  server.maxConnections = config.maxConnections;

  server.on("connection", (socket: Socket) => {
    sockets.set(socket, new Set());
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", (request, response) => serve(request, response, "body on its way"));
  server.on("checkContinue", (request, response) => serve(request, response, "body held back"));
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    track(request, response);
    const encoding = encodingOf(request.headers["content-type"]);
    send(
      request,
      response,
      refused(encoding, 417, "of Expect only 100-continue is met; leave the header out"),
      "body held back",
    );
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    answerClientError(error, socket, [...(sockets.get(socket) ?? [])]);
  });

  function serve(request: IncomingMessage, response: ServerResponse, sender: SenderState): void {
    track(request, response);
    const path = pathOf(request.url ?? "");
    const way = ways.get(path);
    if (way !== undefined) {
      void serveExport(request, response, sender, way);
    } else if (fallback !== undefined && !isOtlpPath(path, paths)) {
      if (sender === "body held back") response.writeContinue();
      fallback(request, response);
    } else {
      const encoding = encodingOf(request.headers["content-type"]);
      send(request, response, notFound(encoding, path, served), sender);
    }
  }

  async function serveExport(
    request: IncomingMessage,
    response: ServerResponse,
    sender: SenderState,
    way: (request: ExportRequest) => Promise<HttpReply | null>,
  ): Promise<void> {
    let state = sender;
    async function* body(): AsyncGenerator<Uint8Array> {
      if (state === "body held back") {
        response.writeContinue();
        state = "body on its way";
      }
      // A request that is left half-read must live on: its answer goes over the same socket.
      yield* request.iterator({ destroyOnReturn: false });
    }

    const { method = "", headers } = request;
    let reply: HttpReply | null;
    try {
      reply = await way({ method, headers, body: body(), source: null });
    } catch (error) {
      deps.onFault(error);
      reply = refused(
        encodingOf(headers["content-type"]),
        500,
        "a fault inside the service; its log says more",
      );
    }
    if (reply !== null) send(request, response, reply, state);
  }

  function track(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const busy = sockets.get(socket);
    busy?.add(response);
    response.once("close", () => {
      busy?.delete(response);
      // Its answer may have begun before the drain did, promising a connection that lives on.
      if (closing && busy?.size === 0) socket.end();
    });
  }

  function send(
    request: IncomingMessage,
    response: ServerResponse,
    reply: HttpReply,
    sender: SenderState,
  ): void {
    if (response.destroyed) return;
    const unread = unreadBody(request, sender);
    const last = unread === "too much" || deps.admission.draining;
    response.writeHead(reply.status, {
      ...reply.headers,
      "content-length": reply.body.length,
      ...(last ? { connection: "close" } : {}),
    });
    if (unread === "too much") {
      linger(request, response, reply.body);
    } else {
      response.end(reply.body);
      request.resume();
    }
  }

  return {
    listen() {
      const { host, port } = config.endpoint;
      return new Promise((resolve, reject) => {
        const onError = (error: NodeJS.ErrnoException): void => {
          reject(new ListenError(configKey, `${host}:${port}`, error));
        };
        server.once("error", onError);
        server.listen({ host, port }, () => {
          server.off("error", onError);
          const bound = server.address() as AddressInfo;
          resolve({ host: bound.address, port: bound.port });
        });
      });
    },

    close(graceMilliseconds = defaultGraceMilliseconds) {
      deps.admission.drain();
      closing = true;
      return new Promise((resolve) => {
        const cutOff = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
        server.close(() => {
          clearTimeout(cutOff);
          resolve();
        });
        for (const [socket, busy] of sockets) if (busy.size === 0) socket.destroy();
      });
    },
  };
}

/** The path as it was sent, without query; of a whole URL (as proxies send it) its path. */
function pathOf(target: string): string {
  const path = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.split(/[?#]/, 1)[0] ?? "";
}

/** Paths that only an OTLP sender asks for: their answers are ours, never the fallback's. */
function isOtlpPath(path: string, served: readonly string[]): boolean {
  return (
    served.some((one) => path.startsWith(`${one}/`)) ||
    /^\/v1(?:development)?\/(?:traces|metrics|logs|profiles)(?:\/|$)/.test(path)
  );
}

function toMilliseconds(duration: DurationNano): number {
  return Number(duration / 1_000_000n);
}
