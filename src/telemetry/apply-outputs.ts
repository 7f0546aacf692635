/**
 * Moves the numbers by what `step` said, and writes the log's line of each violation. Nothing is decided
 * here: the core has decided what counts, and how often.
 */
import type { CountOutput, DetectionOutput, DurationOutput, Output, RuleRef } from "../model/output.ts";
import type { Log } from "./log.ts";
import { droppedLines, logRevision, logViolation } from "./log.ts";
import type { Telemetry } from "./registry.ts";

export interface OutputSink {
  applyOutputs(outputs: readonly Output[]): void;
  /** Brings what is derived up to date; called before a scrape. */
  derive(): void;
}

/** A rule whose vacuous verdicts follow from the scopes of its contract that closed. */
interface ScopedRule {
  readonly contract: string;
  readonly rule: string;
  readonly scope: string;
}

export interface OutputSinkWithRules extends OutputSink {
  /** A set of contracts came into force. */
  startRules(rules: readonly ScopedRule[]): void;
}

export function createOutputSink(telemetry: Telemetry, log: Log): OutputSinkWithRules {
  const { series } = telemetry;
  const unixSeconds = (at: bigint): number => Number(at / 1_000_000n) / 1e3;
  let rules: readonly ScopedRule[] = [];
  /** Closed scopes by contract and kind of scope. */
  const closed = new Map<string, number>();
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
        if (category === "effect")
          series.effectAnomalies.add({ kind: output.record.instance.code ?? "other" });
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
        series.verdicts.add({ contract, rule, verdict: output.verdict });
        return;
      }
      case "contract_metric": {
        const { contract, rule } = output.rule;
        if (output.of === "count") series.contractMetric.add({ contract, rule }, output.count);
        else series.contractMetricWait.observe({ contract, rule }, output.seconds);
        return;
      }
      case "contract_closed": {
        const key = closedKey(output.contract, output.scope.scope);
        closed.set(key, (closed.get(key) ?? 0) + 1);
        return;
      }
      case "run_closed":
        series.runsClosed.add({ reason: output.reason });
        return;
      case "count":
        count(output);
        return;
      case "duration":
        observe(output);
        return;
      case "detection":
        detected(output);
        return;
      case "rule_match": {
        const { contract, rule, side } = output;
        series.ruleMatches.add({ contract, rule, side }, output.count);
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
      case "key_forgotten":
        series.keysForgotten.add({ reason: output.reason });
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
      case "reducer_rejection":
        series.reducerRejections.add({
          contract: output.contract,
          rule: output.rule,
          reason: output.reason,
        });
        return;
      case "calls_per_decision":
        series.callsPerDecision.observe({}, output.calls);
        return;
    }
  }

  function detected({ detector, reason, effect, tool, disposition }: DetectionOutput): void {
    switch (detector) {
      case "stale_result":
        series.staleResults.add({ reason, effect });
        series.toolStaleResults.add({ tool });
        return;
      case "stale_effect":
        series.staleEffects.add({ reason });
        return;
      case "stale_applied":
        series.staleResultsApplied.add({ reason, effect });
        return;
      case "version_conflict":
        series.versionConflicts.add({ reason });
        series.toolVersionConflicts.add({ tool });
        return;
      case "callback":
        series.unknownCallbacks.add({ reason, disposition: disposition ?? "quarantined" });
        return;
    }
  }

  function observe(output: DurationOutput): void {
    switch (output.of) {
      case "tool_call":
        series.toolCallDuration.observe({ tool: output.tool }, output.seconds);
        return;
      case "dependency_wait":
        series.dependencyWait.observe({ tool: output.tool }, output.seconds);
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
      for (const { contract, rule, scope } of rules) {
        let judged = 0;
        for (const verdict of ["satisfied", "violated", "inconclusive", "pending"]) {
          judged += series.verdicts.peek({ contract, rule, verdict });
        }
        const total = closed.get(closedKey(contract, scope)) ?? 0;
        series.verdicts.raiseTo({ contract, rule, verdict: "vacuous" }, total - judged);
      }
    },
    startRules(started) {
      rules = started;
    },
  };
}

const closedKey = (contract: string, scope: string): string => `${contract}\u0000${scope}`;
