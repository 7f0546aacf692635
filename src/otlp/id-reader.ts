import type { Fault } from "./findings.ts";
import { bytesIdFault, type IdFaults, idFaults, spanIdLength, traceIdLength } from "./id-fault.ts";
import { IdTable } from "./id-table.ts";
import { zeroSpanId, zeroTraceId } from "./span-defaults.ts";

/** Ids repeat within a batch and from batch to batch. Of fixed size. */
const sharedIds = new IdTable();

export interface FieldFault {
  readonly fault: Fault;
  /** Its field, below the span. */
  readonly field: string;
}

/** Reads the ids of one span after another, and remembers the first that cannot be used. */
export class IdReader {
  readonly #view: DataView;
  /** The first unusable id of the span itself; null when all are good. */
  idFault: FieldFault | null = null;
  /** The same for the ids of its links. */
  linkFault: FieldFault | null = null;

  constructor(view: DataView) {
    this.#view = view;
  }

  /** Forgets the span before. */
  begin(): void {
    this.idFault = null;
    this.linkFault = null;
  }

  get faulty(): boolean {
    return this.idFault !== null || this.linkFault !== null;
  }

  /** The id in `length` bytes at `at`, in hex; empty, with the fault remembered, when it is none. */
  traceId(at: number, length: number): string {
    const id = length === traceIdLength ? sharedIds.traceId(this.#view, at) : zeroTraceId;
    if (id !== zeroTraceId) return id;
    this.idFault ??= wrong(traceFaults, length, traceIdLength, "trace_id");
    return "";
  }

  spanId(at: number, length: number): string {
    const id = length === spanIdLength ? sharedIds.spanId(this.#view, at) : zeroSpanId;
    if (id !== zeroSpanId) return id;
    this.idFault ??= wrong(spanFaults, length, spanIdLength, "span_id");
    return "";
  }

  /** Empty for a root: no bytes, or all zero. */
  parentSpanId(at: number, length: number): string {
    if (length === spanIdLength) return unlessZero(sharedIds.spanId(this.#view, at), zeroSpanId);
    if (length !== 0) this.idFault ??= wrong(parentFaults, length, spanIdLength, "parent_span_id");
    return "";
  }

  /** Empty for a log record outside of any trace: no bytes, or all zero. */
  recordTraceId(at: number, length: number): string {
    if (length === traceIdLength) return unlessZero(sharedIds.traceId(this.#view, at), zeroTraceId);
    if (length !== 0) this.idFault ??= wrong(traceFaults, length, traceIdLength, "trace_id");
    return "";
  }

  recordSpanId(at: number, length: number): string {
    if (length === spanIdLength) return unlessZero(sharedIds.spanId(this.#view, at), zeroSpanId);
    if (length !== 0) this.idFault ??= wrong(spanFaults, length, spanIdLength, "span_id");
    return "";
  }

  /** Empty for a link that points nowhere. */
  linkTraceId(at: number, length: number): string {
    if (length === traceIdLength) return unlessZero(sharedIds.traceId(this.#view, at), zeroTraceId);
    if (length !== 0) this.linkFault ??= wrong(linkTraceFaults, length, traceIdLength, "links.trace_id");
    return "";
  }

  linkSpanId(at: number, length: number): string {
    if (length === spanIdLength) return unlessZero(sharedIds.spanId(this.#view, at), zeroSpanId);
    if (length !== 0) this.linkFault ??= wrong(linkSpanFaults, length, spanIdLength, "links.span_id");
    return "";
  }
}

const unlessZero = (id: string, zero: string): string => (id === zero ? "" : id);

const wrong = (faults: IdFaults, length: number, want: number, field: string): FieldFault => ({
  fault: bytesIdFault(faults, length, want),
  field,
});

const traceFaults = idFaults("trace_id", traceIdLength);
const spanFaults = idFaults("span_id", spanIdLength);
const parentFaults = idFaults("parent_span_id", spanIdLength);
const linkTraceFaults = idFaults("link_id", traceIdLength);
const linkSpanFaults = idFaults("link_id", spanIdLength);
