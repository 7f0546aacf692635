import type { Rejection, WireFlaw } from "../model/span.ts";
import type { PartialSuccess } from "../otlp/encode-response.ts";

/** What a request is made of, in words. */
export interface Noun {
  readonly one: string;
  readonly many: string;
}

/** Longest `error_message` in UTF-16 units. Senders log it once a batch; nobody reads more. */
const maxMessageLength = 1_500;
/** Longest text about one cause, and the shortest that still says the count, the field and what is wrong with it. */
const maxCauseLength = 300;
const minCauseLength = 40;

/**
 * What the sender must know of a batch that was taken: how many of its spans or log records were not, and why: each
 * kind of fault once, most frequent first, with the first message about it. Null when there is nothing to
 * say, which is the only way to say so: senders take a `partial_success` that is present, even an empty one,
 * for trouble.
 */
export function summarise(
  rejections: readonly Rejection[],
  warning: string | null,
  noun: Noun = { one: "span", many: "spans" },
): PartialSuccess | null {
  const causes = new Map<string, { count: number; readonly message: string }>();
  let rejected = 0;
  for (const { reason, cause, message, count } of rejections) {
    if (count === 0) continue;
    rejected += count;
    const kind = cause === undefined ? reason : `${reason} ${cause}`;
    const known = causes.get(kind);
    if (known === undefined) causes.set(kind, { count, message });
    else known.count += count;
  }
  if (rejected === 0) {
    return warning === null ? null : { rejected, errorMessage: shortened(warning, maxMessageLength) };
  }

  const head = `${rejected} ${rejected === 1 ? `${noun.one} was` : `${noun.many} were`} rejected: `;
  // The rarest kind may be the one that its sender can mend: each gets its share of the room.
  const share = Math.floor((maxMessageLength - head.length) / causes.size) - "; ".length;
  const length = Math.max(minCauseLength, Math.min(maxCauseLength, share));
  const told = [...causes.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ count, message }) => shortened(`${count} × ${message}`, length));
  const errorMessage = `${head}${told.join("; ")}`;
  return { rejected, errorMessage: shortened(errorMessage, maxMessageLength) };
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
