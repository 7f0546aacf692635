/**
 * `run`: a newer run of the conversation had begun (docs/causality.md#run). Only runs that the agent names
 * itself count, and none that began inside the older one: that is its helper, not its successor.
 */
import type { Event } from "../../model/event.ts";
import type { Point } from "../../model/order.ts";
import {
  both,
  type Currency,
  compareStarts,
  field,
  firstOf,
  never,
  type Overtaken,
  overtaken,
  started,
  surely,
} from "./currency.ts";

export interface AgentRuns {
  /** Run id → its first event. */
  readonly begin: ReadonlyMap<string, Event>;
  /** Run id → the runs around it. */
  readonly around: ReadonlyMap<string, ReadonlySet<string>>;
}

export function agentRunsOf({ events }: Currency): AgentRuns {
  const begin = new Map<string, Event>();
  const bySpan = new Map<string, Event>();
  for (const event of events) {
    const run = field(event, "run_id");
    if (run !== null) {
      const known = begin.get(run);
      if (known === undefined || compareStarts(event, known) < 0) begin.set(run, event);
    }
  }
  if (begin.size < 2) return { begin, around: new Map() };
  for (const event of events) {
    for (const { traceId, spanId } of event.spans) bySpan.set(`${traceId}:${spanId}`, event);
  }
  const around = new Map<string, Set<string>>();
  for (const event of events) {
    const run = field(event, "run_id");
    if (run === null) continue;
    const outer = around.get(run) ?? new Set<string>();
    around.set(run, outer);
    for (const one of enclosing(event, bySpan)) outer.add(one);
  }
  return { begin, around };
}

/** Run ids of what encloses the event: its parents, else the nearest agent run around it. */
function* enclosing(event: Event, bySpan: ReadonlyMap<string, Event>): Iterable<string> {
  const own = field(event, "run_id");
  const seen = new Set<Event>([event]);
  let at: Event | undefined = event;
  while (at !== undefined) {
    const parent: Event | undefined =
      (at.parent === null ? undefined : bySpan.get(`${at.parent.traceId}:${at.parent.spanId}`)) ??
      (at.orchestrator == null ? undefined : bySpan.get(`${at.run}:${at.orchestrator}`));
    if (parent === undefined || seen.has(parent)) return;
    seen.add(parent);
    const run = field(parent, "run_id");
    // Within one run the way up was walked, or will be, from the event there.
    if (run !== null && run !== own) {
      yield run;
      return;
    }
    at = parent;
  }
}

/** What had begun a newer run before the point of the call. */
export function newerRun(currency: Currency, runs: AgentRuns, call: Event, until: Point): Overtaken | null {
  const own = runs.begin.size < 2 ? null : field(call, "run_id");
  if (own === null) return null;
  const first = runs.begin.get(own);
  if (first === undefined) return null;
  return firstOf(
    [...runs.begin].map(([run, event]) => {
      const nested = run === own || isWithin(runs, run, own);
      const asked = nested
        ? never
        : both(surely(currency, started(first), started(event)), () =>
            surely(currency, started(event), until),
          );
      // Which run began first, a span that comes late may change.
      return overtaken(event, asked, "attribute", false);
    }),
  );
}

function isWithin({ around }: AgentRuns, run: string, outer: string): boolean {
  const seen = new Set<string>();
  const waiting = [run];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === outer) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    waiting.push(...(around.get(at) ?? []));
  }
  return false;
}
