import { loadConfig } from "../../src/config/load.ts";

/** A whole configuration with some of its sections replaced, in the flow style, each on a line of its own. */
export const whole = (
  lines: { http?: string; toolorder?: string; journal?: string; rest?: string } = {},
): string =>
  [
    `receivers: {otlp: {protocols: {http: ${lines.http ?? "{}"}}}}`,
    `processors: {toolorder: ${lines.toolorder ?? "{}"}}`,
    "exporters: {prometheus: {}}",
    `extensions: {journal: ${lines.journal ?? "{}"}}`,
    lines.rest ??
      "service: {extensions: [journal], pipelines: {traces: {receivers: [otlp], processors: [toolorder], exporters: [prometheus]}, logs: {receivers: [otlp], processors: [toolorder], exporters: [prometheus]}}}",
  ].join("\n");

export const load = (text: string, env: Record<string, string> = {}, set: readonly string[] = []) =>
  loadConfig(text, "otel-config.yaml", env, set);
