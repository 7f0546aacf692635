/**
 * One span in, one fact out, whichever framework wrote it. No state and no clock: the fact depends on the span,
 * the time it came and the projection alone, so it can be journaled and read again.
 *
 * Promises never to throw, whatever a span holds: what cannot be read is a flaw of the fact.
 * Cost: a few dozen map look-ups a span, one JSON parse a content attribute, one hash of a call's arguments.
 */
import { agentFields, agentRunId, plainPrefix } from "../../model/attribute-names.ts";
import { type AttributePlan, everything } from "../../model/attribute-plan.ts";
import type { Mapping } from "../../model/settings.ts";
import type { Span } from "../../model/span.ts";
import type { SpanFact } from "../../model/span-fact.ts";
import type { UnixNano } from "../../model/time.ts";
import type { Projection } from "../../rules/rule.ts";
import { byPrecedence } from "./detect.ts";
import type { Dialect } from "./dialect.ts";
import { plainEventOf, plainFact } from "./dialects/plain.ts";
import { eventFact } from "./event-fact.ts";
import { createMapper } from "./mapping.ts";
import { valueNameTest } from "./name-test.ts";
import { timesOf } from "./times.ts";
import { viewOf } from "./view.ts";

export interface Normalizer {
  /** What decoders must materialise. */
  readonly plan: AttributePlan;
  /** `at`: when the span came. `source`: the name of the sender's token or certificate. */
  normalize(span: Span, at: UnixNano, source: string | null): SpanFact;
}

export function createNormalizer(options: {
  readonly projection: Projection;
  readonly mappings: readonly Mapping[];
  /** `trace_id`, or attribute keys whose first value is the run (field `run`). */
  readonly runKey?: readonly string[];
  /** Called with a mapping's name each time that it makes an event, so that idle ones can be told. */
  readonly onMapped?: (mapping: string) => void;
}): Normalizer {
  const { projection } = options;
  const runKey = (options.runKey ?? []).filter((key) => key !== "trace_id");
  const mapper = createMapper(options.mappings, options.onMapped);
  const wantedNames = projection.spanNames.map(valueNameTest);
  const presence = presenceIndex();
  const plan = projection.all ? everything : planOf(projection, runKey, mapper.spanKeys, mapper.eventKeys);

  return {
    plan,
    normalize: (span, at, source) => {
      const times = timesOf(span, at);
      const view = viewOf(span);
      const plain = plainEventOf(view, times.start, times.end);
      if (plain !== null) return onTheWire(plainFact(plain), span, source, times.flaws);
      return eventFact({
        view,
        at,
        source,
        times,
        dialects: presence(span),
        projection,
        mapper,
        runKey,
        isNamed: wantedNames.some((matches) => matches(span.name)),
      });
    },
  };
}

/** A plain event that came as a span: who sent it and what was wrong with it are the wire's to say. */
function onTheWire(fact: SpanFact, span: Span, source: string | null, flaws: SpanFact["flaws"]): SpanFact {
  const service = span.resource.attributes.get("service.name");
  const fields = new Map(fact.fields);
  if (source !== null) fields.set("source", source);
  if (typeof service === "string" && !fields.has("service")) fields.set("service", service);
  const invalid = flaws.includes("end_before_start");
  const all = [...new Set([...fact.flaws, ...flaws.filter((flaw) => flaw !== "no_end")])];
  return { ...fact, fields, ended: fact.ended || invalid, flaws: all };
}

/** Which dialects have an attribute on the span: the others need not be asked for their fields. */
function presenceIndex(): (span: Span) => readonly Dialect[] {
  const owners = new Map<string, Set<Dialect>>();
  const prefixes: { readonly prefix: string; readonly dialect: Dialect }[] = [];
  for (const dialect of byPrecedence) {
    for (const key of keysOf(dialect)) {
      const set = owners.get(key) ?? new Set();
      owners.set(key, set.add(dialect));
    }
    for (const prefix of dialect.prefixes ?? []) prefixes.push({ prefix, dialect });
  }
  return (span) => {
    const present = new Set<Dialect>();
    for (const key of span.attributes.keys()) {
      for (const dialect of owners.get(key) ?? []) present.add(dialect);
      for (const { prefix, dialect } of prefixes) if (key.startsWith(prefix)) present.add(dialect);
    }
    return byPrecedence.filter(
      (dialect) => present.has(dialect) || dialect.name === "genai" || ownsBySpan(dialect, span),
    );
  };
}

/** ADK's failed calls carry no attribute at all: the scope is all there is to tell them by. */
function ownsBySpan(dialect: Dialect, span: Span): boolean {
  return dialect.name === "google-adk" && span.scope.name === "gcp.vertex.agent";
}

function keysOf(dialect: Dialect): readonly string[] {
  const sources = Object.values(dialect.sources).flat();
  return [...dialect.keys, ...sources.filter((source): source is string => typeof source === "string")];
}

/** Attributes that the shared code reads on any span. */
const sharedKeys = [
  "error.type",
  "error.message",
  "langsmith.span.kind",
  "genkit:metadata:context",
  agentRunId,
];

function planOf(
  projection: Projection,
  runKey: readonly string[],
  mappedSpanKeys: readonly string[],
  mappedEventKeys: readonly string[],
): AttributePlan {
  const agentKeys = [...agentFields.values()].flat();
  return {
    span: {
      exact: new Set([
        ...byPrecedence.flatMap(keysOf),
        ...sharedKeys,
        ...agentKeys,
        ...runKey,
        ...projection.attr,
        ...mappedSpanKeys,
      ]),
      prefixes: [plainPrefix, ...byPrecedence.flatMap((dialect) => dialect.prefixes ?? [])],
    },
    event: {
      exact: new Set([
        ...byPrecedence.flatMap((dialect) => dialect.eventKeys ?? []),
        ...projection.attr,
        ...mappedEventKeys,
      ]),
      prefixes: [],
    },
  };
}
