import type { Event } from "../model/event.ts";
import type { UnixNano } from "../model/time.ts";
import { compilePattern } from "../rules/match.ts";
import type { Pattern } from "../rules/pattern.ts";
import type { Program } from "../rules/program.ts";
import { readPredicate } from "../rules/read.ts";
import { keyText } from "../rules/values.ts";
import type { IndexedRule } from "./rule-index.ts";

/**
 * Scopes wider than a conversation: `all`, and one entity by the value at a path. They never close, so what is
 * kept of them must be small and must end: only the events that the rule's own patterns match, under the
 * entity they belong to, until the key has been silent for `key_ttl` or the store is full.
 *
 * A run's events are made anew whenever its facts change, so they are held by run and replaced as a whole.
 */
export interface WideStore {
  readonly byRule: Map<IndexedRule, WideRule>;
  /** Events held, over all rules and keys. */
  events: number;
}

interface WideRule {
  /** Key → its record, the longest silent first. */
  readonly records: Map<string, WideRecord>;
  /** Trace id → keys that hold events of it; only of runs that are still in memory. */
  readonly keysOf: Map<string, ReadonlySet<string>>;
  readonly matches: readonly ((event: Event) => boolean)[];
  /** Runs with an event of the rule whose key is hidden, and since when: it may belong to any key. */
  readonly unkeyed: Map<string, UnixNano>;
}

export interface WideRecord {
  readonly key: string;
  readonly byRun: Map<string, readonly Event[]>;
  /** When a run last changed it. */
  lastAt: UnixNano;
  /** Verdicts that were published about it. */
  readonly published: Set<string>;
}

/** About 1 KiB each: past 200,000 the longest silent key goes. */
const mostEvents = 200_000;

export function createWideStore(): WideStore {
  return { byRule: new Map(), events: 0 };
}

/** Puts the present events of these runs in place of what was held of them; gives the keys that changed. */
export function updateWide(
  store: WideStore,
  indexed: IndexedRule,
  events: readonly Event[],
  runs: readonly string[],
  now: UnixNano,
): string[] {
  const rule = wideRule(store, indexed);
  const { present, unkeyed } = byKeyAndRun(indexed, rule, events);
  const touched = new Set<string>();
  const wasGap = rule.unkeyed.size > 0;
  for (const run of runs) {
    const keys = new Set<string>();
    for (const key of rule.keysOf.get(run) ?? []) {
      if (present.get(key)?.has(run) !== true) drop(store, rule, key, run);
      touched.add(key);
    }
    for (const [key, byRun] of present) {
      const own = byRun.get(run);
      if (own === undefined) continue;
      put(store, rule, key, run, own, now);
      keys.add(key);
      touched.add(key);
    }
    if (keys.size > 0) rule.keysOf.set(run, keys);
    else rule.keysOf.delete(run);
    if (unkeyed.has(run)) rule.unkeyed.set(run, now);
    else rule.unkeyed.delete(run);
  }
  // What is missing under one key may be the event whose key nobody knows: that concerns every key.
  return rule.unkeyed.size > 0 === wasGap ? [...touched] : [...rule.records.keys()];
}

/** The run left memory: its events stay until their key is forgotten, and are replaced no more. */
export function leaveWide(store: WideStore, run: string): void {
  for (const rule of store.byRule.values()) rule.keysOf.delete(run);
}

export function wideRecord(store: WideStore, indexed: IndexedRule, key: string): WideRecord | null {
  return store.byRule.get(indexed)?.records.get(key) ?? null;
}

/** Whether an event of the rule may belong to any of its keys. */
export function hasUnkeyed(store: WideStore, indexed: IndexedRule): boolean {
  return (store.byRule.get(indexed)?.unkeyed.size ?? 0) > 0;
}

export interface ForgottenKey {
  readonly record: WideRecord;
  readonly reason: "ttl" | "bound";
}

/** Takes out keys that were silent for too long, and the longest silent ones while the store is too full. */
export function forgetKeys(store: WideStore, now: UnixNano, keyTtl: bigint): ForgottenKey[] {
  const forgotten: ForgottenKey[] = [];
  for (const rule of store.byRule.values()) {
    for (const record of rule.records.values()) {
      const old = now - record.lastAt >= keyTtl;
      if (!old && store.events <= mostEvents) break;
      for (const own of record.byRun.values()) store.events -= own.length;
      rule.records.delete(record.key);
      forgotten.push({ record, reason: old ? "ttl" : "bound" });
    }
    for (const [run, at] of rule.unkeyed) if (now - at >= keyTtl) rule.unkeyed.delete(run);
  }
  return forgotten;
}

/** When the next key is forgotten; null when none is held. */
export function nextForgotten(store: WideStore, keyTtl: bigint): UnixNano | null {
  let next: bigint | null = null;
  for (const { records } of store.byRule.values()) {
    for (const { lastAt } of records.values()) {
      if (next === null || lastAt + keyTtl < next) next = lastAt + keyTtl;
      break;
    }
  }
  return next as UnixNano | null;
}

function wideRule(store: WideStore, indexed: IndexedRule): WideRule {
  const known = store.byRule.get(indexed);
  if (known !== undefined) return known;
  const tests = patternsRead(indexed.rule.program).map((pattern) => compilePattern(pattern));
  const made: WideRule = {
    records: new Map(),
    keysOf: new Map(),
    unkeyed: new Map(),
    matches: tests.map((test) => (event) => test(event).truth !== "false"),
  };
  store.byRule.set(indexed, made);
  return made;
}

function byKeyAndRun(
  indexed: IndexedRule,
  rule: WideRule,
  events: readonly Event[],
): { readonly present: Map<string, Map<string, Event[]>>; readonly unkeyed: ReadonlySet<string> } {
  const found = new Map<string, Map<string, Event[]>>();
  const unkeyed = new Set<string>();
  for (const event of events) {
    if (!rule.matches.some((matches) => matches(event))) continue;
    const key = keyOf(indexed, event);
    if (key === unknownKey) unkeyed.add(event.run);
    // A count over all sees it under the empty key, where its own `bind` cannot tell; two events whose entity
    // nobody knows must not be taken for one entity.
    if (key === null || (key === unknownKey && indexed.rule.scope.is === "key")) continue;
    const known = key === unknownKey ? "" : key;
    const byRun = found.get(known) ?? new Map<string, Event[]>();
    found.set(known, byRun);
    const own = byRun.get(event.run);
    if (own === undefined) byRun.set(event.run, [event]);
    else own.push(event);
  }
  return { present: found, unkeyed };
}

/** The event has a key, and what hides it is no reason to think that it is none of the others'. */
const unknownKey = Symbol("unknown key");

/**
 * The part of the scope that an event belongs to. `all` is cut by the bind key of a count, since events of
 * different keys never meet there; an event without a key is no part of any.
 */
function keyOf({ rule }: IndexedRule, event: Event): string | null | typeof unknownKey {
  const { scope, program } = rule;
  if (scope.is === "key") {
    const reading = readPredicate(event, scope.path, true);
    if (reading.is === "unknown") return unknownKey;
    // Empty text is no entity, as it is no key elsewhere.
    return reading.is === "value" ? keyText(reading.value) : null;
  }
  if (program.kernel !== "count" || program.bind.length === 0) return "";
  const parts: string[] = [];
  for (const path of program.bind) {
    const reading = readPredicate(event, path, true);
    if (reading.is === "unknown") return unknownKey;
    const part = reading.is === "value" ? keyText(reading.value) : null;
    if (part === null) return null;
    parts.push(part);
  }
  return parts.join("\u0000");
}

function put(
  store: WideStore,
  rule: WideRule,
  key: string,
  run: string,
  events: readonly Event[],
  now: UnixNano,
): void {
  const record = rule.records.get(key) ?? { key, byRun: new Map(), lastAt: now, published: new Set() };
  store.events += events.length - (record.byRun.get(run)?.length ?? 0);
  record.byRun.set(run, events);
  record.lastAt = now;
  // Last in the Map: the first record is always the longest silent one.
  rule.records.delete(key);
  rule.records.set(key, record);
}

function drop(store: WideStore, rule: WideRule, key: string, run: string): void {
  const record = rule.records.get(key);
  store.events -= record?.byRun.get(run)?.length ?? 0;
  record?.byRun.delete(run);
}

/** Every pattern whose events can decide the program: anchors, witnesses, blockers and conditions. */
function patternsRead(program: Program): readonly Pattern[] {
  switch (program.kernel) {
    case "link":
      return [program.anchor, program.witness, ...program.unlessBetween.map(({ match }) => match)];
    case "count":
      return [program.of];
    case "machine":
      return program.transitions.map(({ on }) => on);
    case "fold":
      return program.parts.flatMap(patternsRead);
    case "guard":
      return [program.if, ...patternsRead(program.then)];
    case "stretch":
      return [program.after, program.before]
        .filter((pattern) => pattern !== null)
        .concat(patternsRead(program.then));
  }
}
