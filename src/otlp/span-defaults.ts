import type { KeySelection } from "../model/attribute-plan.ts";
import type { Attributes, SpanEvent, SpanLink } from "../model/span.ts";
import { unixNano } from "../model/time.ts";

/** What both decoders put where a span has nothing; shared, since most spans have none of it. */
export const noAttributes: Attributes = new Map();
export const noEvents: readonly SpanEvent[] = [];
export const noLinks: readonly SpanLink[] = [];
export const zeroTime = unixNano(0n);

export const zeroTraceId = "0".repeat(32);
export const zeroSpanId = "0".repeat(16);

/** Bits 0–7 are the W3C trace flags, 8 and 9 say whether the parent is remote; the rest is reserved. */
export const knownFlags = 0x3ff;
/** A log record's flags are the trace flags alone. */
export const traceFlags = 0xff;

/** Resource and scope attributes are few and shared: all are kept. */
export const wholeSelection: KeySelection = { exact: new Set(), prefixes: [""] };
