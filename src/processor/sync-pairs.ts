import type { SpanFact } from "../model/span-fact.ts";
import type { Timed } from "./order/clock.ts";
import type { SyncPair } from "./order/offset-interval.ts";
import type { Run } from "./run/run-table.ts";

/** OTLP SpanKind. */
const server = 2;
const client = 3;

/**
 * Clients and their servers on another clock: a client waits for its answer, so the server's span lies inside
 * its own in true time, which bounds how far the two clocks are apart (docs/semantics.md 10.3). Producers and
 * consumers do not wait, and what is no call between processes says nothing.
 */
export function syncPairs(runs: readonly Run[]): SyncPair[] {
  const pairs: SyncPair[] = [];
  for (const run of runs) {
    for (const { fact } of run.facts.values()) {
      if (fact.spanKind !== server || fact.parentId === null) continue;
      const parent = run.facts.get(fact.parentId)?.fact;
      if (parent?.spanKind !== client || parent.clock === fact.clock) continue;
      const [outer, inner] = [timed(parent), timed(fact)];
      if (outer !== null && inner !== null) pairs.push({ parent: outer, child: inner });
    }
  }
  return pairs.sort((a, b) => (a.child.id < b.child.id ? -1 : 1));
}

function timed({ traceId, spanId, start, end, clock, clockAssumed }: SpanFact): Timed | null {
  if (start === null || end === null) return null;
  return {
    id: `${traceId}:${spanId}`,
    run: traceId,
    start: { at: start },
    end: { at: end },
    clock,
    clockAssumed,
  };
}
