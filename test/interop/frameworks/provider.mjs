/**
 * What any traced program has: a provider, a context manager, an exporter. The agent's processor is two lines of it,
 * the import and its place among the span processors.
 */
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { AgentSpanProcessor } from "toolorder/agent";

const url = process.argv[2];

export const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({
    "service.name": "support-agent",
    "host.name": "interop",
    "process.pid": process.pid,
  }),
  spanProcessors: [
    new AgentSpanProcessor({ endpoint: url }),
    new BatchSpanProcessor(new OTLPTraceExporter({ url })),
  ],
});

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(provider);
