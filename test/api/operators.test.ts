import assert from "node:assert/strict";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createOperatorsApp, hostName, type Readiness } from "../../src/api/operators.ts";

const ready: Readiness = {
  ready: true,
  state: "ready",
  journal: "memory",
  durability: "lost with the process",
  contracts: 2,
  rules: 5,
  warnings: [],
};

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

describe("the operators' port", () => {
  let server: Server;
  let readiness: Readiness;
  let metrics: () => Promise<{ contentType: string; body: string }>;
  let faults: unknown[];

  beforeEach(async () => {
    readiness = ready;
    faults = [];
    metrics = async () => ({ contentType: "text/plain; version=0.0.4; charset=utf-8", body: "a 1\n" });
    const app = createOperatorsApp({
      metrics: () => metrics(),
      readiness: () => readiness,
      allowedHosts: ["Toolorder.example"],
      onFault: (error) => faults.push(error),
    });
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function ask(path: string, options: { method?: string; host?: string } = {}): Promise<Answer> {
    const { port } = server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          host: "127.0.0.1",
          port,
          path,
          method: options.method ?? "GET",
          headers: { host: options.host ?? `127.0.0.1:${port}` },
        },
        (response) => {
          let body = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            body += chunk;
          });
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          );
        },
      );
      asked.once("error", reject);
      asked.end();
    });
  }

  it("serves metrics with the exact media type", async () => {
    const { status, headers, body } = await ask("/metrics");
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    assert.equal(headers["x-powered-by"], undefined);
    assert.equal(body, "a 1\n");
  });

  it("says that it lives, and whether it is ready, with the reason", async () => {
    assert.deepEqual(JSON.parse((await ask("/livez")).body), { alive: true });
    const up = await ask("/readyz");
    assert.equal(up.status, 200);
    assert.deepEqual(JSON.parse(up.body), ready);
    readiness = { ...ready, ready: false, state: "draining" };
    const down = await ask("/readyz");
    assert.equal(down.status, 503);
    assert.equal(JSON.parse(down.body).state, "draining");
  });

  it("answers HEAD, refuses to change anything, and knows nothing else", async () => {
    assert.equal((await ask("/metrics", { method: "HEAD" })).status, 200);
    for (const path of ["/metrics", "/livez", "/readyz"]) {
      const { status, headers } = await ask(path, { method: "POST" });
      assert.equal(status, 405);
      assert.equal(headers.allow, "GET, HEAD");
    }
    for (const path of ["/", "/metrics/x", "/v1/traces", "/%2e%2e/etc/passwd"]) {
      const { status, body } = await ask(path);
      assert.equal(status, 404);
      assert.match(JSON.parse(body).advice, /\/metrics, \/livez and \/readyz/);
    }
  });

  const hosts: readonly { host: string; status: number }[] = [
    { host: "localhost:9464", status: 200 },
    { host: "LOCALHOST", status: 200 },
    { host: "127.0.0.1", status: 200 },
    { host: "10.1.2.3:9464", status: 200 },
    { host: "[::1]:9464", status: 200 },
    { host: "toolorder.example:9464", status: 200 },
    { host: "toolorder.example.", status: 200 },
    { host: "evil.example", status: 403 },
    { host: "localhost.evil.example:9464", status: 403 },
    { host: "127.0.0.1.evil.example", status: 403 },
    { host: "user@localhost", status: 403 },
  ];
  for (const { host, status } of hosts) {
    it(`answers ${status} when it is called ${host}`, async () => {
      const answer = await ask("/metrics", { host });
      assert.equal(answer.status, status);
      if (status === 403) assert.match(JSON.parse(answer.body).advice, /allowed_hosts/);
    });
  }

  it("answers 500 to a fault of ours, says nothing about it outside, and lives on", async () => {
    metrics = async () => {
      throw new Error("secret detail");
    };
    const failed = await ask("/metrics");
    assert.equal(failed.status, 500);
    assert.ok(!failed.body.includes("secret"));
    assert.equal(faults.length, 1);
    assert.equal((await ask("/livez")).status, 200);
  });

  it("takes a path that does not decode for the client's mistake", async () => {
    const { status } = await ask("/%ff");
    assert.ok(status === 400 || status === 404, `${status}`);
  });

  it("has no host name in a header that is none", () => {
    for (const header of [undefined, "", "a b", "a:b:c", "a/b"]) assert.equal(hostName(header), null);
  });
});
