/**
 * An agent as its users write it, in a process of its own: the real SDK, the real exporters. It begins a dangerous
 * call, says so once toolorder has taken the signal, and ends the call when its input ends.
 *
 *   node test/agent/running-agent.ts http://127.0.0.1:4318/v1/traces
 */
import { once } from "node:events";
import { context, SpanKind, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { AgentSpanProcessor, decision, run, turn } from "toolorder/agent";

const url = process.argv[2] ?? "";
const agent = new AgentSpanProcessor({ endpoint: url });
const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ "service.name": "ops-agent", "host.name": "host-1", "process.pid": 7 }),
  spanProcessors: [agent, new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
});
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracer = provider.getTracer("ops-agent", "1.0.0");

await run({ id: "run-1", conversation: "conv-1" }, () =>
  turn({ id: "turn-1" }, () =>
    tracer.startActiveSpan("invoke_agent ops", async (root) => {
      root.setAttribute("gen_ai.operation.name", "invoke_agent");
      await decision({}, async () => {
        const span = tracer.startSpan("execute_tool wipe_database", {
          kind: SpanKind.INTERNAL,
          attributes: {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "wipe_database",
            "gen_ai.tool.call.id": "call_1",
            "gen_ai.tool.call.arguments": JSON.stringify({ database: "orders" }),
          },
        });
        await agent.forceFlush();
        process.stdout.write(`${trace.getSpan(context.active())?.spanContext().traceId ?? ""}\n`);
        process.stdin.resume();
        await once(process.stdin, "end");
        span.setAttribute("gen_ai.tool.call.result", JSON.stringify({ wiped: true }));
        span.end();
      });
      root.end();
    }),
  ),
);
await provider.shutdown();
process.stdout.write(`${JSON.stringify(agent.counts)}\n`);
