/**
 * One log record in, one fact out, or none: most log lines say nothing of order. A record that does becomes the fact
 * that a span would have become (docs/dialects.md#log-records), so that nothing behind here knows the difference but
 * where it must: a record is no root of its run, and a decision about a call is not the call.
 *
 * As with spans: no state, no clock, and nothing that a record holds throws.
 */
import { agentEventKind, plainPrefix } from "../../../model/attribute-names.ts";
import type { KeySelection } from "../../../model/attribute-plan.ts";
import type { LogRecord } from "../../../model/log-record.ts";
import type { Mapping } from "../../../model/settings.ts";
import type { Resource, Span } from "../../../model/span.ts";
import type { SignalFact, SpanFact } from "../../../model/span-fact.ts";
import { type UnixNano, unixNano } from "../../../model/time.ts";
import type { Code } from "../../../model/verdict.ts";
import type { Projection } from "../../../rules/rule.ts";
import { plainEventOf, plainFact } from "../dialects/plain.ts";
import { eventFact } from "../event-fact.ts";
import { type ResourceFacts, resourceFacts } from "../fields.ts";
import { builtInIdentity, createIdentity } from "../identity.ts";
import { agentSignal, type Mapper } from "../mapping.ts";
import type { Presence } from "../presence.ts";
import { timesOf } from "../times.ts";
import { textOf } from "../values.ts";
import { viewOf } from "../view.ts";
import { claudeCodeLogs } from "./claude-code.ts";
import { codexLogs } from "./codex.ts";
import { geminiCliLogs } from "./gemini-cli.ts";
import { type LogDialect, type LogReading, plainReading } from "./log-dialect.ts";
import { createLogMapper } from "./log-mapping.ts";
import { eventNameOf, recordId, sessionOf, timeOf } from "./record-identity.ts";

export interface LogNormalizer {
  /** Which records may be events, for the decoders. */
  readonly marks: KeySelection;
  /** Null for a record that is no event. `at`, `source`: as for spans. */
  normalize(record: LogRecord, at: UnixNano, source: string | null): SpanFact | null;
}

export interface LogNormalizerOptions {
  readonly projection: Projection;
  readonly mappings: readonly Mapping[];
  readonly identity?: ReadonlyMap<string, readonly string[]>;
  readonly runKey?: readonly string[];
  readonly onMapped?: (mapping: string) => void;
}

const dialects: readonly LogDialect[] = [claudeCodeLogs, codexLogs, geminiCliLogs];

export function createLogNormalizer(options: LogNormalizerOptions): LogNormalizer {
  const { projection } = options;
  const runKey = (options.runKey ?? []).filter((key) => key !== "trace_id");
  const identity = options.identity === undefined ? builtInIdentity : createIdentity(options.identity);
  const mapper = createLogMapper(options.mappings, options.onMapped ?? (() => undefined));
  const resources = new WeakMap<Resource, ResourceFacts>();
  const resourceOf = (resource: Resource): ResourceFacts => {
    const known = resources.get(resource) ?? resourceFacts(resource);
    resources.set(resource, known);
    return known;
  };

  /** What the record says, and who understood it: the user's mappings first, then what says its own kind. */
  const readingOf = (
    event: string,
    record: LogRecord,
    span: Span,
  ): { readonly by: string; readonly reading: LogReading } | null => {
    const mapped = mapper.read(event, record);
    if (mapped !== null) return { by: "mapping", reading: mapped };
    const own = agentSignal(record.attributes, identity);
    if (own !== null) return { by: "mapping", reading: { ...plainReading, ...own } };
    const view = viewOf(span);
    for (const dialect of dialects) {
      const reading = dialect.read(event, view);
      if (reading !== null) return { by: dialect.name, reading };
    }
    const { signals } = identity.read(record.attributes);
    const [stated] = signals;
    return stated === undefined
      ? null
      : { by: "mapping", reading: { ...plainReading, ...stated, signals: [] } };
  };

  return {
    marks: {
      exact: new Set(["event.name", agentEventKind, ...identity.keys, ...mapper.keys]),
      prefixes: mapper.any ? [""] : [plainPrefix],
    },
    normalize: (record, at, source) => {
      const event = eventNameOf(record);
      const span = asSpan(record, event);
      if (hasPlainKey(record)) {
        const times = timesOf(span, at);
        const plain = plainEventOf(viewOf(span), times.start, times.end);
        if (plain !== null) return withSource(plainFact(plain), source);
      }
      const read = readingOf(event, record, span);
      if (read === null) return null;
      const { by, reading } = read;
      const timed = withTimes(span, reading);
      const mapped = { kind: reading.kind ?? "step", fields: reading.fields };
      const fact = eventFact({
        view: viewOf(timed),
        at,
        source,
        times: timesOf(timed, at),
        presence: noDialect,
        resource: resourceOf(record.resource),
        projection,
        mapper: said(mapped),
        identity,
        runKey,
        isNamed: false,
      });
      return finished(fact, by, reading, record);
    },
  };
}

/** A record is read by its own dialects: attributes that it shares with spans say nothing of what it is. */
const noDialect: Presence = { dialects: [], set: new Set(), isPlain: false };

/** What was read already, in the form in which `eventFact` asks for what a mapping made. */
function said(mapped: ReturnType<Mapper["ofSpan"]>): Mapper {
  return { ofSpan: () => mapped, signalsOf: () => [], spanKeys: [], eventKeys: [] };
}

function hasPlainKey({ attributes }: LogRecord): boolean {
  for (const key of attributes.keys()) if (key.startsWith(plainPrefix)) return true;
  return false;
}

function withSource(fact: SpanFact, source: string | null): SpanFact {
  return source === null ? fact : { ...fact, fields: new Map([...fact.fields, ["source", source]]) };
}

function asSpan(record: LogRecord, event: string): Span {
  const id = recordId(record);
  const time = timeOf(record);
  const within = record.traceId !== "" && record.spanId !== "";
  return {
    // Without a trace the session is the run; without both, the record stands alone.
    traceId: record.traceId !== "" ? record.traceId : (sessionOf(record) ?? id),
    spanId: id,
    parentSpanId: within ? record.spanId : "",
    flags: 0,
    traceState: "",
    name: event,
    kind: 0,
    start: time,
    end: time,
    attributes: record.attributes,
    droppedAttributes: record.droppedAttributes,
    events: [],
    droppedEvents: 0,
    links: [],
    droppedLinks: 0,
    statusCode: 0,
    statusMessage: "",
    resource: record.resource,
    scope: record.scope,
  };
}

function withTimes(span: Span, { lasted, about, fields }: LogReading): Span {
  if (about === "decided" && fields.get("status") === "running") return { ...span, end: unixNano(0n) };
  return lasted === null || lasted > span.end ? span : { ...span, start: unixNano(span.end - lasted) };
}

/** What a log record says otherwise than a span does. */
function finished(fact: SpanFact, by: string, reading: LogReading, record: LogRecord): SpanFact {
  const decided = reading.about === "decided";
  const flaws = new Set(fact.flaws);
  const hidden = new Map<string, Code>(fact.hidden);
  // An accepted call has merely begun: that it has not ended is nobody's fault.
  if (decided) flaws.delete("no_end");
  for (const path of reading.cut) {
    flaws.add("truncated");
    hidden.set(path, "data_incomplete");
  }
  if (hasNoResult.has(reading.fields.get("status")) && !fact.hasResult) hidden.delete("result");
  return {
    ...fact,
    dialect: by,
    log: decided ? "decision" : "record",
    kind: reading.kind,
    conversation: fact.conversation ?? sessionOf(record),
    errorClass: reading.errorClass ?? fact.errorClass,
    ...(decided && reading.fields.get("status") === "running" && { begins: true }),
    flaws: [...flaws],
    hidden,
    signals: [...fact.signals, ...reading.signals.map((signal) => signalOf(signal, fact))],
  };
}

const hasNoResult: ReadonlySet<unknown> = new Set([
  "error",
  "refused",
  "cancelled",
  "timeout",
  "rejected_invalid",
]);

function signalOf({ kind, name, at, fields }: LogReading["signals"][number], fact: SpanFact): SignalFact {
  const own = new Map(fields);
  own.delete("name");
  const time = at === "end" ? (fact.end ?? fact.start) : fact.start;
  return {
    kind,
    name: name ?? textOf(fields.get("name")) ?? fact.spanName,
    time,
    attr: fact.attr,
    fields: own,
  };
}
