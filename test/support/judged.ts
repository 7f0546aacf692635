import type { Completeness } from "../../src/model/completeness.ts";
import type { Event } from "../../src/model/event.ts";
import type { ClockPolicy } from "../../src/model/order.ts";
import type { RuleVerdict } from "../../src/model/verdict.ts";
import { createOrder } from "../../src/processor/order/happened-before.ts";
import { judge } from "../../src/rules/judge.ts";
import type { Rule } from "../../src/rules/rule.ts";
import { closedBy, plainClock } from "./scope.ts";

/** A rule on events, by default at the end of a file, with near misses. */
export function judgeOn(
  rule: Rule,
  events: readonly Event[],
  completeness: Completeness = closedBy("input_end"),
  policy: ClockPolicy = plainClock,
): RuleVerdict {
  return judge(rule, {
    events,
    order: createOrder(events, policy, { closed: () => completeness.closed !== null }),
    completeness,
    missingAfter: "vacuous",
    nearMisses: true,
  });
}
