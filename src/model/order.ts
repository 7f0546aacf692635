import type { Event } from "./event.ts";
import type { DurationNano, UnixNano } from "./time.ts";
import type { Code } from "./verdict.ts";

/** Strong Kleene logic: what is not known stays unknown, and only what decides the result decides it. */
export type Truth = "true" | "false" | "unknown";

export type Boundary = "started_at" | "finished_at";

/** A moment in the life of one event. */
export interface Point {
  readonly event: Event;
  readonly boundary: Boundary;
}

/** What an answer about order rests on, strongest first (docs/semantics.md 10). */
export type OrderEvidence =
  | "causal_parent"
  | "link"
  | "parent_span"
  | "decision_sequence"
  | "clock"
  | "assumed_clock"
  | "inferred_offset"
  | "skew_bound"
  | "tie_rule"
  | "never_finished"
  | "none";

export interface Relation {
  readonly truth: Truth;
  readonly evidence: OrderEvidence;
  /** Why it is not known; absent when it is. */
  readonly code?: Extract<
    Code,
    | "order_unknown"
    | "unenforced_order"
    | "causal_cycle"
    | "clock_contradiction"
    | "invalid_interval"
    | "time_out_of_range"
    | "overlap"
  >;
}

/**
 * How a tie of two stamps reads: where the order is required a tie helps (`tie: before`), where it is
 * forbidden, and between blockers, it never proves anything.
 */
export type OrderUse = "required" | "forbidden" | "blocker";

/** The clock policy of the deployment, or of one rule. Source: `clock:` in the configuration or in a rule. */
export interface ClockPolicy {
  /** Most by which the clocks of two hosts may differ; null: two hosts' clocks prove nothing. */
  readonly skew: DurationNano | null;
  readonly tie: "before" | "unknown";
  /** Width of a stamp; null: taken from the event's own start (docs/semantics.md 10.2). */
  readonly resolution: DurationNano | null;
  readonly inferOffset: boolean;
  /** `causal`: only edges count, clocks are ignored. */
  readonly evidence: "any" | "causal";
  /** Whether equal resources without host or process identity may share a clock domain. */
  readonly assumeClock: boolean;
}

/** What kernels ask about the order of a scope's events. `processor/order` answers. */
export interface Order {
  /**
   * Set where clocks are ignored. An event that comes later without an edge is then of unknown order, however
   * complete the past is by the clock, so nothing is final before its scope closes.
   */
  readonly causalOnly?: boolean;
  /** Set where an edge refuted some clock: then stamps of one clock need not tell how far two events are apart. */
  readonly refuted?: boolean;
  /** The one event of the scope that this text means where an event names another: its id, a span or a call of it. */
  named?(text: string, from: Event): Event | null;
  before(p: Point, q: Point, use: OrderUse): Relation;
  /**
   * Nanoseconds from p to q as the interval that stamps, skew and unknown widths leave open; null when no
   * clock can tell. Used by `within`.
   */
  distance(p: Point, q: Point): { readonly least: DurationNano; readonly most: DurationNano } | null;
  /** The point as an interval on its own clock, for `valid_until`; null when unknown or never. */
  stamp(p: Point): { readonly earliest: UnixNano; readonly latest: UnixNano } | null;
}

/** What refuted or contradicted the evidence of a scope, found while order was computed. */
export interface OrderAnomaly {
  readonly anomaly: "clock_contradiction" | "causal_cycle";
  readonly events: readonly string[];
}
