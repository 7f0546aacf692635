import type { Event } from "../model/event.ts";
import type { DecisionGap } from "../model/transition.ts";
import { field, numberOf } from "./detect/currency.ts";

/**
 * Decision numbers that never came: those between the least and the greatest that one agent gave in one run. Where it
 * began is not known, so nothing is missing before the least.
 */
export function decisionGaps(events: readonly Event[]): readonly DecisionGap[] {
  const numbers = new Map<string, Set<bigint>>();
  for (const event of events) {
    const number = numberOf(field(event, "seq"));
    if (number === null) continue;
    const agent = field(event, "agent");
    const of = `${field(event, "run_id") ?? event.run}${agent === null ? "" : ` (${agent})`}`;
    const known = numbers.get(of);
    if (known === undefined) numbers.set(of, new Set([number]));
    else known.add(number);
  }
  return [...numbers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([of, seen]) => {
      const missing = gapsIn([...seen].sort((a, b) => (a < b ? -1 : 1)));
      return missing.length === 0 ? [] : [{ of, missing }];
    });
}

function gapsIn(sorted: readonly bigint[]): DecisionGap["missing"] {
  return sorted.flatMap((number, i) => {
    const before = sorted[i - 1];
    return before === undefined || number === before + 1n ? [] : [{ from: before + 1n, to: number - 1n }];
  });
}
