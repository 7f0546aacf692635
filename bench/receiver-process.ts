/**
 * One receiver in a process of its own, so that its CPU time can be read apart from that of who sends. Which one
 * is the first argument:
 *   judge   the service: HTTP, decode, normalise, journal, assemble, judge fifty rules, count
 *   decode  HTTP, gunzip and our protobuf decoder, and no more
 *   json    HTTP, gunzip and JSON.parse, and no more
 * It is asked over IPC: `cpu` for the microseconds used so far (user and system, all threads), `settle` to
 * answer once every run is judged, `stop`.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { defaultConfig } from "../src/config/config.ts";
import { seconds } from "../src/model/time.ts";
import { defaultDecodeLimits } from "../src/otlp/decode-limits.ts";
import { decodeTracesProtobuf } from "../src/otlp/decode-protobuf.ts";
import { createNormalizer } from "../src/processor/normalize/normalize.ts";
import { loadContracts } from "../src/rules/load.ts";
import { startService } from "../src/service/service.ts";
import { createLog } from "../src/telemetry/log.ts";
import { fiftyRules } from "./rules.ts";

export type Mode = "judge" | "decode" | "json";
export type Question = "cpu" | "settle" | "stop";
export interface Reply {
  /** CPU time of this process so far; for `cpu`. */
  readonly microseconds?: number;
  readonly port?: number;
  /** What was judged so far; for `settle`. */
  readonly calls?: number;
  readonly violations?: number;
  readonly inconclusive?: number;
}

interface Receiver {
  readonly port: number;
  settle(): Promise<Reply>;
  close(): Promise<void>;
}

const loopback = { host: "127.0.0.1", port: 0 };
const contracts = [{ file: "benchmark.yaml", text: fiftyRules() }];

async function judging(): Promise<Receiver> {
  const { http, prometheus, toolorder } = defaultConfig;
  // Short waits are the same work, in rounds that end soon after their last span.
  const waits = { decisionWait: seconds(1), lateWindow: seconds(1), conversationIdle: seconds(1) };
  const service = await startService({
    config: {
      ...defaultConfig,
      http: { ...http, endpoint: loopback },
      prometheus: { ...prometheus, endpoint: loopback },
      toolorder: { contracts: [], core: { ...toolorder.core, ...waits } },
    },
    contracts,
    log: createLog({ write: () => {} }),
  });
  return {
    port: Number(new URL(service.urls.traces).port),
    close: () => service.close(),
    async settle() {
      for (;;) {
        const text = await (await fetch(service.urls.metrics)).text();
        if (sumOf(text, "toolorder_runs_open") === 0) {
          return {
            calls: sumOf(text, "toolorder_tool_calls_total"),
            violations: sumOf(text, "toolorder_violations_total"),
            inconclusive: sumOf(text, "toolorder_inconclusive_total"),
          };
        }
        await pause(200);
      }
    },
  };
}

function sumOf(exposition: string, name: string): number {
  const series = exposition.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "gm"));
  return [...series].reduce((sum, [, value]) => sum + Number(value), 0);
}

/** A bare server whose only work on a body is `use`. */
async function bare(use: (body: Uint8Array) => void): Promise<Receiver> {
  const inflate = promisify(gunzip);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      use(await inflate(Buffer.concat(chunks)));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, loopback.host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    settle: () => Promise.resolve({}),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function decoding(): Promise<Receiver> {
  const { set } = loadContracts(contracts, {});
  if (set === null) throw new Error("the benchmark's own contract does not load");
  const { plan } = createNormalizer({ projection: set.projection, mappings: [] });
  return bare((body) => {
    decodeTracesProtobuf(body, plan, defaultDecodeLimits);
  });
}

const start: Readonly<Record<Mode, () => Promise<Receiver>>> = {
  judge: judging,
  decode: decoding,
  json: () =>
    bare((body) => {
      JSON.parse(Buffer.from(body).toString("utf8"));
    }),
};

const receiver = await start[process.argv[2] as Mode]();
const reply = (message: Reply): void => {
  process.send?.(message);
};
process.on("message", async (question: Question) => {
  if (question === "cpu") {
    const { user, system } = process.cpuUsage();
    reply({ microseconds: user + system });
  } else if (question === "settle") {
    reply(await receiver.settle());
  } else {
    await receiver.close();
    process.disconnect();
  }
});
reply({ port: receiver.port });
