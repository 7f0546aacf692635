import type { CloseReason } from "../../model/completeness.ts";
import type { SpanFact } from "../../model/span-fact.ts";
import type { DurationNano, UnixNano } from "../../model/time.ts";
import type { Run } from "./run-table.ts";
import { type DeafInterval, dueAfter, waited } from "./waits.ts";

/**
 * When runs end (docs/semantics.md 7, "A run closes"). All times are arrival times and ticks, so that a
 * replay closes the same runs.
 */
export interface ClosingPolicy {
  /** The longest `decision_wait` in force: no rule's own wait is cut short. */
  readonly decisionWait: DurationNano;
  readonly idleTimeout: DurationNano;
  readonly maxAge: DurationNano;
}

export type Closing =
  | { readonly close: CloseReason }
  /** Not yet; nothing but waiting changes that before `look`. */
  | { readonly look: UnixNano };

export function closing(
  run: Run,
  now: UnixNano,
  policy: ClosingPolicy,
  deaf: readonly DeafInterval[],
): Closing {
  const silent = waited(run.lastArrival, now, deaf);
  if (silent >= policy.decisionWait && rootEnded(run)) return { close: "root_ended" };
  if (silent >= policy.idleTimeout) return { close: "idle" };
  if (now - run.firstArrival >= policy.maxAge) return { close: "max_age" };
  const wait = silent < policy.decisionWait ? policy.decisionWait : policy.idleTimeout;
  const quiet = dueAfter(run.lastArrival, wait, deaf);
  const old = (run.firstArrival + policy.maxAge) as UnixNano;
  return { look: quiet < old ? quiet : old };
}

/**
 * Whether the local root has ended and no call is known to be open.
 *
 * The local root is the span without a parent, else the earliest one whose parent is in another process. A
 * span whose parent has merely not come yet is no root: children are delivered before their parents, so
 * taking the first tool span for the root would end a run while its model still thinks. Log records have no root at
 * all: a session of them ends by its silence (docs/decisions/12-log-records.md).
 */
export function rootEnded(run: Run): boolean {
  let root: SpanFact | null = null;
  let remote: SpanFact | null = null;
  for (const { fact } of run.facts.values()) {
    // What a log record says was decided is not yet a call; and a record is no root, however it stands alone.
    if (fact.log !== undefined) continue;
    if (!fact.ended && isCall(fact)) return false;
    if (fact.parentId === null) root = earlierOf(root, fact);
    else if (fact.parentRemote === true && !run.facts.has(fact.parentId)) remote = earlierOf(remote, fact);
  }
  return (root ?? remote)?.ended === true;
}

function isCall({ kind }: SpanFact): boolean {
  return kind === "tool_call" || kind === "retrieval" || kind === "agent_run";
}

function earlierOf(a: SpanFact | null, b: SpanFact): SpanFact {
  if (a === null) return b;
  if (a.start === null || b.start === null) return a.start === null ? b : a;
  return b.start < a.start || (b.start === a.start && b.spanId < a.spanId) ? b : a;
}
