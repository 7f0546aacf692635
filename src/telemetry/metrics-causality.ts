/** Metrics about what was no longer current: results, effects, and what work waited for. */
import type { MetricDeclaration } from "./declaration.ts";

/** From what follows at once to a wait for a person. */
const waitSeconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800] as const;

export const staleResults = {
  name: "toolorder_stale_results_total",
  type: "counter",
  unit: "{result}",
  help: "Results whose decision, turn, run or state version was no longer current when the call finished.",
  reading:
    "`superseded`: a later decision had already asked the same; `turn`, `run`: the user had gone on; `version`: the state had moved; `cancelled`: nobody wanted it any more. A stale write is the one to worry about. A steady share of stale reads means that calls are slower than the conversation, or that too many are made at once.",
  labels: ["reason", "effect"],
} as const satisfies MetricDeclaration;

export const toolStaleResults = {
  name: "toolorder_tool_stale_results_total",
  type: "counter",
  unit: "{result}",
  help: "The stale results of toolorder_stale_results_total, by tool.",
  reading: "Which tool is too slow for the conversation. `other` gathers names beyond `limits.label_values`.",
  labels: ["tool"],
  capped: ["tool"],
} as const satisfies MetricDeclaration;

export const staleResultsApplied = {
  name: "toolorder_stale_results_applied_total",
  type: "counter",
  unit: "{result}",
  help: "Stale results that were used after all; counted when the use is seen, which may be much later.",
  reading:
    "Should be 0: the agent, or its model, worked on what was no longer true. Compare with toolorder_stale_results_total: the rest was left out, or nobody knows.",
  labels: ["reason", "effect"],
} as const satisfies MetricDeclaration;

export const staleEffects = {
  name: "toolorder_stale_effects_total",
  type: "counter",
  unit: "{effect}",
  help: "Writes and external effects that began after their decision, turn or run had been overtaken or cancelled, or their state had moved.",
  reading: "Should be 0: check what is current right before the effect, and bind it to a version.",
  labels: ["reason"],
} as const satisfies MetricDeclaration;

export const versionConflicts = {
  name: "toolorder_version_conflicts_total",
  type: "counter",
  unit: "{write}",
  help: "Writes that got in the way of others of the same resource.",
  reading:
    "`refused`: the provider refused a write for its version, which is how it should be. `forced`: it was written again without a new read; `lost_update`: a write went through on an outdated version; `several_owners`: two owners wrote at once. The last three should be 0: send the version that was read, and give a resource one writer.",
  labels: ["reason"],
} as const satisfies MetricDeclaration;

export const toolVersionConflicts = {
  name: "toolorder_tool_version_conflicts_total",
  type: "counter",
  unit: "{write}",
  help: "The writes of toolorder_version_conflicts_total, by tool.",
  reading: "Which tool writes to what others write to. `other` gathers names beyond `limits.label_values`.",
  labels: ["tool"],
  capped: ["tool"],
} as const satisfies MetricDeclaration;

export const unknownCallbacks = {
  name: "toolorder_unknown_callbacks_total",
  type: "counter",
  unit: "{callback}",
  help: "Callbacks that fit no request (`unknown`), belong to a call of another tool (`name_disagrees`) or came again (`duplicate`), and requests that were never answered (`missing`).",
  reading:
    "`admitted` is the one to act on: the agent took an answer to a question that nobody asked. `quarantined` less `released` and `expired` is what is held now; `released` grows where requests are exported later than their callbacks. `missing` only ever is `expired`.",
  labels: ["reason", "disposition"],
} as const satisfies MetricDeclaration;

export const reducerRejections = {
  name: "toolorder_reducer_rejections_total",
  type: "counter",
  unit: "{event}",
  help: "Events that a state machine did not allow: the first illegal step of each instance of a rule, and every reducer_rejected signal (contract and rule are empty).",
  reading:
    "A rejection is a state machine that does its work. One reason that grows after a release says which order of events nobody thought of.",
  labels: ["contract", "rule", "reason"],
  capped: ["reason"],
} as const satisfies MetricDeclaration;

export const callsPerDecision = {
  name: "toolorder_calls_per_decision",
  type: "histogram",
  unit: "{call}",
  help: "Calls that one decision asked for, once its run is over.",
  reading: "Wide decisions make more results stale at once when the user goes on.",
  labels: [],
  buckets: [1, 2, 3, 5, 8, 13, 21, 50, 100],
} as const satisfies MetricDeclaration;

export const dependencyWait = {
  name: "toolorder_dependency_wait_seconds",
  type: "histogram",
  unit: "s",
  help: "Time from the last causal parent's finish to the call's start.",
  reading:
    "What the agent takes between having all it needs and going on. Growing: the model, a queue or an approval holds up work whose inputs are ready, and may be stale by then.",
  labels: ["tool"],
  capped: ["tool"],
  buckets: waitSeconds,
} as const satisfies MetricDeclaration;

export const causalityMetrics = [
  staleResults,
  toolStaleResults,
  staleResultsApplied,
  staleEffects,
  versionConflicts,
  toolVersionConflicts,
  unknownCallbacks,
  reducerRejections,
  callsPerDecision,
  dependencyWait,
] as const satisfies readonly MetricDeclaration[];
