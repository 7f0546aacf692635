/** A provider with the agent's processor, whose spans and signals stay in memory. */
import { type Context, context, ROOT_CONTEXT, type Span, type SpanOptions, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { type AgentOptions, AgentSpanProcessor } from "../../src/agent/agent.ts";

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

export interface Traced {
  readonly processor: AgentSpanProcessor;
  start(name: string, options?: SpanOptions, parent?: Context): Span;
  /** A tool call that takes as long as `body`. */
  tool<T>(name: string, body?: () => T | Promise<T>, parent?: Context): Promise<Span>;
  /** A model turn that ends at once. */
  model(parent?: Context): Span;
  inside(span: Span): Context;
  /** The span as it was exported, by name; the last of that name. */
  span(name: string): ReadableSpan;
  attribute(name: string, key: string): unknown;
  readonly spans: InMemorySpanExporter;
  readonly signals: InMemorySpanExporter;
}

export const toolAttributes = (name: string): Record<string, string> => ({
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.name": name,
});

export function traced(options: AgentOptions = {}): Traced {
  const spans = new InMemorySpanExporter();
  const signals = new InMemorySpanExporter();
  const processor = new AgentSpanProcessor({ signalExporter: signals, ...options });
  const provider = new BasicTracerProvider({ spanProcessors: [processor, new SimpleSpanProcessor(spans)] });
  const tracer = provider.getTracer("test-agent", "1.2.3");
  const start = (name: string, given: SpanOptions = {}, parent: Context = context.active()): Span =>
    tracer.startSpan(name, given, parent);
  const found = (name: string): ReadableSpan => {
    const span = spans.getFinishedSpans().findLast((one) => one.name === name);
    if (span === undefined) throw new Error(`no span ${name} was exported`);
    return span;
  };
  return {
    processor,
    start,
    async tool(name, body, parent = context.active()) {
      const span = start(name, { attributes: toolAttributes(name) }, parent);
      try {
        await body?.();
      } finally {
        span.end();
      }
      return span;
    },
    model(parent = context.active()) {
      const span = start("chat", { attributes: { "gen_ai.operation.name": "chat" } }, parent);
      span.end();
      return span;
    },
    inside: (span) => trace.setSpan(ROOT_CONTEXT, span),
    span: found,
    attribute: (name, key) => found(name).attributes[key],
    spans,
    signals,
  };
}
