import type { Event } from "../model/event.ts";
import type { Pattern, ValueTest } from "../rules/pattern.ts";
import type { Link, Program } from "../rules/program.ts";
import type { Contract, Rule } from "../rules/rule.ts";
import { readsByEvent } from "./event-reads.ts";
import type { Sender } from "./run/numbered.ts";
import { soleSender } from "./sole-sender.ts";

/**
 * Which rules an event can be about, by its name and kind, so that a scope costs what the rules about its
 * events cost and not what the loaded set costs. Every rule that is not found here is vacuous in the scope.
 */
export interface RuleIndex {
  readonly byName: ReadonlyMap<string, readonly IndexedRule[]>;
  readonly byKind: ReadonlyMap<string, readonly IndexedRule[]>;
  /** Rules that can be about any event, or say something about a scope without any. */
  readonly always: readonly IndexedRule[];
  /** Every rule of a run or a conversation, in load order. */
  readonly all: readonly IndexedRule[];
  /** Rules whose scope is wider than a conversation; they are not in the others. */
  readonly wide: readonly IndexedRule[];
}

export interface IndexedRule {
  readonly contract: Contract;
  readonly rule: Rule;
  /** Place in load order: results are listed in it. */
  readonly ordinal: number;
  /** A violation can be final the moment its events are here (docs/semantics.md 7, "at once"). */
  readonly atOnce: boolean;
  /** Waiting for `decision_wait` tells that the past is complete (see `waitSuffices`). */
  readonly waitSuffices: boolean;
  /** Who alone can send what decides it: then that sender's numbers tell what is missing. Else null. */
  readonly sender: Sender | null;
  /** Roots of the paths it reads. */
  readonly reads: ReadonlySet<string>;
  /** Those that it reads of this event, by the sides on which it can stand. */
  readonly readsOf: (event: Event) => ReadonlySet<string>;
}

export interface Keys {
  readonly names: Set<string>;
  readonly kinds: Set<string>;
}

export function indexRules(contracts: readonly Contract[]): RuleIndex {
  const byName = new Map<string, IndexedRule[]>();
  const byKind = new Map<string, IndexedRule[]>();
  const always: IndexedRule[] = [];
  const all: IndexedRule[] = [];
  const wide: IndexedRule[] = [];
  let ordinal = 0;
  for (const contract of contracts) {
    for (const rule of contract.rules) {
      const indexed: IndexedRule = {
        contract,
        rule,
        ordinal,
        atOnce: atOnce(rule.program),
        waitSuffices: waitSuffices(rule.program),
        sender: soleSender(rule),
        reads: rootsRead(rule),
        readsOf: readsByEvent(rule, rootsOfAll(rule)),
      };
      ordinal += 1;
      if (rule.scope.is === "all" || rule.scope.is === "key") {
        wide.push(indexed);
        continue;
      }
      all.push(indexed);
      const keys = rule.mustApply || rule.pairRequired ? null : anchorKeys(rule.program);
      if (keys === null) {
        always.push(indexed);
        continue;
      }
      for (const name of keys.names) push(byName, name, indexed);
      for (const kind of keys.kinds) push(byKind, kind, indexed);
    }
  }
  return { byName, byKind, always, all, wide };
}

/** The rules that can have something to say about these events, in load order. */
export function rulesAbout(index: RuleIndex, events: readonly Event[]): IndexedRule[] {
  const found = new Set<IndexedRule>(index.always);
  const names = new Set<string>();
  const kinds = new Set<string>();
  for (const event of events) {
    if (event.name !== null) names.add(event.name);
    kinds.add(event.kind);
  }
  for (const name of names) for (const rule of index.byName.get(name) ?? []) found.add(rule);
  for (const kind of kinds) for (const rule of index.byKind.get(kind) ?? []) found.add(rule);
  return [...found].sort((a, b) => a.ordinal - b.ordinal);
}

/** Names and kinds one of which an event must have for the program not to be vacuous; null: it never is, or any event will do. */
function anchorKeys(program: Program): Keys | null {
  switch (program.kernel) {
    case "link":
      return patternKeys(program.anchor);
    case "count":
      return program.bind.length > 0 ? patternKeys(program.of) : null;
    case "machine":
      return program.judgedWithoutStep || program.unlisted === "violate"
        ? null
        : union(program.transitions.map((transition) => patternKeys(transition.on)));
    case "fold":
      return union(program.parts.map(anchorKeys));
    case "guard":
      return patternKeys(program.if);
    case "stretch":
      return anchorKeys(program.then);
  }
}

/** Names and kinds one of which an event must have for the pattern to match; null: any event may. */
export function patternKeys(pattern: Pattern): Keys | null {
  if (pattern.name !== null) {
    const names = exactNames(pattern.name);
    return names === null ? null : { names, kinds: new Set() };
  }
  if (pattern.anyOf.length > 0) {
    const keys = union(pattern.anyOf.map(patternKeys));
    if (keys !== null || pattern.kinds === null) return keys;
  }
  return pattern.kinds === null ? null : { names: new Set(), kinds: new Set(pattern.kinds) };
}

function exactNames(test: ValueTest): Set<string> | null {
  if (test.op === "equals") return typeof test.value === "string" ? new Set([test.value]) : null;
  if (test.op !== "one_of") return null;
  const names = new Set<string>();
  for (const part of test.tests) {
    const exact = exactNames(part);
    if (exact === null) return null;
    for (const name of exact) names.add(name);
  }
  return names;
}

function union(parts: readonly (Keys | null)[]): Keys | null {
  const all: Keys = { names: new Set(), kinds: new Set() };
  for (const part of parts) {
    if (part === null) return null;
    for (const name of part.names) all.names.add(name);
    for (const kind of part.kinds) all.kinds.add(kind);
  }
  return all;
}

function atOnce(program: Program): boolean {
  switch (program.kernel) {
    case "link":
      return program.quant === "none" || program.need === "apart";
    case "count":
      return program.max !== null;
    case "machine":
      return false;
    case "fold":
      return program.parts.some(atOnce);
    case "guard":
    case "stretch":
      return atOnce(program.then);
  }
}

/**
 * `decision_wait` is a policy and not knowledge: a call that has begun and not ended is unsent. Where a
 * witness counts from its start, or a blocker may still be running, waiting proves nothing
 * (docs/semantics.md 7).
 */
function waitSuffices(program: Program): boolean {
  switch (program.kernel) {
    case "link":
      return program.unlessBetween.length === 0 && !countsFromStart(program);
    case "count":
    case "machine":
      return true;
    case "fold":
      return program.parts.every(waitSuffices);
    case "guard":
    case "stretch":
      return waitSuffices(program.then);
  }
}

function countsFromStart({ need, quant, witnessBoundary }: Link): boolean {
  if (witnessBoundary === "finished_at") return false;
  return need === "past" || (need === "future" && quant === "some");
}

function rootsRead(rule: Rule): ReadonlySet<string> {
  return rootsOfAll(rule).union(new Set(rule.reads.map(([root = ""]) => root)));
}

/** What is read of every event, whatever its side. */
function rootsOfAll(rule: Rule): ReadonlySet<string> {
  const roots = new Set(["name", "kind"]);
  if (rule.scope.is === "conversation") roots.add("conversation");
  if (rule.scope.is === "key") roots.add(rule.scope.path[0] ?? "");
  return roots;
}

function push(index: Map<string, IndexedRule[]>, key: string, rule: IndexedRule): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [rule]);
  else list.push(rule);
}
