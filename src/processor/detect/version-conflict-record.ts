/**
 * Both sides of a version conflict, so that a person can decide without putting a hidden history together
 * (docs/causality.md#version-conflicts). Names and versions only: of what was written it says which fields, and
 * whether both sides wrote the same, never what.
 */
import type { Event } from "../../model/event.ts";
import type { ConflictRecord, ConflictSide } from "../../model/output.ts";
import { canonicalText, isArray, isObject, type Value } from "../../model/value.ts";
import { field, numberOf, textOf } from "./currency.ts";

export function conflictRecord(event: Event, by: Event | null, resource: string | null): ConflictRecord {
  const sides = [event, ...(by === null ? [] : [by])].map(sideOf);
  return { resource, commonBase: commonBase(sides), sides, disputed: by === null ? [] : disputed(event, by) };
}

function sideOf(event: Event): ConflictSide {
  return {
    event: event.id,
    actor: field(event, "actor"),
    agent: field(event, "agent"),
    service: field(event, "service"),
    decision: field(event, "decision") ?? field(event, "seq"),
    base: field(event, "base_version") ?? field(event, "if_match"),
    result: field(event, "version"),
    fields: fieldsWritten(event),
  };
}

/** The version that both started from, or the older one where that can be told. */
function commonBase(sides: readonly ConflictSide[]): string | null {
  const [first, second] = sides;
  const base = first?.base ?? null;
  const other = second === undefined ? null : second.base;
  if (base === null || other === null || base === other) return base ?? other;
  const [x, y] = [numberOf(base), numberOf(other)];
  return x === null || y === null ? null : x < y ? base : other;
}

/** What the write says it writes, else the names of its arguments. */
function fieldsWritten(event: Event): readonly string[] {
  const said = event.fields.get("field");
  if (said !== undefined && said !== null) {
    return [...new Set((isArray(said) ? said : [said]).flatMap((one) => textOf(one) ?? []))].sort();
  }
  const resource = field(event, "resource");
  return isObject(event.args)
    ? Object.entries(event.args)
        .filter(([, value]) => resource === null || textOf(value) !== resource)
        .map(([name]) => name)
        .sort()
    : [];
}

function disputed(event: Event, by: Event): ConflictRecord["disputed"] {
  const theirs = new Set(fieldsWritten(by));
  return fieldsWritten(event)
    .filter((name) => theirs.has(name))
    .map((name) => ({ field: name, same: sameText(written(event, name), written(by, name)) }));
}

const written = ({ args }: Event, name: string): Value | undefined =>
  isObject(args) ? args[name] : undefined;

/** Null where one side's value was not kept. */
function sameText(a: Value | undefined, b: Value | undefined): boolean | null {
  return a === undefined || b === undefined ? null : canonicalText(a) === canonicalText(b);
}
