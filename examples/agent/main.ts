/**
 * Runs the example agent through every plan, or those named, and sends its spans.
 *
 *   node examples/agent/main.ts [--endpoint http://127.0.0.1:4318/v1/traces] [plan …]
 *
 * Prints one line a plan: its name and the trace id.
 */
import { hostname } from "node:os";
import { parseArgs } from "node:util";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { answer } from "./agent.ts";
import { plans } from "./plans.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { endpoint: { type: "string", default: "http://127.0.0.1:4318/v1/traces" } },
});
const wanted = positionals.length === 0 ? plans : plans.filter(({ name }) => positionals.includes(name));
if (wanted.length === 0) {
  process.stderr.write(`no plan of that name: there are ${plans.map(({ name }) => name).join(", ")}\n`);
  process.exit(2);
}

const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({
    "service.name": "support-agent",
    "host.name": hostname(),
    "process.pid": process.pid,
  }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: values.endpoint }))],
});
const tracer = provider.getTracer("example-agent", "1.0.0");

for (const plan of wanted) process.stdout.write(`${plan.name} ${await answer(tracer, plan)}\n`);
try {
  await provider.shutdown();
} catch (error) {
  const reason = error instanceof Error ? error.message || String(error.cause ?? error.name) : String(error);
  process.stderr.write(`the spans could not be sent to ${values.endpoint}: ${reason}\n`);
  process.exitCode = 1;
}
