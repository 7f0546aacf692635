/**
 * What a dialect of log records is: a function from one record to what it says of one call, model turn or person.
 * A record is written when something is over, so that its own time is the end; a duration beside it gives the start.
 */
import type { Value } from "../../../model/value.ts";
import type { View } from "../view.ts";

export interface LogReading {
  /** Kind of the event; null for a record that only carries signals. */
  readonly kind: string | null;
  /** Event field → value: `name`, `call_id`, `args`, `result`, `status`, `turn`, … */
  readonly fields: ReadonlyMap<string, Value>;
  /** Nanoseconds that it lasted before the record was written; null: it is an instant. */
  readonly lasted: bigint | null;
  /**
   * `decided`: the record says what was decided about a call before it ran, not how it ran. An accepted call begins
   * then, and no sooner; another record tells its end.
   */
  readonly about: "what happened" | "decided";
  /** Signals that it carries besides, at the beginning or end of what happened. */
  readonly signals: readonly LogSignal[];
  /** Paths whose values were cut by the sender. */
  readonly cut: readonly string[];
  readonly errorClass: string | null;
}

export interface LogSignal {
  readonly kind: string;
  readonly name: string | null;
  readonly at: "start" | "end";
  readonly fields: ReadonlyMap<string, Value>;
}

export interface LogDialect {
  readonly name: string;
  /** Null for a record of another family, or one that says nothing of order. `event`: its whole name. */
  read(event: string, view: View): LogReading | null;
}

/** What most readings have: an instant, nothing decided, nothing besides. */
export const plainReading: Omit<LogReading, "kind" | "fields"> = {
  lasted: null,
  about: "what happened",
  signals: [],
  cut: [],
  errorClass: null,
};

/** Those fields that have a value. */
export function fieldMap(fields: Readonly<Record<string, Value | undefined>>): ReadonlyMap<string, Value> {
  const present = new Map<string, Value>();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null && value !== "") present.set(name, value);
  }
  return present;
}

const longest = 365n * 24n * 3_600_000n;

/** Milliseconds, as a number or as text, to nanoseconds; null for what is no length of time. */
export function lastedMilliseconds(value: Value | undefined): bigint | null {
  const number = typeof value === "string" && /^\d{1,15}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  if (typeof number === "bigint") return null;
  if (typeof number !== "number" || !Number.isFinite(number) || number < 0) return null;
  const whole = BigInt(Math.trunc(number));
  if (whole > longest) return null;
  return whole * 1_000_000n + BigInt(Math.round((number - Math.trunc(number)) * 1e6));
}

/** `true` and `"true"`, `false` and `"false"`; null for anything else. */
export function truthOf(value: Value | undefined): boolean | null {
  if (value === true || value === "true") return true;
  return value === false || value === "false" ? false : null;
}
