/**
 * Events by attribute, without a dialect: the mappings of the configuration, and the signals that carry
 * `agent.event.kind`. Both work on spans and on span events.
 */
import { agentEventKind, agentEventName } from "../../model/attribute-names.ts";
import type { Mapping } from "../../model/settings.ts";
import type { Attributes, Span, SpanEvent } from "../../model/span.ts";
import type { SignalFact } from "../../model/span-fact.ts";
import { type UnixNano, unixNano } from "../../model/time.ts";
import type { Value } from "../../model/value.ts";
import { builtInIdentity, type Identity, type StatedSignal } from "./identity.ts";
import { type NameTest, nameTest } from "./name-test.ts";
import type { SpanTimes } from "./times.ts";
import { decodeBounded, isPresent, textOf } from "./values.ts";

/** What a mapping made of a span. */
export interface Mapped {
  readonly kind: string;
  /** Event field → value, decoded. */
  readonly fields: ReadonlyMap<string, Value>;
}

export interface Mapper {
  /** The first mapping that the span meets; null when it meets none. */
  readonly ofSpan: (span: Span) => Mapped | null;
  /** Signals that stand beside what the span is, and those of its span events, in their order. */
  readonly signalsOf: (
    span: Span,
    stated: readonly StatedSignal[],
    times: SpanTimes,
    sensible: (stamp: UnixNano) => boolean,
  ) => readonly SignalFact[];
  readonly spanKeys: readonly string[];
  readonly eventKeys: readonly string[];
}

interface Compiled {
  readonly mapping: Mapping;
  readonly name: NameTest | null;
  readonly scope: NameTest | null;
}

/** `onMapped`: called with a mapping's name each time that it makes an event. */
export function createMapper(
  mappings: readonly Mapping[],
  identity: Identity = builtInIdentity,
  onMapped: (mapping: string) => void = () => undefined,
): Mapper {
  const compiled = mappings.map(
    (mapping): Compiled => ({
      mapping,
      name: mapping.when.span === undefined ? null : nameTest(mapping.when.span),
      scope: mapping.when.scope === undefined ? null : nameTest(mapping.when.scope),
    }),
  );
  const onSpan = compiled.filter(({ mapping }) => mapping.on === "span");
  const onEvent = compiled.filter(({ mapping }) => mapping.on === "event");
  const onBeside = compiled.filter(({ mapping }) => mapping.on === "beside");
  const keys = (some: readonly Compiled[]): string[] =>
    some.flatMap(({ mapping }) => [...(mapping.when.attributes?.keys() ?? []), ...mapping.fields.values()]);
  const made = (found: Compiled, attributes: Attributes): Mapped => {
    onMapped(found.mapping.name);
    return mapped(found.mapping, attributes);
  };
  const ofMappings = (span: Span): readonly StatedSignal[] =>
    onBeside
      .filter((candidate) => meets(candidate, span, span.name, span.attributes))
      .map((found) => ({ ...made(found, span.attributes), at: found.mapping.at ?? "within" }));
  const ofEvent = (span: Span, event: SpanEvent): readonly Mapped[] => {
    const found = onEvent.find((candidate) => meets(candidate, span, event.name, event.attributes));
    if (found !== undefined) return [made(found, event.attributes)];
    const own = agentSignal(event.attributes, identity);
    if (own !== null) return [own];
    const { fields, signals } = identity.read(event.attributes);
    return signals.map((signal) => ({ kind: signal.kind, fields: new Map([...fields, ...signal.fields]) }));
  };

  return {
    ofSpan: (span) => {
      const found = onSpan.find((candidate) => meets(candidate, span, span.name, span.attributes));
      return found === undefined ? null : made(found, span.attributes);
    },
    signalsOf: (span, stated, times, sensible) => [
      ...[...ofMappings(span), ...stated].map((signal) => besideFact(signal, span, times)),
      ...span.events.flatMap((event) =>
        ofEvent(span, event).map((signal) => signalOf(event, signal, sensible)),
      ),
    ],
    spanKeys: [agentEventKind, agentEventName, ...identity.keys, ...keys(onSpan), ...keys(onBeside)],
    eventKeys: [agentEventKind, agentEventName, ...identity.keys, ...keys(onEvent)],
  };
}

/** A signal that has no stamp of its own: it is somewhere in its span, unless its meaning says at which end. */
function besideFact(signal: StatedSignal, span: Span, { start, end, ended }: SpanTimes): SignalFact {
  const fields = new Map(signal.fields);
  fields.delete("name");
  const time = signal.at === "end" ? end : start;
  return {
    kind: signal.kind,
    name: textOf(signal.fields.get("name")) ?? span.name,
    time,
    beside: true,
    ...(signal.at === "within" && { until: ended ? end : null }),
    attr: span.attributes,
    fields,
  };
}

function meets(
  { mapping, name, scope }: Compiled,
  span: Span,
  named: string,
  attributes: Attributes,
): boolean {
  if (name !== null && !name(named)) return false;
  if (scope !== null && !scope(span.scope.name)) return false;
  for (const [key, wanted] of mapping.when.attributes ?? []) {
    const value = attributes.get(key);
    if (value === undefined || value === null) return false;
    if (wanted !== "*" && textOf(value) !== wanted && String(value) !== wanted) return false;
  }
  return true;
}

function mapped(mapping: Mapping, attributes: Attributes): Mapped {
  const fields = new Map<string, Value>();
  for (const [field, key] of mapping.fields) {
    const value = attributes.get(key);
    if (isPresent(value)) fields.set(field, decodeBounded(value).value);
  }
  return { kind: mapping.kind, fields };
}

/** A signal states its own kind; its fields are the `agent.*` attributes of the same name. */
export function agentSignal(attributes: Attributes, identity: Identity): Mapped | null {
  const kind = textOf(attributes.get(agentEventKind));
  if (kind === null) return null;
  const { fields } = identity.read(attributes);
  const name = attributes.get(agentEventName);
  if (isPresent(name)) fields.set("name", name);
  return { kind, fields };
}

function signalOf(event: SpanEvent, made: Mapped, sensible: (stamp: UnixNano) => boolean): SignalFact {
  const fields = new Map(made.fields);
  fields.delete("name");
  return {
    kind: made.kind,
    name: textOf(made.fields.get("name")) ?? event.name,
    time: event.time !== 0n && sensible(event.time) ? unixNano(event.time) : null,
    attr: event.attributes,
    fields,
  };
}
