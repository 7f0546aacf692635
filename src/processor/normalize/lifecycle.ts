/**
 * How a call ended, from every signal on its span (docs/dialects.md, "Outcomes"). Span status
 * alone says little: an abort may be unset, a caught failure OK, a pause for a person an error.
 */
import type { Outcome } from "../../model/span-fact.ts";
import { member } from "../../model/value.ts";
import type { CallDraft, Dialect } from "./dialect.ts";
import { exceptionsOf, type View } from "./view.ts";

const interrupt =
  /(?:GraphInterrupt|NodeInterrupt|ToolInterruptError|InterruptError|ApprovalRequired|CallDeferred)$/;
const denied = /^(?:denied|permission_denied|PermissionDenied|ToolDenied|rejected_by_user)$/i;
const deniedText =
  /\b(?:rejected|denied|declined) by (?:the )?(?:user|human|operator|approver)\b|\bnot approved\b/i;
const cancelled =
  /(?:CancelledError|AbortError|TaskCanceledException|OperationCanceledException)$|^(?:cancelled|canceled|aborted)$/i;
const cancelledText = /\b(?:abort|cancel)|context canceled/i;
const abandonedText = /^(?:Abandoned|Trace ended before span completion|Application shutdown)/;
const timeout = /timeout|deadline_?exceeded|^-32001$/i;
const timeoutText = /-32001\b/;
const invalid = /^(?:-32602|unknown_tool|UnknownTool|ToolNotFound|invalid_arguments)$/;
const invalidText = /-32602\b/;

/** Everything on the span that says how it ended, gathered once. */
export interface Signals {
  /** `error.type` and the types of its exceptions. */
  readonly types: readonly string[];
  /** Status message, exception messages, error messages: words about the error, never the tool's own result. */
  readonly texts: readonly string[];
  /** Something says that it went wrong. */
  readonly failed: boolean;
}

export function signalsOf(view: View, call: CallDraft, dialects: readonly Dialect[]): Signals {
  const exceptions = exceptionsOf(view);
  const errorType = view.text("error.type");
  const types = [errorType, ...exceptions.map((exception) => exception.type)].filter(
    (type): type is string => type !== null,
  );
  const texts = [
    view.span.statusMessage,
    ...exceptions.map((exception) => exception.message),
    view.text("error.message"),
    view.text("langfuse.observation.status_message"),
  ].filter((text): text is string => text !== null && text !== "");
  const flagged = member(call.result, "isError") === true || member(call.result, "is_error") === true;
  const failed =
    view.span.statusCode === 2 ||
    (errorType !== null && errorType !== "") ||
    (exceptions.length > 0 && view.span.statusCode !== 1) ||
    flagged ||
    dialects.some((dialect) => dialect.failed?.(view, call) === true);
  return { types, texts, failed };
}

export function outcomeOf(
  view: View,
  call: CallDraft,
  ended: boolean,
  dialects: readonly Dialect[],
): Outcome {
  for (const dialect of dialects) {
    const own = dialect.outcome?.(view, call);
    if (own !== undefined) return own;
  }
  const { types, texts, failed } = signalsOf(view, call, dialects);
  const named = (pattern: RegExp): boolean => types.some((type) => pattern.test(type));
  const worded = (pattern: RegExp): boolean => texts.some((text) => pattern.test(text));

  if (named(interrupt)) return "awaiting";
  if (failed) {
    if (named(denied) || worded(deniedText)) return "refused";
    if (named(cancelled)) return "cancelled";
    if (named(timeout) || worded(timeoutText)) return "timeout";
    if (worded(abandonedText) || worded(cancelledText)) return "cancelled";
    if (named(invalid) || worded(invalidText)) return "rejected_invalid";
    return "error";
  }
  if (!ended) return "running";
  if (view.span.statusCode === 1 || call.result !== undefined) return "success";
  // What the tool was given is here and what it answered is not: not a success that anyone has seen.
  if (call.args !== undefined || view.span.droppedAttributes > 0) return "unknown";
  return "unverified";
}

/** A class, not a sentence: some emitters write the whole error text into `error.type`. */
export function errorClassOf(view: View): string | null {
  // Laminar keeps only this of an error: the run went on.
  if (view.has("lmnr.span.type") && /\(non-fatal\)/.test(view.span.statusMessage)) return "non_fatal";
  const errorType = view.text("error.type");
  if (errorType !== null && errorType.length <= 80 && !errorType.includes(" ")) return errorType;
  return exceptionsOf(view).find((exception) => exception.type !== null)?.type ?? null;
}
