/** Reads the times that people write into plain event lists. */
import { type UnixNano, unixNano } from "../model/time.ts";
import type { Value } from "../model/value.ts";
import { InputError } from "./input-error.ts";

/** Where times without a date are put. Any day would do; a fixed one keeps reports the same. */
export const plainDay: UnixNano = unixNano(BigInt(Date.UTC(2001, 0, 1)) * 1_000_000n);

const day = 86_400_000_000_000n;
const half = day / 2n;
const millisecond = 1_000_000n;

const clockTime = /^(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?$/;
const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})?$/;

/** Reads times in the order of the list; clock times lean on the one before. */
export function createClockReader(
  file: string,
): (value: Value | undefined, key: string, line: number) => UnixNano | null {
  let previous: UnixNano | null = null;
  let firstDay = 0n;
  let lastDay = 0n;
  const onDay = (ofDay: bigint, line: number): UnixNano => {
    if (previous === null) {
      previous = unixNano(plainDay + ofDay);
      return previous;
    }
    const dayOfPrevious = (previous - plainDay - ((((previous - plainDay) % day) + day) % day)) / day;
    const shift = nearestDay(plainDay + dayOfPrevious * day + ofDay, previous);
    const number = dayOfPrevious + shift;
    firstDay = number < firstDay ? number : firstDay;
    lastDay = number > lastDay ? number : lastDay;
    if (lastDay - firstDay > 1n) {
      throw new InputError(
        `${file}:${line}`,
        "the clock times pass midnight more than once",
        "Write times with a date and an offset: 2026-03-01T10:00:01Z.",
      );
    }
    previous = unixNano(plainDay + number * day + ofDay);
    return previous;
  };
  return (value, key, line) => {
    if (value === undefined || value === null) return null;
    const place = `${file}:${line}`;
    if (typeof value === "bigint" || typeof value === "number") return fromNumber(place, key, value);
    if (typeof value !== "string") throw notATime(place, key);
    const clock = clockTime.exec(value);
    if (clock !== null) {
      const [hours = 0, minutes = 0, seconds = 0] = [clock[1], clock[2], clock[3]].map(Number);
      if (hours > 23 || minutes > 59 || seconds > 60) throw notATime(place, key);
      const fraction = BigInt((clock[4] ?? "").padEnd(9, "0"));
      return onDay(BigInt(hours * 3600 + minutes * 60 + seconds) * 1_000_000_000n + fraction, line);
    }
    return fromDateTime(place, key, value);
  };
}

function nearestDay(at: bigint, previous: bigint): bigint {
  if (at - previous > half) return -1n;
  return previous - at > half ? 1n : 0n;
}

function fromNumber(place: string, key: string, value: number | bigint): UnixNano {
  if (typeof value === "number" && !Number.isFinite(value)) throw notATime(place, key);
  const nanos = typeof value === "bigint" ? value * millisecond : BigInt(Math.round(value * 1e3)) * 1_000n;
  if (nanos < 0n) throw notATime(place, key);
  return unixNano(nanos < 100_000_000_000n * millisecond ? plainDay + nanos : nanos);
}

function fromDateTime(place: string, key: string, value: string): UnixNano {
  const match = dateTime.exec(value);
  if (match === null) throw notATime(place, key);
  const [, date = "", time = "", fraction = "", offset] = match;
  if (offset === undefined) {
    throw new InputError(
      place,
      `\`${key}\` has a date and no offset`,
      `Write ${date}T${time}Z for UTC, or the offset it was taken in.`,
    );
  }
  const ms = Date.parse(`${date}T${time}${offset.toUpperCase()}`);
  if (Number.isNaN(ms)) throw notATime(place, key);
  return unixNano(BigInt(ms) * millisecond + BigInt(fraction.padEnd(9, "0")));
}

function notATime(place: string, key: string): InputError {
  return new InputError(
    place,
    `\`${key}\` is not a time`,
    "Write 10:00:01, 2026-03-01T10:00:01Z, or a number of milliseconds.",
  );
}
