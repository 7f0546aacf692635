/** Trials: one random rule judged on one random trace that came in one random way. */
import { differences, isComparable } from "./compare.ts";
import { drawRule, drawTrace, Random } from "./draw.ts";
import type { RuleSpec, TraceSpec } from "./language.ts";
import { createProduct, type Delivery, drawDeliveries } from "./product.ts";

export interface Failure {
  readonly rule: RuleSpec;
  readonly trace: TraceSpec;
  readonly deliveries: readonly Delivery[];
  readonly lines: readonly string[];
}

export interface Outcome {
  /** Rules judged on a trace, each pair of them another one. */
  readonly trials: number;
  readonly failure: Failure | null;
}

/** Loading costs more than judging, so rules are loaded in sets; each is then judged on each of some traces. */
const rulesInASet = 30;
const tracesForASet = 15;

/** Stops at the first difference. The same seed gives the same trials. */
export function runTrials(seed: number, wanted: number): Outcome {
  let trials = 0;
  for (let set = 0; trials < wanted; set += 1) {
    const random = new Random(Math.imul(seed, 1_000_003) + set);
    const rules = Array.from({ length: rulesInASet }, (_, i) => drawRule(random, `rule${i}`));
    const product = createProduct(rules);
    for (let i = 0; i < tracesForASet; i += 1) {
      const trace = drawTrace(random);
      const deliveries = drawDeliveries(random, trace.events);
      const found = product.judge(trace, deliveries);
      for (const rule of rules) {
        if (!isComparable(rule, trace)) continue;
        trials += 1;
        const lines = differences(rule, trace, found);
        if (lines.length > 0) return { trials, failure: { rule, trace, deliveries, lines } };
      }
    }
  }
  return { trials, failure: null };
}

/** Judges one rule alone; a product that throws differs too. */
export function tryOnce(
  rule: RuleSpec,
  trace: TraceSpec,
  deliveries: readonly Delivery[],
): readonly string[] {
  try {
    if (!isComparable(rule, trace)) return [];
    return differences(rule, trace, createProduct([rule]).judge(trace, deliveries));
  } catch (error) {
    return [`threw ${String(error)}`];
  }
}
