import type { CloseReason } from "../model/completeness.ts";
import type { Event } from "../model/event.ts";
import type { OrderAnomaly } from "../model/order.ts";
import type { DetectionOutput } from "../model/output.ts";
import type { RuleVerdict } from "../model/verdict.ts";
import type { Contract, Rule, Scope } from "../rules/rule.ts";
import { detect, standing } from "./detections.ts";
import { viewGroup } from "./group-view.ts";
import { evaluateScope, groupScopes } from "./look.ts";
import { judgeKey } from "./look-wide.ts";
import { type OpenEffect, openEffects } from "./open-effects.ts";
import { joinedRuns, type Run } from "./run/run-table.ts";
import type { JudgedScope } from "./scopes.ts";
import type { Loaded, State } from "./state.ts";

export interface JudgedRule {
  readonly contract: Contract;
  readonly rule: Rule;
  readonly scope: Scope["is"];
  readonly scopeKey: string;
  readonly result: RuleVerdict;
}

/** One run as it stands, with every verdict and its near misses; a verdict of a wider scope stands under one run only. */
export interface JudgedRun {
  readonly run: string;
  readonly conversation: string | null;
  readonly closedBy: CloseReason | null;
  /** In order of start. */
  readonly events: readonly Event[];
  readonly verdicts: readonly JudgedRule[];
  readonly detections: readonly DetectionOutput[];
  readonly anomalies: readonly OrderAnomaly[];
  /** What an effect ledger knows no end of, the oldest first. */
  readonly effectsOpen: readonly OpenEffect[];
}

/** Every run that is still in memory, judged as it stands, earliest start first. Costs a full evaluation. */
export function report(state: State): readonly JudgedRun[] {
  const { loaded } = state;
  if (loaded === null) return [];
  const done = new Set<string>();
  const judged: JudgedRun[] = [];
  for (const run of state.table.runs.values()) {
    if (done.has(run.traceId)) continue;
    const group = joinedRuns(state.table, run);
    for (const member of group) done.add(member.traceId);
    judged.push(...judgeGroup(state, group, loaded));
  }
  addWide(state, loaded, judged);
  return judged.sort((a, b) => compareStarts(a.events[0], b.events[0]) || (a.run < b.run ? -1 : 1));
}

function judgeGroup(state: State, group: readonly Run[], loaded: Loaded): JudgedRun[] {
  const view = viewGroup(state.views, group, loaded);
  const { assembly, orders } = view;
  const rows = new Map<string, Row>();
  for (const run of group) rows.set(run.traceId, { verdicts: [], detections: [], anomalies: [] });
  const position = new Map(assembly.events.map((event, index) => [event.id, index]));
  const { scopes, found } = detect(state, groupScopes(state, group, view, loaded), loaded, orders, true);
  for (const scope of scopes) {
    const evaluation = evaluateScope(state, scope, loaded, {
      only: "all",
      nearMisses: true,
      orders,
      look: () => undefined,
    });
    for (const { indexed, result } of evaluation.rules) {
      rows.get(homeOf(scope, result, position))?.verdicts.push({
        contract: indexed.contract,
        rule: indexed.rule,
        scope: scope.is,
        scopeKey: scope.key,
        result,
      });
    }
    const evaluated = new Set(evaluation.rules.map(({ indexed }) => indexed.rule));
    const vacuous = vacuousIn(scope);
    for (const contract of evaluation.contracts.keys()) {
      for (const rule of contract.rules) {
        if (evaluated.has(rule) || rule.scope.is !== scope.is) continue;
        rows.get(homeOf(scope, vacuous, position))?.verdicts.push({
          contract,
          rule,
          scope: scope.is,
          scopeKey: scope.key,
          result: vacuous,
        });
      }
    }
    if (scope.is === "run") rows.get(scope.events[0]?.run ?? "")?.anomalies.push(...evaluation.anomalies);
    const conversation = found.get(scope);
    if (conversation === undefined) continue;
    for (const detection of standing(conversation, loaded, state.now)) {
      rows.get(detection.run)?.detections.push(detection);
    }
  }
  const open = loaded.set.ledgers.length > 0 ? openEffects(assembly.events) : [];
  return group.map((run) => ({
    run: run.traceId,
    conversation: assembly.runs.get(run.traceId)?.conversation ?? null,
    closedBy: run.closed?.reason ?? null,
    events: assembly.events.filter((event) => event.run === run.traceId),
    effectsOpen: open.filter((effect) => effect.run === run.traceId),
    ...(rows.get(run.traceId) ?? { verdicts: [], detections: [], anomalies: [] }),
  }));
}

/** Wide scopes: each key's verdict under the run of its first anchor, else of its earliest event. */
function addWide(state: State, loaded: Loaded, judged: readonly JudgedRun[]): void {
  const rows = new Map(judged.map((run) => [run.run, run.verdicts as JudgedRule[]]));
  for (const indexed of loaded.wide) {
    for (const key of state.wide.byRule.get(indexed)?.records.keys() ?? []) {
      const found = judgeKey(state, indexed, key, loaded, true, () => undefined);
      if (found === null) continue;
      const { scope, evaluated } = found;
      const events = [...scope.events].sort((a, b) => compareStarts(a, b) || (a.id < b.id ? -1 : 1));
      const position = new Map(events.map((event, index) => [event.id, index]));
      rows.get(homeOf({ ...scope, events }, evaluated.result, position))?.push({
        contract: indexed.contract,
        rule: indexed.rule,
        scope: scope.is,
        scopeKey: scope.key,
        result: evaluated.result,
      });
    }
  }
}

interface Row {
  readonly verdicts: JudgedRule[];
  readonly detections: DetectionOutput[];
  readonly anomalies: OrderAnomaly[];
}

/** Of a rule that nothing in the scope is about: while the scope is open, something may still come. */
function vacuousIn(scope: JudgedScope): RuleVerdict {
  return { verdict: "vacuous", final: scope.closed !== null, code: null, instances: [] };
}

/** The run of the first anchor in time; without an anchor, the scope's earliest run. */
function homeOf(scope: JudgedScope, result: RuleVerdict, position: ReadonlyMap<string, number>): string {
  const byId = new Map(scope.events.map((event) => [event.id, event]));
  let first: Event | undefined;
  for (const { anchor } of result.instances) {
    const event = anchor === null ? undefined : byId.get(anchor);
    if (event === undefined) continue;
    if (first === undefined || (position.get(event.id) ?? 0) < (position.get(first.id) ?? 0)) first = event;
  }
  return (first ?? scope.events[0])?.run ?? scope.key;
}

function compareStarts(a: Event | undefined, b: Event | undefined): number {
  const [x, y] = [startOf(a), startOf(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function startOf(event: Event | undefined): bigint {
  if (event === undefined || typeof event.start === "string") return 0n;
  return "at" in event.start ? event.start.at : event.start.earliest;
}
