/**
 * Events by attribute, without a dialect: the mappings of the configuration, and the signals that carry
 * `agent.event.kind`. Both work on spans and on span events.
 */
import { agentEventKind, agentEventName, agentFields } from "../../model/attribute-names.ts";
import type { Mapping } from "../../model/settings.ts";
import type { Attributes, Span, SpanEvent } from "../../model/span.ts";
import type { SignalFact } from "../../model/span-fact.ts";
import { type UnixNano, unixNano } from "../../model/time.ts";
import type { Value } from "../../model/value.ts";
import { agentFieldsOf } from "./fields.ts";
import { type NameTest, nameTest } from "./name-test.ts";
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
  /** Events that the span's own span events carry, in their order. */
  readonly ofEvents: (span: Span, sensible: (stamp: UnixNano) => boolean) => readonly SignalFact[];
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
  const keys = (some: readonly Compiled[]): string[] =>
    some.flatMap(({ mapping }) => [...(mapping.when.attributes?.keys() ?? []), ...mapping.fields.values()]);

  return {
    ofSpan: (span) => {
      const found = onSpan.find((candidate) => meets(candidate, span, span.name, span.attributes));
      if (found === undefined) return null;
      onMapped(found.mapping.name);
      return mapped(found.mapping, span.attributes);
    },
    ofEvents: (span, sensible) =>
      span.events.flatMap((event) => {
        const found = onEvent.find((candidate) => meets(candidate, span, event.name, event.attributes));
        if (found !== undefined) onMapped(found.mapping.name);
        const made =
          found === undefined ? agentSignal(event.attributes) : mapped(found.mapping, event.attributes);
        return made === null ? [] : [signalOf(event, made, sensible)];
      }),
    spanKeys: [agentEventKind, agentEventName, ...keys(onSpan)],
    eventKeys: [agentEventKind, agentEventName, ...[...agentFields.values()].flat(), ...keys(onEvent)],
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
export function agentSignal(attributes: Attributes): Mapped | null {
  const kind = textOf(attributes.get(agentEventKind));
  if (kind === null) return null;
  const fields = agentFieldsOf(attributes);
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
