/**
 * Whether a stale result was used after all (docs/causality.md#stale-results-applied): it is marked so, a later event
 * was built on it, or a model was told of it.
 */
import type { Event } from "../../model/event.ts";
import type { Truth } from "../../model/order.ts";
import type { Code } from "../../model/verdict.ts";
import { indexReferences, type References, referenceTexts } from "../order/references.ts";
import { compareStarts, field, finished, stampOf, started } from "./currency.ts";
import type { DetectInput, Detector, Finding } from "./detector.ts";
import { staleResult } from "./stale.ts";

export interface Use {
  readonly truth: Truth;
  /** What used it; null where nothing did, or nobody knows. */
  readonly by: Event | null;
  readonly code: Code | null;
}

export type UseOf = (call: Event) => Use;

const taken: ReadonlySet<string> = new Set(["applied", "admitted"]);
const leftOut: ReadonlySet<string> = new Set([
  "stale",
  "archived",
  "discarded",
  "ignored",
  "quarantined",
  "rejected",
]);

/** Looks up uses in one conversation; what it needs for that is made when it is first asked. */
export function usesOf(input: DetectInput): UseOf {
  let index: UseIndex | null = null;
  return (call) => {
    index ??= indexUses(input);
    return useOf(input, index, call);
  };
}

interface UseIndex {
  readonly children: ReadonlyMap<Event, readonly Event[]>;
  readonly signals: readonly Event[];
  readonly turns: readonly Event[];
  readonly byCallId: ReadonlyMap<string, readonly Event[]>;
  /** Traces in which model turns show what they were told. */
  readonly telling: ReadonlySet<string>;
}

function indexUses({ events }: DetectInput): UseIndex {
  const references: References = indexReferences(events);
  const children = new Map<Event, Event[]>();
  const byCallId = new Map<string, Event[]>();
  for (const event of events) {
    for (const text of referenceTexts(event.fields.get("parents"))) {
      const parent = references.named(text, event);
      if (parent !== null) push(children, parent, event);
    }
    if (event.callId !== null && event.kind === "tool_call") push(byCallId, event.callId, event);
  }
  const turns = events.filter((event) => event.kind === "model_turn");
  const telling = turns.filter(({ told }) => told !== undefined).map(({ run }) => run);
  return {
    children,
    byCallId,
    turns,
    telling: new Set(telling),
    signals: events.filter(
      ({ kind }) => kind === "applied" || kind === "admitted" || kind === "marked_stale",
    ),
  };
}

function push<K>(map: Map<K, Event[]>, key: K, event: Event): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [event]);
  else list.push(event);
}

function useOf(input: DetectInput, index: UseIndex, call: Event): Use {
  const disposition = field(call, "disposition");
  if (call.fields.get("applied") === true || (disposition !== null && taken.has(disposition))) {
    return { truth: "true", by: call, code: null };
  }
  const signals = index.signals.filter((signal) => names(signal, call));
  const child = index.children.get(call)?.[0] ?? signals.find(({ kind }) => kind !== "marked_stale");
  if (child !== undefined) return { truth: "true", by: child, code: null };
  const told = toldOf(input, index, call);
  if (told.truth !== "false") return told;
  const marked =
    call.fields.get("applied") === false ||
    (disposition !== null && leftOut.has(disposition)) ||
    signals.length > 0;
  if (marked) return { truth: "false", by: null, code: null };
  if (!input.closed(call.run)) return { truth: "unknown", by: null, code: "data_incomplete" };
  return index.telling.has(call.run)
    ? { truth: "false", by: null, code: null }
    : { truth: "unknown", by: null, code: "not_captured" };
}

/** Whether a signal is about this result: by its request, its call, its decision, or because it stands on its span. */
function names(signal: Event, call: Event): boolean {
  for (const name of ["request_id", "decision", "seq"]) {
    const named = field(signal, name);
    if (named === null) continue;
    if (named !== field(call, name)) return false;
    return name !== "seq" || signal.run === call.run;
  }
  if (signal.callId !== null) return signal.callId === call.callId;
  const [span] = signal.spans;
  return (
    span !== undefined &&
    call.spans.some(({ traceId, spanId }) => traceId === span.traceId && spanId === span.spanId)
  );
}

/** A model turn after its end whose input holds the result. An id that came again means the last call before it. */
function toldOf({ order }: DetectInput, { turns, byCallId }: UseIndex, call: Event): Use {
  const id = call.callId;
  let perhaps: Use = { truth: "false", by: null, code: null };
  if (id === null) return perhaps;
  for (const turn of turns) {
    if (turn.told?.includes(id) !== true) continue;
    const after = order.before(finished(call), started(turn), "required");
    if (after.truth === "false" || isAnothers(byCallId.get(id) ?? [], call, turn)) continue;
    if (after.truth === "true") return { truth: "true", by: turn, code: null };
    perhaps = { truth: "unknown", by: turn, code: after.code ?? "order_unknown" };
  }
  return perhaps;
}

function isAnothers(calls: readonly Event[], call: Event, turn: Event): boolean {
  const told = stampOf(turn);
  return calls.some((other) => {
    if (other === call || compareStarts(other, call) < 0) return false;
    const start = stampOf(other);
    return start !== null && told !== null && start < told;
  });
}

export const staleApplied: Detector = {
  name: "stale_applied",
  field: "stale_applied",
  settledAt: "close",
  about: staleResult.about,
  find: (input, before) =>
    appliedOf(
      before.filter(({ detector }) => detector === "stale_result"),
      usesOf(input),
    ),
};

/** Of each stale result that was used, or may have been, one finding a reason. */
export function appliedOf(stale: readonly Finding[], use: UseOf): Finding[] {
  return stale.flatMap((finding): Finding[] => {
    const { truth, by, code } = use(finding.event);
    if (truth === "false") return [];
    const certain = truth === "true" && finding.truth === "true";
    return [
      {
        ...finding,
        detector: "stale_applied",
        by,
        truth: certain ? "true" : "unknown",
        code: certain ? null : (finding.code ?? code ?? "data_incomplete"),
        note: "agent.result.applied on the call, agent.causal.parents on what was built on it, or model input in the spans",
      },
    ];
  });
}
