import type { CloseReason } from "../model/completeness.ts";
import type { Event } from "../model/event.ts";
import { type DurationNano, minutes, type UnixNano } from "../model/time.ts";
import type { Scope } from "../rules/rule.ts";
import type { AssembledRun, Assembly } from "./assemble/assemble.ts";
import { type Run, runScopeKey } from "./run/run-table.ts";
import { type DeafInterval, dueAfter, waited } from "./run/waits.ts";

/** The events of one run or one conversation, and how far it has come: what a rule is judged over. */
export interface JudgedScope {
  readonly is: Scope["is"];
  /** Trace id or run key; conversation id; the value of an entity. */
  readonly key: string;
  readonly events: readonly Event[];
  readonly runs: readonly Run[];
  readonly closed: CloseReason | null;
  /** Every known run of a wider scope has closed, though the scope has not. */
  readonly runsClosed: CloseReason | null;
  /** Spans are known to be missing. */
  readonly gap: boolean;
  /** When an open conversation with only closed runs will close. */
  readonly closesAt: UnixNano | null;
}

export interface ScopeInput {
  readonly drafts: readonly Draft[];
  readonly assembled: ReadonlyMap<string, AssembledRun>;
  readonly runs: readonly Run[];
  readonly now: UnixNano;
  readonly deaf: readonly DeafInterval[];
  readonly conversationIdle: DurationNano;
  /** No run can join a conversation any more, however its own runs ended before. */
  readonly inputEnded: boolean;
  /** When we began to listen, where a run may have begun before; null: recorded input, which is whole. */
  readonly joinedAt: UnixNano | null;
  /** Conversations of which a run is already forgotten. */
  readonly forgotten: (conversation: string) => boolean;
}

/**
 * Splits the events of joined runs into scopes. Every event belongs to one run scope and one conversation
 * scope; an event without a conversation belongs to that of its run, and where that has none the run itself
 * is the conversation (docs/semantics.md 4).
 */
export function draftScopes(
  { events, runs: assembled }: Assembly,
  members: readonly Run[],
): readonly Draft[] {
  const runs = new Map(members.map((run) => [run.traceId, run]));
  const drafts = new Map<string, Draft>();
  for (const event of events) {
    const run = runs.get(event.run);
    if (run === undefined) continue;
    const runKey = runScopeKey(run);
    const conversation = event.conversation ?? assembled.get(event.run)?.conversation ?? null;
    addTo(drafts, "run", runKey, null, event, run);
    addTo(drafts, "conversation", conversation ?? runKey, conversation, event, run);
  }
  return shareEvents([...drafts.values()]);
}

/** How far each scope has come. */
export function scopesOf(input: ScopeInput): JudgedScope[] {
  return input.drafts.map((draft) => finish(draft, input));
}

/**
 * A conversation of one run has the run's events: then both scopes hold one list, and what is made once for a
 * list (index, order) serves both.
 */
function shareEvents(drafts: readonly Draft[]): readonly Draft[] {
  const byFirst = new Map<Event, Draft>();
  return drafts.map((draft) => {
    const [first] = draft.events;
    if (first === undefined) return draft;
    const other = byFirst.get(first);
    if (other === undefined) byFirst.set(first, draft);
    return other !== undefined && equal(other.events, draft.events)
      ? { ...draft, events: other.events }
      : draft;
  });
}

function equal(a: readonly Event[], b: readonly Event[]): boolean {
  return a.length === b.length && a.every((event, i) => event === b[i]);
}

/** A scope's events and runs, before it is known how far it has come. */
export interface Draft {
  readonly is: "run" | "conversation";
  readonly key: string;
  readonly conversation: string | null;
  readonly events: Event[];
  readonly runs: Set<Run>;
}

function addTo(
  drafts: Map<string, Draft>,
  is: "run" | "conversation",
  key: string,
  conversation: string | null,
  event: Event,
  run: Run,
): void {
  // A run that is its own conversation must not share a draft with a conversation of the same id.
  const id = `${is}\u0000${conversation === null ? "-" : "+"}${key}`;
  let draft = drafts.get(id);
  if (draft === undefined) {
    draft = { is, key, conversation, events: [], runs: new Set() };
    drafts.set(id, draft);
  }
  draft.events.push(event);
  draft.runs.add(run);
}

function finish(draft: Draft, input: ScopeInput): JudgedScope {
  const runs = [...draft.runs];
  if (draft.conversation !== null) {
    // A known run of the conversation may have no event in it yet.
    for (const run of input.runs) {
      if (!draft.runs.has(run) && run.joins.has(`c:${draft.conversation}`)) runs.push(run);
    }
  }
  const runsClosed = closeOf(runs);
  const ends = conversationEnd(draft, runs, runsClosed, input);
  const assembled = runs.map((run) => input.assembled.get(run.traceId));
  const gap =
    runs.some((run) => run.closed?.reason === "evicted") ||
    assembled.some((run) => run?.beginningSeen === false) ||
    (input.joinedAt !== null && straddles(runs, input.joinedAt)) ||
    (draft.is === "conversation" &&
      (draft.conversation === null
        ? assembled.some((run) => (run?.unresolvedParents ?? 0) > 0)
        : input.forgotten(draft.conversation)));
  return { is: draft.is, key: draft.key, events: draft.events, runs, runsClosed, gap, ...ends };
}

/**
 * Whether one of the runs was under way when we began to listen: begun before, and not over well before. Spans
 * are sent within seconds of their end, so of a run that ended a minute earlier nothing was sent to somebody
 * else: it is a recording, or was held back as a whole.
 */
function straddles(runs: readonly Run[], joinedAt: UnixNano): boolean {
  for (const run of runs) {
    let before = false;
    let around = false;
    for (const { fact } of run.facts.values()) {
      const last = fact.end ?? fact.start;
      before ||= fact.start !== null && fact.start < joinedAt;
      around ||= last !== null && last >= joinedAt - sendingTime;
    }
    if (before && around) return true;
  }
  return false;
}

const sendingTime = minutes(1);

function conversationEnd(
  draft: Draft,
  runs: readonly Run[],
  runsClosed: CloseReason | null,
  { now, deaf, conversationIdle, inputEnded }: ScopeInput,
): { closed: CloseReason | null; closesAt: UnixNano | null } {
  if (runsClosed === null) return { closed: null, closesAt: null };
  const atOnce = draft.is === "run" || draft.conversation === null;
  if (atOnce || runsClosed === "input_end" || runsClosed === "evicted") {
    return { closed: runsClosed, closesAt: null };
  }
  if (inputEnded) return { closed: "input_end", closesAt: null };
  let last = 0n as UnixNano;
  for (const run of runs) if (run.closed !== null && run.closed.at > last) last = run.closed.at;
  return waited(last, now, deaf) >= conversationIdle
    ? { closed: "conversation_idle", closesAt: null }
    : { closed: null, closesAt: dueAfter(last, conversationIdle, deaf) };
}

/** Weakest knowledge first: a scope of several runs closed no better than its worst run. */
const weakest: readonly CloseReason[] = [
  "evicted",
  "max_age",
  "idle",
  "conversation_idle",
  "root_ended",
  "input_end",
];

export function closeOf(runs: readonly Run[]): CloseReason | null {
  let worst: CloseReason | null = null;
  for (const { closed } of runs) {
    if (closed === null) return null;
    if (worst === null || weakest.indexOf(closed.reason) < weakest.indexOf(worst)) worst = closed.reason;
  }
  return worst;
}
