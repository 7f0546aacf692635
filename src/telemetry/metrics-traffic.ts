/** Metrics about the spans, calls and runs that come in. */
import type { MetricDeclaration } from "./declaration.ts";

/** From a fast lookup to a call that outlives a coffee. */
const callSeconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600] as const;

/** Around the SDKs' 5 s flush and the default `decision_wait` of 10 s, where the decision lies. */
const lagSeconds = [0.1, 0.5, 1, 2.5, 5, 7.5, 10, 15, 30, 60, 300, 1800] as const;

export const toolCalls = {
  name: "toolorder_tool_calls_total",
  type: "counter",
  unit: "{call}",
  help: "Tool calls seen, by how they ended.",
  reading:
    "A tool that never shows here is not instrumented, or named otherwise than you think. `other` gathers names beyond `limits.label_values`.",
  labels: ["tool", "status"],
  capped: ["tool"],
} as const satisfies MetricDeclaration;

export const toolCallDuration = {
  name: "toolorder_tool_call_duration_seconds",
  type: "histogram",
  unit: "s",
  help: "Time from the start of a tool call to its end.",
  reading: "A tool slower than `decision_wait` delays the verdicts that hang on it.",
  labels: ["tool"],
  capped: ["tool"],
  buckets: callSeconds,
} as const satisfies MetricDeclaration;

export const runsOpen = {
  name: "toolorder_runs_open",
  type: "gauge",
  unit: "{run}",
  help: "Runs that are being judged.",
  reading:
    "About traffic times run length. Climbing without end: roots never end or never come, so runs wait for `idle_timeout`.",
  labels: [],
} as const satisfies MetricDeclaration;

export const runsClosed = {
  name: "toolorder_runs_closed_total",
  type: "counter",
  unit: "{run}",
  help: "Runs closed, by what closed them.",
  reading:
    "Mostly `root_ended`. `idle` means that root spans do not arrive; `evicted` that a limit was reached and verdicts were lost to it.",
  labels: ["reason"],
} as const satisfies MetricDeclaration;

export const runsRemembered = {
  name: "toolorder_runs_remembered",
  type: "gauge",
  unit: "{run}",
  help: "Closed runs still known: `reopenable` with their facts, `forgotten` by id alone.",
  reading: "Memory follows `reopenable`: runs closed within `late_window`.",
  labels: ["state"],
} as const satisfies MetricDeclaration;

export const factsHeld = {
  name: "toolorder_facts_held",
  type: "gauge",
  unit: "{fact}",
  help: "Span facts in memory, of open and re-openable runs.",
  reading: "Together with `toolorder_state_bytes` it says what a span costs here.",
  labels: [],
} as const satisfies MetricDeclaration;

export const stateBytes = {
  name: "toolorder_state_bytes",
  type: "gauge",
  unit: "By",
  help: "Estimated size of everything that judging keeps in memory.",
  reading: "Runs are evicted when it reaches `limits.state`.",
  labels: [],
} as const satisfies MetricDeclaration;

export const spansLate = {
  name: "toolorder_spans_late_total",
  type: "counter",
  unit: "{span}",
  help: "Spans that came after their run had closed: `reopened` judged it again, `forgotten` came too late for that.",
  reading:
    "`reopened` near 0: when it climbs, raise `decision_wait` above your exporters' flush interval. `forgotten` above 0: raise `late_window`.",
  labels: ["disposition"],
} as const satisfies MetricDeclaration;

export const keysForgotten = {
  name: "toolorder_scope_keys_forgotten_total",
  type: "counter",
  unit: "{key}",
  help: "Entities that rules with `scope: all` or `scope: {key: path}` remember no more: `ttl` were silent for `key_ttl`, `bound` had to make room.",
  reading:
    "`ttl` grows with your entities and is as it should be. `bound` above 0: what those rules forbid may be missed between events that lie far apart; bind them to fewer entities, or lower `key_ttl`.",
  labels: ["reason"],
} as const satisfies MetricDeclaration;

export const spansDuplicate = {
  name: "toolorder_spans_duplicate_total",
  type: "counter",
  unit: "{span}",
  help: "Spans that were here already, by whether the copies agreed.",
  reading:
    "`identical` follows senders' retries and is harmless. `conflicting` means that two senders use one span id, or an SDK exports unfinished spans.",
  labels: ["disposition"],
} as const satisfies MetricDeclaration;

export const dataQuality = {
  name: "toolorder_data_quality_total",
  type: "counter",
  unit: "{finding}",
  help: "Things about incoming data that hide or weaken evidence, by kind.",
  reading:
    "Each kind has its cure: `dropped_attributes` and `truncated` ask for larger SDK limits, `unresolved_parent` for a missing service, `sampled` for keeping all spans of judged agents.",
  labels: ["flaw"],
} as const satisfies MetricDeclaration;

export const anomalies = {
  name: "toolorder_anomalies_total",
  type: "counter",
  unit: "{finding}",
  help: "Contradictions in the evidence of order: clocks against causality, or causal cycles.",
  reading: "Above 0: a host's clock is off by more than `clock.skew_ms`, or links point the wrong way.",
  labels: ["anomaly"],
} as const satisfies MetricDeclaration;

export const spanLag = {
  name: "toolorder_span_lag_seconds",
  type: "histogram",
  unit: "s",
  help: "Arrival of a span less its end.",
  reading: "Set `decision_wait` above its 99th percentile.",
  labels: [],
  buckets: lagSeconds,
} as const satisfies MetricDeclaration;

export const decisionLatency = {
  name: "toolorder_decision_latency_seconds",
  type: "histogram",
  unit: "s",
  help: "Arrival of an anchor to its final verdict.",
  reading: "About `decision_wait` for rules that wait; much more means that verdicts wait for runs to close.",
  labels: [],
  buckets: lagSeconds,
} as const satisfies MetricDeclaration;

export const mappingMatches = {
  name: "toolorder_mapping_matches_total",
  type: "counter",
  unit: "{event}",
  help: "Spans, span events and log records that a mapping of the configuration turned into events.",
  reading: "0 after ordinary traffic: the mapping's `when` hits nothing.",
  labels: ["mapping"],
} as const satisfies MetricDeclaration;

export const labelValuesFolded = {
  name: "toolorder_label_values_folded_total",
  type: "counter",
  unit: "{value}",
  help: "Increments whose label value was beyond the cap and went to `other`.",
  reading:
    "Above 0: names from traffic are unbounded (ids inside tool names?), or raise `limits.label_values`.",
  labels: ["label"],
} as const satisfies MetricDeclaration;

export const trafficMetrics = [
  toolCalls,
  toolCallDuration,
  runsOpen,
  runsClosed,
  runsRemembered,
  factsHeld,
  stateBytes,
  spansLate,
  keysForgotten,
  spansDuplicate,
  dataQuality,
  anomalies,
  spanLag,
  decisionLatency,
  mappingMatches,
  labelValuesFolded,
] as const satisfies readonly MetricDeclaration[];
