/**
 * `demo` — the whole way, in half a minute: starts the service on free ports with an example contract, runs
 * the example agent against it as a process of its own, and prints each run's timelines and the metric lines
 * that moved.
 */
import { spawn } from "node:child_process";
import { Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Config, defaultConfig } from "../config/config.ts";
import { milliseconds } from "../model/time.ts";
import { effectsOpen, gauges, nextDue, ruleSet, step } from "../processor/pipeline.ts";
import { type JudgedRun, report } from "../processor/report.ts";
import { createState } from "../processor/state.ts";
import { readContracts } from "../service/contract-files.ts";
import { startService } from "../service/service.ts";
import { createLog } from "../telemetry/log.ts";
import { overviewOf } from "../timeline/view-model.ts";
import { ExitCode } from "./exit-code.ts";
import { findingsOf } from "./findings.ts";
import { type ReportInput, textReport } from "./report-text.ts";
import { colour, plain, type Style } from "./style.ts";
import { summarize } from "./summary.ts";
import type { Terminal } from "./terminal.ts";
import { rowLines } from "./timeline-text.ts";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const contract = "customer-access/contract.yaml";
/** Short, since the agent's spans come in one piece; a real fleet waits for its slowest exporter. */
const decisionWait = milliseconds(400);
/** Closing takes two waits at most; past this something is wrong. */
const patienceMs = 20_000;

/** What each run shows, in the order in which the agent runs them. */
const stories: ReadonlyMap<string, string> = new Map([
  ["good", "Every step in its order"],
  ["incident", "The right tools at the wrong time: the plan is read before the check"],
  ["denied-then-approved", "The check came first, but it said no"],
  ["retry", "A failed attempt, then a good one: nothing to report"],
  ["parallel", "Two retrievals side by side, both done before the answer"],
]);

export async function demo(terminal: Terminal): Promise<ExitCode> {
  const style = terminal.color ? colour : plain;
  const { sources } = readContracts([contract], examples);
  const state = createState();
  const service = await startService({
    config: demoConfig(),
    contracts: sources,
    // The demo tells the story itself.
    log: createLog(new Writable({ write: (_chunk, _encoding, done) => done() })),
    core: {
      step: (entry) => step(state, entry),
      nextDue: () => nextDue(state),
      gauges: () => gauges(state),
      effectsOpen: () => effectsOpen(state),
    },
    processMetrics: false,
  });
  try {
    terminal.out(
      `${style.bold("toolorder")} takes spans at ${service.urls.traces}, metrics at ${service.urls.metrics}`,
    );
    terminal.out(`contract: examples/${contract}, ${service.rules} rules\n`);
    const before = await metricLines(service.urls.metrics);
    const traces = await runAgent(service.urls.traces);
    const runs = await closedRuns(() => report(state), [...traces.values()]);
    for (const [name, traceId] of traces) {
      const run = runs.get(traceId);
      if (run === undefined) throw new Error(`the run ${name} did not arrive`);
      tell(name, run, ruleSet(state)?.tools ?? new Map(), style, terminal);
    }
    const after = await metricLines(service.urls.metrics);
    terminal.out(`${style.bold(style.cyan("── metrics that moved ".padEnd(78, "─")))}\n`);
    for (const line of moved(before, after)) terminal.out(`  ${line}`);
    return ExitCode.ok;
  } finally {
    await service.close();
  }
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

/** Runs the agent to its end. Resolves with its trace ids by plan. */
async function runAgent(endpoint: string): Promise<ReadonlyMap<string, string>> {
  const agent = spawn(process.execPath, [`${examples}agent/main.ts`, "--endpoint", endpoint], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  let complaints = "";
  agent.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  agent.stderr.on("data", (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    agent.once("error", reject);
    agent.once("close", resolve);
  });
  if (code !== 0) throw new Error(`the example agent ended with ${code}: ${complaints.trim()}`);
  return new Map(
    printed
      .trim()
      .split("\n")
      .map((line) => line.split(" "))
      .flatMap(([name, traceId]) =>
        name === undefined || traceId === undefined ? [] : [[name, traceId] as const],
      ),
  );
}

async function closedRuns(
  look: () => readonly JudgedRun[],
  wanted: readonly string[],
): Promise<ReadonlyMap<string, JudgedRun>> {
  for (let waited = 0; waited < patienceMs; waited += 50) {
    const closed = new Map(
      look()
        .filter((run) => run.closedBy !== null)
        .map((run) => [run.run, run]),
    );
    if (wanted.every((traceId) => closed.has(traceId))) return closed;
    await wait(50);
  }
  throw new Error("the runs did not close in time");
}

function tell(
  name: string,
  run: JudgedRun,
  tools: ReportInput["tools"],
  style: Style,
  terminal: Terminal,
): void {
  terminal.out(`${style.bold(style.cyan(`── ${name} `.padEnd(78, "─")))}`);
  terminal.out(`${stories.get(name) ?? ""}\n`);
  const runs = [run];
  const findings = findingsOf(runs, () => []);
  const summary = summarize(runs, findings, "never");
  if (summary.verdicts.violated + summary.verdicts.inconclusive === 0) {
    for (const line of rowLines(overviewOf(run.events, tools, true), style)) terminal.out(`  ${line}`);
    terminal.out("");
  }
  terminal.out(textReport({ runs, findings, summary, tools, untimed: new Set(), trace: false }, style));
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

async function metricLines(url: string): Promise<ReadonlyMap<string, string>> {
  const text = await (await fetch(url)).text();
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

function moved(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
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
