/** How a metric is declared: once, with its unit and how to read it. `docs/metrics.md` comes from these. */
export interface MetricDeclaration {
  readonly name: `toolorder_${string}`;
  readonly type: "counter" | "gauge" | "histogram";
  /** UCUM-like, as OpenTelemetry writes units: `s`, `By`, `{span}`. */
  readonly unit: string;
  readonly help: string;
  /** What a value means to the person on call, and what to do. */
  readonly reading: string;
  readonly labels: readonly string[];
  /** Labels whose values come from traffic and pass the cap (`processors.toolorder.limits.label_values`). */
  readonly capped?: readonly string[];
  /** Upper bounds in the metric's unit; histograms only. */
  readonly buckets?: readonly number[];
}

/** The label names of a declaration. */
export type LabelsOf<D extends MetricDeclaration> = { readonly [L in D["labels"][number]]: string };
