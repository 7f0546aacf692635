/**
 * Stale results and stale effects (docs/causality.md#stale-results): a call whose decision, turn, run or state
 * was no longer current when it finished, and a write or external effect that began when it was so already.
 *
 * Only what is certain counts: what ties, or hangs on skew, may be stale, and says so.
 */
import type { Event } from "../../model/event.ts";
import type { Point } from "../../model/order.ts";
import { type StaleReason, staleReasons } from "../../model/output.ts";
import type { Code } from "../../model/verdict.ts";
import { type Currency, currencyOf, finished, hasRun, type Overtaken, started } from "./currency.ts";
import type { DetectInput, Detector, Finding } from "./detector.ts";
import { type AgentRuns, agentRunsOf, newerRun } from "./newer-run.ts";
import { newerTurn, type Turns, turnsOf } from "./newer-turn.ts";
import { newerVersion, type Versions, versionsOf } from "./newer-version.ts";
import { signalled } from "./signalled.ts";
import { type Slots, slotsOf, superseded } from "./superseded.ts";

interface Indexed extends Currency {
  readonly slots: Slots;
  readonly turns: Turns;
  readonly runs: AgentRuns;
  readonly versions: Versions;
}

/** Results and effects ask the same of the same events. */
const made = new WeakMap<DetectInput, Indexed>();

function indexed(input: DetectInput): Indexed {
  const known = made.get(input);
  if (known !== undefined) return known;
  const currency = currencyOf(input);
  const index = {
    ...currency,
    slots: slotsOf(currency, input.slot, input.commute),
    turns: turnsOf(currency),
    runs: agentRunsOf(currency),
    versions: versionsOf(currency),
  };
  made.set(input, index);
  return index;
}

const overtakers: Readonly<
  Record<StaleReason, (index: Indexed, call: Event, until: Point) => Overtaken | null>
> = {
  cancelled: (index, call, until) => signalled(index, index.cancels, call, until),
  superseded: (index, call, until) => superseded(index, index.slots, call, until),
  version: (index, call, until) => newerVersion(index, index.versions, call, until),
  turn: (index, call, until) => newerTurn(index, index.turns, call, until),
  run: (index, call, until) => newerRun(index, index.runs, call, until),
};

function* reasonsOf(index: Indexed, call: Event, until: Point): Iterable<[StaleReason, Overtaken]> {
  for (const reason of staleReasons) {
    const found = overtakers[reason](index, call, until);
    if (found !== null) yield [reason, found];
  }
}

/** A call that was stopped gave no result. */
const hasResult = (event: Event): boolean =>
  hasRun(event) && event.status !== "cancelled" && event.status !== "running";

export const staleResult: Detector = {
  name: "stale_result",
  field: "stale",
  settledAt: "finished_at",
  about: hasResult,
  find(input) {
    if (!input.events.some(isPlaced)) return [];
    const index = indexed(input);
    const found: Finding[] = [];
    for (const call of index.calls) {
      if (!hasResult(call) || typeof call.end !== "object") continue;
      for (const [reason, by] of reasonsOf(index, call, finished(call))) {
        found.push({ detector: "stale_result", reason, event: call, ...by, note: noteOf(reason, by) });
      }
    }
    return withoutEchoes(found);
  },
};

export const staleEffect: Detector = {
  name: "stale_effect",
  field: "stale_effect",
  settledAt: "started_at",
  about: hasRun,
  find(input) {
    if (!input.events.some(isPlaced)) return [];
    const index = indexed(input);
    const found: Finding[] = [];
    for (const call of index.calls) {
      const effect = input.tools.get(call.name ?? "")?.effect ?? "unknown";
      if (effect === "read" || effect === "none") continue;
      for (const [reason, by] of reasonsOf(index, call, started(call))) {
        const known = effect !== "unknown";
        found.push({
          detector: "stale_effect",
          reason,
          event: call,
          ...by,
          ...(known ? {} : unknownEffect),
          note: known ? noteOf(reason, by) : `the trait effect of the tool ${call.name ?? ""}, under tools`,
        });
      }
    }
    return withoutEchoes(found);
  },
};

const unknownEffect: { readonly truth: "unknown"; readonly code: Code } = {
  truth: "unknown",
  code: "data_incomplete",
};

/** Whether the event can be, or can make another, out of date at all. */
function isPlaced(event: Event): boolean {
  if (event.decidedBy !== null) return true;
  const { fields, kind } = event;
  return (
    signalKinds.has(kind) ||
    fields.has("seq") ||
    fields.has("turn") ||
    fields.has("run_id") ||
    fields.has("state_version") ||
    fields.has("base_version")
  );
}

const signalKinds: ReadonlySet<string> = new Set([
  "cancel_requested",
  "superseded",
  "user_turn",
  "version_change",
]);

/** A version that shows in the superseding call alone says nothing that superseding did not: it is not counted. */
function withoutEchoes(found: readonly Finding[]): Finding[] {
  const superseding = new Map<Event, Event | null>();
  for (const { reason, event, by } of found) if (reason === "superseded") superseding.set(event, by);
  return found.map((finding) =>
    finding.reason === "version" && superseding.get(finding.event) === finding.by
      ? { ...finding, echo: true }
      : finding,
  );
}

/** What would tell it better than what told it. */
function noteOf(reason: StaleReason, { identity, order, truth }: Overtaken): string {
  if (identity !== "attribute" && identity !== "signal") return notes[reason];
  if (order === "assumed_clock")
    return "host.id and process.pid on the resource: which clock wrote the stamps";
  return truth === "unknown" || order === "skew_bound"
    ? "clocks that agree better, or agent.causal.parents on what came later"
    : "nothing: it is stated";
}

const notes: Readonly<Record<StaleReason, string>> = {
  cancelled: "a cancel_requested that names the call, its decision, turn or run",
  superseded: "agent.decision.seq on both calls",
  version: "agent.base.version on the call and agent.state.version on what moved the state",
  turn: "agent.turn.id on the calls of both turns",
  run: "agent.run.id on the calls of both runs",
};
