/**
 * From the bytes of one ExportTraceServiceRequest to the journal, whichever transport brought them.
 *
 * Resolves as `taken` only once the journal holds the spans: the sender forgets them then.
 */
import type { DecodedTraces, Rejection, Span } from "../model/span.ts";
import { DecodeError } from "../otlp/decode-error.ts";
import type { Encoding, PartialSuccess } from "../otlp/encode-response.ts";
import { summarise, warningOf } from "./partial-success.ts";
import type { ReceiverTelemetry, SpanOutcome, Transport } from "./receiver-telemetry.ts";

/** Instrumentation scope of the spans that this service makes. */
export const ownScopeName = "toolorder";

export interface BatchMeta {
  readonly transport: Transport;
  readonly encoding: Encoding;
  /** Name of the sender's token or certificate, once there are any; becomes the events' field `source`. */
  readonly source: string | null;
}

/** The journal holds the spans. */
export interface Accepted {
  readonly kind: "accepted";
  /** Spans that only the pipeline could see to be impossible; the others were taken. */
  readonly rejections?: readonly Rejection[];
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

export interface IngestDeps {
  /** Throws `DecodeError` for bytes that are no such message; anything else it throws is a fault of ours. */
  readonly decode: (body: Uint8Array, encoding: Encoding) => DecodedTraces | Promise<DecodedTraces>;
  /** Normalises and journals. Rejects only by a fault of ours. Never called without spans. */
  readonly accept: (spans: readonly Span[], meta: BatchMeta) => Promise<Accepted | Refused>;
  readonly telemetry: ReceiverTelemetry;
  /** A fault of ours, for the log. */
  readonly onFault: (error: unknown) => void;
}

export type IngestResult =
  | { readonly kind: "taken"; readonly partial: PartialSuccess | null }
  | { readonly kind: "undecodable"; readonly message: string }
  | { readonly kind: "refused"; readonly reason: string; readonly retryAfterSeconds: number | undefined }
  | { readonly kind: "failed" };

export async function ingest(body: Uint8Array, meta: BatchMeta, deps: IngestDeps): Promise<IngestResult> {
  // No bytes are a message without spans, in JSON too, where they would not parse.
  if (body.length === 0) return { kind: "taken", partial: null };

  let decoded: DecodedTraces;
  try {
    decoded = await deps.decode(body, meta.encoding);
  } catch (error) {
    if (error instanceof DecodeError) return { kind: "undecodable", message: error.message };
    deps.onFault(error);
    return { kind: "failed" };
  }

  const spans = decoded.spans.filter((span) => span.scope.name !== ownScopeName);
  const own = decoded.spans.length - spans.length;
  const outcome = await accept(spans, meta, deps);
  if (outcome.kind !== "accepted") {
    count(outcome.kind, spans.length);
    return outcome.kind === "failed"
      ? outcome
      : { kind: "refused", reason: outcome.reason, retryAfterSeconds: outcome.retryAfterSeconds };
  }

  const later = outcome.rejections ?? [];
  const rejections = [...decoded.rejections, ...later];
  count("accepted", spans.length - total(later));
  count("dropped_own", own);
  for (const rejection of rejections) deps.telemetry.addRejected(rejection.reason, rejection.count);
  count("rejected", total(rejections));
  for (const [flaw, times] of decoded.flaws) deps.telemetry.addFlaw(flaw, times);
  return { kind: "taken", partial: summarise(rejections, outcome.warning ?? warningOf(decoded.flaws)) };

  function count(spanOutcome: SpanOutcome, spanCount: number): void {
    if (spanCount === 0) return;
    const { transport, encoding } = meta;
    deps.telemetry.addSpans({ transport, encoding, outcome: spanOutcome }, spanCount);
  }
}

async function accept(
  spans: readonly Span[],
  meta: BatchMeta,
  deps: IngestDeps,
): Promise<Accepted | Refused | { readonly kind: "failed" }> {
  if (spans.length === 0) return { kind: "accepted" };
  try {
    return await deps.accept(spans, meta);
  } catch (error) {
    deps.onFault(error);
    return { kind: "failed" };
  }
}

function total(rejections: readonly Rejection[]): number {
  return rejections.reduce((sum, rejection) => sum + rejection.count, 0);
}
