import type { LogRecord } from "../model/log-record.ts";
import type { Span } from "../model/span.ts";
import type { SpanFact } from "../model/span-fact.ts";
import { later, milliseconds, plus, type UnixNano, unixNano } from "../model/time.ts";
import type { Value } from "../model/value.ts";
import { type PlainEvent, plainFact } from "../processor/normalize/dialects/plain.ts";
import { timeOf } from "../processor/normalize/logs/record-identity.ts";
import type { Plain } from "../source/yaml-source.ts";
import type { ContractCase } from "./case-file.ts";
import type { PlainMap } from "./case-nodes.ts";
import { readBytes } from "./files.ts";
import { InputError } from "./input-error.ts";
import { createClockReader, plainDay } from "./plain-times.ts";
import { readTraces } from "./traces.ts";

/** How spans and log records become facts. */
export interface ReadItems {
  readonly span: (span: Span) => SpanFact;
  readonly record: (record: LogRecord) => SpanFact | null;
}

/** The events of a case, ready to be delivered. */
export interface CaseInput {
  /** Place in the order of arrival, one number a delivery. */
  readonly arrivals: readonly number[];
  /** Empty where the case names a trace of spans. */
  readonly events: readonly PlainEvent[];
  /** One fact a delivery; null where a log record is no event. */
  facts(read: ReadItems): readonly (SpanFact | null)[];
  /** What a watermark of 0 means. */
  readonly base: UnixNano;
  /** When everything arrives. */
  readonly at: UnixNano;
  /** Stamps are plain numbers, without width. */
  readonly plainNumbers: boolean;
  /** Kinds and fields that the events use: in a case they count as declared. */
  readonly kinds: readonly string[];
  readonly fields: readonly string[];
}

/** Plain numbers count from 1970, so that a time inside a result is on the same axis as the events. */
const epoch = unixNano(0n);
const eventDefaults: readonly (readonly [string, Value])[] = [
  ["kind", "tool_call"],
  ["status", "success"],
  ["host", "h1"],
];
const ordering = ["start", "end", "seq", "parents"];
const notFields = new Set(["id", "run", "start", "end", "arrival"]);

export async function caseInput(contractCase: ContractCase): Promise<CaseInput> {
  return contractCase.trace === null ? inlineInput(contractCase) : traceInput(contractCase.trace);
}

async function traceInput(file: string): Promise<CaseInput> {
  const traces = readTraces({ name: file, bytes: await readBytes(file) }, "r1");
  const { spans, records, events } = traces;
  const stamped = records.map((record) => ({ start: timeOf(record), end: null }));
  return {
    arrivals: [...spans, ...records, ...events].map((_, index) => index + 1),
    events,
    facts: (read) => [...spans.map(read.span), ...records.map(read.record), ...events.map(plainFact)],
    base: plainDay,
    at: newest([...spans, ...stamped, ...events]),
    plainNumbers: events.length > 0,
    ...declared(events),
  };
}

function inlineInput(contractCase: ContractCase): CaseInput {
  const { events: written, place } = contractCase;
  const isList = !written.some((event) => ordering.some((key) => event[key] !== undefined));
  const clock = createClockReader(place);
  const events = written.map((event, index) => {
    const at = plus(epoch, milliseconds(index + 1));
    const fields = new Map<string, Value>(eventDefaults);
    for (const [key, value] of Object.entries(event)) {
      if (!notFields.has(key)) fields.set(key, asValue(value));
    }
    return {
      id: textOf(place, event, "id") ?? `e${index + 1}`,
      run: textOf(place, event, "run") ?? "r1",
      fields,
      start: isList ? at : instant(event.start, "start", clock),
      end: isList ? at : instant(event.end, "end", clock),
    };
  });
  return {
    arrivals: written.map(({ arrival }, index) => (typeof arrival === "number" ? arrival : index + 1)),
    events,
    facts: () => events.map(plainFact),
    base: epoch,
    at: newest(events),
    plainNumbers: true,
    ...declared(events),
  };
}

function instant(
  value: Plain | undefined,
  key: string,
  clock: ReturnType<typeof createClockReader>,
): UnixNano | null {
  if (typeof value === "number") return plus(epoch, milliseconds(value));
  return clock(value === undefined ? undefined : asValue(value), key, 1);
}

function declared(events: readonly PlainEvent[]): Pick<CaseInput, "kinds" | "fields"> {
  const kinds = new Set<string>();
  const fields = new Set<string>();
  for (const event of events) {
    const kind = event.fields.get("kind");
    if (typeof kind === "string") kinds.add(kind);
    for (const field of event.fields.keys()) fields.add(field);
  }
  return { kinds: [...kinds], fields: [...fields] };
}

function newest(
  stamped: readonly { readonly start: UnixNano | null; readonly end: UnixNano | null }[],
): UnixNano {
  const stamps = stamped.flatMap(({ start, end }) => [start, end].filter((stamp) => stamp !== null));
  return unixNano(stamps.reduce(later, epoch) + 1n);
}

function textOf(place: string, event: PlainMap, key: string): string | null {
  const value = event[key];
  if (value === undefined) return null;
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new InputError(place, `an event's \`${key}\` must be text`, "Quote it.");
}

/** A plain YAML value is a value as events hold it. */
function asValue(value: Plain): Value {
  return value as Value;
}
