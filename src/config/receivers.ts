import * as z from "zod";
import { type DurationNano, minutes, seconds } from "../model/time.ts";
import { count, cure, duration, type Endpoint, endpoint, notYet, size } from "./kinds.ts";

/** Source: `receivers.otlp.protocols.http`; keys named as the Collector names them where it has them. */
export interface HttpReceiverConfig {
  readonly endpoint: Endpoint;
  /** Most bytes of one request, as sent and once decompressed; more is answered 413. */
  readonly maxRequestBodyBytes: number;
  /** Most bytes of all requests being read and decoded at once; past it the answer is 503 with Retry-After. */
  readonly maxInFlightBytes: number;
  readonly tracesUrlPath: string;
  /** Served where a pipeline for logs is configured. */
  readonly logsUrlPath: string;
  /** Open connections; further ones are closed at once. */
  readonly maxConnections: number;
  readonly readHeaderTimeout: DurationNano;
  /** From the first byte of a request to its last. */
  readonly readTimeout: DurationNano;
  /** How long a kept-alive connection may be silent. */
  readonly idleTimeout: DurationNano;
}

/**
 * Loopback, since whoever can send spans can forge an approval. 64 MiB a request is what OTLP 1.11
 * recommends, and four of them at once fit a small container. The timeouts are the Collector's, but for
 * reading a body: without one, slow senders hold memory for ever.
 */
export const defaultHttpReceiver: HttpReceiverConfig = {
  endpoint: { host: "127.0.0.1", port: 4318 },
  maxRequestBodyBytes: 64 * 1024 * 1024,
  maxInFlightBytes: 256 * 1024 * 1024,
  tracesUrlPath: "/v1/traces",
  logsUrlPath: "/v1/logs",
  maxConnections: 1_000,
  readHeaderTimeout: minutes(1),
  readTimeout: seconds(60),
  idleTimeout: minutes(1),
};

const urlPath = z
  .string()
  .regex(/^\/[^\s?#]*$/, { error: cure("this is not a path", "Begin it with /, such as /v1/traces.") });

const http = z
  .strictObject({
    endpoint: endpoint().optional(),
    max_request_body_size: size().optional(),
    max_in_flight_size: size().optional(),
    traces_url_path: urlPath.optional(),
    logs_url_path: urlPath.optional(),
    max_connections: count().optional(),
    read_header_timeout: duration().optional(),
    read_timeout: duration().optional(),
    idle_timeout: duration().optional(),
    tls: notYet("TLS"),
    auth: notYet("authentication"),
    cors: notYet("CORS"),
    transport: notYet("another transport than TCP"),
    compression_algorithms: notYet("a choice of compression algorithms"),
    include_metadata: notYet("request metadata"),
    response_headers: notYet("a choice of response headers"),
  })
  .nullable()
  .refine(
    (given) =>
      (given?.traces_url_path ?? defaultHttpReceiver.tracesUrlPath) !==
      (given?.logs_url_path ?? defaultHttpReceiver.logsUrlPath),
    {
      path: ["logs_url_path"],
      error: cure(
        "spans and log records have one path",
        "Give each its own: a path says what is posted to it.",
      ),
    },
  )
  .transform(
    (given): HttpReceiverConfig => ({
      endpoint: given?.endpoint ?? defaultHttpReceiver.endpoint,
      maxRequestBodyBytes: given?.max_request_body_size ?? defaultHttpReceiver.maxRequestBodyBytes,
      maxInFlightBytes: given?.max_in_flight_size ?? defaultHttpReceiver.maxInFlightBytes,
      tracesUrlPath: given?.traces_url_path ?? defaultHttpReceiver.tracesUrlPath,
      logsUrlPath: given?.logs_url_path ?? defaultHttpReceiver.logsUrlPath,
      maxConnections: given?.max_connections ?? defaultHttpReceiver.maxConnections,
      readHeaderTimeout: given?.read_header_timeout ?? defaultHttpReceiver.readHeaderTimeout,
      readTimeout: given?.read_timeout ?? defaultHttpReceiver.readTimeout,
      idleTimeout: given?.idle_timeout ?? defaultHttpReceiver.idleTimeout,
    }),
  );

export const receivers = z.strictObject({
  otlp: z.strictObject({
    protocols: z.strictObject({ http, grpc: notYet("OTLP over gRPC") }),
  }),
  kafka: notYet("a Kafka receiver"),
});
