/**
 * The events of one scope, sorted and found by name and kind, so that a rule costs what its events cost. Made
 * once for a list of events and shared by every rule that is judged on it.
 */
import type { Event } from "../../model/event.ts";
import type { Pattern, ValueTest } from "../pattern.ts";

export interface ScopeIndex {
  /** By start, then id: the same for every order of the input. Events without a start come last. */
  readonly events: readonly Event[];
  /** A superset of the events that the pattern can match, in the order of `events`. */
  candidates(pattern: Pattern): readonly Event[];
}

const indexes = new WeakMap<readonly Event[], ScopeIndex>();

export function indexScope(events: readonly Event[]): ScopeIndex {
  const known = indexes.get(events);
  if (known !== undefined) return known;
  const made = build(events);
  indexes.set(events, made);
  return made;
}

function build(unsorted: readonly Event[]): ScopeIndex {
  const events = [...unsorted].sort(byStart);
  const byName = new Map<string, Event[]>();
  const byKind = new Map<string, Event[]>();
  for (const event of events) {
    if (event.name !== null) push(byName, event.name, event);
    push(byKind, event.kind, event);
  }
  const remembered = new WeakMap<Pattern, readonly Event[]>();
  const find = (pattern: Pattern): readonly Event[] => {
    const names = pattern.name === null ? null : exactNames(pattern.name);
    if (names !== null) return merge(names.map((name) => byName.get(name) ?? []));
    if (pattern.kinds !== null) return merge([...pattern.kinds].map((kind) => byKind.get(kind) ?? []));
    return events;
  };
  return {
    events,
    candidates(pattern) {
      const known = remembered.get(pattern);
      if (known !== undefined) return known;
      const found = find(pattern);
      remembered.set(pattern, found);
      return found;
    },
  };
}

export function byStart(a: Event, b: Event): number {
  const [x, y] = [startOf(a), startOf(b)];
  if (x !== y) {
    if (x === null) return 1;
    if (y === null) return -1;
    return x < y ? -1 : 1;
  }
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

export function startOf(event: Event): bigint | null {
  if (typeof event.start === "string") return null;
  return "at" in event.start ? event.start.at : event.start.earliest;
}

function push(map: Map<string, Event[]>, key: string, event: Event): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [event]);
  else list.push(event);
}

function merge(lists: readonly (readonly Event[])[]): readonly Event[] {
  const [only] = lists;
  return lists.length === 1 && only !== undefined ? only : [...new Set(lists.flat())].sort(byStart);
}

/** The names that a test asks for by equality; null when it asks for anything else. */
function exactNames(test: ValueTest): readonly string[] | null {
  if (test.op === "equals") return typeof test.value === "string" ? [test.value] : null;
  if (test.op !== "one_of") return null;
  const names: string[] = [];
  for (const inner of test.tests) {
    const found = exactNames(inner);
    if (found === null) return null;
    names.push(...found);
  }
  return names;
}
