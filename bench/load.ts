/** Sends ready-made OTLP requests as a Collector would: a few kept-alive connections, one request each at a time. */
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

export interface Load {
  readonly port: number;
  /** Gzipped ExportTraceServiceRequests. */
  readonly bodies: readonly Uint8Array[];
  readonly contentType: "application/x-protobuf" | "application/json";
  readonly connections: number;
}

/** Resolves when every body was accepted. A refusal that may be retried is, as a sender must; any other throws. */
export async function send({ port, bodies, contentType, connections }: Load): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const waiting = [...bodies];
  const sender = async (): Promise<void> => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
      for (;;) {
        const status = await post(agent, port, contentType, body);
        if (status === 200) break;
        if (status !== 429 && status !== 503) throw new Error(`a body was answered ${status}`);
        await pause(100);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, sender));
  } finally {
    agent.destroy();
  }
}

function post(agent: Agent, port: number, contentType: string, body: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        host: "127.0.0.1",
        port,
        path: "/v1/traces",
        method: "POST",
        headers: {
          "content-type": contentType,
          "content-encoding": "gzip",
          "content-length": body.byteLength,
        },
      },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
