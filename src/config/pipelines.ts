import * as z from "zod";
import { notYet } from "./kinds.ts";

/** Source: `service`: which of the configured parts run. */
export interface PipelinesConfig {
  readonly extensions: readonly string[];
  readonly traces: {
    readonly receivers: readonly string[];
    readonly processors: readonly string[];
    readonly exporters: readonly string[];
  };
}

const names = z.array(z.string());

export const pipelines = z.strictObject({
  extensions: names.optional(),
  pipelines: z.strictObject({
    traces: z.strictObject({ receivers: names, processors: names, exporters: names }),
    metrics: notYet("a metrics pipeline"),
    logs: notYet("a logs pipeline"),
  }),
  telemetry: notYet("`service.telemetry`"),
});
