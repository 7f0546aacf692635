/**
 * Writes the registry as Prometheus reads it. Written here and not by prom-client, whose single string build
 * stops the event loop for as long as it takes: this one pauses every few thousand lines.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Registry } from "prom-client";

export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

/** Lines between two pauses: about a millisecond of work. */
const linesPerTurn = 2_000;

/** Answers with the text format, whatever is accepted: every Prometheus takes it. */
export async function expose(registry: Registry): Promise<Exposition> {
  const metrics = await registry.getMetricsAsJSON();
  const parts: string[] = [];
  let lines = 0;
  for (const { name, help, type, values } of metrics) {
    parts.push(`# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${String(type)}\n`);
    for (const sample of values) {
      const metricName =
        "metricName" in sample && typeof sample.metricName === "string" ? sample.metricName : name;
      parts.push(`${metricName}${labelText(sample.labels)} ${numberText(sample.value)}\n`);
      lines += 1;
      if (lines % linesPerTurn === 0) await turn();
    }
  }
  return { contentType: "text/plain; version=0.0.4; charset=utf-8", body: parts.join("") };
}

function labelText(labels: Partial<Record<string, string | number>>): string {
  let text = "";
  for (const [name, value] of Object.entries(labels)) {
    if (value === undefined) continue;
    text += `${text === "" ? "" : ","}${name}="${escapeValue(String(value))}"`;
  }
  return text === "" ? "" : `{${text}}`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapeValue = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');
