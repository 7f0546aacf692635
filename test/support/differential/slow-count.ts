/** Counts (docs/semantics.md 5): every way in which what is not known could be. */
import type { CountSpec, EventSpec } from "./language.ts";
import type { Seen, SlowInstance } from "./slow-judge.ts";
import { and, keyOf, matches, read } from "./slow-match.ts";
import { type SlowOrder, startOf } from "./slow-order.ts";

interface Item {
  readonly event: EventSpec;
  /** It may not count at all, or not under the key in question. */
  readonly optional: boolean;
  /** Its distinct value; null: it has none that is known, so it may have one of its own. */
  readonly value: string | null;
}

export function judgeCount(rule: CountSpec, seen: Seen): ReadonlyMap<string, SlowInstance> {
  const groups = new Map<string, Item[]>(rule.bind.length === 0 ? [["key ", []]] : []);
  const anywhere: Item[] = [];
  for (const event of seen.events) {
    const counts = and(matches(rule.of, event), seen.member(event));
    const key = keyOf(rule.bind, event);
    if (counts === "false" || key === "absent") continue;
    const item = { event, optional: counts === "unknown", value: distinctOf(rule, event) };
    if (key === "unknown") anywhere.push(item);
    else groups.set(`key ${key.text}`, [...(groups.get(`key ${key.text}`) ?? []), item]);
  }
  // It belongs to a key that is there, to another one, or to none at all.
  const mayBe = anywhere.map((item) => ({ ...item, optional: true }));
  const found = new Map(
    [...groups].map(([key, items]) => [key, judgeGroup(rule, seen, [...items, ...mayBe])]),
  );
  const breaks = subsetsOf(anywhere).some((own) => judgeGroup(rule, seen, own).verdict !== "satisfied");
  if (breaks || (groups.size === 0 && anywhere.length > 0)) {
    found.set("key ", { verdict: breaks ? "inconclusive" : "satisfied" });
  }
  return found;
}

/** Which of them could be all that another key has: none of them empty. */
const subsetsOf = (items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: 2 ** items.length - 1 }, (_, bits) =>
    items.filter((_item, i) => ((bits + 1) & (1 << i)) !== 0),
  );

function distinctOf(rule: CountSpec, event: EventSpec): string | null {
  const values = rule.distinct.map((path) => read(event, path));
  const known = values.every((found) => typeof found === "object" && found.value !== "");
  return known ? JSON.stringify(values) : null;
}

function judgeGroup(rule: CountSpec, seen: Seen, items: readonly Item[]): SlowInstance {
  const numbers = new Set<number>();
  const order = seen.orderOfKey(items.map(({ event }) => event));
  for (const chosen of worlds(rule, items))
    for (const size of sizesOf(rule, order, chosen)) numbers.add(size);
  const tooMany = [...numbers].map((size) => rule.max !== null && size > rule.max);
  const tooFew = [...numbers].map((size) => rule.min !== null && size < rule.min);
  const broken = tooMany.map((many, i) => many || tooFew[i] === true);
  if (!broken.includes(true)) return { verdict: "satisfied" };
  if (broken.includes(false)) return { verdict: "inconclusive" };
  if (!tooMany.includes(false)) return { verdict: "violated", code: "count_exceeded" };
  return tooFew.includes(false) ? { verdict: "violated" } : { verdict: "violated", code: "count_below" };
}

interface Counted {
  readonly event: EventSpec;
  readonly value: string;
}

/** Each event counts or, where that is not known, does not; a missing value is one of its own, or none. */
function worlds(rule: CountSpec, items: readonly Item[]): readonly (readonly Counted[])[] {
  let found: readonly (readonly Counted[])[] = [[]];
  for (const { event, optional, value } of items) {
    const own = rule.distinct.length === 0 ? event.id : (value ?? `own of ${event.id}`);
    const unsure = optional || (rule.distinct.length > 0 && value === null);
    found = found.flatMap((chosen) => {
      const taken = [...chosen, { event, value: own }];
      return unsure ? [chosen, taken] : [taken];
    });
  }
  return found;
}

const size = (chosen: readonly Counted[]): number => new Set(chosen.map(({ value }) => value)).size;

/** How much the fullest window certainly holds, and how much it may. */
function sizesOf(rule: CountSpec, order: SlowOrder, chosen: readonly Counted[]): readonly number[] {
  if (rule.windowMs === null) return [size(chosen)];
  const window = rule.windowMs * 1e6;
  let [least, most] = [0, 0];
  for (let bits = 0; bits < 2 ** chosen.length; bits += 1) {
    const taken = chosen.filter((_, i) => (bits & (1 << i)) !== 0);
    const apart = taken.flatMap((x, i) =>
      taken.slice(i + 1).map((y) => order.distance(startOf(x.event), startOf(y.event))),
    );
    const sure = apart.every((one) => one !== null && one[1] <= window && -one[0] <= window);
    const may = apart.every((one) => one === null || (one[0] <= window && -one[1] <= window));
    if (sure) least = Math.max(least, size(taken));
    if (may) most = Math.max(most, size(taken));
  }
  return [least, most];
}
