import type { DurationNano } from "../model/time.ts";

/**
 * A length of time for people: three digits or so, never more than the eye can compare. `350µs`, `120ms`,
 * `1.25s`, `2m05s`, `3h20m`. Not read back by anything; `formatDuration` is exact.
 */
export function durationWords(duration: DurationNano): string {
  if (duration < 0n) return `-${durationWords(-duration as DurationNano)}`;
  if (duration < 1_000n) return duration === 0n ? "0ms" : `${duration}ns`;
  if (duration < 1_000_000n) return `${duration / 1_000n}µs`;
  if (duration < 1_000_000_000n) return `${duration / 1_000_000n}ms`;
  if (duration < 60_000_000_000n) {
    const hundredths = duration / 10_000_000n;
    return `${hundredths / 100n}.${(hundredths % 100n).toString().padStart(2, "0")}s`;
  }
  const whole = duration / 1_000_000_000n;
  if (whole < 3_600n) return `${whole / 60n}m${two(whole % 60n)}s`;
  return `${whole / 3_600n}h${two((whole / 60n) % 60n)}m`;
}

function two(count: bigint): string {
  return count.toString().padStart(2, "0");
}
