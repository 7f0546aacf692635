/** Links (docs/semantics.md 4): every anchor beside every other event, and beside those every blocker. */
import type { Truth } from "../../../src/model/order.ts";
import type { ApartSpec, EventSpec, LinkSpec } from "./language.ts";
import type { Seen, SlowInstance } from "./slow-judge.ts";
import { and, compared, matches, negate, operand, or, sameKeys } from "./slow-match.ts";
import { endOf, type SlowPoint, startOf } from "./slow-order.ts";

/** `docs/semantics.md` counts the base of these tests from 1970; so do times inside results. */
export const baseMs = 1_800_000_000_000;

export function judgeLink(link: LinkSpec, seen: Seen): ReadonlyMap<string, SlowInstance> {
  const instances = new Map<string, SlowInstance>();
  for (const a of seen.events) {
    const anchor = matches(link.anchor, a);
    const member = seen.member(a);
    if (anchor === "false" || member === "false") continue;
    const truths = seen.events.filter((w) => w !== a).map((w) => isWitness(link, seen, a, w));
    const certain = truths.filter((one) => one === "true").length;
    const possible = truths.filter((one) => one !== "false").length;
    const wanted = link.quant === "none" ? 1 : link.atLeast;
    const enough: Truth = certain >= wanted ? "true" : possible >= wanted ? "unknown" : "false";
    const holds = link.quant === "none" ? negate(enough) : enough;
    const unsure = member === "unknown" || holds === "unknown" || (anchor === "unknown" && holds === "false");
    if (unsure) instances.set(a.id, { verdict: "inconclusive" });
    else instances.set(a.id, holds === "true" ? { verdict: "satisfied" } : broken(link));
  }
  return instances;
}

function broken({ quant, need }: LinkSpec): SlowInstance {
  if (quant === "some") return { verdict: "violated" };
  if (need === "any") return { verdict: "violated", code: "forbidden_pair" };
  return need === "future" ? { verdict: "violated", code: "forbidden_after" } : { verdict: "violated" };
}

/** Every part of C(w), all of them asked. */
function isWitness(link: LinkSpec, seen: Seen, a: EventSpec, w: EventSpec): Truth {
  const [first, last] = pointsOf(link, a, w);
  const parts = [
    matches(link.witness, w),
    sameKeys(link.bind, a, w),
    ...link.where.map((one) => compared(one, { a, w })),
  ];
  if (link.need === "any") return and(...parts);
  const comes = seen.order.before(first, last, link.quant === "none" ? "sure" : "required");
  return and(
    ...parts,
    // An end that never comes meets nothing and breaks nothing, whatever was built on it; but where the edges
    // contradict each other nothing is known.
    neverEnds(w, link.need === "past" ? first : last) && comes !== "unknown" ? "false" : comes,
    link.withinMs === null ? "true" : isWithin(link.withinMs * 1e6, seen, first, last),
    link.validUntil === null
      ? "true"
      : isValid(link.validUntil, seen, link.need === "past" ? last : first, a, w),
    ...link.unlessBetween.map(({ match, where }) =>
      negate(
        or(
          ...seen.events
            .filter((b) => b !== a && b !== w)
            .map((b) =>
              and(
                matches(match, b),
                negate(seen.order.before(endOf(b), first, "sure")),
                negate(seen.order.before(last, startOf(b), "sure")),
                ...where.map((one) => compared(one, { a, w, b })),
              ),
            ),
        ),
      ),
    ),
  );
}

/** The earlier side counts by its end, the later one by its start, unless the pattern says otherwise. */
function pointsOf(link: LinkSpec, a: EventSpec, w: EventSpec): readonly [SlowPoint, SlowPoint] {
  const past = link.need === "past";
  const anchorEnds = (link.anchor.boundary ?? (past ? "started_at" : "finished_at")) === "finished_at";
  const witnessEnds = (link.witness.boundary ?? (past ? "finished_at" : "started_at")) === "finished_at";
  const [ap, wp] = [
    { event: a, end: anchorEnds },
    { event: w, end: witnessEnds },
  ];
  return past ? [wp, ap] : [ap, wp];
}

const neverEnds = (w: EventSpec, point: SlowPoint): boolean => point.end && w.end === null;

function isWithin(most: number, { order }: Seen, first: SlowPoint, last: SlowPoint): Truth {
  if (last.end && last.event.end === null) return "false";
  const apart = order.distance(first, last);
  if (apart === null) return "unknown";
  return apart[1] <= most ? "true" : apart[0] > most ? "false" : "unknown";
}

/** The evidence still holds at the anchor's point, as the clock that wrote the time would tell it. */
function isValid(path: string, { order }: Seen, at: SlowPoint, a: EventSpec, w: EventSpec): Truth {
  const until = operand(path, { a, w });
  if (until === "absent") return "false";
  if (until === "unknown" || typeof until.value !== "number") return "unknown";
  const stamp = order.stamp(at);
  if (stamp === null) return "unknown";
  const bound = (until.value - baseMs) * 1e6;
  const other = path.startsWith("w.") && w.host !== a.host;
  // From the anchor's clock to the witness's, by whatever is known of the two.
  const to = order.distance({ event: w, end: false }, at);
  const from = order.stamp({ event: w, end: false });
  if (!other) return stamp[1] <= bound ? "true" : stamp[0] > bound ? "false" : "unknown";
  if (to === null || from === null) return "unknown";
  const [earliest, latest] = [from[1] + to[0], from[0] + to[1]];
  return latest <= bound ? "true" : earliest > bound ? "false" : "unknown";
}

/** So many that every two of them overlap; the greater by start and id answers for them. */
export function judgeApart(rule: ApartSpec, seen: Seen): ReadonlyMap<string, SlowInstance> {
  const { order } = seen;
  const all = seen.events.filter((event) => matches(rule.of, event) !== "false");
  const instances = new Map<string, SlowInstance>();
  if (all.length < 2) return instances;
  const earlierThan = (x: EventSpec, y: EventSpec): boolean =>
    x.start < y.start || (x.start === y.start && x.id < y.id);
  const overlap = (w: EventSpec, a: EventSpec): Truth =>
    and(
      negate(order.before(endOf(w), startOf(a), "required")),
      negate(order.before(endOf(a), startOf(w), "required")),
      sameKeys(rule.bind, a, w),
      ...rule.where.map((one) => compared(one, { a, w })),
    );
  for (const a of all) {
    const member = seen.member(a);
    if (member === "false") continue;
    const crowds = subsets(
      all.filter((w) => earlierThan(w, a)),
      rule.limit,
    ).map((crowd) => {
      const everyone = [...crowd, a];
      const pairs = everyone.flatMap((x) =>
        everyone.filter((y) => earlierThan(x, y)).map((y) => overlap(x, y)),
      );
      return and(...everyone.map((one) => matches(rule.of, one)), ...pairs);
    });
    const found = or(...crowds);
    const verdict = found === "true" ? "violated" : found === "false" ? "satisfied" : "inconclusive";
    if (member === "unknown") instances.set(a.id, { verdict: "inconclusive" });
    else instances.set(a.id, verdict === "violated" ? { verdict, code: "overlap" } : { verdict });
  }
  return instances;
}

export function subsets<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  if (size === 0) return [[]];
  return items.flatMap((item, i) => subsets(items.slice(i + 1), size - 1).map((rest) => [item, ...rest]));
}
