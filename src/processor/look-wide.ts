import type { Event } from "../model/event.ts";
import type { Output } from "../model/output.ts";
import type { UnixNano } from "../model/time.ts";
import { type EvaluatedRule, explainedLater, judgeRule, Orders } from "./evaluate.ts";
import { anchorOf } from "./identity.ts";
import { forgetPublished, publish, withdrawVanished } from "./publish.ts";
import type { IndexedRule } from "./rule-index.ts";
import { pushDeadline } from "./run/deadline-queue.ts";
import type { Run } from "./run/run-table.ts";
import { closeOf, type JudgedScope } from "./scopes.ts";
import type { Loaded, State } from "./state.ts";
import { forgetKeys, hasUnkeyed, leaveWide, updateWide, wideRecord } from "./wide.ts";

/** Judges the wide scopes that the events of these runs belong to: only the keys that they changed. */
export function lookAtWide(
  state: State,
  runs: readonly Run[],
  events: readonly Event[],
  loaded: Loaded,
): Output[] {
  if (loaded.wide.length === 0) return [];
  const outputs: Output[] = [];
  const traces = runs.map((run) => run.traceId);
  for (const indexed of loaded.wide) {
    for (const key of updateWide(state.wide, indexed, events, traces, state.now)) {
      outputs.push(...lookAtKey(state, indexed, key, loaded));
    }
  }
  return outputs;
}

/** Whether a queued look is one at a key of a wide scope; if so, takes it. */
export function lookAtWideDeadline(state: State, deadline: string, loaded: Loaded): Output[] | null {
  if (!deadline.startsWith(wideMark)) return null;
  const end = deadline.indexOf("\u0000");
  const ordinal = Number(deadline.slice(wideMark.length, end));
  const indexed = loaded.wide.find((candidate) => candidate.ordinal === ordinal);
  return indexed === undefined ? [] : lookAtKey(state, indexed, deadline.slice(end + 1), loaded);
}

/** No trace id starts so. */
const wideMark = "\u0001";

function lookAtKey(state: State, indexed: IndexedRule, key: string, loaded: Loaded): Output[] {
  const record = wideRecord(state.wide, indexed, key);
  if (record === null) return [];
  const judged = judgeKey(state, indexed, key, loaded, false, (at) =>
    pushDeadline(state.deadlines, `${wideMark}${indexed.ordinal}\u0000${key}`, at),
  );
  const seen = new Set<string>();
  // What was published while an event still seemed to belong here is taken back.
  if (judged === null) {
    return withdrawVanished(state.ledger, state.alerts, [record], seen, () => false, state.now);
  }
  const { scope, evaluated } = judged;
  return [
    ...publish({
      ledger: state.ledger,
      alerts: state.alerts,
      scope,
      evaluated,
      events: new Map(scope.events.map((event) => [event.id, event])),
      now: state.now,
      seen,
      owner: record,
    }),
    ...withdrawVanished(state.ledger, state.alerts, [record], seen, () => true, state.now),
  ];
}

export interface JudgedKey {
  readonly scope: JudgedScope;
  readonly evaluated: EvaluatedRule;
}

/** One key of a wide scope as it stands; null where its contract takes no part, or none of its events is left. */
export function judgeKey(
  state: State,
  indexed: IndexedRule,
  key: string,
  loaded: Loaded,
  nearMisses: boolean,
  look: (at: UnixNano) => void,
): JudgedKey | null {
  const record = wideRecord(state.wide, indexed, key);
  if (record === null) return null;
  const events = toldApart([...record.byRun.values()].flat());
  if (events.length === 0) return null;
  const scope = scopeOf(state, indexed, key, events, [...record.byRun.keys()]);
  const takesPart = loaded.settings.everyContractTakesPart
    ? "true"
    : loaded.participation.get(indexed.contract)?.(scope.events, state.inputEnded);
  if (takesPart === undefined || takesPart === "false") return null;
  const input = {
    scope,
    settings: loaded.settings,
    now: state.now,
    deaf: state.deaf,
    watermark: state.watermark,
    nearMisses,
    orders: new Orders(loaded.settings.clock),
    look,
  };
  const evaluated = {
    indexed,
    result: judgeRule(indexed, input),
    explained: explainedLater(indexed, input),
    publishable: takesPart === "true",
  };
  return { scope, evaluated };
}

/** Runs that were not put together may have written down one id for different events: each is said with its run. */
function toldApart(events: readonly Event[]): readonly Event[] {
  const runOf = new Map<string, string>();
  const shared = new Set<string>();
  for (const { id, run } of events) {
    const known = runOf.get(id);
    if (known === undefined) runOf.set(id, run);
    else if (known !== run) shared.add(id);
  }
  if (shared.size === 0) return events;
  return events.map((event) => (shared.has(event.id) ? { ...event, id: anchorOf(event) } : event));
}

function scopeOf(
  state: State,
  indexed: IndexedRule,
  key: string,
  events: readonly Event[],
  traces: readonly string[],
): JudgedScope {
  const { rule } = indexed;
  const runs = traces.map((trace) => state.table.runs.get(trace)).filter((run) => run !== undefined);
  return {
    is: rule.scope.is,
    // `all` is one scope; that its records are cut by bind key is ours alone.
    key: rule.scope.is === "all" ? "all" : key,
    events,
    runs,
    // Only the end of recorded input ends what never closes.
    closed: state.inputEnded ? "input_end" : null,
    // Runs that left memory had closed.
    runsClosed: runs.length === 0 ? "idle" : closeOf(runs),
    gap: hasUnkeyed(state.wide, indexed),
    closesAt: null,
  };
}

/** A run leaves memory; and keys that are too old, or too many, are forgotten, which is counted. */
export function forgetWide(state: State, loaded: Loaded): Output[] {
  const outputs: Output[] = [];
  for (const { record, reason } of forgetKeys(state.wide, state.now, loaded.settings.keyTtl)) {
    forgetPublished(state.ledger, record);
    outputs.push({ type: "count", of: "key_forgotten", reason });
  }
  return outputs;
}

export const runLeavesWide = (state: State, run: Run): void => leaveWide(state.wide, run.traceId);
