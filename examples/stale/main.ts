/**
 * An agent that is in two places at once, instrumented by hand and with the agent's processor
 * (docs/agent.md). Asked about one item and then at once about another, it looks both up; the older lookup
 * comes back last. Then it orders, though nobody has approved it, and the order takes its time: until this
 * program's input ends, and 30 seconds at most.
 *
 *   node examples/stale/main.ts [--endpoint http://127.0.0.1:4318/v1/traces]
 *
 * Prints the trace id when the order has begun.
 */
import { once } from "node:events";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { context, SpanKind } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { AgentSpanProcessor, causedBy, decision, run, turn } from "toolorder/agent";

const { values } = parseArgs({
  options: { endpoint: { type: "string", default: "http://127.0.0.1:4318/v1/traces" } },
});
const url = values.endpoint;
const agent = new AgentSpanProcessor({ endpoint: url });
const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({
    "service.name": "stock-agent",
    "host.name": hostname(),
    "process.pid": process.pid,
  }),
  spanProcessors: [agent, new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
});
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracer = provider.getTracer("example-agent", "1.0.0");

let calls = 0;

/** One tool call: `work` is what it does, and gives its result. */
async function call<T>(name: string, args: object, work: () => Promise<T>): Promise<string> {
  calls += 1;
  const id = `call_${calls}`;
  const span = tracer.startSpan(`execute_tool ${name}`, {
    kind: SpanKind.INTERNAL,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.call.arguments": JSON.stringify(args),
    },
  });
  span.setAttribute("gen_ai.tool.call.result", JSON.stringify(await work()));
  span.end();
  return id;
}

const longestMs = 30_000;

await run({ conversation: "conversation-stock" }, () =>
  turn({}, () =>
    tracer.startActiveSpan("invoke_agent stock", async (root) => {
      root.setAttributes({ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "stock" });
      const newer = Promise.withResolvers<void>();
      // The warehouse for bolts is slow: its answer comes when the other one has long been there.
      const slowly = async (): Promise<object> => {
        await newer.promise;
        return wait(150, { left: 3 });
      };
      const bolts = decision({}, () => call("lookup_stock", { sku: "bolts" }, slowly));
      await wait(60);
      const nuts = await decision({}, () =>
        call("lookup_stock", { sku: "nuts" }, () => wait(40, { left: 90 })),
      );
      newer.resolve();
      await bolts;
      await decision({}, () =>
        causedBy(nuts, () =>
          call("order_stock", { sku: "nuts", pieces: 500 }, async () => {
            process.stdout.write(`${root.spanContext().traceId}\n`);
            const ended = new AbortController();
            process.stdin.resume();
            await Promise.race([once(process.stdin, "end"), wait(longestMs, null, ended)]);
            ended.abort();
            return { ordered: 500 };
          }),
        ),
      );
      root.end();
    }),
  ),
);
try {
  await provider.shutdown();
} catch (error) {
  const reason = error instanceof Error ? error.message || String(error.cause ?? error.name) : String(error);
  process.stderr.write(`the spans could not be sent to ${url}: ${reason}\n`);
  process.exitCode = 1;
}
