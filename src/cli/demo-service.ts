/** What every demo does: a service on free ports, a program that sends it spans, and the metric lines that moved. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { type Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Config, defaultConfig } from "../config/config.ts";
import { milliseconds } from "../model/time.ts";
import { type JudgedRun, report } from "../processor/report.ts";
import { createState, type State } from "../processor/state.ts";
import { readContracts } from "../service/contract-files.ts";
import { createCore } from "../service/core.ts";
import { type Service, startService } from "../service/service.ts";
import { createLog } from "../telemetry/log.ts";
import type { Style } from "./style.ts";
import type { Terminal } from "./terminal.ts";

export const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
/** Short, since the agent's spans come in one piece; a real fleet waits for its slowest exporter. */
const decisionWait = milliseconds(400);
/** Closing takes two waits at most; past this something is wrong. */
const patienceMs = 20_000;

export interface DemoService {
  readonly service: Service;
  /** What the service knows, to look into. */
  readonly state: State;
}

/** `contract`: below examples/. */
export async function startDemo(contract: string, terminal: Terminal, style: Style): Promise<DemoService> {
  const { sources } = readContracts([contract], examples);
  const state = createState();
  const service = await startService({
    config: demoConfig(),
    contracts: sources,
    // The demo tells the story itself.
    log: createLog(new Writable({ write: (_chunk, _encoding, done) => done() })),
    core: createCore(state),
    processMetrics: false,
  });
  const { traces, metrics } = service.urls;
  terminal.out(`${style.bold("toolorder")} takes spans at ${traces}, metrics at ${metrics}`);
  terminal.out(`contract: examples/${contract}, ${service.rules} rule${service.rules === 1 ? "" : "s"}\n`);
  return { service, state };
}

function demoConfig(): Config {
  const free = { host: "127.0.0.1", port: 0 };
  return {
    ...defaultConfig,
    http: { ...defaultConfig.http, endpoint: free },
    prometheus: { ...defaultConfig.prometheus, endpoint: free },
    toolorder: {
      ...defaultConfig.toolorder,
      core: { ...defaultConfig.toolorder.core, decisionWait },
    },
  };
}

export interface Program {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves with what it printed; rejects with what it complained of. */
  readonly ended: Promise<string>;
}

/** Starts a program below examples/ that sends its spans to the endpoint. */
export function startProgram(program: string, endpoint: string): Program {
  const child = spawn(process.execPath, [`${examples}${program}`, "--endpoint", endpoint], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let printed = "";
  let complaints = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`the example agent ended with ${code}: ${complaints.trim()}`));
    });
  });
  return { process: child, ended };
}

/** Asks until there is an answer; throws what was waited for when there is none in time. */
export async function until<T>(look: () => Promise<T | null> | T | null, what: string): Promise<T> {
  for (let waited = 0; waited < patienceMs; waited += 50) {
    const found = await look();
    if (found !== null) return found;
    await wait(50);
  }
  throw new Error(`${what}: not in time`);
}

/** The runs of these traces, once all of them have closed. */
export function closedRuns(state: State, wanted: readonly string[]): Promise<ReadonlyMap<string, JudgedRun>> {
  return until(() => {
    const closed = new Map(
      report(state)
        .filter((run) => run.closedBy !== null)
        .map((run) => [run.run, run]),
    );
    return wanted.every((traceId) => closed.has(traceId)) ? closed : null;
  }, "the runs close");
}

/** What a person looks at first, in this order; everything else that moved is only counted. */
const shownFirst: readonly string[] = [
  "toolorder_violations_total",
  "toolorder_alert_active",
  "toolorder_verdicts_total",
  "toolorder_stale_results_total",
  "toolorder_tool_calls_total",
  "toolorder_runs_closed_total",
  "toolorder_receiver_spans_total",
];

/** Series with its labels → its value as text. */
export type MetricLines = ReadonlyMap<string, string>;

export async function metricLines({ urls }: Service): Promise<MetricLines> {
  const text = await (await fetch(urls.metrics)).text();
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const cut = line.lastIndexOf(" ");
        return [line.slice(0, cut), line.slice(cut + 1)];
      }),
  );
}

/** Prints the lines that moved between the two looks. */
export function tellMetrics(before: MetricLines, after: MetricLines, style: Style, terminal: Terminal): void {
  terminal.out(`${style.bold(style.cyan("── metrics that moved ".padEnd(78, "─")))}\n`);
  for (const line of moved(before, after)) terminal.out(`  ${line}`);
}

function moved(before: MetricLines, after: MetricLines): readonly string[] {
  const lines = [...after].filter(([series, value]) => value !== (before.get(series) ?? "0"));
  const shown = shownFirst.flatMap((name) =>
    lines
      .filter(([series]) => series === name || series.startsWith(`${name}{`))
      .map(([series, value]) => `${series} ${value}`)
      .sort(),
  );
  const telling = shown.filter((line) => !line.includes('verdict="vacuous"'));
  return [...telling, `… ${lines.length - telling.length} more`];
}
