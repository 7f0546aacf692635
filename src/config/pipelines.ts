import * as z from "zod";
import { notYet } from "./kinds.ts";

/** Source: `service`: which of the configured parts run. */
export interface PipelinesConfig {
  readonly extensions: readonly string[];
  readonly traces: Pipeline;
  /** null: log records have no way in. */
  readonly logs: Pipeline | null;
}

export interface Pipeline {
  readonly receivers: readonly string[];
  readonly processors: readonly string[];
  readonly exporters: readonly string[];
}

const names = z.array(z.string());
const pipeline = z.strictObject({ receivers: names, processors: names, exporters: names });

export const pipelines = z.strictObject({
  extensions: names.optional(),
  pipelines: z.strictObject({
    traces: pipeline,
    logs: pipeline.optional(),
    metrics: notYet("a metrics pipeline"),
  }),
  telemetry: notYet("`service.telemetry`"),
});
