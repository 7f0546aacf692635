import type { Rejection, RejectReason, WireFlaw } from "../model/span.ts";
import type { PartialSuccess } from "../otlp/encode-response.ts";

/** Longest `error_message` in UTF-16 units. Senders log it once a batch; nobody reads more. */
const maxMessageLength = 1_500;
/** Reasons are few (`RejectReason`), so that each keeps room for its message. */
const maxCauseLength = 300;

/**
 * What the sender must know of a batch that was taken: how many of its spans were not, and why, each
 * distinct reason once, most frequent first, with the first message about it. Null when there is nothing to
 * say, which is the only way to say so: senders take a `partial_success` that is present, even an empty one,
 * for trouble.
 */
export function summarise(rejections: readonly Rejection[], warning: string | null): PartialSuccess | null {
  const causes = new Map<RejectReason, { count: number; readonly message: string }>();
  let rejectedSpans = 0;
  for (const { reason, message, count } of rejections) {
    if (count === 0) continue;
    rejectedSpans += count;
    const cause = causes.get(reason);
    if (cause === undefined) causes.set(reason, { count, message });
    else cause.count += count;
  }
  if (rejectedSpans === 0) {
    return warning === null ? null : { rejectedSpans, errorMessage: shortened(warning, maxMessageLength) };
  }

  const told = [...causes.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ count, message }) => `${count} × ${shortened(message, maxCauseLength)}`);
  const errorMessage = `${rejectedSpans} ${rejectedSpans === 1 ? "span was" : "spans were"} rejected: ${told.join("; ")}`;
  return { rejectedSpans, errorMessage: shortened(errorMessage, maxMessageLength) };
}

/** Of what was taken leniently, only what the sender has lost by it is worth a warning; the rest is counted. */
export function warningOf(flaws: ReadonlyMap<WireFlaw, number>): string | null {
  const indexed = flaws.get("strindex") ?? 0;
  if (indexed === 0) return null;
  return `${indexed} attribute keys or values were given as an index into a string table, which traces do not have; they were left out: send the text itself`;
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
