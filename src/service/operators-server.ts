import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Endpoint } from "../config/kinds.ts";
import { formatEndpoint } from "../config/kinds.ts";
import { ListenError } from "../receiver/listen-error.ts";

export interface OperatorsServer {
  /** Resolves with the address that is open; rejects with a `ListenError`. */
  listen(): Promise<Endpoint>;
  /** Closes at once: its answers are short, and who asks again gets no answer, which is true. */
  close(): Promise<void>;
}

const configKey = "exporters.prometheus.endpoint";

/** A scrape that takes longer was given up by its scraper. */
const requestTimeoutMs = 30_000;

export function createOperatorsServer(endpoint: Endpoint, app: RequestListener): OperatorsServer {
  const server = createServer({ requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs }, app);
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once("error", (error) => reject(new ListenError(configKey, formatEndpoint(endpoint), error)));
        server.listen({ host: endpoint.host, port: endpoint.port }, () => {
          const { address, port } = server.address() as AddressInfo;
          resolve({ host: address, port });
        });
      }),
    close: () =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
