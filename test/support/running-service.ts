/** The real service over real HTTP, inside the test's process, on a clock that the test moves. */
import { defaultConfig } from "../../src/config/config.ts";
import type { ContractSource } from "../../src/model/entry.ts";
import type { CoreSettings } from "../../src/model/settings.ts";
import { type DurationNano, type UnixNano, unixNano } from "../../src/model/time.ts";
import type { GaugedCore } from "../../src/service/core.ts";
import { startService } from "../../src/service/service.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { Exposition } from "./exposition.ts";
import { SteppedClock } from "./stepped-clock.ts";

export interface RunningService {
  readonly tracesUrl: string;
  readonly logsUrl: string;
  readonly readyUrl: string;
  /** Lets this much time pass for the service, with everything that falls due in it. */
  pass(duration: DurationNano): Promise<void>;
  /** Scrapes `/metrics`. */
  metrics(): Promise<Exposition>;
  /** The log so far, one object a line. */
  log(): readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

export interface RunningOptions {
  readonly contracts: readonly ContractSource[];
  readonly settings?: Partial<CoreSettings>;
  readonly maxRequestBodyBytes?: number;
  /** What judges; default: one that knows nothing yet. */
  readonly core?: GaugedCore;
  /** What the service's clock shows at the start; default 2026-01-01T02:00:00Z. */
  readonly now?: UnixNano;
}

const loopback = { host: "127.0.0.1", port: 0 };

export async function runService(options: RunningOptions): Promise<RunningService> {
  const lines: Record<string, unknown>[] = [];
  const clock = new SteppedClock(options.now ?? unixNano(BigInt(Date.UTC(2026, 0, 1, 2)) * 1_000_000n));
  const { http, prometheus, toolorder } = defaultConfig;
  const service = await startService({
    config: {
      ...defaultConfig,
      http: {
        ...http,
        endpoint: loopback,
        maxRequestBodyBytes: options.maxRequestBodyBytes ?? http.maxRequestBodyBytes,
      },
      prometheus: { ...prometheus, endpoint: loopback },
      toolorder: { contracts: [], core: { ...toolorder.core, ...options.settings } },
    },
    contracts: options.contracts,
    log: createLog({ write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) }),
    clock,
    ...(options.core === undefined ? {} : { core: options.core }),
    processMetrics: false,
  });
  return {
    tracesUrl: service.urls.traces,
    logsUrl: service.urls.logs ?? "",
    readyUrl: service.urls.ready,
    pass: (duration) => clock.pass(duration, () => service.idle()),
    metrics: async () => {
      const response = await fetch(service.urls.metrics);
      if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
      return new Exposition(await response.text());
    },
    log: () => lines,
    close: () => service.close(),
  };
}
