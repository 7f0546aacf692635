/**
 * `demo stale` — what the newest arrival hides: an agent with the agent's processor looks two things up at once, and
 * the older lookup comes back last; then it orders without an approval, and is alerted while the order still runs.
 */
import { createInterface } from "node:readline";
import { ruleSet } from "../processor/pipeline.ts";
import { report } from "../processor/report.ts";
import { markDetections } from "../timeline/detection-marks.ts";
import { overviewOf } from "../timeline/view-model.ts";
import { closedRuns, metricLines, startDemo, startProgram, tellMetrics, until } from "./demo-service.ts";
import { ExitCode } from "./exit-code.ts";
import { findingsOf } from "./findings.ts";
import { textReport } from "./report-text.ts";
import { colour, plain } from "./style.ts";
import { summarize } from "./summary.ts";
import type { Terminal } from "./terminal.ts";
import { rowLines } from "./timeline-text.ts";

const alert = /^toolorder_alert_active\{.*rule="approved-order".*reason="violated".*\}$/;

export async function demoStale(terminal: Terminal): Promise<ExitCode> {
  const style = terminal.color ? colour : plain;
  const { service, state } = await startDemo("stale/contract.yaml", terminal, style);
  const title = (text: string): void =>
    terminal.out(`${style.bold(style.cyan(`── ${text} `.padEnd(78, "─")))}\n`);
  const program = startProgram("stale/main.ts", service.urls.traces);
  try {
    const before = await metricLines(service);
    const traceId = await firstLine(program);

    title("while the order runs");
    const active = await until(async () => {
      const found = [...(await metricLines(service))].find(([series]) => alert.test(series));
      return found?.[1] === "1" ? `${found[0]} ${found[1]}` : null;
    }, "the alert");
    const running = report(state)
      .find(({ run }) => run === traceId)
      ?.events.some(({ name, status }) => name === "order_stock" && status === "running");
    if (running !== true || program.process.exitCode !== null) throw new Error("the order had already ended");
    terminal.out("order_stock has begun, nobody has approved it, and it has not ended:\n");
    terminal.out(`  ${active}\n`);

    program.process.stdin.end();
    await program.ended;
    const run = (await closedRuns(state, [traceId])).get(traceId);
    if (run === undefined) throw new Error("the run did not arrive");
    const tools = ruleSet(state)?.tools ?? new Map();

    title("the run, once it is over");
    const rows = markDetections(overviewOf(run.events, tools, true), run.detections, run.events);
    for (const line of rowLines(rows, style)) terminal.out(`  ${line}`);
    terminal.out("");
    const findings = findingsOf([run], () => []);
    const summary = summarize([run], findings, "never");
    terminal.out(
      textReport({ runs: [run], findings, summary, tools, untimed: new Set(), trace: false }, style),
    );
    tellMetrics(before, await metricLines(service), style, terminal);
    return ExitCode.ok;
  } finally {
    program.process.kill();
    await service.close();
  }
}

/** What the program prints first; rejects when it ends before. */
async function firstLine({ process: child, ended }: ReturnType<typeof startProgram>): Promise<string> {
  const lines = createInterface({ input: child.stdout });
  const line = new Promise<string>((resolve) => {
    lines.once("line", resolve);
  });
  return Promise.race([
    line,
    ended.then(() => Promise.reject(new Error("the example agent printed nothing"))),
  ]);
}
