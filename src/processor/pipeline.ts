/**
 * The whole core as one function: `step(state, entry)`. It has no clock and does no I/O; the same entries
 * give the same outputs, so the service drives it from a queue, `check` and `test` from files, and a replay
 * from the journal, and all agree.
 *
 * An entry marks the runs it touched. At its end, rules that can be final at once are judged for those runs;
 * everything else is judged when a deadline says that waiting has changed something, or at the close.
 */
import type { ContractsEntry, Entry, FactsEntry } from "../model/entry.ts";
import type { Output } from "../model/output.ts";
import { type DurationNano, durationNano, since, toSeconds, type UnixNano } from "../model/time.ts";
import { compileCommutes } from "../rules/commuting.ts";
import { loadContracts } from "../rules/load.ts";
import type { RuleSet } from "../rules/rule.ts";
import { detectedFields } from "../rules/words.ts";
import { expire, nextExpiry } from "./alert.ts";
import { forgetDue, makeRoom } from "./forget.ts";
import { largeGroup, lookAtGroup, lookAtOnce, lookLater, sizeOf } from "./look.ts";
import { forgetWide, lookAtWideDeadline } from "./look-wide.ts";
import { forgetEffects, listEffects, type OpenEffect } from "./open-effects.ts";
import { compileParticipation } from "./participation.ts";
import { indexRules } from "./rule-index.ts";
import { createMatchCounter } from "./rule-matches.ts";
import { rootEnded } from "./run/closing.ts";
import { nextDeadline, pushDeadline, takeDue } from "./run/deadline-queue.ts";
import { addFact, closeRun, joinedRuns, type Run, reopenRun, touchRun } from "./run/run-table.ts";
import { isBuried } from "./run/tombstones.ts";
import { addDeaf, dueAfter } from "./run/waits.ts";
import type { Loaded, State } from "./state.ts";
import { nextForgotten } from "./wide.ts";

/** Applies one entry. The first entry must be `contracts`. Throws only on a broken invariant. */
export function step(state: State, entry: Entry): readonly Output[] {
  if (entry.at > state.now) state.now = entry.at;
  if (entry.type === "contracts") return loadRules(state, entry);
  const { loaded } = state;
  if (loaded === null) throw new Error("the first entry must be the contracts");
  const outputs: Output[] = [];
  switch (entry.type) {
    case "facts":
      outputs.push(...takeFacts(state, entry, loaded));
      break;
    case "deaf":
      state.deaf = addDeaf(
        state.deaf,
        { from: entry.from, until: entry.at },
        (state.now - loaded.settings.maxAge) as UnixNano,
      );
      break;
    case "watermark":
      state.watermark = entry.complete;
      for (const run of state.table.runs.values()) pushDeadline(state.deadlines, run.traceId, state.now);
      break;
    case "input_end":
      state.inputEnded = true;
      for (const run of state.table.runs.values()) {
        if (run.closed === null) closeRun(state.table, run, "input_end", state.now);
        pushDeadline(state.deadlines, run.traceId, state.now);
      }
      break;
    case "tick":
      break;
  }
  outputs.push(...lookAtDue(state, loaded, entry.type === "input_end" || entry.type === "watermark"));
  outputs.push(...forgetWide(state, loaded));
  forgetEffects(state.effects, state.now);
  outputs.push(...expire(state.alerts, state.now, loaded.settings.alertHold));
  return outputs;
}

/** When the next tick is due, on the clock of `at`; null when nothing waits. */
export function nextDue(state: State): UnixNano | null {
  const { loaded } = state;
  const times = [nextDeadline(state.deadlines)];
  if (loaded !== null) {
    times.push(nextExpiry(state.alerts, loaded.settings.alertHold));
    times.push(nextForgotten(state.wide, loaded.settings.keyTtl));
  }
  return times.reduce((a, b) => (a === null || (b !== null && b < a) ? b : a));
}

/** Live numbers for gauges. */
export interface Gauges {
  readonly runsOpen: number;
  readonly runsClosed: number;
  readonly tombstones: number;
  /** Span facts in memory. */
  readonly facts: number;
  readonly stateBytes: number;
}

export function gauges({ table, tombstones }: State): Gauges {
  return {
    runsOpen: table.open,
    runsClosed: table.runs.size - table.open,
    tombstones: tombstones.buried.size,
    facts: table.facts,
    stateBytes: table.bytes,
  };
}

/** Effects whose end nobody knows, the oldest of each run first. */
export function effectsOpen(state: State): readonly OpenEffect[] {
  return listEffects(state.effects, state.now);
}

export function ruleSet(state: State): RuleSet | null {
  return state.loaded?.set ?? null;
}

/** Contracts are checked before they are journaled, so a set that does not load here is a broken invariant. */
function loadRules(state: State, { sources, settings }: ContractsEntry): Output[] {
  const { set, problems } = loadContracts(sources, settings.language);
  if (set === null) {
    const [first] = problems.filter(({ level }) => level === "error");
    throw new Error(`contracts that were journaled do not load: ${first?.message ?? "no reason given"}`);
  }
  const index = indexRules(set.contracts);
  const own = set.contracts.flatMap(({ rules }) => rules.map((rule) => rule.decisionWait));
  const waits = new Set<DurationNano>([settings.decisionWait]);
  for (const wait of own) if (wait !== null) waits.add(wait);
  // What was made of facts was made with the tools of the set before.
  state.views.kept.clear();
  state.loaded = {
    set,
    settings,
    index,
    wide: index.wide,
    matches: createMatchCounter(set.contracts),
    participation: new Map(set.contracts.map((contract) => [contract, compileParticipation(contract)])),
    joinedAt: settings.joinsLate ? (state.loaded?.joinedAt ?? state.now) : null,
    waits: [...waits],
    longestWait: [...waits].reduce((a, b) => (a > b ? a : b), durationNano(0n)),
    anyCounted: index.all.some(({ sender }) => sender !== null),
    anyAtOnce: [...index.byName.values(), ...index.byKind.values(), index.always, index.wide].some((rules) =>
      rules.some(({ atOnce }) => atOnce),
    ),
    commutes: compileCommutes(set.commutes),
    detected: new Set(
      [...index.all, ...index.wide].flatMap(({ reads }) =>
        [...reads].filter((root) => detectedFields.has(root)),
      ),
    ),
  };
  return [];
}

function takeFacts(state: State, { facts, at }: FactsEntry, loaded: Loaded): Output[] {
  const outputs: Output[] = [];
  const touched = new Set<Run>();
  for (const fact of facts) {
    if (isBuried(state.tombstones, fact.traceId, state.now)) {
      outputs.push({ type: "count", of: "late", disposition: "forgotten" });
      continue;
    }
    const run = touchRun(state.table, fact.traceId, state.now);
    const added = addFact(state.table, run, fact, at);
    if (added === "identical" || added === "conflicting") {
      outputs.push({ type: "count", of: "duplicate", disposition: added });
      if (added === "identical") continue;
    } else if (fact.startSignal !== true) {
      for (const flaw of fact.flaws) outputs.push({ type: "count", of: "flaw", flaw });
      if (fact.kind !== null && fact.end !== null) {
        outputs.push({ type: "duration", of: "span_lag", seconds: toSeconds(since(at, fact.end)) });
      }
    }
    if (run.closed !== null) outputs.push(...reopen(state, run));
    touched.add(run);
  }
  outputs.push(...makeRoom(state, loaded, touched));
  outputs.push(...lookAtTouched(state, loaded, touched));
  return outputs;
}

/**
 * After `root_ended` a late span is judged as closed, unless with it the root has not ended after all; after
 * any other close the run is open again. Whether a run stays closed must not hang on what came first.
 */
function reopen(state: State, run: Run): Output[] {
  const reason = run.closed?.reason;
  const stays = reason === "input_end" || (reason === "root_ended" && rootEnded(run));
  if (!stays) reopenRun(state.table, run);
  return [{ type: "count", of: "late", disposition: "reopened" }];
}

function lookAtTouched(state: State, loaded: Loaded, touched: ReadonlySet<Run>): Output[] {
  const outputs: Output[] = [];
  const done = new Set<Run>();
  for (const run of touched) {
    if (done.has(run)) continue;
    const group = joinedRuns(state.table, run);
    for (const member of group) done.add(member);
    const look = lookLater(state, group);
    for (const wait of loaded.waits) look(dueAfter(state.now, wait, state.deaf));
    const revisable = group.some((member) => member.closed !== null || member.published.size > 0);
    const numbered = loaded.anyCounted && group.some((member) => member.numbered);
    if (!loaded.anyAtOnce && !revisable && !numbered) continue;
    if (sizeOf(group) > largeGroup) look(state.now);
    else if (revisable || numbered) outputs.push(...lookAtGroup(state, group, loaded));
    else outputs.push(...lookAtOnce(state, group, loaded));
  }
  return outputs;
}

/**
 * Looks at the groups whose time has come, up to about `factsAStep` facts: a moment at which very many runs
 * are due must not stop the loop that serves sockets. What is left stays due, and the next tick takes it.
 */
const factsAStep = 2_000;

function lookAtDue(state: State, loaded: Loaded, all: boolean): Output[] {
  const outputs: Output[] = [];
  let left = all ? Number.POSITIVE_INFINITY : factsAStep;
  while (left > 0) {
    const key = takeDue(state.deadlines, state.now);
    if (key === null) break;
    const wide = lookAtWideDeadline(state, key, loaded);
    if (wide !== null) {
      outputs.push(...wide);
      left -= 1;
      continue;
    }
    const run = state.table.runs.get(key);
    if (run === undefined) continue;
    const group = joinedRuns(state.table, run);
    left -= sizeOf(group);
    outputs.push(...lookAtGroup(state, group, loaded));
    forgetDue(state, loaded, group);
  }
  return outputs;
}
