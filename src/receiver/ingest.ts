/**
 * From the bytes of one export request, of spans or of log records, to the journal, whichever transport brought them.
 *
 * Resolves as `taken` only once the journal holds its items: the sender forgets them then.
 */
import type { DecodedTraces, Rejection, Span } from "../model/span.ts";
import { DecodeError } from "../otlp/decode-error.ts";
import type { Encoding, PartialSuccess } from "../otlp/encode-response.ts";
import { summarise, warningOf } from "./partial-success.ts";
import type { LogRecordOutcome, ReceiverTelemetry, SpanOutcome, Transport } from "./receiver-telemetry.ts";
import type { Decoded, Signal } from "./signal.ts";

/** Instrumentation scope of what this service makes itself. */
export const ownScopeName = "toolorder";

export interface BatchMeta {
  readonly transport: Transport;
  readonly encoding: Encoding;
  /** Name of the sender's token or certificate, once there are any; becomes the events' field `source`. */
  readonly source: string | null;
}

/** The journal holds what the request brought. */
export interface Accepted {
  readonly kind: "accepted";
  /** Items that only the pipeline could see to be impossible; the others were taken. */
  readonly rejections?: readonly Rejection[];
  /** Log records that are no event after all. */
  readonly passedOver?: number;
  /** Told to the sender although everything was taken. */
  readonly warning?: string;
}

/** Nothing was taken, and the same batch may be sent again. */
export interface Refused {
  readonly kind: "refused";
  /** In words for the sender, without a full stop: `the journal's disk is full`. */
  readonly reason: string;
  readonly retryAfterSeconds?: number;
}

export interface IngestDeps<Message = DecodedTraces, Item = Span> {
  /** Throws `DecodeError` for bytes that are no such message; anything else it throws is a fault of ours. */
  readonly decode: (body: Uint8Array, encoding: Encoding) => Message | Promise<Message>;
  /** Normalises and journals. Rejects only by a fault of ours. Never called without items. */
  readonly accept: (items: readonly Item[], meta: BatchMeta) => Promise<Accepted | Refused>;
  readonly telemetry: ReceiverTelemetry;
  /** A fault of ours, for the log. */
  readonly onFault: (error: unknown) => void;
}

export type IngestResult =
  | { readonly kind: "taken"; readonly partial: PartialSuccess | null }
  | { readonly kind: "undecodable"; readonly message: string }
  | { readonly kind: "refused"; readonly reason: string; readonly retryAfterSeconds: number | undefined }
  | { readonly kind: "failed" };

export async function ingest<Message, Item>(
  body: Uint8Array,
  meta: BatchMeta,
  deps: IngestDeps<Message, Item>,
  signal: Signal<Message, Item>,
): Promise<IngestResult> {
  // No bytes are a message without items, in JSON too, where they would not parse.
  if (body.length === 0) return { kind: "taken", partial: null };

  let decoded: Decoded<Item>;
  try {
    decoded = signal.open(await deps.decode(body, meta.encoding));
  } catch (error) {
    if (error instanceof DecodeError) return { kind: "undecodable", message: error.message };
    deps.onFault(error);
    return { kind: "failed" };
  }

  const items = decoded.items.filter((item) => signal.scopeOf(item) !== ownScopeName);
  const own = decoded.items.length - items.length;
  const outcome = await accept(items, meta, deps);
  if (outcome.kind !== "accepted") {
    count(outcome.kind, items.length);
    return outcome.kind === "failed"
      ? outcome
      : { kind: "refused", reason: outcome.reason, retryAfterSeconds: outcome.retryAfterSeconds };
  }

  const later = outcome.rejections ?? [];
  const rejections = [...decoded.rejections, ...later];
  const passedOver = outcome.passedOver ?? 0;
  count("accepted", items.length - total(later) - passedOver);
  count("passed_over", decoded.passedOver + passedOver);
  count("dropped_own", own);
  for (const rejection of rejections) deps.telemetry.addRejected(rejection.reason, rejection.count);
  count("rejected", total(rejections));
  for (const [flaw, times] of decoded.flaws) deps.telemetry.addFlaw(flaw, times);
  const warning = outcome.warning ?? warningOf(decoded.flaws);
  return { kind: "taken", partial: summarise(rejections, warning, signal.noun) };

  function count(of: SpanOutcome | LogRecordOutcome, items: number): void {
    if (items === 0) return;
    const { transport, encoding } = meta;
    signal.count(deps.telemetry, { transport, encoding, outcome: of }, items);
  }
}

async function accept<Message, Item>(
  items: readonly Item[],
  meta: BatchMeta,
  deps: IngestDeps<Message, Item>,
): Promise<Accepted | Refused | { readonly kind: "failed" }> {
  if (items.length === 0) return { kind: "accepted" };
  try {
    return await deps.accept(items, meta);
  } catch (error) {
    deps.onFault(error);
    return { kind: "failed" };
  }
}

function total(rejections: readonly Rejection[]): number {
  return rejections.reduce((sum, rejection) => sum + rejection.count, 0);
}
