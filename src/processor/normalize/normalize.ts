/**
 * One span in, one fact out, whichever framework wrote it. No state and no clock: the fact depends on the span,
 * the time it came and the projection alone, so it can be journaled and read again.
 *
 * Promises never to throw, whatever a span holds: what cannot be read is a flaw of the fact.
 * Cost: a few dozen map look-ups a span, one JSON parse a content attribute, one hash of a call's arguments.
 */
import { plainPrefix } from "../../model/attribute-names.ts";
import { type AttributePlan, everything } from "../../model/attribute-plan.ts";
import type { Mapping } from "../../model/settings.ts";
import type { Resource, Span } from "../../model/span.ts";
import type { SpanFact } from "../../model/span-fact.ts";
import type { UnixNano } from "../../model/time.ts";
import type { Projection } from "../../rules/rule.ts";
import { byPrecedence } from "./detect.ts";
import { plainEventOf, plainFact } from "./dialects/plain.ts";
import { eventFact } from "./event-fact.ts";
import { type ResourceFacts, resourceFacts } from "./fields.ts";
import { httpKeys } from "./http.ts";
import { builtInIdentity, createIdentity } from "./identity.ts";
import { createMapper } from "./mapping.ts";
import { valueNameTest } from "./name-test.ts";
import { keysOf, presenceOf } from "./presence.ts";
import { asStartSignal, begunSpan, startSignalKeys } from "./start-signal.ts";
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
  /** Field or kind of signal → attributes instead of the built-in ones. */
  readonly identity?: ReadonlyMap<string, readonly string[]>;
  /** `trace_id`, or attribute keys whose first value is the run (field `run`). */
  readonly runKey?: readonly string[];
  /** Called with a mapping's name each time that it makes an event, so that idle ones can be told. */
  readonly onMapped?: (mapping: string) => void;
}): Normalizer {
  const { projection } = options;
  const runKey = (options.runKey ?? []).filter((key) => key !== "trace_id");
  const identity = options.identity === undefined ? builtInIdentity : createIdentity(options.identity);
  const mapper = createMapper(options.mappings, identity, options.onMapped);
  const wantedNames = projection.spanNames.map(valueNameTest);
  // A batch shares its resources: what they say is worked out once each.
  const resources = new WeakMap<Resource, ResourceFacts>();
  const resourceOf = (resource: Resource): ResourceFacts => {
    const known = resources.get(resource) ?? resourceFacts(resource);
    resources.set(resource, known);
    return known;
  };
  const plan = projection.all ? everything : planOf(projection, runKey, mapper.spanKeys, mapper.eventKeys);

  const read: Normalizer["normalize"] = (span, at, source) => {
    const times = timesOf(span, at);
    const view = viewOf(span);
    const presence = presenceOf(span);
    const plain = presence.isPlain ? plainEventOf(view, times.start, times.end) : null;
    if (plain !== null) return onTheWire(plainFact(plain), span, source, times.flaws);
    return eventFact({
      view,
      at,
      source,
      times,
      presence,
      resource: resourceOf(span.resource),
      projection,
      mapper,
      identity,
      runKey,
      isNamed: wantedNames.some((matches) => matches(span.name)),
    });
  };

  return {
    plan,
    normalize: (span, at, source) => {
      const begun = begunSpan(span);
      return begun === null ? read(span, at, source) : asStartSignal(read(begun, at, source), span);
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

/** Attributes that the shared code reads on any span. */
const sharedKeys = [
  "error.type",
  "error.message",
  "langsmith.span.kind",
  "genkit:metadata:context",
  ...startSignalKeys,
];

function planOf(
  projection: Projection,
  runKey: readonly string[],
  mappedSpanKeys: readonly string[],
  mappedEventKeys: readonly string[],
): AttributePlan {
  return {
    span: {
      exact: new Set([
        ...byPrecedence.flatMap(keysOf),
        ...sharedKeys,
        ...(projection.http === true ? httpKeys : []),
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
