/** Metrics about effects that a ledger (`effects:`) follows. */
import type { MetricDeclaration } from "./declaration.ts";

export const effectsOpen = {
  name: "toolorder_effects_open",
  type: "gauge",
  unit: "{effect}",
  help: "Effects whose end nobody knows: `intended` and not tried, `in_flight`, `unknown`, or `needs_reconciliation` by a person.",
  reading:
    "`in_flight` follows traffic. `unknown` that stays above 0: nobody looked up what became of a call; `toolorder check` lists each with what would close it. `needs_reconciliation` above 0: ask the provider.",
  labels: ["state"],
} as const satisfies MetricDeclaration;

export const effectsOpenOldest = {
  name: "toolorder_effects_open_oldest_seconds",
  type: "gauge",
  unit: "s",
  help: "Age of the oldest open effect of each state, by the time of its call; 0 where none is open.",
  reading:
    "Alert on `unknown` older than your provider keeps idempotency keys: after that a lookup may find nothing.",
  labels: ["state"],
} as const satisfies MetricDeclaration;

export const effectAnomalies = {
  name: "toolorder_effect_anomalies_total",
  type: "counter",
  unit: "{violation}",
  help: "Violations of rules of the category effect, by code, such as `duplicate_effect` and `blind_retry`.",
  reading: "Any increase of `duplicate_effect` is an effect that happened twice.",
  labels: ["kind"],
} as const satisfies MetricDeclaration;

export const effectMetrics = [
  effectsOpen,
  effectsOpenOldest,
  effectAnomalies,
] as const satisfies readonly MetricDeclaration[];
