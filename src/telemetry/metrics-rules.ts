/** Metrics about contracts, rules and their verdicts. Every series of a loaded rule exists at 0 from the start. */
import type { MetricDeclaration } from "./declaration.ts";

export const violations = {
  name: "toolorder_violations_total",
  type: "counter",
  unit: "{violation}",
  help: "Judged anchors whose verdict became final violated for the first time.",
  reading:
    "Any increase of a critical rule is worth a look at its run; the log line of the violation has the trace id. It never falls: subtract `toolorder_violations_revised_total` (withdrawn, merged) and add reinstated for what stands.",
  labels: ["contract", "rule", "severity", "category"],
} as const satisfies MetricDeclaration;

export const verdictsTotal = {
  name: "toolorder_verdicts_total",
  type: "counter",
  unit: "{verdict}",
  help: "Verdicts of rules over closed scopes.",
  reading:
    "The denominator of every ratio: violated / (violated + satisfied). Only vacuous means that the rule never found what it speaks about; rising inconclusive means that spans lack what the rule needs. Vacuous is derived when scraped, for rules judged by run: closed runs less those with another verdict.",
  labels: ["contract", "rule", "verdict"],
} as const satisfies MetricDeclaration;

export const violationsRevised = {
  name: "toolorder_violations_revised_total",
  type: "counter",
  unit: "{revision}",
  help: "Published changes of final verdicts, by what changed; settled: one that was inconclusive.",
  reading:
    "Near 0. When it climbs, spans come after their verdict: raise `decision_wait` above the senders' flush interval (see `toolorder_span_lag_seconds`).",
  labels: ["contract", "rule", "change"],
} as const satisfies MetricDeclaration;

export const inconclusive = {
  name: "toolorder_inconclusive_total",
  type: "counter",
  unit: "{verdict}",
  help: "Judged anchors whose final verdict is inconclusive, by the code that says why.",
  reading:
    "The code names what would resolve it: `not_captured` asks for argument capture in the instrumentation, `order_unknown` for causal links or one clock, `evicted` for larger limits.",
  labels: ["contract", "rule", "code"],
} as const satisfies MetricDeclaration;

export const alertActive = {
  name: "toolorder_alert_active",
  type: "gauge",
  unit: "{alert}",
  help: "1 while a rule has a standing violation (or a critical rule an inconclusive verdict) younger than alert_hold.",
  reading:
    "Page on this gauge rather than on an increase of the counter: it is state, and it shows the first violation too.",
  labels: ["contract", "rule", "severity", "reason"],
} as const satisfies MetricDeclaration;

export const alerts = {
  name: "toolorder_alerts_total",
  type: "counter",
  unit: "{alert}",
  help: "Times that toolorder_alert_active rose.",
  reading: "How often a rule would have paged. Many short alerts of one rule: raise `alert_hold`.",
  labels: ["contract", "rule", "severity", "reason"],
} as const satisfies MetricDeclaration;

export const contractInfo = {
  name: "toolorder_contract_info",
  type: "gauge",
  unit: "{rule}",
  help: "1 for every loaded rule, with what routing and alerts need to know about it.",
  reading: "Join it with group_left to send an alert to the rule's owner and link to its runbook.",
  labels: ["contract", "rule", "revision", "severity", "owner", "stage", "runbook"],
} as const satisfies MetricDeclaration;

export const violationsByService = {
  name: "toolorder_violations_by_service_total",
  type: "counter",
  unit: "{violation}",
  help: "The violations of toolorder_violations_total, by who ran the call.",
  reading: "Which service or agent to look at first. `other` gathers names beyond `limits.label_values`.",
  labels: ["service", "agent", "severity"],
  capped: ["service", "agent"],
} as const satisfies MetricDeclaration;

export const ruleMatches = {
  name: "toolorder_rule_matches_total",
  type: "counter",
  unit: "{event}",
  help: "Events that a side of a rule matched.",
  reading:
    "0 on a side for a day of ordinary traffic usually means a misspelt tool name: the rule protects nothing.",
  labels: ["contract", "rule", "side"],
} as const satisfies MetricDeclaration;

export const ruleLastMatch = {
  name: "toolorder_rule_last_match_timestamp_seconds",
  type: "gauge",
  unit: "s",
  help: "When a side of a rule last matched an event, as Unix time; 0 for never.",
  reading: "A rule that used to match and stopped points at a renamed tool.",
  labels: ["contract", "rule", "side"],
} as const satisfies MetricDeclaration;

export const contractsLoaded = {
  name: "toolorder_contracts_loaded",
  type: "gauge",
  unit: "{contract}",
  help: "Contracts that judge right now.",
  reading: "0 means that nothing is judged: look at `processors.toolorder.contracts`.",
  labels: [],
} as const satisfies MetricDeclaration;

export const contractsLoadedAt = {
  name: "toolorder_contracts_loaded_timestamp_seconds",
  type: "gauge",
  unit: "s",
  help: "When the contracts were last loaded, as Unix time.",
  reading: "Should follow your last change of the contracts.",
  labels: [],
} as const satisfies MetricDeclaration;

export const contractLoadFailures = {
  name: "toolorder_contracts_load_failures_total",
  type: "counter",
  unit: "{load}",
  help: "Loads of contracts that failed and left the old ones in force.",
  reading: "Above 0: somebody changed a contract, and the change is not in force. The log has every error.",
  labels: [],
} as const satisfies MetricDeclaration;

export const lastReloadSuccessful = {
  name: "toolorder_contracts_last_reload_successful",
  type: "gauge",
  unit: "{load}",
  help: "1 when the last load of contracts succeeded, else 0.",
  reading: "0: fix the contract files; `toolorder validate` prints every error.",
  labels: [],
} as const satisfies MetricDeclaration;

export const contractMetric = {
  name: "toolorder_contract_metric_total",
  type: "counter",
  unit: "{event}",
  help: "What a rule of kind metric_count counted, once its scope closed.",
  reading: "What the contract's author wants to see grow or not: nothing alerts on it by itself.",
  labels: ["contract", "rule"],
} as const satisfies MetricDeclaration;

export const contractMetricWait = {
  name: "toolorder_contract_metric_wait_seconds",
  type: "histogram",
  unit: "s",
  help: "Time from the last causal parent's finish to the start of what a rule of kind metric_wait names, once its scope closed.",
  reading:
    "toolorder_dependency_wait_seconds for the calls that a contract names. Empty: the calls name no causal parents, or their clocks tell no length.",
  labels: ["contract", "rule"],
  buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
} as const satisfies MetricDeclaration;

export const ruleMetrics = [
  violations,
  verdictsTotal,
  violationsRevised,
  inconclusive,
  alertActive,
  alerts,
  contractInfo,
  violationsByService,
  ruleMatches,
  ruleLastMatch,
  contractsLoaded,
  contractsLoadedAt,
  contractLoadFailures,
  lastReloadSuccessful,
  contractMetric,
  contractMetricWait,
] as const satisfies readonly MetricDeclaration[];
