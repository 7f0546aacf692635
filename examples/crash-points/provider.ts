/**
 * The other side: a provider that honours idempotency keys, over HTTP on this machine. A second request with a key
 * that it knows gets the enrollment that the first one made; another key makes another enrollment.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface Enrollment {
  readonly enrollment_id: string;
  readonly key: string;
  readonly request: string;
}

export interface Provider {
  readonly url: string;
  readonly enrollments: readonly Enrollment[];
  /** Called once an enrollment is made, before anybody is told; when it returns true nobody ever is. */
  onAccepted: () => boolean;
  close(): Promise<void>;
}

export async function startProvider(): Promise<Provider> {
  const enrollments: Enrollment[] = [];
  const provider = { url: "", enrollments, onAccepted: () => false, close: async () => undefined };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://provider");
    if (request.method === "GET") {
      const [by, value] = url.searchParams.has("key")
        ? (["key", url.searchParams.get("key")] as const)
        : (["request", url.searchParams.get("request")] as const);
      const found = enrollments.find((one) => one[by] === value);
      reply(response, 200, found === undefined ? { found: false } : { found: true, ...found });
      return;
    }
    const { key, request: asked } = (await bodyOf(request)) as { key: string; request: string };
    const known = enrollments.find((one) => one.key === key);
    const made = known ?? { enrollment_id: `E-${enrollments.length + 1}`, key, request: asked };
    if (known === undefined) enrollments.push(made);
    if (!provider.onAccepted()) reply(response, 200, { enrollment_id: made.enrollment_id });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => reply(response, 500, {}));
  });
  provider.url = await listen(server);
  provider.close = () => stop(server);
  return provider;
}

/** Takes OTLP/HTTP JSON and keeps every request as one line. */
export async function startCollector(onRequest: (line: string) => void): Promise<{
  readonly url: string;
  close(): Promise<void>;
}> {
  const server = createServer((request, response) => {
    textOf(request).then(
      (text) => {
        onRequest(text);
        reply(response, 200, {});
      },
      () => reply(response, 500, {}),
    );
  });
  return { url: `${await listen(server)}/v1/traces`, close: () => stop(server) };
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
    });
  });
}

async function stop(server: ReturnType<typeof createServer>): Promise<undefined> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return undefined;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  return JSON.parse(await textOf(request));
}

function reply(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
