import type { CompletenessSource } from "../../model/completeness.ts";
import type { Event } from "../../model/event.ts";
import type { Boundary, OrderUse, Point, Relation, Truth } from "../../model/order.ts";
import type { Code, InstanceVerdict, Verdict } from "../../model/verdict.ts";
import { type MatchContext, openContext, settledContext } from "../match.ts";
import type { ScopeView } from "../view.ts";
import { indexScope, type ScopeIndex } from "./scope-index.ts";

/** What a kernel works with: the view of one scope, indexed. */
export interface Kernel {
  readonly view: ScopeView;
  readonly index: ScopeIndex;
  /** True while the scope is open: an end that has not come, and a field that is not settled, are unknown. */
  readonly open: boolean;
  readonly match: MatchContext;
  /** Whether the rule speaks of an event: true everywhere but in a stretch. */
  readonly member: (event: Event) => Membership;
}

export interface Membership {
  readonly truth: Truth;
  /** Why it is not known. */
  readonly code: Code | null;
}

const everywhere: Membership = { truth: "true", code: null };

export function openKernel(view: ScopeView): Kernel {
  const open = view.completeness.closed === null;
  return {
    view,
    index: indexScope(view.events),
    open,
    match: open ? openContext : settledContext,
    member: () => everywhere,
  };
}

export const point = (event: Event, boundary: Boundary): Point => ({ event, boundary });

const endless = ({ event, boundary }: Point): boolean => boundary === "finished_at" && event.end === "open";

/** Order, with the scope's end in mind: what is still open in a closed scope never finished. */
export function before({ view, open }: Kernel, p: Point, q: Point, use: OrderUse): Relation {
  const relation = view.order.before(p, q, use);
  if (open || relation.truth !== "unknown" || relation.code === "causal_cycle") return relation;
  if (endless(p)) return { truth: "false", evidence: "never_finished" };
  if (endless(q) && q.event.start !== "none") return { truth: "true", evidence: "never_finished" };
  return relation;
}

/**
 * Why nothing earlier than the point can still arrive; null while something may. A finish that has not come is
 * at no known time, so while its scope is open nothing is complete before it, however long ago its call came.
 */
export function completeAt({ view, open }: Kernel, at: Point): CompletenessSource | null {
  const { closed } = view.completeness;
  if (closed !== null || view.order.causalOnly === true) return closed;
  return open && endless(at) ? null : view.completeness.complete(at);
}

/** Whether what is not known about an event may still be learnt: no verdict that hangs on it is final. */
export function mayChange({ open }: Kernel, event: Event): boolean {
  return open && (event.end === "open" || event.unsettled.size > 0);
}

/**
 * Code for what was lost rather than absent (docs/semantics.md 7): it makes a verdict inconclusive, never
 * violated.
 */
export function gapCode({ view }: Kernel): Code | null {
  if (view.completeness.closed === "evicted") return "evicted";
  return view.completeness.gap ? "data_incomplete" : null;
}

/** An instance with what most of them have: no key, no witness, nothing listed. */
export function instance(
  fields: Partial<InstanceVerdict> & { readonly verdict: Verdict; readonly final: boolean },
): InstanceVerdict {
  return {
    anchor: null,
    key: "",
    code: null,
    witness: null,
    nearMisses: [],
    evidence: "none",
    completeness: null,
    reason: "",
    involved: [],
    ...fields,
  };
}
