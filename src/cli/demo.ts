/**
 * `demo` — the whole way, in half a minute: starts the service on free ports with an example contract, runs
 * the example agent against it as a process of its own, and prints each run's timelines and the metric lines
 * that moved. `demo stale` tells another story: demo-stale.ts.
 */

import { ruleSet } from "../processor/pipeline.ts";
import type { JudgedRun } from "../processor/report.ts";
import { overviewOf } from "../timeline/view-model.ts";
import { closedRuns, metricLines, startDemo, startProgram, tellMetrics } from "./demo-service.ts";
import { demoStale } from "./demo-stale.ts";
import { ExitCode } from "./exit-code.ts";
import { findingsOf } from "./findings.ts";
import { type ReportInput, textReport } from "./report-text.ts";
import { colour, plain, type Style } from "./style.ts";
import { summarize } from "./summary.ts";
import type { Terminal } from "./terminal.ts";
import { rowLines } from "./timeline-text.ts";

/** What each run shows, in the order in which the agent runs them. */
const stories: ReadonlyMap<string, string> = new Map([
  ["good", "Every step in its order"],
  ["incident", "The right tools at the wrong time: the plan is read before the check"],
  ["denied-then-approved", "The check came first, but it said no"],
  ["retry", "A failed attempt, then a good one: nothing to report"],
  ["parallel", "Two retrievals side by side, both done before the answer"],
]);

const demos: ReadonlyMap<string, (terminal: Terminal) => Promise<ExitCode>> = new Map([
  ["order", demoOrder],
  ["stale", demoStale],
]);

export async function demo(terminal: Terminal, name = "order"): Promise<ExitCode> {
  const chosen = demos.get(name);
  if (chosen !== undefined) return chosen(terminal);
  terminal.err(`no demo ${name}: there are ${[...demos.keys()].join(" and ")}`);
  return ExitCode.badInput;
}

async function demoOrder(terminal: Terminal): Promise<ExitCode> {
  const style = terminal.color ? colour : plain;
  const { service, state } = await startDemo("customer-access/contract.yaml", terminal, style);
  try {
    const before = await metricLines(service);
    const printed = await startProgram("agent/main.ts", service.urls.traces).ended;
    const traces = tracesOf(printed);
    const runs = await closedRuns(state, [...traces.values()]);
    for (const [name, traceId] of traces) {
      const run = runs.get(traceId);
      if (run === undefined) throw new Error(`the run ${name} did not arrive`);
      tell(name, run, ruleSet(state)?.tools ?? new Map(), style, terminal);
    }
    tellMetrics(before, await metricLines(service), style, terminal);
    return ExitCode.ok;
  } finally {
    await service.close();
  }
}

/** Trace ids by plan, as the agent printed them. */
function tracesOf(printed: string): ReadonlyMap<string, string> {
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
