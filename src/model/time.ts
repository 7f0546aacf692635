/**
 * Time in the units of OTLP.
 *
 * A bigint, since 2^53 ns is only 104 days: a number would round today's timestamps to the nearest
 * 256 ns and could swap two close events.
 */

declare const unit: unique symbol;

/**
 * Nanoseconds since 1970-01-01T00:00:00Z, UTC.
 * Source: OTLP `start_time_unix_nano` and `end_time_unix_nano` (fixed64), or the receiver's clock.
 */
export type UnixNano = bigint & { readonly [unit]: "UnixNano" };

/** A length of time in nanoseconds; never negative unless its field says so. */
export type DurationNano = bigint & { readonly [unit]: "DurationNano" };

export const unixNano = (value: bigint): UnixNano => value as UnixNano;
export const durationNano = (value: bigint): DurationNano => value as DurationNano;

export const milliseconds = (count: number): DurationNano =>
  BigInt(Math.round(count * 1_000_000)) as DurationNano;
export const seconds = (count: number): DurationNano => milliseconds(count * 1_000);
export const minutes = (count: number): DurationNano => seconds(count * 60);
export const hours = (count: number): DurationNano => minutes(count * 60);

export const plus = (at: UnixNano, by: DurationNano): UnixNano => (at + by) as UnixNano;
export const minus = (at: UnixNano, by: DurationNano): UnixNano => (at - by) as UnixNano;
export const since = (later: UnixNano, earlier: UnixNano): DurationNano => (later - earlier) as DurationNano;
export const later = (a: UnixNano, b: UnixNano): UnixNano => (a > b ? a : b);
export const earlier = (a: UnixNano, b: UnixNano): UnixNano => (a < b ? a : b);

/** Seconds as Prometheus wants them. Exact to a nanosecond up to 104 days. */
export const toSeconds = (duration: DurationNano): number => Number(duration) / 1e9;

const unitNanos = new Map<string, number>([
  ["ns", 1],
  ["us", 1e3],
  ["µs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["m", 60e9],
  ["h", 3600e9],
  ["d", 86_400e9],
]);

/**
 * Reads `10s`, `1.5h`, `1h30m`, `250ms`. Returns null for anything else, a bare number included, since a
 * length without a unit is a guess; callers that know the unit handle numbers themselves.
 */
export function parseDuration(text: string): DurationNano | null {
  const whole = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d))+$/;
  if (!whole.test(text)) return null;
  let total = 0n;
  for (const [, count, name] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)/g)) {
    const nanos = unitNanos.get(name ?? "");
    if (count === undefined || nanos === undefined) return null;
    total += count.includes(".") ? BigInt(Math.round(Number(count) * nanos)) : BigInt(count) * BigInt(nanos);
  }
  return total as DurationNano;
}

/** `10s`, `1m30s`, `250ms`: the shortest text that `parseDuration` reads back to the same value. */
export function formatDuration(duration: DurationNano): string {
  if (duration === 0n) return "0s";
  let rest: bigint = duration;
  let text = "";
  for (const [name, size] of [
    ["h", 3_600_000_000_000n],
    ["m", 60_000_000_000n],
    ["s", 1_000_000_000n],
    ["ms", 1_000_000n],
    ["us", 1_000n],
    ["ns", 1n],
  ] as const) {
    const count = rest / size;
    if (count > 0n) text += `${count}${name}`;
    rest -= count * size;
  }
  return text;
}
