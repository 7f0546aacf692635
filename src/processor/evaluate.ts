import type { Event } from "../model/event.ts";
import type { ClockPolicy, Order, OrderAnomaly } from "../model/order.ts";
import type { CoreSettings } from "../model/settings.ts";
import { type DurationNano, durationNano, type UnixNano } from "../model/time.ts";
import type { Code, InstanceVerdict, RuleVerdict } from "../model/verdict.ts";
import { judge } from "../rules/judge.ts";
import type { Contract, Rule } from "../rules/rule.ts";
import { createOrder } from "./order/happened-before.ts";
import type { SyncPair } from "./order/offset-interval.ts";
import type { TakesPart } from "./participation.ts";
import { type IndexedRule, type RuleIndex, rulesAbout } from "./rule-index.ts";
import { createCompleteness } from "./run/completeness.ts";
import { numberedBy, startsAreTold } from "./run/numbered.ts";
import type { DeafInterval } from "./run/waits.ts";
import type { JudgedScope } from "./scopes.ts";

/**
 * Judges one scope by every rule that can have something to say about it. A function of the events, the rules
 * and how complete the scope is; publishing, and what was published before, are not its business.
 */
export interface Evaluation {
  readonly rules: readonly EvaluatedRule[];
  /** Contracts that take part, or may. */
  readonly contracts: ReadonlyMap<Contract, "true" | "unknown">;
  readonly anomalies: readonly OrderAnomaly[];
}

export interface EvaluatedRule {
  readonly indexed: IndexedRule;
  readonly result: RuleVerdict;
  /** The same with near misses; made once, when first asked for. */
  readonly explained: () => RuleVerdict;
  /** False while it is not known whether its contract takes part. */
  readonly publishable: boolean;
}

export interface EvaluationInput extends JudgingInput {
  readonly index: RuleIndex;
  readonly contracts: ReadonlyMap<Contract, TakesPart>;
  /** Only rules with an "at once" form: the end of an entry, not a deadline. */
  readonly only: "at_once" | "all";
}

/** What one rule is judged by. */
export interface JudgingInput {
  readonly scope: JudgedScope;
  readonly settings: CoreSettings;
  readonly now: UnixNano;
  readonly deaf: readonly DeafInterval[];
  readonly watermark: UnixNano | null;
  readonly nearMisses: boolean;
  readonly orders: Orders;
  readonly look: (at: UnixNano) => void;
}

export function evaluate(input: EvaluationInput): Evaluation {
  const { scope, orders } = input;
  const contracts = participants(input);
  const rules: EvaluatedRule[] = [];
  const evicted = scope.closed === "evicted";
  // Of a run that was cut off, also what seems to have nothing to say may have had its event behind the cut.
  for (const indexed of evicted ? input.index.all : rulesAbout(input.index, scope.events)) {
    const { rule, contract } = indexed;
    const takesPart = contracts.get(contract);
    if (takesPart === undefined || rule.scope.is !== scope.is) continue;
    if (input.only === "at_once" && !indexed.atOnce) continue;
    rules.push({
      indexed,
      result: evicted ? cutOff(judgeRule(indexed, input)) : judgeRule(indexed, input),
      explained: explainedLater(indexed, input),
      publishable: takesPart === "true",
    });
  }
  return { rules, contracts, anomalies: orders.anomalies(scope) };
}

export function explainedLater(indexed: IndexedRule, input: JudgingInput): () => RuleVerdict {
  let made: RuleVerdict | null = null;
  return () => {
    made ??= judgeRule(indexed, { ...input, nearMisses: true });
    return made;
  };
}

function participants({ contracts, scope, settings }: EvaluationInput): Map<Contract, "true" | "unknown"> {
  const taking = new Map<Contract, "true" | "unknown">();
  for (const [contract, takesPart] of contracts) {
    const truth = settings.everyContractTakesPart ? "true" : takesPart(scope.events, scope.closed !== null);
    if (truth !== "false") taking.set(contract, truth);
  }
  return taking;
}

/**
 * A monitor that throws makes its rule inconclusive for this scope; all others go on (docs/semantics.md 12).
 */
export function judgeRule(indexed: IndexedRule, input: JudgingInput): RuleVerdict {
  const { rule } = indexed;
  const { scope, settings } = input;
  const policy = { ...settings.clock, ...rule.clock };
  const { sender } = indexed;
  const completeness = createCompleteness({
    now: input.now,
    deaf: input.deaf,
    wait: rule.decisionWait ?? settings.decisionWait,
    waitSuffices: indexed.waitSuffices || startsAreTold(scope.runs, scope.events),
    counted: (event) => {
      const by = sender === null ? null : numberedBy(scope.runs, sender, event);
      // A call that has begun and not ended has no number yet.
      return by === "sequence" && !indexed.waitSuffices ? null : by;
    },
    closed: scope.closed,
    runsClosed: scope.runsClosed,
    gap: scope.gap,
    watermark: input.watermark,
    skew: policy.skew ?? noSkew,
    reads: indexed.readsOf,
    look: input.look,
  });
  try {
    return judge(rule, {
      events: scope.events,
      order: input.orders.of(scope, policy),
      completeness,
      missingAfter: rule.missingAfter ?? settings.missingAfter,
      nearMisses: input.nearMisses,
    });
  } catch (error) {
    return monitorFailed(rule, error);
  }
}

/**
 * A run that had to leave memory is judged as far as it got: what is broken stays broken, and nothing else is
 * known, for what would have decided may have come after the cut.
 */
function cutOff(result: RuleVerdict): RuleVerdict {
  if (result.verdict === "violated") return result;
  const undecided = unknowable("evicted", "the run was cut off at a bound (limits) before it ended");
  const instances = [
    ...result.instances.filter(({ verdict }) => verdict === "inconclusive"),
    ...(result.verdict === "inconclusive" ? [] : [undecided]),
  ];
  return { verdict: "inconclusive", final: true, code: result.code ?? "evicted", instances };
}

function unknowable(code: Code, reason: string): InstanceVerdict {
  return {
    anchor: null,
    key: "",
    verdict: "inconclusive",
    final: true,
    code,
    witness: null,
    nearMisses: [],
    evidence: "none",
    completeness: null,
    reason,
    involved: [],
  };
}

const noSkew: DurationNano = durationNano(0n);

function monitorFailed(rule: Rule, error: unknown): RuleVerdict {
  const why = error instanceof Error ? error.message : String(error);
  const instance = unknowable("monitor_failed", `the monitor of ${rule.id} failed: ${why}`);
  return { verdict: "inconclusive", final: true, code: "monitor_failed", instances: [instance] };
}

/**
 * Orders that were made during one look, by list of events and clock policy: most rules share the
 * deployment's policy, and a conversation of one run shares the run's list.
 */
export class Orders {
  readonly #deployment: ClockPolicy;
  readonly #pairs: readonly SyncPair[];
  readonly #made = new Map<readonly Event[], Map<string, AnsweredOrder>>();

  constructor(deployment: ClockPolicy, pairs: readonly SyncPair[] = []) {
    this.#deployment = deployment;
    this.#pairs = pairs;
  }

  of(scope: JudgedScope, policy: ClockPolicy = this.#deployment): AnsweredOrder {
    let byPolicy = this.#made.get(scope.events);
    if (byPolicy === undefined) {
      byPolicy = new Map();
      this.#made.set(scope.events, byPolicy);
    }
    const key = policyKey(policy);
    let order = byPolicy.get(key);
    if (order === undefined) {
      order = orderOf(scope, policy, this.#deployment, this.#pairs);
      byPolicy.set(key, order);
    }
    return order;
  }

  /** What the deployment's own policy found, if any rule asked by it. */
  anomalies(scope: JudgedScope): readonly OrderAnomaly[] {
    return this.#made.get(scope.events)?.get(policyKey(this.#deployment))?.anomalies ?? [];
  }
}

type AnsweredOrder = Order & { readonly anomalies: readonly OrderAnomaly[] };

/** The order of a scope's events. What is still open in a closed run never finished. */
function orderOf(
  scope: JudgedScope,
  policy: ClockPolicy,
  deployment: ClockPolicy,
  pairs: readonly SyncPair[],
): AnsweredOrder {
  const closed = new Set(scope.runs.filter((run) => run.closed !== null).map((run) => run.traceId));
  return createOrder(scope.events, policy, { deployment, closed: (run) => closed.has(run), pairs });
}

function policyKey({ skew, tie, resolution, inferOffset, evidence, assumeClock }: ClockPolicy): string {
  return `${skew} ${tie} ${resolution} ${inferOffset} ${evidence} ${assumeClock}`;
}
