import type { Event } from "../model/event.ts";
import { type Assembly, assemble } from "./assemble/assemble.ts";
import { Orders } from "./evaluate.ts";
import type { Run } from "./run/run-table.ts";
import { type Draft, draftScopes } from "./scopes.ts";
import type { Loaded } from "./state.ts";
import { syncPairs } from "./sync-pairs.ts";

/**
 * What is made of the facts of a group of joined runs, before anybody asks how far it has come: the events,
 * their scopes, and their order.
 *
 * Most groups are looked at twice with the same facts: when their last batch came, and when waiting is over.
 * So the last view of a small group is kept for the second look, if a close would change nothing in it. That
 * is a matter of speed alone: a view is a function of the facts.
 */
export interface GroupView {
  readonly assembly: Assembly;
  readonly events: ReadonlyMap<string, Event>;
  readonly drafts: readonly Draft[];
  readonly orders: Orders;
}

export interface GroupViews {
  /** First run → its group's view, the longest unused first. */
  readonly kept: Map<string, { readonly of: string; readonly view: GroupView }>;
}

/** Some 50 KB each for a run of fifty spans. */
const mostKept = 1_000;
const mostFacts = 256;

export function createGroupViews(): GroupViews {
  return { kept: new Map() };
}

export function viewGroup(views: GroupViews, runs: readonly Run[], loaded: Loaded): GroupView {
  const first = runs[0]?.traceId ?? "";
  const of = runs.map((run) => `${run.traceId} ${run.version}`).join();
  const known = views.kept.get(first);
  views.kept.delete(first);
  if (known?.of === of) return known.view;
  const view = makeView(runs, loaded);
  if (view.events.size <= mostFacts && isSettled(view.assembly)) keep(views, first, of, view);
  return view;
}

export function makeView(runs: readonly Run[], loaded: Loaded): GroupView {
  const byId = new Map(runs.map((run) => [run.traceId, run]));
  const assembly = assemble({
    facts: runs.flatMap((run) => [...run.facts.values()]),
    tools: loaded.set.tools,
    ledgers: loaded.set.ledgers,
    closed: (traceId) => byId.get(traceId)?.closed?.reason ?? null,
  });
  return {
    assembly,
    events: new Map(assembly.events.map((event) => [event.id, event])),
    drafts: draftScopes(assembly, runs),
    orders: new Orders(loaded.settings.clock, syncPairs(runs)),
  };
}

/** Whether a close changes nothing: every root is here and ended, nothing is open, no field can still be inherited. */
function isSettled({ events, runs }: Assembly): boolean {
  for (const { root } of runs.values()) if (root === null || !root.trueRoot || !root.ended) return false;
  return events.every(
    (event) => event.unsettled.size === 0 && event.end !== "open" && event.start !== "open",
  );
}

function keep({ kept }: GroupViews, first: string, of: string, view: GroupView): void {
  kept.set(first, { of, view });
  if (kept.size <= mostKept) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}
