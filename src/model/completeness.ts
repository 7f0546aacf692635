import type { Point } from "./order.ts";
import type { UnixNano } from "./time.ts";

/** Why nothing earlier than a point is expected any more (docs/semantics.md 7); named in the record. */
export type CompletenessSource =
  | "wait"
  | "sequence"
  | "children"
  | "root_ended"
  | "idle"
  | "max_age"
  | "input_end"
  | "watermark"
  | "conversation_idle"
  | "evicted";

/** How a scope ended. */
export type CloseReason = "root_ended" | "idle" | "max_age" | "input_end" | "conversation_idle" | "evicted";

/**
 * What kernels ask about how much of the past is here. `processor/run/completeness` answers, for one rule
 * (its own `decision_wait`) and one scope.
 */
export interface Completeness {
  /** How the scope closed; null while it is open. */
  readonly closed: CloseReason | null;
  /** True when spans are known to be missing: evicted, late beyond judgement, or a beginning that was not seen. */
  readonly gap: boolean;
  /**
   * The source by which nothing earlier than the point can still arrive, or null. It also holds what the
   * rule reads of the point's event: a field that may still change makes the answer null.
   */
  complete(point: Point): CompletenessSource | null;
  /** Whether event time has certainly passed this instant: `now >= at + decision_wait`, or the scope closed. */
  passed(at: UnixNano): boolean;
}
