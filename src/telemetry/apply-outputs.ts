/**
 * Moves the numbers by what `step` said, and writes the log's line of each violation. Nothing is decided
 * here: the core has decided what counts, and how often.
 */
import type { CountOutput, DurationOutput, Output, RuleRef } from "../model/output.ts";
import type { Log } from "./log.ts";
import { droppedLines, logRevision, logViolation } from "./log.ts";
import type { Telemetry } from "./registry.ts";

export interface OutputSink {
  applyOutputs(outputs: readonly Output[]): void;
  /** Brings what is derived up to date; called before a scrape. */
  derive(): void;
}

/** A rule judged by run, whose vacuous verdicts follow from the runs closed since it was loaded. */
interface RunRule {
  readonly contract: string;
  readonly rule: string;
  /** Runs closed before it was loaded. */
  readonly closedBefore: number;
}

export interface OutputSinkWithRules extends OutputSink {
  /** A set of contracts came into force: from now on closed runs count for these rules. */
  startRules(runRules: readonly Pick<RunRule, "contract" | "rule">[]): void;
}

export function createOutputSink(telemetry: Telemetry, log: Log): OutputSinkWithRules {
  const { series } = telemetry;
  const unixSeconds = (at: bigint): number => Number(at / 1_000_000n) / 1e3;
  let runsClosed = 0;
  let runRules: readonly RunRule[] = [];
  const active = new Set<string>();

  function apply(output: Output): void {
    switch (output.type) {
      case "violation": {
        const { contract, rule, severity, category, service, agent } = output.record;
        series.violations.add({ contract, rule, severity, category });
        series.violationsByService.add({
          service: service ?? "unknown",
          agent: agent ?? "unknown",
          severity,
        });
        logViolation(log, output.record);
        return;
      }
      case "revision": {
        const { contract, rule } = output.rule;
        series.violationsRevised.add({ contract, rule, change: output.change });
        logRevision(log, output);
        return;
      }
      case "inconclusive": {
        const { contract, rule } = output.rule;
        series.inconclusive.add({ contract, rule, code: output.instance.code ?? "order_unknown" });
        return;
      }
      case "verdict": {
        const { contract, rule } = output.rule;
        // Vacuous is derived for run scopes, see `derive`.
        if (output.verdict === "vacuous" && output.scope.scope === "run") return;
        series.verdicts.add({ contract, rule, verdict: output.verdict });
        return;
      }
      case "run_closed":
        runsClosed += 1;
        series.runsClosed.add({ reason: output.reason });
        return;
      case "count":
        count(output);
        return;
      case "duration":
        observe(output);
        return;
      case "stale_result":
        series.staleResults.add({ reason: output.reason, effect: output.effect });
        return;
      case "rule_match": {
        const { contract, rule, side } = output;
        series.ruleMatches.add({ contract, rule, side });
        series.ruleLastMatch.set({ contract, rule, side }, unixSeconds(output.at));
        return;
      }
      case "alert":
        alert(output.rule, output.reason, output.active);
        return;
    }
  }

  function count(output: CountOutput): void {
    switch (output.of) {
      case "tool_calls":
        series.toolCalls.add({ tool: output.tool, status: output.status });
        return;
      case "late":
        series.spansLate.add({ disposition: output.disposition });
        return;
      case "duplicate":
        series.spansDuplicate.add({ disposition: output.disposition });
        return;
      case "flaw":
        series.dataQuality.add({ flaw: output.flaw });
        return;
      case "anomaly":
        series.anomalies.add({ anomaly: output.anomaly });
        return;
      case "unassigned":
        series.eventsUnassigned.add({});
        return;
    }
  }

  function observe(output: DurationOutput): void {
    switch (output.of) {
      case "tool_call":
        series.toolCallDuration.observe({ tool: output.tool }, output.seconds);
        return;
      case "span_lag":
        series.spanLag.observe({}, output.seconds);
        return;
      case "decision_latency":
        series.decisionLatency.observe({}, output.seconds);
        return;
    }
  }

  function alert({ contract, rule, severity }: RuleRef, reason: string, rose: boolean): void {
    const labels = { contract, rule, severity, reason };
    const key = `${contract}\u0000${rule}\u0000${reason}`;
    series.alertActive.set(labels, rose ? 1 : 0);
    if (rose && !active.has(key)) series.alerts.add(labels);
    if (rose) active.add(key);
    else active.delete(key);
  }

  return {
    applyOutputs(outputs) {
      for (const output of outputs) apply(output);
    },
    derive() {
      series.logLinesDropped.raiseTo({}, droppedLines(log));
      for (const { contract, rule, closedBefore } of runRules) {
        let judged = 0;
        for (const verdict of ["satisfied", "violated", "inconclusive", "pending"]) {
          judged += series.verdicts.peek({ contract, rule, verdict });
        }
        series.verdicts.raiseTo({ contract, rule, verdict: "vacuous" }, runsClosed - closedBefore - judged);
      }
    },
    startRules(rules) {
      runRules = rules.map(({ contract, rule }) => ({ contract, rule, closedBefore: runsClosed }));
    },
  };
}
