/**
 * Whether the slow evaluator has an answer. Scopes that never close keep events by their key: one whose key is not
 * known belongs to none of them, while in a run it may be of any.
 */
export function isComparable(rule: RuleSpec, { events }: TraceSpec): boolean {
  if (rule.scope.is === "key") {
    const { path } = rule.scope;
    return events.every((event) => keyOf([path], event) !== "unknown");
  }
  if (rule.scope.is !== "all" || rule.kind !== "count") return true;
  return events.every((event) => keyOf(rule.bind, event) !== "unknown");
}

const leftOpen = { inconclusive: "inconclusive", violate: "violated", satisfy: "satisfied" } as const;

const speaksOfNothing = (rule: RuleSpec, { events }: TraceSpec): boolean =>
  rule.kind === "count" && events.every((event) => matches(rule.of, event) === "false");

/**
 * The fullest window is searched from one event on, so where some distance is not known for sure it may leave open
 * what looking at all sets of events tells. It must never say the opposite.
 */
function mayLeaveOpen(rule: RuleSpec, { events, policy }: TraceSpec): boolean {
  if (rule.kind !== "count" || rule.windowMs === null) return false;
  const edges = events.some(({ parent, parents, links, seq }) => {
    return parent !== null || parents.length + links.length > 0 || seq !== null;
  });
  const widths = new Set(events.map(({ start }) => (start % 1e6 === 0 ? 6 : start % 1e3 === 0 ? 3 : 0)));
  const mixed = (rule.clock.resolution ?? policy.resolution) === null && widths.size > 1;
  return edges || mixed || new Set(events.map(({ host }) => host)).size > 1;
}

/** Where the slow evaluator and the product differ over one rule and one trace. */
import type { RuleSpec, TraceSpec } from "./language.ts";
import type { ProductVerdicts } from "./product.ts";
import { slowJudge } from "./slow-judge.ts";
import { keyOf, matches } from "./slow-match.ts";

export function differences(rule: RuleSpec, trace: TraceSpec, found: ProductVerdicts): readonly string[] {
  const scopes = found.get(rule.id) ?? new Map<string, never>();
  const lines: string[] = [];
  const expected = slowJudge(rule, trace);
  for (const { key, instances } of expected) {
    const product = scopes.get(key);
    // What never ends may have no record yet while nothing has come that the rule speaks of.
    if (product === undefined && rule.scope.is === "all" && speaksOfNothing(rule, trace)) continue;
    if (product === undefined && rule.scope.is === "all" && instances.has("none")) continue;
    for (const [id, wanted] of instances) {
      const got = product?.get(id);
      if (mayLeaveOpen(rule, trace) && got?.verdict === leftOpen[rule.onUnknown]) continue;
      if (got?.verdict !== wanted.verdict) {
        lines.push(`${key} ${id}: wanted ${wanted.verdict}, got ${got?.verdict ?? "nothing"} (${got?.code})`);
      } else if (wanted.code !== undefined && got.code !== wanted.code) {
        lines.push(`${key} ${id}: wanted code ${wanted.code}, got ${got.code}`);
      }
    }
    for (const [id, got] of product ?? [])
      if (!instances.has(id)) lines.push(`${key} ${id}: wanted nothing, got ${got.verdict}`);
  }
  for (const [key, product] of scopes) {
    if (expected.some((scope) => scope.key === key)) continue;
    // An entity of which nothing counts: zero is a number, but what never ends need not know of it.
    if (rule.scope.is === "key" && rule.kind === "count") continue;
    if (rule.scope.is === "all" && speaksOfNothing(rule, trace)) continue;
    if ((rule.scope.is === "all" || rule.scope.is === "key") && product.has("none")) continue;
    for (const [id, got] of product) lines.push(`${key} ${id}: wanted no scope, got ${got.verdict}`);
  }
  return lines;
}
