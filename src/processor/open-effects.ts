/**
 * Effects that nobody knows the end of: intended and not tried, in flight, unknown, or such that only a person can
 * settle them (docs/effects.md, "Open effects"). A list for people and numbers for gauges; verdicts rest on the rules.
 *
 * An effect of a run that is forgotten stays open until a later look at its key closes it, or the key has been
 * silent for `key_ttl`: an unknown outcome does not become known by being forgotten.
 */
import { createHash } from "node:crypto";
import type { Event } from "../model/event.ts";
import type { UnixNano } from "../model/time.ts";
import { keyText } from "../rules/values.ts";
import type { Run } from "./run/run-table.ts";

export const openStates = ["intended", "in_flight", "unknown", "needs_reconciliation"] as const;
export type OpenState = (typeof openStates)[number];

export interface OpenEffect {
  /** `<contract>.<block>`. */
  readonly ledger: string;
  readonly state: OpenState;
  /** Event id of the call or intent that left it open. */
  readonly event: string;
  readonly run: string;
  readonly tool: string | null;
  /** First 12 hex digits of the hash of its key: keys themselves are not shown. Null: it has none. */
  readonly keyRef: string | null;
  /** Since when, in event time; null where no stamp says it. */
  readonly since: UnixNano | null;
  /** What would close it, in words. */
  readonly closedBy: string;
}

const closing: Readonly<Record<OpenState, string>> = {
  intended: "the call under this key, or a lookup that tells whether there was one",
  in_flight: "the end of the call",
  unknown: "a lookup under this key that succeeds, or the outcome itself",
  needs_reconciliation: "a person, with the provider's records: one key or request has more than one effect",
};
const compensation = "a compensation under a key of its own, since the saga failed";

/** Every open effect among these events, the oldest first; one a ledger and key. */
export function openEffects(events: readonly Event[]): readonly OpenEffect[] {
  const failed = events.some(({ kind }) => kind === "saga_failed");
  const own = events.filter(({ fields }) => fields.has("ledger"));
  const open = [...Map.groupBy(own, groupOf).values()].flatMap((group) => openOf(group, own, failed) ?? []);
  return open.sort((a, b) => Number((a.since ?? 0n) - (b.since ?? 0n)) || (a.event < b.event ? -1 : 1));
}

const groupOf = ({ fields }: Event): string =>
  `${fields.get("ledger")}\u0000${keyText(fields.get("key")) ?? `\u0000${fields.get("event_id")}`}`;

function openOf(group: readonly Event[], all: readonly Event[], sagaFailed: boolean): OpenEffect | null {
  const of = (...kinds: readonly string[]): readonly Event[] =>
    group.filter(({ kind }) => kinds.includes(kind));
  const done = of("effect_observed", "effect_lookup").filter((event) => says(event, "ok"));
  const [first] = done;
  const providers = new Set(done.flatMap(({ fields }) => keyText(fields.get("provider_id")) ?? []));
  if (first !== undefined && providers.size > 1) return made("needs_reconciliation", first);
  const left = sagaFailed ? done.find((event) => isLeftStanding(event, all)) : undefined;
  if (left !== undefined) return made("needs_reconciliation", left, compensation);
  const told = of("effect_observed", "effect_lookup").filter(
    (event) => says(event, "ok") || says(event, "failed"),
  );
  const unknown = of("effect_observed").filter((event) => says(event, "unknown"));
  const unclosed = unknown.find((event) => !told.some((later) => isLater(later, event)));
  if (unclosed !== undefined) return made("unknown", unclosed);
  const observed = new Set(of("effect_observed").map(({ fields }) => fields.get("event_id")));
  const running = of("effect_call").find(
    ({ fields, end }) => end === "open" && !observed.has(fields.get("event_id")),
  );
  if (running !== undefined) return made("in_flight", running);
  const [intent] = of("effect_intended");
  const tried = of("effect_call", "effect_observed").length > 0 || told.length > 0;
  return intent === undefined || tried ? null : made("intended", intent);
}

const says = ({ fields }: Event, outcome: string): boolean => fields.get("outcome") === outcome;

function isLeftStanding({ kind, fields }: Event, all: readonly Event[]): boolean {
  const effect = keyText(fields.get("effect"));
  if (kind !== "effect_observed" || fields.get("compensable") !== true || effect === null) return false;
  return !all.some(
    (event) =>
      event.kind === "compensation" && says(event, "ok") && keyText(event.fields.get("effect")) === effect,
  );
}

/** By stamps alone: what a list may do, and a verdict may not. */
function isLater(event: Event, than: Event): boolean {
  const [a, b] = [stampOf(event.start), stampOf(than.end)];
  return a !== null && b !== null && event !== than && a >= b;
}

function made(state: OpenState, event: Event, closedBy: string = closing[state]): OpenEffect {
  const { fields, run, name } = event;
  const key = keyText(fields.get("key"));
  return {
    ledger: String(fields.get("ledger")),
    state,
    event: String(fields.get("event_id") ?? event.id),
    run,
    tool: name,
    keyRef: key === null ? null : refOf(key),
    since: stampOf(event.start),
    closedBy,
  };
}

function stampOf(moment: Event["start"]): UnixNano | null {
  if (typeof moment === "string") return null;
  return "at" in moment ? moment.at : moment.earliest;
}

export interface OpenEffects {
  /** Trace id → the open effects that its events left. */
  readonly byRun: Map<string, readonly OpenEffect[]>;
  /** Of runs that left memory, by ledger and key; the longest silent first. */
  readonly outlived: Map<string, { readonly effect: OpenEffect; readonly until: UnixNano }>;
}

/** Past this the oldest go: the list is for people, who look at the newest and the oldest. */
const mostOutlived = 10_000;

export const createOpenEffects = (): OpenEffects => ({ byRun: new Map(), outlived: new Map() });

/** Puts what is open among the present events of these runs in place of what was. */
export function noteEffects(store: OpenEffects, runs: readonly Run[], events: readonly Event[]): void {
  const byRun = Map.groupBy(openEffects(events), ({ run }) => run);
  for (const { traceId } of runs) {
    const open = byRun.get(traceId);
    if (open === undefined) store.byRun.delete(traceId);
    else store.byRun.set(traceId, open);
  }
  if (store.outlived.size === 0) return;
  // Whatever is known of a key now counts, not what a forgotten run left.
  for (const { fields } of events) {
    const key = keyText(fields.get("key"));
    if (key !== null && fields.has("ledger"))
      store.outlived.delete(keyOf(String(fields.get("ledger")), refOf(key)));
  }
}

/** The run leaves memory. */
export function leaveEffects(store: OpenEffects, run: string, until: UnixNano): void {
  for (const effect of store.byRun.get(run) ?? []) {
    if (effect.keyRef !== null) store.outlived.set(keyOf(effect.ledger, effect.keyRef), { effect, until });
  }
  store.byRun.delete(run);
  for (const key of store.outlived.keys()) {
    if (store.outlived.size <= mostOutlived) break;
    store.outlived.delete(key);
  }
}

/** Everything that is open at this time. */
export function listEffects(store: OpenEffects, now: UnixNano): readonly OpenEffect[] {
  const outlived = [...store.outlived.values()].filter(({ until }) => until > now);
  return [...[...store.byRun.values()].flat(), ...outlived.map(({ effect }) => effect)];
}

/** Lets go of keys that were silent for too long. */
export function forgetEffects({ outlived }: OpenEffects, now: UnixNano): void {
  for (const [key, { until }] of outlived) if (until <= now) outlived.delete(key);
}

const keyOf = (ledger: string, keyRef: string): string => `${ledger}\u0000${keyRef}`;
const refOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 12);
