/** One span as dialects look at it: attributes by name, decoded once, with what was wrong with them. */
import type { Flaw } from "../../model/event.ts";
import type { Span, SpanEvent } from "../../model/span.ts";
import type { Value } from "../../model/value.ts";
import { decodeValue, textOf } from "./values.ts";

export interface View {
  readonly span: Span;
  /** The attribute as it came. */
  raw(key: string): Value | undefined;
  has(key: string): boolean;
  /** The attribute as text; null when it is absent, blank or no scalar. */
  text(key: string): string | null;
  /** The attribute with JSON text decoded; undefined when absent. */
  json(key: string): Value | undefined;
  /** The last span event that carries the attribute, with that value decoded; undefined when none does. */
  eventJson(key: string, eventName?: string): Value | undefined;
  /** Every value that span events of this name give the attribute, in their order. */
  eventsNamed(name: string): readonly SpanEvent[];
  /** What decoding an attribute found wrong with it. */
  flawOf(key: string): Flaw | null;
  /** Computes something about the span once. */
  memo<T>(key: string, make: () => T): T;
}

export function viewOf(span: Span): View {
  const decoded = new Map<string, Value | undefined>();
  const flaws = new Map<string, Flaw>();
  const memos = new Map<string, unknown>();

  const decode = (slot: string, value: Value | undefined): Value | undefined => {
    if (decoded.has(slot)) return decoded.get(slot);
    const result = value === undefined ? undefined : decodeValue(value);
    if (result !== undefined && result.flaw !== null) flaws.set(slot, result.flaw);
    decoded.set(slot, result?.value);
    return result?.value;
  };

  return {
    span,
    raw: (key) => span.attributes.get(key),
    has: (key) => span.attributes.has(key),
    text: (key) => textOf(span.attributes.get(key)),
    json: (key) => decode(key, span.attributes.get(key)),
    eventJson: (key, eventName) => {
      const event = span.events.findLast(
        (candidate) => candidate.attributes.has(key) && (eventName ?? candidate.name) === candidate.name,
      );
      return decode(`event:${eventName ?? ""}:${key}`, event?.attributes.get(key));
    },
    eventsNamed: (name) => span.events.filter((event) => event.name === name),
    flawOf: (key) => flaws.get(key) ?? null,
    memo: <T>(key: string, make: () => T): T => {
      if (memos.has(key)) return memos.get(key) as T;
      const value = make();
      memos.set(key, value);
      return value;
    },
  };
}

/** The first exception event; a failed call records the tool's own error before any wrapper's. */
export interface ExceptionRecord {
  readonly type: string | null;
  readonly message: string | null;
}

export function exceptionsOf(view: View): readonly ExceptionRecord[] {
  return view.memo("exceptions", () =>
    view.eventsNamed("exception").map((event) => ({
      type: textOf(event.attributes.get("exception.type")),
      message: textOf(event.attributes.get("exception.message")),
    })),
  );
}
