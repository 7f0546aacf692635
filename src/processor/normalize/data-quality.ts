/**
 * Data quality that travels with a fact: flaws that are counted, and what they make unknown
 * (docs/semantics.md 11).
 */
import { agentFields } from "../../model/attribute-names.ts";
import type { Flaw } from "../../model/event.ts";
import type { Outcome } from "../../model/span-fact.ts";
import type { Value } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import type { CallDraft } from "./dialect.ts";
import type { Resolved } from "./resolve.ts";
import { isSampled, type SpanTimes } from "./times.ts";
import type { View } from "./view.ts";

/** What is wrong with a span, its stamps and its contents. */
export function flawsOf(view: View, times: SpanTimes, contents: readonly Resolved[]): readonly Flaw[] {
  const { span } = view;
  const flaws = new Set<Flaw>(times.flaws);
  if (span.droppedAttributes > 0 || span.resource.droppedAttributes > 0) flaws.add("dropped_attributes");
  if (span.droppedEvents > 0 || span.events.some((event) => event.droppedAttributes > 0)) {
    flaws.add("dropped_events");
  }
  if (isSampled(span.traceState)) flaws.add("sampled");
  for (const { redacted, flaw } of contents) {
    if (redacted) flaws.add("redacted");
    if (flaw !== null) flaws.add(flaw);
  }
  return [...flaws];
}

const ranWithout: ReadonlySet<Outcome> = new Set<Outcome>([
  "error",
  "refused",
  "cancelled",
  "timeout",
  "awaiting",
  "rejected_invalid",
]);

/** Why a missing value is unknown rather than absent (docs/semantics.md 11). */
export function hiddenOf(
  view: View,
  draft: CallDraft,
  isCall: boolean,
  outcome: Outcome,
  fields: ReadonlyMap<string, Value>,
  args: Resolved,
  result: Resolved,
): ReadonlyMap<string, Code> {
  const hidden = new Map<string, Code>();
  if (draft.name === null && isCall) hidden.set("name", "not_captured");
  const dropped = view.span.droppedAttributes > 0;
  // Some frameworks keep content in span events.
  const droppedContent = dropped || view.span.droppedEvents > 0;
  const missing = (root: "args" | "result", read: Resolved, reason: Code): void => {
    // What is here is whole, whatever else was dropped, unless it says itself that it was cut.
    if (read.redacted || read.flaw !== null) hidden.set(root, "data_incomplete");
    else if (read.value === undefined) hidden.set(root, droppedContent ? "data_incomplete" : reason);
  };
  missing("args", args, "not_captured");
  // A call that did not succeed has no result to capture.
  if (draft.result !== undefined || !ranWithout.has(outcome)) missing("result", result, "not_captured");
  if (dropped) {
    hidden.set("attr", "data_incomplete");
    if (draft.callId === null) hidden.set("call_id", "data_incomplete");
    for (const field of agentFields.keys()) if (!fields.has(field)) hidden.set(field, "data_incomplete");
  }
  return hidden;
}
