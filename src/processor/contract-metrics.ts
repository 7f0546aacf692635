/**
 * The series that contracts declare (`metric_count`, `metric_wait`): rules that are never broken, and whose numbers
 * count once, when their scope first closes (docs/semantics.md 5).
 */
import type { Event } from "../model/event.ts";
import type { Output } from "../model/output.ts";
import type { Count, Program } from "../rules/program.ts";
import { waitOf } from "./count-causality.ts";
import type { Evaluation, Orders } from "./evaluate.ts";
import { indexReferences, type References } from "./order/references.ts";
import { ruleRef } from "./publish.ts";
import type { JudgedScope } from "./scopes.ts";

export function contractMetrics(scope: JudgedScope, { rules }: Evaluation, orders: Orders): Output[] {
  const outputs: Output[] = [];
  let references: References | null = null;
  for (const { indexed, result, publishable } of rules) {
    const measures = measuredBy(indexed.rule.program);
    if (measures === null || !publishable) continue;
    const rule = ruleRef(indexed.rule);
    if (measures === "count") {
      const count = result.instances.reduce((sum, { value = 0 }) => sum + value, 0);
      if (count > 0) outputs.push({ type: "contract_metric", of: "count", rule, count });
      continue;
    }
    const byId = new Map(scope.events.map((event): [string, Event] => [event.id, event]));
    references ??= indexReferences(scope.events);
    for (const id of result.instances.flatMap(({ involved }) => involved)) {
      const event = byId.get(id);
      const seconds = event === undefined ? null : waitOf({ order: orders.of(scope) }, references, event);
      if (seconds !== null) outputs.push({ type: "contract_metric", of: "wait", rule, seconds });
    }
  }
  return outputs;
}

/** What a rule measures; null: it judges. */
export function measuredBy(program: Program): Exclude<Count["measures"], undefined> | null {
  switch (program.kernel) {
    case "count":
      return program.measures ?? null;
    case "guard":
    case "stretch":
      return measuredBy(program.then);
    default:
      return null;
  }
}
