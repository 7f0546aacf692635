/** Every metric that this service exports under its own name, in the order of `docs/metrics.md`. */
import type { MetricDeclaration } from "./declaration.ts";
import { causalityMetrics } from "./metrics-causality.ts";
import { effectMetrics } from "./metrics-effects.ts";
import { ruleMetrics } from "./metrics-rules.ts";
import { serviceMetrics } from "./metrics-service.ts";
import { trafficMetrics } from "./metrics-traffic.ts";

export const metricGroups: readonly {
  readonly title: string;
  readonly metrics: readonly MetricDeclaration[];
}[] = [
  { title: "Contracts and verdicts", metrics: ruleMetrics },
  { title: "Causality", metrics: causalityMetrics },
  { title: "Effects", metrics: effectMetrics },
  { title: "Spans, calls and runs", metrics: trafficMetrics },
  { title: "The service", metrics: serviceMetrics },
];

export const declarations: readonly MetricDeclaration[] = metricGroups.flatMap(({ metrics }) => metrics);
