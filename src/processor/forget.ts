import type { Output } from "../model/output.ts";
import { durationNano, hours, plus, type UnixNano } from "../model/time.ts";
import { lookAtGroup } from "./look.ts";
import { runLeavesWide } from "./look-wide.ts";
import { leaveEffects } from "./open-effects.ts";
import { forgetPublished } from "./publish.ts";
import { pushDeadline } from "./run/deadline-queue.ts";
import { closeRun, joinedRuns, type Run, removeRun, runScopeKey } from "./run/run-table.ts";
import { bury } from "./run/tombstones.ts";
import type { Loaded, State } from "./state.ts";

/**
 * What leaves memory, and when. A closed run can be judged anew for `late_window` after its root ended, and
 * until `max_age` after any other close. Runs that are judged together are forgotten together, or the rest
 * would be judged without what it rested on; but no run stays longer than `max_age` after its own close, and
 * where that parts a conversation the rest of it has a known gap.
 */
export function forgetDue(state: State, loaded: Loaded, group: readonly Run[]): void {
  const { lateWindow, maxAge } = loaded.settings;
  let together: bigint = 0n;
  for (const run of group) {
    const due = run.closed === null ? null : run.closed.at + ownWindow(run, lateWindow, maxAge);
    if (due === null) together = endless;
    else if (due > together) together = due;
  }
  const leaving = new Set<Run>();
  for (const run of group) {
    if (run.closed === null) continue;
    const last = run.closed.at + maxAge;
    const due = (together < last ? together : last) as UnixNano;
    if (due <= state.now) leaving.add(run);
    else pushDeadline(state.deadlines, run.traceId, due);
  }
  for (const run of leaving) forget(state, run, leaving.size < group.length);
}

/** Later than every time there is. */
const endless = 1n << 64n;

function ownWindow({ closed }: Run, lateWindow: bigint, maxAge: bigint): bigint {
  return closed?.reason === "root_ended" && lateWindow < maxAge ? lateWindow : maxAge;
}

function forget(state: State, run: Run, othersStay: boolean): void {
  dropOldCuts(state);
  state.conversationsClosed.delete(runScopeKey(run));
  for (const key of run.joins.keys()) {
    if (!key.startsWith("c:")) continue;
    const conversation = key.slice(2);
    if (othersStay) state.conversationsCut.set(conversation, state.now);
    else state.conversationsClosed.delete(conversation);
  }
  forgetPublished(state.ledger, run);
  removeRun(state.table, run);
  runLeavesWide(state, run);
  const ttl = state.loaded?.settings.keyTtl ?? durationNano(0n);
  leaveEffects(state.effects, run.traceId, plus(state.now, ttl));
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
  forget(state, run, group.length > 1);
  return outputs;
}

function firstRun(state: State, wanted: (run: Run) => boolean): Run | null {
  for (const run of state.table.runs.values()) if (wanted(run)) return run;
  return null;
}
