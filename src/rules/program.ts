import type { Boundary } from "../model/order.ts";
import type { DurationNano } from "../model/time.ts";
import type { Code } from "../model/verdict.ts";
import type { Commutes } from "./commuting.ts";
import type { Bind, Comparison, Operand, Path, Pattern } from "./pattern.ts";

/**
 * What every rule compiles to (docs/semantics.md 4, 5, 6): three kernels, a fold over several of them, and
 * what limits when and where they speak: a guard and a stretch. Sugar makes these and has no judging code of
 * its own.
 */
export type Program = Link | Count | Machine | Fold | Guard | Stretch;

export interface Link {
  readonly kernel: "link";
  readonly anchor: Pattern;
  readonly anchorBoundary: Boundary;
  readonly witness: Pattern;
  readonly witnessBoundary: Boundary;
  /** `apart`: anchor and witness are the same pattern; every two events of one key must not overlap. */
  readonly need: "past" | "future" | "any" | "apart";
  readonly quant: "some" | "none";
  readonly atLeast: number;
  readonly bind: readonly Bind[];
  readonly where: readonly Comparison[];
  /** Most nanoseconds between the two boundary points, inclusive. */
  readonly within: DurationNano | null;
  /** Least nanoseconds between them, inclusive. */
  readonly noSooner?: DurationNano | null;
  /** Order that the pair must have besides: that one was still running, or ended inside the other. */
  readonly also?: readonly OrderCondition[];
  /** Every element of a list that the anchor names needs a witness of its own; an anchor that names none is not judged. */
  readonly each?: Each;
  /** `apart` only: so many may be open at a time; 1 if it is not there. */
  readonly limit?: number;
  /** `apart` only: pairs that may overlap, since their order decides nothing. */
  readonly commutes?: readonly Commutes[];
  readonly validUntil: { readonly operand: Operand; readonly unit: "s" | "ms" | "ns" | null } | null;
  readonly unlessBetween: readonly Blocker[];
  /** Overrides the code that follows from the shape of the link. */
  readonly code: Code | null;
}

export interface Each {
  /** The anchor's list. */
  readonly anchor: Path;
  /** Paths of a witness, any of which may be the element; `reference`: the one event that the element means. */
  readonly witness: readonly Path[] | "reference";
}

export interface OrderCondition {
  readonly first: { readonly of: "a" | "w"; readonly boundary: Boundary };
  readonly second: { readonly of: "a" | "w"; readonly boundary: Boundary };
  /** False: the first surely does not come before the second. */
  readonly holds: boolean;
}

export interface Blocker {
  readonly match: Pattern;
  readonly where: readonly Comparison[];
  /** Whether the link's `bind` must hold between anchor and blocker too (blockers made by sugar). */
  readonly bound: boolean;
  /** `blocked` when the blocker is of the anchor's own kind (a spent approval), else `invalidated`. */
  readonly code: "blocked" | "invalidated";
  /**
   * What excuses something that is forbidden must surely lie between: begun after the earlier point, over before the
   * later one. A lookup that runs while a call is tried again told it nothing.
   */
  readonly inside?: true;
}

export interface Count {
  readonly kernel: "count";
  readonly of: Pattern;
  readonly min: number | null;
  readonly max: number | null;
  /** Count distinct tuples of these paths instead of events; empty: events. */
  readonly distinct: readonly Path[];
  readonly bind: readonly Path[];
  readonly window: DurationNano | null;
  readonly code: Code | null;
  /** A metric: without bounds, so never broken; what it counts, or how long it waited, becomes a series of the rule. */
  readonly measures?: "count" | "wait";
}

export interface Machine {
  readonly kernel: "machine";
  readonly bind: readonly Path[];
  readonly initial: string;
  readonly transitions: readonly Transition[];
  readonly unlisted: "ignore" | "violate";
  readonly onIllegal: "violate" | "stay";
  /** Null: any state may be the last one. */
  readonly final: ReadonlySet<string> | null;
  readonly maxTime: ReadonlyMap<string, DurationNano>;
  /** How long a state must last before a step leaves it. */
  readonly minTime?: ReadonlyMap<string, DurationNano>;
  /** Code of an illegal step and of a wrong last state where sugar says it better (`sequence_differs`). */
  readonly code: Code | null;
  /** `sequence`: judged even when no step happened. */
  readonly judgedWithoutStep: boolean;
}

export interface Transition {
  readonly from: string;
  readonly on: Pattern;
  readonly to: string;
  readonly when: readonly Comparison[];
  readonly needs: readonly Path[];
  readonly gives: readonly Path[];
  readonly owner: Pattern | null;
  readonly set: ReadonlyMap<string, Operand>;
}

/** All parts must hold. Parts with the same anchor fold per anchor (docs/semantics.md 8). */
export interface Fold {
  readonly kernel: "fold";
  readonly parts: readonly Program[];
}

/** The rule speaks only where an event of the scope matches. */
export interface Guard {
  readonly kernel: "guard";
  readonly if: Pattern;
  readonly then: Program;
}

/**
 * The rule speaks only of a part of its scope (`scope: {after: P}`, `{before: Q}`, `{between: [P, Q]}`): of anchors,
 * counted events and steps that start after a P certainly finished, and finish before a Q starts. Witnesses and
 * blockers may lie outside.
 */
export interface Stretch {
  readonly kernel: "stretch";
  readonly after: Pattern | null;
  readonly before: Pattern | null;
  /** What the event and the one that opens or ends the stretch must share. */
  readonly bind: readonly Bind[];
  readonly then: Program;
}

/** Every link of a program, wherever it stands. */
export function linksOf(program: Program): readonly Link[] {
  switch (program.kernel) {
    case "link":
      return [program];
    case "fold":
      return program.parts.flatMap(linksOf);
    case "guard":
    case "stretch":
      return linksOf(program.then);
    default:
      return [];
  }
}
