/**
 * `toolorder/agent` — a span processor that lets toolorder know what only the agent knows (docs/agent.md):
 *
 *   - which run, user turn and decision a span belongs to, and what it was built on;
 *   - how many spans there are, so that it can be told when none is missing;
 *   - that a tool call has begun, while it still runs.
 *
 * Two lines set it up: `import { AgentSpanProcessor } from "toolorder/agent"`, and `new AgentSpanProcessor()` among
 * the provider's span processors. It only adds attributes, and only where a span does not have them already; what
 * it does not know it leaves out. Nothing in it throws into the agent or makes it wait.
 */
import { type Attributes, type Context, type HrTime, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { ReadableSpan, Span, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-base";
import {
  agentBaseVersion,
  agentCausalParents,
  agentChildCount,
  agentDecisionSeq,
  agentEventSeq,
  agentStateVersion,
} from "../model/attribute-names.ts";
import { type Instant, numberAtEnd, type Place, place } from "./decision-tracker.ts";
import { identityAttributes } from "./identity.ts";
import { isToolCall, roleOf } from "./roles.ts";
import { currentFrame, type Frame } from "./scope.ts";
import { createStartSignals, type StartSignals } from "./start-signals.ts";
import { createTraceCounters, type TraceCounters } from "./trace-counters.ts";

// biome-ignore lint/performance/noBarrelFile: this is the package's entry, and its users have one import
export { carry, receive } from "./carry.ts";
export {
  type Cause,
  causedBy,
  type DecisionOptions,
  decision,
  type RunOptions,
  resume,
  run,
  type Snapshot,
  snapshot,
  stateVersion,
  type TurnOptions,
  turn,
} from "./scope.ts";

export interface AgentOptions {
  /**
   * Where toolorder takes traces. Default: the variable `TOOLORDER_TRACES_ENDPOINT`, else
   * `http://127.0.0.1:4318/v1/traces`.
   */
  readonly endpoint?: string;
  /** Headers of the start signals, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** False sends none; so does the variable `TOOLORDER_START_SIGNALS=false`. Default: true. */
  readonly startSignals?: boolean;
  /** Most start signals that wait to be sent; further ones are dropped and counted. A signal is about 1 KiB. */
  readonly maxQueuedSignals?: number;
  /** Whether a span that starts with these attributes is a tool call. Default: what `isToolCall` knows. */
  readonly isToolSpan?: (attributes: Attributes, name: string) => boolean;
  /** Sends the start signals instead of OTLP over HTTP. */
  readonly signalExporter?: SpanExporter;
  /** Number decisions by the model turns that end, where the program does not use `decision()`. Default: true. */
  readonly numberDecisions?: boolean;
}

/** What the processor did so far. */
export interface AgentCounts {
  readonly spans: number;
  readonly signalsSent: number;
  /** Not sent: the queue was full, or toolorder did not take them. */
  readonly signalsDropped: number;
}

const defaultEndpoint = "http://127.0.0.1:4318/v1/traces";
/** Spans that never end must not fill memory: the oldest are let go, and end without what is known at the end. */
const mostOpenSpans = 50_000;
/** A signal that is older than this says nothing that the span itself will not soon say. */
const signalTimeoutMs = 5_000;

export class AgentSpanProcessor implements SpanProcessor {
  readonly #open = new Map<string, Place>();
  readonly #causeKeys = new WeakMap<Place, object>();
  readonly #traces: TraceCounters = createTraceCounters();
  readonly #signals: StartSignals | null;
  readonly #isTool: (attributes: Attributes, name: string) => boolean;
  readonly #numberDecisions: boolean;
  readonly #exporter: SpanExporter | null;
  #spans = 0;
  #tick = 0;

  constructor(options: AgentOptions = {}) {
    this.#isTool = options.isToolSpan ?? isToolCall;
    this.#numberDecisions = options.numberDecisions ?? true;
    this.#exporter = signalsWanted(options) ? exporterOf(options) : null;
    this.#signals =
      this.#exporter === null
        ? null
        : createStartSignals({ exporter: this.#exporter, maxQueued: options.maxQueuedSignals ?? 512 });
  }

  get counts(): AgentCounts {
    return {
      spans: this.#spans,
      signalsSent: this.#signals?.sent ?? 0,
      signalsDropped: this.#signals?.dropped ?? 0,
    };
  }

  onStart(span: Span, parentContext: Context): void {
    quietly(() => this.#start(span, parentContext));
  }

  onEnding(span: Span): void {
    quietly(() => {
      for (const [key, value] of this.#end(span, roleOf(span.attributes))) span.setAttribute(key, value);
    });
  }

  onEnd(span: ReadableSpan): void {
    // SDKs before 2.0 do not say that a span is ending: then its attributes are only open to this.
    quietly(() => {
      for (const [key, value] of this.#end(span, roleOf(span.attributes))) span.attributes[key] ??= value;
    });
  }

  async forceFlush(): Promise<void> {
    await this.#signals?.flush();
  }

  async shutdown(): Promise<void> {
    await this.#signals?.flush();
    await this.#exporter?.shutdown();
    this.#open.clear();
  }

  #start(span: Span, parentContext: Context): void {
    const { traceId, spanId, traceFlags } = span.spanContext();
    // What is recorded and not sent never reaches anybody: numbering it would leave holes.
    if ((traceFlags & TraceFlags.SAMPLED) === 0) return;
    this.#spans += 1;
    const frame = currentFrame(parentContext);
    const parentId = parentOf(span);
    const parent = parentId === null ? null : (this.#open.get(`${traceId}:${parentId}`) ?? null);
    const tool = this.#isTool(span.attributes, span.name);
    const at = place({
      parent,
      detached: parentId !== null && parent === null,
      role: tool ? "tool" : roleOf(span.attributes),
      startedAt: this.#instant(stampOf(span.startTime)),
      frame,
      traceCounter: this.#traces.begin(traceId).decisions,
    });
    if (parent !== null) parent.children += 1;
    this.#remember(`${traceId}:${spanId}`, at);
    stamp(span, this.#knownAtStart(frame, parent, at));
    if (tool) this.#signals?.send(span);
  }

  #instant(stamp: number): Instant {
    this.#tick += 1;
    return { tick: this.#tick, stamp };
  }

  #remember(key: string, at: Place): void {
    this.#open.set(key, at);
    if (this.#open.size <= mostOpenSpans) return;
    const [oldest] = this.#open.keys();
    if (oldest !== undefined) this.#open.delete(oldest);
  }

  #knownAtStart(frame: Frame | null, parent: Place | null, at: Place): Attributes {
    const attributes: Attributes = frame === null ? {} : identityAttributes(frame.identity);
    if (this.#numberDecisions && at.role === "tool" && at.decidedAs !== null) {
      if (frame?.identity.decision == null && frame?.run?.explicit !== true)
        attributes[agentDecisionSeq] = at.decidedAs;
    }
    if (frame === null) return attributes;
    const version = frame.run?.stateVersion;
    if (version != null) attributes[agentStateVersion] = version;
    if (frame.baseVersion !== null) attributes[agentBaseVersion] = frame.baseVersion;
    if (frame.causeKey !== null) {
      this.#causeKeys.set(at, frame.causeKey);
      // What a span begins in turn was built on that span, and only through it on the causes.
      const inherited = parent !== null && this.#causeKeys.get(parent) === frame.causeKey;
      if (!inherited) attributes[agentCausalParents] = [...frame.causes];
    }
    return attributes;
  }

  /** What is known when a span ends; nothing the second time. */
  #end(span: ReadableSpan, role: ReturnType<typeof roleOf>): Iterable<readonly [string, number]> {
    const { traceId, spanId } = span.spanContext();
    const key = `${traceId}:${spanId}`;
    const at = this.#open.get(key);
    if (at === undefined) return [];
    this.#open.delete(key);
    const known: [string, number][] = [[agentChildCount, at.children]];
    const seq = this.#traces.end(traceId);
    if (seq !== null) known.push([agentEventSeq, seq]);
    const isTool = at.role === "tool" || this.#isTool(span.attributes, span.name);
    const number = numberAtEnd(at, isTool ? "tool" : role, this.#instant(stampOf(span.endTime)));
    if (this.#numberDecisions && number !== null && span.attributes[agentDecisionSeq] === undefined)
      known.push([agentDecisionSeq, number]);
    return known.filter(([name]) => span.attributes[name] === undefined);
  }
}

function signalsWanted({ startSignals }: AgentOptions): boolean {
  if (startSignals !== undefined) return startSignals;
  return !/^(?:false|0|off|no)$/i.test(process.env.TOOLORDER_START_SIGNALS ?? "");
}

function exporterOf({ signalExporter, endpoint, headers }: AgentOptions): SpanExporter {
  return (
    signalExporter ??
    new OTLPTraceExporter({
      url: endpoint ?? process.env.TOOLORDER_TRACES_ENDPOINT ?? defaultEndpoint,
      headers: { ...headers },
      timeoutMillis: signalTimeoutMs,
    })
  );
}

function stamp(span: Span, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && span.attributes[key] === undefined) span.setAttribute(key, value);
  }
}

function parentOf(span: Span): string | null {
  // SDKs before 2.0 name it otherwise.
  const older = span as unknown as { readonly parentSpanId?: string };
  return span.parentSpanContext?.spanId ?? older.parentSpanId ?? null;
}

/** Milliseconds; both ends of a span are read from one clock, so that they compare. */
function stampOf([seconds, nanos]: HrTime): number {
  return seconds * 1e3 + nanos / 1e6;
}

/** Telemetry that fails is missing telemetry; an agent that fails for it is an outage. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Whatever it was, the span goes out without it.
  }
}
