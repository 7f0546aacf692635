/** Open effects as numbers for gauges. */
import { since, toSeconds, type UnixNano } from "../model/time.ts";

/** Every state of an open effect, so that each has a series. */
export const effectStates = ["intended", "in_flight", "unknown", "needs_reconciliation"] as const;

export type EffectNumbers = ReadonlyMap<string, { readonly open: number; readonly oldestSeconds: number }>;

/** How many are open in each state, and how old the oldest of each is. */
export function effectNumbers(
  open: readonly { readonly state: string; readonly since: UnixNano | null }[],
  now: UnixNano,
): EffectNumbers {
  const numbers = new Map<string, { open: number; oldestSeconds: number }>();
  for (const { state, since: at } of open) {
    const known = numbers.get(state) ?? { open: 0, oldestSeconds: 0 };
    const age = at === null ? 0 : toSeconds(since(now, at));
    numbers.set(state, { open: known.open + 1, oldestSeconds: Math.max(known.oldestSeconds, age) });
  }
  return numbers;
}
