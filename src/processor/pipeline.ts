/**
 * The whole core as one function: `step(state, entry)`. It has no clock and does no I/O; the same entries
 * give the same outputs, so the service drives it from a queue, `check` and `test` from files, and a replay
 * from the journal, and all agree.
 */
import type { CloseReason } from "../model/completeness.ts";
import type { Entry } from "../model/entry.ts";
import type { Event } from "../model/event.ts";
import type { OrderAnomaly } from "../model/order.ts";
import type { Output, StaleResultOutput } from "../model/output.ts";
import type { UnixNano } from "../model/time.ts";
import type { RuleVerdict } from "../model/verdict.ts";
import type { Contract, Rule, RuleSet } from "../rules/rule.ts";

/** Opaque to everyone but `step`; mutated by it. */
export interface State {
  readonly opaque: unique symbol;
}

/** Live numbers for gauges. */
export interface Gauges {
  readonly runsOpen: number;
  readonly runsClosed: number;
  readonly tombstones: number;
  readonly events: number;
  readonly stateBytes: number;
}

export interface JudgedRule {
  readonly contract: Contract;
  readonly rule: Rule;
  readonly scope: "run" | "conversation";
  readonly scopeKey: string;
  readonly result: RuleVerdict;
}

/** One run as it stands, with every verdict and its near misses; a verdict of a wider scope stands under one run only. */
export interface JudgedRun {
  readonly run: string;
  readonly conversation: string | null;
  readonly closedBy: CloseReason | null;
  readonly events: readonly Event[];
  readonly verdicts: readonly JudgedRule[];
  readonly detections: readonly StaleResultOutput[];
  readonly anomalies: readonly OrderAnomaly[];
}

export declare function createState(): State;

/** Applies one entry. The first entry must be `contracts`. Throws only on a broken invariant. */
export declare function step(state: State, entry: Entry): readonly Output[];

/** When the next tick is due, on the clock of `at`; null when nothing waits. */
export declare function nextDue(state: State): UnixNano | null;

export declare function gauges(state: State): Gauges;
export declare function ruleSet(state: State): RuleSet | null;

/** Every run that is still in memory, judged as it stands, earliest start first. Costs a full evaluation. */
export declare function report(state: State): readonly JudgedRun[];
