/** Which effect a call is about: its key, request, input and provider's id, from where the ledger says they are. */
import { type Event, readField } from "../../model/event.ts";
import type { Value } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import { type EffectKind, type EffectLedger, type LedgerField, ledgerFields } from "../../rules/ledger.ts";
import { keyText } from "../../rules/values.ts";
import type { Matched } from "./ledger-tests.ts";

/** Fields that the kind of event has besides; undefined: none. */
export interface EffectFields {
  readonly disposition?: string | null;
  readonly outcome?: string;
  readonly retryable?: boolean | undefined;
  readonly compensable?: Value | undefined;
  readonly claimant?: Value;
  readonly parents?: readonly string[];
}

type Found =
  | { readonly is: "value"; readonly value: Value }
  | { readonly is: "absent" }
  | { readonly is: "unknown"; readonly code: Code }
  /** A span to come may still bring it. */
  | { readonly is: "unsettled" };

/** The value of a field of the effect; null where there is none, or none that can be read. */
export function found(event: Event, ledger: EffectLedger, field: LedgerField): Value | null {
  const reading = look(event, ledger, field);
  return reading.is === "value" ? reading.value : null;
}

function look(event: Event, { paths }: EffectLedger, field: LedgerField): Found {
  let missed: Found = { is: "absent" };
  for (const path of [...paths[field], [field]]) {
    const reading = readField(event, path);
    if (reading.is === "value" && keyText(reading.value) !== null) return reading;
    if (reading.is === "unknown") missed = reading;
    else if (missed.is === "absent" && event.unsettled.has(path[0] ?? "")) missed = { is: "unsettled" };
  }
  return missed;
}

/** Of which kinds a field is: what a lookup was asked for is no hash of an input. */
const notOf: Readonly<Partial<Record<EffectKind, readonly LedgerField[]>>> = {
  effect_lookup: ["input_hash", "claimant"],
  compensation: ["input_hash", "claimant"],
  claim: ["input_hash", "provider_id", "effect"],
};

export function fieldsOfEffect(
  kind: EffectKind,
  event: Event,
  { unsure }: Matched,
  ledger: EffectLedger,
  own: EffectFields,
): Pick<Event, "fields" | "hidden" | "unsettled"> {
  const fields = new Map(event.fields);
  const hidden = new Map(event.hidden);
  const unsettled = new Set(event.unsettled);
  // The call has them: it started after its causes and in its decision's turn, and so this did.
  for (const field of kind === "effect_observed" ? ["parents", "event_seq", "seq"] : ["parents", "event_seq"])
    fields.delete(field);
  for (const field of ledgerFields) {
    fields.delete(field);
    if (notOf[kind]?.includes(field) === true) continue;
    const reading = look(event, ledger, field);
    if (reading.is === "value") fields.set(field, reading.value);
    else if (reading.is === "unknown") hidden.set(field, reading.code);
    else if (reading.is === "unsettled") unsettled.add(field);
  }
  fillIn(kind, ledger, fields, (field) => hidden.has(field) || unsettled.has(field));
  // Where nobody says which input it was, the arguments are the input, as they were before projection.
  if (kind === "effect_call" && ledger.paths.input_hash.length === 0 && !fields.has("input_hash")) {
    const hash = event.argsHash ?? null;
    if (hash !== null) fields.set("input_hash", `args:${hash}`);
    else if (!hidden.has("input_hash")) hidden.set("input_hash", hidden.get("args") ?? "not_captured");
  }
  // Whether it is one of the ledger's at all is not known: then neither is which effect it is about.
  if (unsure !== null) {
    for (const field of ["key", "request"]) {
      fields.delete(field);
      hidden.set(field, unsure);
    }
  }
  for (const [field, value] of Object.entries({ ...own, ledger: ledger.id, event_id: event.id })) {
    if (value === undefined || value === null) continue;
    fields.set(field, value);
    hidden.delete(field);
    unsettled.delete(field);
  }
  return { fields, hidden, unsettled };
}

/** What stands for a field that nobody states. */
function fillIn(
  kind: EffectKind,
  ledger: EffectLedger,
  fields: Map<string, Value>,
  mayBeThere: (field: string) => boolean,
): void {
  const fill = (field: string, value: Value): void => {
    if (!fields.has(field) && !mayBeThere(field)) fields.set(field, value);
  };
  const from = (field: string, other: string): void => {
    const value = fields.get(other);
    if (value !== undefined) fill(field, value);
  };
  // Without a business request the key is the narrowest request there can be.
  from("request", "key");
  if (kind === "effect_observed" || kind === "compensation") from("effect", "provider_id");
  fill("workflow", ledger.id);
  // Nobody says whose requests these are: then one request is one, whoever made it.
  if ((kind === "effect_observed" || kind === "effect_lookup") && ledger.paths.user.length === 0)
    fill("user", "anyone");
}
