import type { Completeness } from "../model/completeness.ts";
import type { Event } from "../model/event.ts";
import type { Order } from "../model/order.ts";

/** One scope as it stands, for one rule. Judging it is a function of this alone. */
export interface ScopeView {
  /** Every event of the scope, in any order. Rules that share the array share its index. */
  readonly events: readonly Event[];
  /** Made with the rule's own clock policy over the deployment's. */
  readonly order: Order;
  /** Made with the rule's own `decision_wait`. */
  readonly completeness: Completeness;
  /** What an `ordering` without its later side means, where the rule does not say it. */
  readonly missingAfter: "vacuous" | "violated";
  /** Whether to list near misses: a second pass over the candidates of every instance that did not hold. */
  readonly nearMisses: boolean;
}
