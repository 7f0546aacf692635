/** Writes `docs/metrics.md` from the declarations. Pure; `npm run docs:metrics` puts it in its place. */
import type { MetricDeclaration } from "./declaration.ts";
import { metricGroups } from "./metrics.ts";

export function metricsPage(): string {
  const parts = [intro];
  for (const { title, metrics } of metricGroups) {
    parts.push(`## ${title}`, ...metrics.map(section));
  }
  parts.push(process);
  return `${parts.join("\n\n")}\n`;
}

const intro = `# Metrics

Written from \`src/telemetry\` by \`npm run docs:metrics\`; change it there.

Everything is on \`/metrics\` of the operators' port (\`exporters.prometheus.endpoint\`). Series whose labels are
known, those of loaded rules among them, exist at 0 from the start: a counter that first appears at 1 shows no
increase. Labels never hold ids of traces, conversations or calls; the log line of a violation does. Labels marked
"capped" take names from traffic: past \`processors.toolorder.limits.label_values\` distinct values, further ones are
\`other\`.`;

const process = `## The process

\`process_*\` and \`nodejs_*\` are prom-client's own: CPU, memory, open files, garbage collection and how late the event
loop is. Watch \`nodejs_eventloop_lag_p99_seconds\`: everything runs on that loop.`;

function section({ name, type, unit, help, reading, labels, capped, buckets }: MetricDeclaration): string {
  const shown = labels.map((label) => `\`${label}\`${capped?.includes(label) === true ? " (capped)" : ""}`);
  return [
    `### ${name}`,
    help,
    `**How to read it.** ${reading}`,
    [
      `- type: ${type}`,
      `- unit: \`${unit}\``,
      `- labels: ${shown.length > 0 ? shown.join(", ") : "none"}`,
      ...(buckets === undefined ? [] : [`- buckets: ${buckets.join(", ")}`]),
    ].join("\n"),
  ].join("\n\n");
}
