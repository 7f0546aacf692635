/**
 * Reads a plain event list: `[{"type": "tool_call", "name": "resolve_customer"}, …]`, the form in which people
 * write a run down by hand. `type`, `started_at` and `finished_at` are other words for `kind`, `start` and
 * `end`; every other key is a field of the event.
 *
 * Order. A list without any time is its own order: event i happens at i ms. With times, the times decide. Where
 * only some events have one, position and times must agree, and an event without a time stands between its
 * neighbours; a list that contradicts itself is refused, since any reading of it would be a guess.
 *
 * Times. RFC 3339 with an offset; a number, in milliseconds (below 10^11 counted from the beginning of the
 * list's day, else from 1970); or a clock time such as `10:00:01.250`: one day in UTC, which may pass midnight
 * once. Each clock time is read as the instant nearest to the one before it.
 */
import { later, type UnixNano, unixNano } from "../model/time.ts";
import { isObject, type Value, type ValueObject } from "../model/value.ts";
import { type PlainEvent, statusNamed, statusWords } from "../processor/normalize/dialects/plain.ts";
import { didYouMean } from "../source/suggest.ts";
import { InputError } from "./input-error.ts";
import { createClockReader, plainDay } from "./plain-times.ts";

export interface PlainList {
  readonly events: readonly PlainEvent[];
  /** False where positions stand in for times. */
  readonly timed: boolean;
}

/** One element of the list and the line it begins on. */
export interface PlainElement {
  readonly value: Value;
  readonly line: number;
}

const millisecond = 1_000_000n;
const otherNames: Readonly<Record<string, string>> = {
  type: "kind",
  started_at: "start",
  finished_at: "end",
  arguments: "args",
};

/**
 * @param run of events that name none.
 * @param list stands in the ids of events that have none: another list's events must not get the same ones,
 *   even where both are of one run, or one of them would pass for a copy and vanish.
 */
export function readPlainList(
  file: string,
  run: string,
  elements: readonly PlainElement[],
  list: string = run,
): PlainList {
  const entries = elements.map((element) => readElement(file, element));
  const clock = createClockReader(file);
  const read = entries.map(({ fields, words, line }) => ({
    start: clock(fields.get("start"), words.get("start") ?? "start", line),
    end: clock(fields.get("end"), words.get("end") ?? "end", line),
    line,
  }));
  const without = read.filter((times) => times.start === null && times.end === null).length;
  const timed = without < read.length;
  const placed = !timed ? byPosition(read.length) : without > 0 ? interleaved(file, read) : read;
  const events = entries.map(({ fields, line }, index): PlainEvent => {
    const times = placed[index] ?? { start: null, end: null };
    const ownRun = textField(file, line, fields, "run") ?? run;
    return {
      id: textField(file, line, fields, "id") ?? `${list}:${index + 1}`,
      run: ownRun,
      fields: new Map([...fields].filter(([key]) => !["id", "run", "start", "end"].includes(key))),
      start: times.start,
      end: times.end,
    };
  });
  refuseTwins(file, events, entries);
  return { events, timed };
}

interface Entry {
  readonly fields: ReadonlyMap<string, Value>;
  /** The words that the file uses for those fields. */
  readonly words: ReadonlyMap<string, string>;
  readonly line: number;
}

function readElement(file: string, { value, line }: PlainElement): Entry {
  const place = `${file}:${line}`;
  if (!isObject(value)) {
    throw new InputError(
      place,
      "an event of a plain list must be an object",
      'Write {"type": "tool_call", "name": "…"}.',
    );
  }
  const fields = new Map<string, Value>();
  const words = new Map<string, string>();
  for (const [key, item] of Object.entries(value as ValueObject)) {
    const name = Object.hasOwn(otherNames, key) ? (otherNames[key] ?? key) : key;
    if (fields.has(name)) {
      throw new InputError(
        place,
        `\`${key}\` and \`${name}\` are two words for one field`,
        "Keep one of them.",
      );
    }
    fields.set(name, item);
    words.set(name, key);
  }
  const kind = fields.get("kind") ?? "tool_call";
  if (typeof kind !== "string") {
    throw new InputError(
      place,
      "the event's `type` is not text",
      'Write "tool_call", "retrieval", "final_answer" or another kind.',
    );
  }
  if ((kind === "tool_call" || kind === "retrieval") && typeof fields.get("name") !== "string") {
    throw new InputError(place, `this ${kind} has no \`name\``, "Give it the tool's name.");
  }
  const status = fields.get("status");
  if (status !== undefined && status !== null && statusNamed(status) === null) {
    const told = typeof status === "string" ? didYouMean(status, statusWords) : "";
    throw new InputError(
      place,
      `\`status\` cannot be ${JSON.stringify(status)}`,
      `${told}Use one of ${statusWords.join(", ")}.`,
    );
  }
  return { fields: fields.set("kind", kind), words, line };
}

function textField(
  file: string,
  line: number,
  fields: ReadonlyMap<string, Value>,
  name: string,
): string | null {
  const value = fields.get(name);
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  if (typeof value === "string" && value !== "") return value;
  throw new InputError(`${file}:${line}`, `\`${name}\` must be text`, "Quote it, or leave it out.");
}

function refuseTwins(file: string, events: readonly PlainEvent[], entries: readonly Entry[]): void {
  const seen = new Map<string, number>();
  events.forEach((event, index) => {
    // Two deliveries of one span are one event: that is what `span` says.
    if (event.fields.has("span")) return;
    const key = `${event.run}\n${event.id}`;
    const earlier = seen.get(key);
    const line = entries[index]?.line ?? 0;
    if (earlier !== undefined) {
      throw new InputError(
        `${file}:${line}`,
        `the id "${event.id}" is already used on line ${earlier}`,
        "Give each event its own id, or leave the ids out.",
      );
    }
    seen.set(key, line);
  });
}

interface Times {
  readonly start: UnixNano | null;
  readonly end: UnixNano | null;
}

function byPosition(count: number): readonly Times[] {
  return Array.from({ length: count }, (_, index) => {
    const at = unixNano(plainDay + BigInt(index + 1) * millisecond);
    return { start: at, end: at };
  });
}

/** Some events have times: checks them against the positions and puts the others between their neighbours. */
function interleaved(file: string, times: readonly (Times & { readonly line: number })[]): readonly Times[] {
  const result: Times[] = [];
  let last: { at: UnixNano; line: number } | null = null;
  let index = 0;
  while (index < times.length) {
    const own = times[index];
    if (own === undefined) break;
    const start = own.start ?? own.end;
    if (start !== null) {
      if (last !== null && start < last.at) throw disagree(file, own.line, last.line);
      last = { at: start, line: own.line };
      result.push(own);
      index += 1;
      continue;
    }
    const next = times.findIndex(
      (candidate, at) => at > index && (candidate.start ?? candidate.end) !== null,
    );
    const until = next === -1 ? times.length : next;
    const after = next === -1 ? null : (times[next]?.start ?? times[next]?.end ?? null);
    result.push(...between(file, times, index, until, after));
    index = until;
  }
  return result;
}

/** Evenly spaced points for the untimed events from `from` to `until`, after all that began before and before what comes next. */
function between(
  file: string,
  times: readonly (Times & { readonly line: number })[],
  from: number,
  until: number,
  after: UnixNano | null,
): readonly Times[] {
  const count = BigInt(until - from);
  const points = times.slice(0, from).flatMap((time) => [time.start, time.end].filter((at) => at !== null));
  const known = points.length === 0 ? null : points.reduce(later);
  const low = known ?? unixNano((after ?? plainDay) - (count + 1n) * millisecond);
  const high = after ?? unixNano(low + (count + 1n) * millisecond);
  const step = (high - low) / (count + 1n);
  if (step <= 0n) {
    const line = times[from]?.line ?? 0;
    throw new InputError(
      `${file}:${line}`,
      "this event has no time, and its neighbours' times leave no room for it where it stands",
      "Give it `started_at` and `finished_at`, or remove the times of the others.",
    );
  }
  return Array.from({ length: Number(count) }, (_, index) => {
    const at = unixNano(low + step * BigInt(index + 1));
    return { start: at, end: at };
  });
}

function disagree(file: string, line: number, earlier: number): InputError {
  return new InputError(
    `${file}:${line}`,
    `this event starts before the one on line ${earlier}, and some events of the list have no time, so that position and times disagree`,
    "Put the events in the order of their times, or give every event its times.",
  );
}
