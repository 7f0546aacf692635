/**
 * Numbers the spans of a trace in the order in which they end in this process, so that who has them all can know
 * it. In the order of ends and not of starts: a span is sent when it ends, and those around it are still open.
 *
 * A trace whose last span has ended is remembered for a while, in case it goes on. One that is forgotten and then
 * goes on begins again at 1: its numbers occur twice, which proves nothing to whoever reads them.
 */
export interface TraceCounters {
  /** A span of the trace begins. */
  begin(traceId: string): TraceCounter;
  /** A span of the trace ends: its number, from 1; null where it is not known. */
  end(traceId: string): number | null;
}

export interface TraceCounter {
  ended: number;
  readonly decisions: { value: number };
}

/** Some 100 bytes each. */
const mostTraces = 10_000;

export function createTraceCounters(most = mostTraces): TraceCounters {
  const traces = new Map<string, TraceCounter>();
  return {
    begin(traceId) {
      const known = traces.get(traceId) ?? { ended: 0, decisions: { value: 0 } };
      // The one that was longest without a new span goes first.
      traces.delete(traceId);
      traces.set(traceId, known);
      if (traces.size > most) {
        const [oldest] = traces.keys();
        if (oldest !== undefined) traces.delete(oldest);
      }
      return known;
    },
    end(traceId) {
      const known = traces.get(traceId);
      if (known === undefined) return null;
      known.ended += 1;
      return known.ended;
    },
  };
}
