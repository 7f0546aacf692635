/**
 * Fields of docs/semantics.md 2 that a span states itself by the `agent.*` attributes; and what its resource
 * says for all.
 */
import { agentFields } from "../../model/attribute-names.ts";
import type { Attributes, Resource } from "../../model/span.ts";
import type { Value } from "../../model/value.ts";
import { type ClockDomain, clockDomain } from "./clock-domain.ts";
import { decodeBounded, isPresent, textOf } from "./values.ts";

/** Attribute key → its field and its place among the names of that field. */
const byKey: ReadonlyMap<string, { readonly field: string; readonly rank: number }> = new Map(
  [...agentFields].flatMap(([field, keys]) =>
    keys.map((key, rank): [string, { field: string; rank: number }] => [key, { field, rank }]),
  ),
);

export function agentFieldsOf(attributes: Attributes): Map<string, Value> {
  const fields = new Map<string, Value>();
  let ranks: Map<string, number> | null = null;
  for (const [key, value] of attributes) {
    const place = byKey.get(key);
    if (place === undefined || !isPresent(value)) continue;
    ranks ??= new Map();
    if ((ranks.get(place.field) ?? Number.POSITIVE_INFINITY) < place.rank) continue;
    ranks.set(place.field, place.rank);
    fields.set(place.field, decodeBounded(value).value);
  }
  return fields;
}

/** Shared by all spans of one resource. */
export interface ResourceFacts {
  readonly clock: ClockDomain;
  readonly service: Value | undefined;
  readonly environment: Value | undefined;
  readonly conversation: string | null;
}

export function resourceFacts(resource: Resource): ResourceFacts {
  const { attributes } = resource;
  return {
    clock: clockDomain(resource),
    service: attributes.get("service.name"),
    environment: attributes.get("deployment.environment.name") ?? attributes.get("deployment.environment"),
    conversation: textOf(attributes.get("gen_ai.conversation.id")) ?? textOf(attributes.get("session.id")),
  };
}
