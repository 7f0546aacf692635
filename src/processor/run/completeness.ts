import type { CloseReason, Completeness, CompletenessSource } from "../../model/completeness.ts";
import type { Event, Moment } from "../../model/event.ts";
import type { Point } from "../../model/order.ts";
import type { DurationNano, UnixNano } from "../../model/time.ts";
import { type DeafInterval, dueAfter, waited } from "./waits.ts";

/**
 * What may still arrive, for one rule in one scope (docs/semantics.md 7).
 *
 * `look` hears of every time at which an answer given as "not yet" will change by waiting alone, so that the
 * scope is judged again exactly then: no rule has timers of its own.
 */
export interface CompletenessInput {
  readonly now: UnixNano;
  readonly deaf: readonly DeafInterval[];
  readonly wait: DurationNano;
  /** False where a call that has begun and not ended could still decide: then waiting is not knowledge. */
  readonly waitSuffices: boolean;
  /** By what numbers of its sender everything before the end of the event is here; null where none say so. */
  readonly counted: (event: Event) => "sequence" | "children" | null;
  readonly closed: CloseReason | null;
  /** How all known runs of a wider scope have closed, while the scope itself is still open. */
  readonly runsClosed: CloseReason | null;
  readonly gap: boolean;
  /** `toolorder test`: everything before this event time is here. */
  readonly watermark: UnixNano | null;
  readonly skew: DurationNano;
  /** Roots of the paths that the rule reads of an event. */
  readonly reads: (event: Event) => ReadonlySet<string>;
  readonly look: (at: UnixNano) => void;
}

export function createCompleteness(input: CompletenessInput): Completeness {
  const { now, deaf, wait, closed, runsClosed, watermark } = input;

  function complete({ event, boundary }: Point): CompletenessSource | null {
    if (closed !== null) return closed;
    if (event.unsettled.size > 0 && !event.unsettled.isDisjointFrom(input.reads(event))) return null;
    if (watermark !== null) {
      const latest = latestOf(boundary === "started_at" ? event.start : event.end);
      return latest !== null && latest + input.skew < watermark ? "watermark" : null;
    }
    if (runsClosed !== null) return runsClosed;
    const counted = input.counted(event);
    if (counted !== null) return counted;
    if (!input.waitSuffices) return null;
    const arrivedAt = boundary === "started_at" ? event.arrivedAt : (event.endArrivedAt ?? event.arrivedAt);
    if (waited(arrivedAt, now, deaf) >= wait) return "wait";
    input.look(dueAfter(arrivedAt, wait, deaf));
    return null;
  }

  function passed(at: UnixNano): boolean {
    if (closed !== null) return true;
    if (watermark !== null) return at + input.skew < watermark;
    if (waited(at, now, deaf) >= wait && now >= at) return true;
    input.look(dueAfter(at, wait, deaf));
    return false;
  }

  return { closed, gap: input.gap, complete, passed };
}

function latestOf(moment: Moment): UnixNano | null {
  if (typeof moment === "string") return null;
  return "at" in moment ? moment.at : moment.latest;
}
