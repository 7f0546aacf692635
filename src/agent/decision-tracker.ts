import type { SpanRole } from "./roles.ts";
import type { Frame } from "./scope.ts";

/**
 * Numbers decisions where the program does not do it itself (`decision()`): a model turn that ends is a decision,
 * and the tool calls that start after it, in the same agent, are what it decided.
 *
 * Only where that is certain. Two model turns of one agent that overlap, a tool that starts while a model still
 * speaks, work below a tool that names no agent of its own, a remote parent: no number, rather than a wrong one,
 * since numbers are evidence of order.
 */
export interface Place {
  readonly parent: Place | null;
  /** The spans among which decisions are numbered together; null: nobody can tell. */
  readonly group: Group | null;
  readonly role: SpanRole | null;
  readonly insideModel: boolean;
  /** Seen as a model turn when it started. */
  readonly counted: boolean;
  readonly startedAt: Instant;
  /** Number of the decision that this span, if it is a tool call, belongs to. */
  readonly decidedAs: number | null;
  readonly frame: Frame | null;
  /** Direct children begun in this process. */
  children: number;
}

/** A start or an end, by the order in which this process saw them and by the span's own stamp. */
export interface Instant {
  /** Rises with every start and end. */
  readonly tick: number;
  /** Milliseconds. A start is floored to whole ones by the SDK, an end is not. */
  readonly stamp: number;
}

/** One agent at work. */
export interface Group {
  readonly counter: { value: number };
  current: number | null;
  openModels: number;
  lastModelEnd: Instant | null;
  muddled: boolean;
}

export interface Started {
  readonly parent: Place | null;
  /** Its parent is in another process, or is not known here any more. */
  readonly detached: boolean;
  readonly role: SpanRole | null;
  readonly startedAt: Instant;
  readonly frame: Frame | null;
  /** What counts decisions outside of any run: one a trace. */
  readonly traceCounter: { value: number };
}

export function place(started: Started): Place {
  const { parent, role, frame, startedAt } = started;
  const group = groupOf(started);
  const insideModel = parent !== null && (parent.insideModel || parent.role === "model");
  const counted = role === "model" && group !== null && !insideModel;
  let decidedAs: number | null = null;
  if (group !== null) {
    if (counted) {
      group.openModels += 1;
      if (group.openModels > 1) group.muddled = true;
    }
    if (group.openModels === 0 && !group.muddled) decidedAs = group.current;
  }
  return { parent, group, role, insideModel, counted, startedAt, decidedAs, frame, children: 0 };
}

function groupOf({ parent, detached, role, traceCounter, frame }: Started): Group | null {
  const own = (): Group => ({
    counter: counterOf(frame) ?? traceCounter,
    current: null,
    openModels: 0,
    lastModelEnd: null,
    muddled: false,
  });
  if (role === "agent") return own();
  if (parent === null) return detached ? null : own();
  return parent.role === "tool" ? null : parent.group;
}

function counterOf(frame: Frame | null): { value: number } | null {
  const state = frame?.run;
  if (state == null) return null;
  return {
    get value() {
      return state.decisions;
    },
    set value(next: number) {
      state.decisions = next;
    },
  };
}

/**
 * The number that a span gets when it ends: a model turn its own, a tool call that of its decision. `role`: as its
 * attributes say now, since some frameworks say it only at the end.
 */
export function numberAtEnd(at: Place, role: SpanRole | null, endedAt: Instant): number | null {
  const { group } = at;
  if (group === null || at.frame?.identity.decision != null || at.frame?.run?.explicit === true) {
    leave(at);
    return null;
  }
  leave(at);
  if (role === "tool") return at.decidedAs;
  if (role !== "model" || at.insideModel) return null;
  if (overlap(at.startedAt, group.lastModelEnd)) group.muddled = true;
  group.lastModelEnd = endedAt;
  if (group.muddled) return null;
  group.counter.value += 1;
  group.current = group.counter.value;
  return group.current;
}

/**
 * Whether a span began before another had ended. The stamps speak for spans that are written down when all is over;
 * less than their width proves nothing.
 */
function overlap(start: Instant, end: Instant | null): boolean {
  return end !== null && (start.tick < end.tick || start.stamp + 1 < end.stamp);
}

function leave({ counted, group }: Place): void {
  if (counted && group !== null) group.openModels -= 1;
}
