import type { Output } from "../model/output.ts";
import { hours, type UnixNano } from "../model/time.ts";
import { lookAtGroup } from "./look.ts";
import { forgetPublished } from "./publish.ts";
import { pushDeadline } from "./run/deadline-queue.ts";
import { closeRun, joinedRuns, type Run, removeRun, runScopeKey } from "./run/run-table.ts";
import { bury } from "./run/tombstones.ts";
import type { Loaded, State } from "./state.ts";

/**
 * What leaves memory, and when. A closed run can be judged anew for `late_window` after its root ended, until
 * `max_age` after any other close, and as long as its conversation goes on (but never past `max_age` after
 * its close); then only its id is remembered.
 */
export function forgetDue(state: State, loaded: Loaded, group: readonly Run[]): void {
  const { lateWindow, maxAge, conversationIdle } = loaded.settings;
  for (const run of group) {
    const due = forgetAt(run, group, lateWindow, maxAge, conversationIdle);
    if (due === null) continue;
    if (due > state.now) pushDeadline(state.deadlines, run.traceId, due);
    else forget(state, run, group);
  }
}

function forgetAt(
  run: Run,
  group: readonly Run[],
  lateWindow: bigint,
  maxAge: bigint,
  conversationIdle: bigint,
): UnixNano | null {
  if (run.closed === null) return null;
  const last = run.closed.at + maxAge;
  const own = run.closed.reason === "root_ended" ? run.closed.at + lateWindow : last;
  let due: bigint = own;
  for (const other of group) {
    const until = other.closed === null ? last : other.closed.at + conversationIdle;
    if (other !== run && until > due) due = until;
  }
  return (due < last ? due : last) as UnixNano;
}

function forget(state: State, run: Run, group: readonly Run[]): void {
  dropOldCuts(state);
  state.conversationsClosed.delete(runScopeKey(run));
  const goesOn = group.some((other) => other !== run && other.closed === null);
  for (const key of run.joins.keys()) {
    if (!key.startsWith("c:")) continue;
    const conversation = key.slice(2);
    if (goesOn) state.conversationsCut.set(conversation, state.now);
    else state.conversationsClosed.delete(conversation);
  }
  forgetPublished(state.ledger, run);
  removeRun(state.table, run);
  bury(state.tombstones, run.traceId, state.now);
}

/** A conversation that lost a run is remembered for a week: past that its verdicts are long final. */
function dropOldCuts({ conversationsCut, now }: State): void {
  for (const [conversation, at] of conversationsCut) {
    if (now - at < cutKeptFor) return;
    conversationsCut.delete(conversation);
  }
}

const cutKeptFor = hours(7 * 24);

/**
 * Keeps runs and memory within their bounds. What has to go is judged first, as `inconclusive(evicted)` where
 * it is not final, and counted by its close reason. Closed runs go before open ones, silent ones before busy
 * ones.
 */
export function makeRoom(state: State, loaded: Loaded, touched: ReadonlySet<Run>): Output[] {
  const { openRuns, eventsPerRun, stateBytes } = loaded.settings.limits;
  const outputs: Output[] = [];
  for (const run of touched) {
    if (run.facts.size > eventsPerRun) outputs.push(...evict(state, loaded, run));
  }
  while (state.table.open > openRuns) {
    const oldest = firstRun(state, (run) => run.closed === null);
    if (oldest === null) break;
    outputs.push(...evict(state, loaded, oldest));
  }
  while (state.table.bytes > stateBytes) {
    const oldest = firstRun(state, (run) => run.closed !== null) ?? firstRun(state, () => true);
    if (oldest === null) break;
    outputs.push(...evict(state, loaded, oldest));
  }
  return outputs;
}

function evict(state: State, loaded: Loaded, run: Run): Output[] {
  const group = joinedRuns(state.table, run);
  const outputs: Output[] = [];
  if (run.closed === null) {
    closeRun(state.table, run, "evicted", state.now);
    outputs.push(...lookAtGroup(state, group, loaded));
  }
  forget(state, run, group);
  return outputs;
}

function firstRun(state: State, wanted: (run: Run) => boolean): Run | null {
  for (const run of state.table.runs.values()) if (wanted(run)) return run;
  return null;
}
