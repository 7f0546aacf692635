import type { CloseReason } from "../../model/completeness.ts";
import type { SpanFact } from "../../model/span-fact.ts";
import type { UnixNano } from "../../model/time.ts";
import type { StoredFact } from "../assemble/assemble.ts";
import { preferred } from "../assemble/copies.ts";
import { sizeOf } from "./fact-size.ts";
import { clientKeys, serverKey } from "./mcp-peers.ts";

/**
 * Runs and what joins them. A run is the spans of one trace; runs that name one conversation, or one value of
 * the configured run key, are judged together, and so is a run without a conversation whose model was handed
 * the answer to a call that exactly one conversation asked for (a resume after an approval).
 *
 * The Map's order is the order of last activity, so that the longest silent run is the first to be evicted.
 */
export interface RunTable {
  readonly runs: Map<string, Run>;
  /** Join key (`c:` conversation, `r:` run key) → trace ids of the runs that name it. */
  readonly joined: Map<string, Set<string>>;
  /** Call id → trace ids of the runs whose model asked for it. */
  readonly asked: Map<string, Set<string>>;
  /** Call id → trace ids of the runs that mention it without having asked for it. */
  readonly resumed: Map<string, Set<string>>;
  /** Tool and second → trace ids with a parentless MCP server span there, and with a client span around it. */
  readonly servers: Map<string, Set<string>>;
  readonly clients: Map<string, Set<string>>;
  bytes: number;
  facts: number;
  /** Runs without a close. */
  open: number;
}

export interface Run {
  readonly traceId: string;
  readonly facts: Map<string, StoredFact>;
  readonly firstArrival: UnixNano;
  lastArrival: UnixNano;
  closed: { readonly reason: CloseReason; readonly at: UnixNano } | null;
  /** Its first close was published. */
  closePublished: boolean;
  bytes: number;
  /** Grows with every change of its facts. */
  version: number;
  /** Join keys that its facts name, with how many facts name each. */
  readonly joins: Map<string, number>;
  /** Ids asked for in its model turns' output. */
  readonly asks: Set<string>;
  /** Ids that its model turns' input answers or repeats without having asked for them here. */
  readonly resumes: Set<string>;
  /** Where it holds an end of an MCP call whose other end may be in another trace. */
  readonly serves: Set<string>;
  readonly calls: Set<string>;
  /**
   * Clock domains of its senders that say when their tool calls begin, and whether they say it of all. Kept apart
   * from the facts, since a signal's fact goes when the call's own span comes.
   */
  readonly startSignals: Map<string, "all" | "some">;
  /** Some of its spans are numbered, or count their children. */
  numbered: boolean;
  /** Event ids already counted (calls, durations). */
  readonly counted: Set<string>;
  /** Detector, reason and event of what was already told. */
  readonly detected: Set<string>;
  /** Ids in the ledger of published verdicts whose anchor, or scope, belongs to this run. */
  readonly published: Set<string>;
}

export type Added = "new" | "identical" | "conflicting" | "begun";

export function createRunTable(): RunTable {
  return {
    runs: new Map(),
    joined: new Map(),
    asked: new Map(),
    resumed: new Map(),
    servers: new Map(),
    clients: new Map(),
    bytes: 0,
    facts: 0,
    open: 0,
  };
}

/** The fact's run, made if it is new; becomes the most recently active one. */
export function touchRun(table: RunTable, traceId: string, at: UnixNano): Run {
  const known = table.runs.get(traceId);
  if (known !== undefined) {
    table.runs.delete(traceId);
    table.runs.set(traceId, known);
    known.lastArrival = at;
    return known;
  }
  const run: Run = {
    traceId,
    facts: new Map(),
    firstArrival: at,
    lastArrival: at,
    closed: null,
    closePublished: false,
    bytes: 0,
    version: 0,
    joins: new Map(),
    asks: new Set(),
    resumes: new Set(),
    serves: new Set(),
    calls: new Set(),
    startSignals: new Map(),
    numbered: false,
    counted: new Set(),
    detected: new Set(),
    published: new Set(),
  };
  table.runs.set(traceId, run);
  table.open += 1;
  return run;
}

/** Adds one fact. Of two copies of a span the better one stays, whichever came first; its arrival is the first copy's. */
export function addFact(table: RunTable, run: Run, fact: SpanFact, at: UnixNano): Added {
  if (fact.startSignals !== undefined && run.startSignals.get(fact.clock) !== "some") {
    run.startSignals.set(fact.clock, fact.startSignals);
  }
  run.numbered ||= fact.fields.has("event_seq") || fact.fields.has("child_count");
  const known = run.facts.get(fact.spanId);
  if (known === undefined) {
    run.facts.set(fact.spanId, { fact, arrivedAt: at });
    table.facts += 1;
    index(table, run, fact, 1);
    return "new";
  }
  const { keep, difference } = preferred(known.fact, fact);
  if (keep === known.fact) return difference;
  index(table, run, known.fact, -1);
  const ends = keep.ended && !known.fact.ended ? { endArrivedAt: at } : {};
  run.facts.set(fact.spanId, { ...known, ...ends, fact: keep });
  index(table, run, keep, 1);
  return difference;
}

function index(table: RunTable, run: Run, fact: SpanFact, by: 1 | -1): void {
  const bytes = by * sizeOf(fact);
  run.bytes += bytes;
  run.version += 1;
  table.bytes += bytes;
  for (const key of joinKeys(fact)) {
    const count = (run.joins.get(key) ?? 0) + by;
    if (count > 0) {
      run.joins.set(key, count);
      addTo(table.joined, key, run.traceId);
    } else {
      run.joins.delete(key);
      removeFrom(table.joined, key, run.traceId);
    }
  }
  if (by < 0) return;
  const served = serverKey(fact);
  if (served !== null) {
    run.serves.add(served);
    addTo(table.servers, served, run.traceId);
  }
  for (const key of clientKeys(fact)) {
    run.calls.add(key);
    addTo(table.clients, key, run.traceId);
  }
  for (const ask of fact.asks) {
    if (ask.callId === null) continue;
    if (ask.fromInput) addResume(table, run, ask.callId);
    else {
      run.asks.add(ask.callId);
      addTo(table.asked, ask.callId, run.traceId);
    }
  }
  for (const answer of fact.answers) if (answer.callId !== null) addResume(table, run, answer.callId);
  if (fact.callId !== null && fact.kind === "tool_call") addResume(table, run, fact.callId);
}

function addResume(table: RunTable, run: Run, callId: string): void {
  run.resumes.add(callId);
  addTo(table.resumed, callId, run.traceId);
}

function joinKeys(fact: SpanFact): string[] {
  const keys: string[] = [];
  if (fact.conversation !== null) keys.push(`c:${fact.conversation}`);
  const run = fact.fields.get("run");
  if (typeof run === "string" && run !== "") keys.push(`r:${run}`);
  return keys;
}

/** The value of the configured run key: the smallest that its spans name, else the trace id. */
export function runScopeKey(run: Run): string {
  let smallest: string | null = null;
  for (const key of run.joins.keys()) {
    if (key.startsWith("r:") && (smallest === null || key < smallest)) smallest = key;
  }
  return smallest === null ? run.traceId : smallest.slice(2);
}

/** The runs that have to be looked at together with this one, itself included, by trace id. */
export function joinedRuns(table: RunTable, start: Run): Run[] {
  const found = new Map<string, Run>([[start.traceId, start]]);
  const waiting = [start];
  for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
    for (const traceId of neighbours(table, run)) {
      const next = table.runs.get(traceId);
      if (next === undefined || found.has(traceId)) continue;
      found.set(traceId, next);
      waiting.push(next);
    }
  }
  return [...found.values()].sort((a, b) => (a.traceId < b.traceId ? -1 : 1));
}

function* neighbours(table: RunTable, run: Run): Iterable<string> {
  for (const key of run.joins.keys()) yield* table.joined.get(key) ?? [];
  for (const key of run.serves) yield* table.clients.get(key) ?? [];
  for (const key of run.calls) yield* table.servers.get(key) ?? [];
  if (namesConversation(run)) {
    for (const id of run.asks) yield* resumers(table, id);
  } else {
    for (const id of run.resumes) {
      if (!run.asks.has(id)) yield* askers(table, id);
    }
  }
}

/** Runs that asked for a call id, if all of them belong to one conversation. */
function askers(table: RunTable, callId: string): Iterable<string> {
  const runs = table.asked.get(callId) ?? new Set<string>();
  const conversations = new Set<string>();
  for (const traceId of runs) {
    for (const key of table.runs.get(traceId)?.joins.keys() ?? []) {
      if (key.startsWith("c:")) conversations.add(key);
    }
  }
  return conversations.size === 1 ? runs : [];
}

/** The other direction: runs without a conversation that resume an id only one conversation asked for. */
function* resumers(table: RunTable, callId: string): Iterable<string> {
  let unique: boolean | null = null;
  for (const traceId of table.resumed.get(callId) ?? []) {
    const run = table.runs.get(traceId);
    if (run === undefined || run.asks.has(callId) || namesConversation(run)) continue;
    unique ??= [...askers(table, callId)].length > 0;
    if (unique) yield traceId;
  }
}

function namesConversation(run: Run): boolean {
  for (const key of run.joins.keys()) if (key.startsWith("c:")) return true;
  return false;
}

/** Forgets a run and every index entry that it had. */
export function removeRun(table: RunTable, run: Run): void {
  if (!table.runs.delete(run.traceId)) return;
  table.bytes -= run.bytes;
  table.facts -= run.facts.size;
  if (run.closed === null) table.open -= 1;
  for (const key of run.joins.keys()) removeFrom(table.joined, key, run.traceId);
  for (const id of run.asks) removeFrom(table.asked, id, run.traceId);
  for (const id of run.resumes) removeFrom(table.resumed, id, run.traceId);
  for (const key of run.serves) removeFrom(table.servers, key, run.traceId);
  for (const key of run.calls) removeFrom(table.clients, key, run.traceId);
}

export function closeRun(table: RunTable, run: Run, reason: CloseReason, at: UnixNano): void {
  if (run.closed === null) table.open -= 1;
  run.closed = { reason, at };
}

export function reopenRun(table: RunTable, run: Run): void {
  if (run.closed === null) return;
  run.closed = null;
  table.open += 1;
}

function addTo(index: Map<string, Set<string>>, key: string, traceId: string): void {
  const set = index.get(key);
  if (set === undefined) index.set(key, new Set([traceId]));
  else set.add(traceId);
}

function removeFrom(index: Map<string, Set<string>>, key: string, traceId: string): void {
  const set = index.get(key);
  if (set === undefined) return;
  set.delete(traceId);
  if (set.size === 0) index.delete(key);
}
