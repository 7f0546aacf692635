import type { Event } from "../model/event.ts";
import type { Output } from "../model/output.ts";
import type { UnixNano } from "../model/time.ts";
import type { Contract } from "../rules/rule.ts";
import type { Assembly } from "./assemble/assemble.ts";
import { contractMetrics } from "./contract-metrics.ts";
import { countCausality } from "./count-causality.ts";
import { countable, countCall } from "./count-events.ts";
import { countRejection, isRejection } from "./count-rejections.ts";
import { detect, tellDetections } from "./detections.ts";
import { type Evaluation, evaluate, type Orders } from "./evaluate.ts";
import { type GroupView, viewGroup } from "./group-view.ts";
import { anchorOf } from "./identity.ts";
import { lookAtWide } from "./look-wide.ts";
import { noteEffects } from "./open-effects.ts";
import { publish, ruleRef, withdrawVanished } from "./publish.ts";
import { countMatches } from "./rule-matches.ts";
import { closing } from "./run/closing.ts";
import { pushDeadline } from "./run/deadline-queue.ts";
import { closeRun, type Run } from "./run/run-table.ts";
import { waited } from "./run/waits.ts";
import { type JudgedScope, scopesOf } from "./scopes.ts";
import type { Loaded, State } from "./state.ts";

/**
 * One look at a group of joined runs: closes what has ended, makes the events anew from the facts, judges
 * every scope, and publishes what became final. Called where an entry or a deadline touched the group.
 *
 * Cost: linear in the group's facts plus what its rules cost. So a group above `largeGroup` facts is looked at
 * on a grid of time that is as coarse as the group is large: however it grows, looking at it costs about a
 * tenth of a core, and its verdicts come later by up to one step of the grid.
 */
export const largeGroup = 256;
/** About ten times what a look costs a fact. */
const pauseAFact = 1_000_000n;

export function groupScopes(
  state: State,
  runs: readonly Run[],
  view: GroupView,
  loaded: Loaded,
): JudgedScope[] {
  return scopesOf({
    drafts: view.drafts,
    assembled: view.assembly.runs,
    runs,
    now: state.now,
    deaf: state.deaf,
    conversationIdle: loaded.settings.conversationIdle,
    joinedAt: loaded.joinedAt,
    inputEnded: state.inputEnded,
    forgotten: (conversation) => state.conversationsCut.has(conversation),
  });
}

/** The full look of a deadline: closes, judges everything, publishes, counts. */
export function lookAtGroup(state: State, runs: readonly Run[], loaded: Loaded): Output[] {
  const look = lookLater(state, runs);
  closeEnded(state, runs, loaded, look);
  const view = viewGroup(state.views, runs, loaded);
  const { assembly, orders } = view;
  if (loaded.set.ledgers.length > 0) noteEffects(state.effects, runs, assembly.events);
  const { scopes, found, read } = detect(state, groupScopes(state, runs, view, loaded), loaded, orders, true);
  const outputs: Output[] = [];
  const seen = new Set<string>();
  const contracts = new Set<string>();
  for (const scope of scopes) {
    const evaluation = evaluateScope(state, scope, loaded, { only: "all", nearMisses: false, orders, look });
    for (const contract of evaluation.contracts.keys()) contracts.add(contract.name);
    outputs.push(...publishAll(state, scope, evaluation, view, seen));
    if (scope.closesAt !== null) look(scope.closesAt);
    outputs.push(...publishClose(state, scope, evaluation, loaded, orders));
    if (scope.is === "conversation") outputs.push(...countCalls(state, scope, loaded));
    const conversation = found.get(scope);
    if (conversation !== undefined) {
      outputs.push(...tellDetections(state, scope, loaded, conversation));
      outputs.push(...countCausality(state, scope, loaded, conversation));
    }
  }
  outputs.push(
    ...withdrawVanished(state.ledger, state.alerts, runs, seen, (name) => contracts.has(name), state.now),
  );
  outputs.push(...lookAtWide(state, runs, assembly.events.map(read), loaded));
  outputs.push(...publishRunCloses(runs, assembly));
  return outputs;
}

/** The small look at the end of an entry: only what can be final the moment its events are here. */
export function lookAtOnce(state: State, runs: readonly Run[], loaded: Loaded): Output[] {
  const view = viewGroup(state.views, runs, loaded);
  const { assembly, orders } = view;
  if (loaded.set.ledgers.length > 0) noteEffects(state.effects, runs, assembly.events);
  const outputs: Output[] = [];
  const { scopes, read } = detect(state, groupScopes(state, runs, view, loaded), loaded, orders, false);
  for (const scope of scopes) {
    const look = lookLater(state, runs);
    const evaluation = evaluateScope(state, scope, loaded, {
      only: "at_once",
      nearMisses: false,
      orders,
      look,
    });
    outputs.push(...publishAll(state, scope, evaluation, view, new Set()));
  }
  outputs.push(...lookAtWide(state, runs, assembly.events.map(read), loaded));
  return outputs;
}

function publishAll(
  state: State,
  scope: JudgedScope,
  evaluation: Evaluation,
  { events }: GroupView,
  seen: Set<string>,
): Output[] {
  const { ledger, alerts, now } = state;
  return evaluation.rules.flatMap((evaluated) =>
    publish({ ledger, alerts, scope, evaluated, events, now, seen }),
  );
}

export function evaluateScope(
  state: State,
  scope: JudgedScope,
  loaded: Loaded,
  how: {
    readonly only: "at_once" | "all";
    readonly nearMisses: boolean;
    readonly orders: Orders;
    readonly look: (at: UnixNano) => void;
  },
): Evaluation {
  return evaluate({
    scope,
    index: loaded.index,
    contracts: loaded.participation,
    settings: loaded.settings,
    now: state.now,
    deaf: state.deaf,
    watermark: state.watermark,
    ...how,
  });
}

function closeEnded(state: State, runs: readonly Run[], loaded: Loaded, look: (at: UnixNano) => void): void {
  const { idleTimeout, maxAge } = loaded.settings;
  for (const run of runs) {
    if (run.closed !== null) continue;
    const result = closing(
      run,
      state.now,
      { decisionWait: loaded.longestWait, idleTimeout, maxAge },
      state.deaf,
    );
    if ("close" in result) closeRun(state.table, run, result.close, state.now);
    else look(result.look);
  }
}

/** Queues later looks at the group, under its first run. */
export function lookLater(state: State, runs: readonly Run[]): (at: UnixNano) => void {
  const key = runs[0]?.traceId;
  const size = sizeOf(runs);
  return (at) => {
    if (key !== undefined) pushDeadline(state.deadlines, key, onGrid(at, size));
  };
}

export function sizeOf(runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + run.facts.size, 0);
}

/** The first step of the group's grid that is not before `at`. */
function onGrid(at: UnixNano, size: number): UnixNano {
  if (size <= largeGroup) return at;
  // Powers of two, so that a growing group keeps to the steps that were queued.
  const step = pauseAFact << BigInt(Math.ceil(Math.log2(size)));
  const rest = at % step;
  return (rest === 0n ? at : at + step - rest) as UnixNano;
}

/** What a scope came to, at its first close. */
function publishClose(
  state: State,
  scope: JudgedScope,
  evaluation: Evaluation,
  loaded: Loaded,
  orders: Orders,
): Output[] {
  if (scope.closed === null) return [];
  if (scope.is === "run") {
    if (scope.runs.every((run) => run.closePublished)) return [];
  } else {
    if (state.conversationsClosed.has(scope.key)) return [];
    state.conversationsClosed.set(scope.key, state.now);
  }
  const where = { scope: scope.is, key: scope.key };
  const outputs: Output[] = [];
  for (const { indexed, result } of evaluation.rules) {
    if (result.verdict === "vacuous") continue;
    outputs.push({ type: "verdict", rule: ruleRef(indexed.rule), scope: where, verdict: result.verdict });
  }
  outputs.push(...contractMetrics(scope, evaluation, orders));
  for (const contract of evaluation.contracts.keys()) {
    outputs.push({ type: "contract_closed", contract: contract.name, scope: where });
  }
  if (scope.is === "conversation") return outputs;
  for (const { anomaly } of evaluation.anomalies) outputs.push({ type: "count", of: "anomaly", anomaly });
  const takesPart = (contract: Contract): boolean => evaluation.contracts.has(contract);
  outputs.push(...countMatches(loaded.matches, scope.events, takesPart, state.now));
  return outputs;
}

function publishRunCloses(runs: readonly Run[], assembly: Assembly): Output[] {
  const outputs: Output[] = [];
  for (const run of runs) {
    if (run.closed === null || run.closePublished) continue;
    run.closePublished = true;
    outputs.push({ type: "run_closed", run: run.traceId, reason: run.closed.reason });
    for (const flaw of assembly.runs.get(run.traceId)?.flaws ?? []) {
      outputs.push({ type: "count", of: "flaw", flaw });
    }
  }
  return outputs;
}

/** Calls, each once: when nothing earlier than the call's finish is expected any more. */
function countCalls(state: State, scope: JudgedScope, loaded: Loaded): Output[] {
  const runs = new Map(scope.runs.map((run) => [run.traceId, run]));
  const wait = loaded.settings.decisionWait;
  const complete = ({ arrivedAt, endArrivedAt, run }: Event): boolean =>
    runs.get(run)?.closed != null || waited(endArrivedAt ?? arrivedAt, state.now, state.deaf) >= wait;
  const outputs: Output[] = [];
  for (const event of scope.events) {
    const run = runs.get(event.run);
    if (run === undefined || run.counted.has(anchorOf(event))) continue;
    if (isRejection(event) && complete(event)) {
      run.counted.add(anchorOf(event));
      outputs.push(countRejection(event));
    }
    if (!countable(event, complete(event), run.closed !== null)) continue;
    run.counted.add(anchorOf(event));
    outputs.push(...countCall(event));
  }
  return outputs;
}
