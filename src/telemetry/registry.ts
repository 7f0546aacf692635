/**
 * All series of the service. Others count here with plain calls; prom-client's registry is filled when it is
 * scraped.
 */
import { collectDefaultMetrics, Registry } from "prom-client";
import type { CloseReason } from "../model/completeness.ts";
import type { Flaw } from "../model/event.ts";
import { callbackDispositions, callbackReasons, conflictReasons, staleReasons } from "../model/output.ts";
import { type Category, type Code, type Severity, undecidedCodes } from "../model/verdict.ts";
import { type EffectNumbers, effectStates } from "./effect-numbers.ts";
import { createLabelCap, type LabelCap } from "./label-cap.ts";
import * as causality from "./metrics-causality.ts";
import * as effects from "./metrics-effects.ts";
import * as rules from "./metrics-rules.ts";
import * as service from "./metrics-service.ts";
import * as traffic from "./metrics-traffic.ts";
import { CounterSeries, GaugeSeries, HistogramSeries } from "./series.ts";

/** What metrics need to know of a loaded rule. */
export interface RuleSeries {
  readonly contract: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly category: Category;
  readonly scope: "run" | "conversation" | "all" | "key";
  readonly revision: string;
  readonly owner: string | null;
  readonly stage: string;
  readonly runbook: string | null;
  /** Whether it is a state machine, whose illegal steps are counted too. */
  readonly rejects: boolean;
  /** Whether it only measures, and what. */
  readonly measures?: "count" | "wait" | null;
}

/** Numbers that live elsewhere and are read when scraped. */
export interface LiveNumbers {
  readonly runsOpen: number;
  readonly runsReopenable: number;
  readonly runsForgotten: number;
  readonly facts: number;
  readonly stateBytes: number;
  readonly waiting: number;
  readonly inFlightBytes: number;
  /** Open effects by state; absent: none. */
  readonly effects?: EffectNumbers;
}

export interface TelemetryOptions {
  readonly labelValues: number;
  readonly version: string;
  readonly journalKind: string;
  /** Names of the configured mappings. */
  readonly mappings: readonly string[];
  readonly live: () => LiveNumbers;
  /** Metrics of the process (CPU, memory, event loop): they start timers, so tests leave them out. */
  readonly processMetrics: boolean;
}

export type Telemetry = ReturnType<typeof createTelemetry>;

export const closeReasons = [
  "root_ended",
  "idle",
  "max_age",
  "input_end",
  "conversation_idle",
  "evicted",
] as const satisfies readonly CloseReason[];

export const flaws = [
  "dropped_attributes",
  "dropped_events",
  "truncated",
  "unparseable",
  "redacted",
  "end_before_start",
  "time_out_of_range",
  "no_end",
  "sampled",
  "not_kept",
  "call_id_collision",
  "conversation_disagrees",
  "name_disagrees",
  "inferred_session",
  "unresolved_parent",
  "beginning_not_seen",
  "unrecognised_tool",
  "snake_case_key",
  "enum_name",
  "strindex",
  "invalid_utf8",
  "duplicate_key",
] as const satisfies readonly Flaw[];

/** Codes of the checks of an effect ledger. */
const ledgerCodes = [
  "duplicate_effect",
  "key_reuse",
  "in_flight_twice",
  "blind_retry",
  "unresolved_effect",
  "not_compensated",
  "retry_too_soon",
] as const satisfies readonly Code[];

export function createTelemetry(options: TelemetryOptions) {
  const registry = new Registry();
  const cap: LabelCap = createLabelCap(options.labelValues, (label) => folded.add({ label }));
  const folded = new CounterSeries(traffic.labelValuesFolded, registry, cap);
  const counter = <D extends ConstructorParameters<typeof CounterSeries>[0]>(declaration: D) =>
    new CounterSeries(declaration, registry, cap);
  const gauge = <D extends ConstructorParameters<typeof GaugeSeries>[0]>(
    declaration: D,
    refresh?: (gauge: GaugeSeries<D>) => void,
  ) => new GaugeSeries(declaration, registry, cap, refresh);
  const histogram = <D extends ConstructorParameters<typeof HistogramSeries>[0]>(declaration: D) =>
    new HistogramSeries(declaration, registry, cap);

  const series = {
    violations: counter(rules.violations),
    verdicts: counter(rules.verdictsTotal),
    violationsRevised: counter(rules.violationsRevised),
    inconclusive: counter(rules.inconclusive),
    alertActive: gauge(rules.alertActive),
    alerts: counter(rules.alerts),
    contractInfo: gauge(rules.contractInfo),
    violationsByService: counter(rules.violationsByService),
    staleResults: counter(causality.staleResults),
    toolStaleResults: counter(causality.toolStaleResults),
    staleResultsApplied: counter(causality.staleResultsApplied),
    staleEffects: counter(causality.staleEffects),
    unknownCallbacks: counter(causality.unknownCallbacks),
    versionConflicts: counter(causality.versionConflicts),
    toolVersionConflicts: counter(causality.toolVersionConflicts),
    reducerRejections: counter(causality.reducerRejections),
    callsPerDecision: histogram(causality.callsPerDecision),
    dependencyWait: histogram(causality.dependencyWait),
    effectsOpen: gauge(effects.effectsOpen, (open) => {
      const live = options.live().effects;
      for (const state of effectStates) open.set({ state }, live?.get(state)?.open ?? 0);
    }),
    effectsOpenOldest: gauge(effects.effectsOpenOldest, (oldest) => {
      const live = options.live().effects;
      for (const state of effectStates) oldest.set({ state }, live?.get(state)?.oldestSeconds ?? 0);
    }),
    effectAnomalies: counter(effects.effectAnomalies),
    contractMetric: counter(rules.contractMetric),
    contractMetricWait: histogram(rules.contractMetricWait),
    ruleMatches: counter(rules.ruleMatches),
    ruleLastMatch: gauge(rules.ruleLastMatch),
    contractsLoaded: gauge(rules.contractsLoaded),
    contractsLoadedAt: gauge(rules.contractsLoadedAt),
    contractLoadFailures: counter(rules.contractLoadFailures),
    lastReloadSuccessful: gauge(rules.lastReloadSuccessful),
    toolCalls: counter(traffic.toolCalls),
    toolCallDuration: histogram(traffic.toolCallDuration),
    runsOpen: gauge(traffic.runsOpen, (live) => live.set({}, options.live().runsOpen)),
    runsClosed: counter(traffic.runsClosed),
    runsRemembered: gauge(traffic.runsRemembered, (remembered) => {
      const live = options.live();
      remembered.set({ state: "reopenable" }, live.runsReopenable);
      remembered.set({ state: "forgotten" }, live.runsForgotten);
    }),
    factsHeld: gauge(traffic.factsHeld, (live) => live.set({}, options.live().facts)),
    stateBytes: gauge(traffic.stateBytes, (live) => live.set({}, options.live().stateBytes)),
    spansLate: counter(traffic.spansLate),
    keysForgotten: counter(traffic.keysForgotten),
    spansDuplicate: counter(traffic.spansDuplicate),
    dataQuality: counter(traffic.dataQuality),
    anomalies: counter(traffic.anomalies),
    spanLag: histogram(traffic.spanLag),
    decisionLatency: histogram(traffic.decisionLatency),
    mappingMatches: counter(traffic.mappingMatches),
    receiverSpans: counter(service.receiverSpans),
    receiverLogRecords: counter(service.receiverLogRecords),
    receiverRequests: counter(service.receiverRequests),
    receiverBytes: counter(service.receiverBytes),
    receiverRejections: counter(service.receiverRejections),
    receiverInFlightBytes: gauge(service.receiverInFlightBytes, (live) =>
      live.set({}, options.live().inFlightBytes),
    ),
    journalAppended: counter(service.journalAppended),
    journalWaiting: gauge(service.journalWaiting, (live) => live.set({}, options.live().waiting)),
    journalRefused: counter(service.journalRefused),
    journalInfo: gauge(service.journalInfo),
    logLinesDropped: counter(service.logLinesDropped),
    stepFailures: counter(service.stepFailures),
    buildInfo: gauge(service.buildInfo),
  };
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  startAtZero();
  return { registry, series, declareRules };

  /** What is known without any contract: every closed set of label values, so that a first increase shows. */
  function startAtZero(): void {
    for (const reason of staleReasons) {
      for (const effect of ["read", "write", "unknown"]) {
        series.staleResults.touch({ reason, effect });
        series.staleResultsApplied.touch({ reason, effect });
      }
      series.staleEffects.touch({ reason });
    }
    for (const reason of conflictReasons) series.versionConflicts.touch({ reason });
    for (const reason of callbackReasons) {
      for (const disposition of callbackDispositions) series.unknownCallbacks.touch({ reason, disposition });
    }
    for (const kind of ledgerCodes) series.effectAnomalies.touch({ kind });
    for (const reason of closeReasons) series.runsClosed.touch({ reason });
    for (const disposition of ["reopened", "forgotten"]) series.spansLate.touch({ disposition });
    for (const reason of ["ttl", "bound"]) series.keysForgotten.touch({ reason });
    for (const disposition of ["identical", "conflicting"]) series.spansDuplicate.touch({ disposition });
    for (const flaw of flaws) series.dataQuality.touch({ flaw });
    for (const anomaly of ["clock_contradiction", "causal_cycle"]) series.anomalies.touch({ anomaly });
    for (const label of ["tool", "service", "agent"]) folded.touch({ label });
    for (const mapping of options.mappings) series.mappingMatches.touch({ mapping });
    for (const encoding of ["protobuf", "json"]) {
      for (const outcome of ["accepted", "rejected", "refused", "failed"]) {
        series.receiverRequests.touch({ transport: "http", encoding, outcome });
        series.receiverSpans.touch({ transport: "http", encoding, outcome });
        series.receiverLogRecords.touch({ transport: "http", encoding, outcome });
      }
      series.receiverLogRecords.touch({ transport: "http", encoding, outcome: "passed_over" });
    }
    for (const type of ["facts", "tick", "deaf", "contracts"]) series.journalAppended.touch({ type });
    const { journalRefused, stepFailures, logLinesDropped } = series;
    for (const one of [journalRefused, stepFailures, logLinesDropped]) one.touch({});
    series.contractLoadFailures.touch({});
    series.lastReloadSuccessful.set({}, 1);
    series.contractsLoaded.set({}, 0);
    series.journalInfo.set({ kind: options.journalKind }, 1);
    series.buildInfo.set({ version: options.version, node: process.versions.node }, 1);
  }

  /** A set of contracts is in force: all its series exist, at 0. */
  function declareRules(contracts: number, all: readonly RuleSeries[], atSeconds: number): void {
    series.contractsLoaded.set({}, contracts);
    series.contractsLoadedAt.set({}, atSeconds);
    series.lastReloadSuccessful.set({}, 1);
    series.contractInfo.clear();
    for (const { contract, rule, severity, category, scope, ...about } of all) {
      series.violations.touch({ contract, rule, severity, category });
      for (const verdict of ["satisfied", "violated", "inconclusive"]) {
        series.verdicts.touch({ contract, rule, verdict });
      }
      // A scope that never closes is never vacuous: it may yet have its first event.
      if (scope === "run" || scope === "conversation")
        series.verdicts.touch({ contract, rule, verdict: "vacuous" });
      for (const change of ["withdrawn", "merged", "reinstated", "settled"]) {
        series.violationsRevised.touch({ contract, rule, change });
      }
      if (about.measures === "count") series.contractMetric.touch({ contract, rule });
      if (about.measures === "wait") series.contractMetricWait.touch({ contract, rule });
      if (about.rejects) series.reducerRejections.touch({ contract, rule, reason: "illegal_transition" });
      for (const code of undecidedCodes) series.inconclusive.touch({ contract, rule, code });
      for (const reason of severity === "critical" ? ["violated", "inconclusive"] : ["violated"]) {
        series.alertActive.set({ contract, rule, severity, reason }, 0);
        series.alerts.touch({ contract, rule, severity, reason });
      }
      for (const side of ["anchor", "witness"]) {
        series.ruleMatches.touch({ contract, rule, side });
        series.ruleLastMatch.set({ contract, rule, side }, 0);
      }
      series.contractInfo.set(
        {
          contract,
          rule,
          severity,
          revision: about.revision,
          owner: about.owner ?? "",
          stage: about.stage,
          runbook: about.runbook ?? "",
        },
        1,
      );
    }
  }
}
