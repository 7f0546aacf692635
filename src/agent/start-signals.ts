import { randomBytes } from "node:crypto";
import { type Context, context, createContextKey, TraceFlags } from "@opentelemetry/api";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";
import {
  startSignal,
  startSignalDropped,
  startSignalParent,
  startSignalRemote,
  startSignalsResource,
  startSignalValue,
} from "../model/attribute-names.ts";

/**
 * Tells toolorder that a tool call has begun, while it runs: a span of its own id, child of the tool's span, sent
 * at once and to toolorder alone, over an exporter of its own (docs/agent.md#start-signals).
 *
 * Promises never to throw into the agent, never to make it wait, and to hold at most `maxQueued` signals: what is
 * above that, or cannot be sent, is dropped and counted, and the next signal says how many.
 */
export interface StartSignals {
  /** Signals that the span has begun. */
  send(span: ReadableSpan): void;
  /** Resolves when everything queued so far has been sent or dropped. */
  flush(): Promise<void>;
  readonly sent: number;
  readonly dropped: number;
}

export interface StartSignalOptions {
  readonly exporter: SpanExporter;
  /** Most signals that wait. */
  readonly maxQueued: number;
}

/** Spans a request: a signal is about 1 KiB, and a request should not make the next one wait. */
const mostInOneRequest = 64;
/** Requests under way at once, so that one slow answer does not hold back the next signal. */
const mostRequests = 4;

export function createStartSignals({ exporter, maxQueued }: StartSignalOptions): StartSignals {
  const queue: ReadableSpan[] = [];
  const resources = new WeakMap<object, Resource>();
  const idle = new Set<() => void>();
  let requests = 0;
  let scheduled = false;
  let sent = 0;
  let dropped = 0;

  function schedule(): void {
    if (scheduled || queue.length === 0 || requests >= mostRequests) return;
    scheduled = true;
    // Behind the tool's own first steps, which must not wait for our encoding.
    setImmediate(() => {
      scheduled = false;
      dispatch();
    });
  }

  function dispatch(): void {
    while (queue.length > 0 && requests < mostRequests) {
      const batch = queue.splice(0, mostInOneRequest);
      requests += 1;
      void exported(batch).then((worked) => {
        requests -= 1;
        if (worked) sent += batch.length;
        else dropped += batch.length;
        schedule();
        settle();
      });
    }
    settle();
  }

  async function exported(batch: readonly ReadableSpan[]): Promise<boolean> {
    try {
      await Promise.all(batch.map(({ resource }) => resource.waitForAsyncAttributes?.()));
      const spans = batch.map((span) => signalOf(span, resourceOf(span, resources), dropped));
      return await new Promise<boolean>((resolve) => {
        // Without this, instrumented HTTP would trace the signal's own request.
        context.with(untraced(context.active()), () => {
          exporter.export(spans, ({ code }) => resolve(code === 0));
        });
      });
    } catch {
      return false;
    }
  }

  function settle(): void {
    if (queue.length > 0 || requests > 0) return;
    for (const resolve of idle) resolve();
    idle.clear();
  }

  return {
    send(span) {
      if (queue.length >= maxQueued) {
        dropped += 1;
        return;
      }
      queue.push(span);
      schedule();
    },
    flush: () =>
      new Promise((resolve) => {
        idle.add(resolve);
        if (scheduled) return;
        settle();
      }),
    get sent() {
      return sent;
    },
    get dropped() {
      return dropped;
    },
  };
}

/** The same key that `suppressTracing` of `@opentelemetry/core` sets; keys of one name are one key. */
const suppressed = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

function untraced(parent: Context): Context {
  return parent.setValue(suppressed, true);
}

/** The sender's resource, saying that it sends start signals. */
function resourceOf({ resource }: ReadableSpan, known: WeakMap<object, Resource>): Resource {
  const made =
    known.get(resource) ?? resourceFromAttributes({ ...resource.attributes, [startSignalsResource]: true });
  known.set(resource, made);
  return made;
}

/** Spans of SDK 1.x name these otherwise. */
interface OlderSpan {
  readonly parentSpanId?: string;
  readonly instrumentationLibrary?: ReadableSpan["instrumentationScope"];
}

function signalOf(span: ReadableSpan, resource: Resource, dropped: number): ReadableSpan {
  const older: OlderSpan = span as unknown as OlderSpan;
  const tool = span.spanContext();
  const parentId = span.parentSpanContext?.spanId ?? older.parentSpanId;
  const remote = span.parentSpanContext?.isRemote;
  const own = { ...tool, spanId: randomBytes(8).toString("hex"), traceFlags: TraceFlags.SAMPLED };
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => own,
    parentSpanContext: tool,
    startTime: span.startTime,
    endTime: span.startTime,
    duration: [0, 0],
    ended: true,
    status: { code: 0 },
    attributes: {
      ...span.attributes,
      [startSignal]: startSignalValue,
      ...(parentId === undefined || parentId === "" ? {} : { [startSignalParent]: parentId }),
      ...(remote === undefined ? {} : { [startSignalRemote]: remote }),
      ...(dropped === 0 ? {} : { [startSignalDropped]: dropped }),
    },
    links: span.links,
    events: [],
    resource,
    instrumentationScope: span.instrumentationScope ?? older.instrumentationLibrary ?? { name: "" },
    droppedAttributesCount: span.droppedAttributesCount ?? 0,
    droppedEventsCount: 0,
    droppedLinksCount: span.droppedLinksCount ?? 0,
  };
}
