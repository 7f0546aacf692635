/**
 * `superseded`: a later decision asked the same slot, and its call had started before the point at which this
 * one is looked at; or a signal says so of its decision (docs/causality.md#superseded).
 *
 * The slot is the tool, unless its `slot` trait says otherwise: the tool and its values at some paths, or `any`
 * call of the same agent. Calls that may be merged (`commutes:`) never supersede each other.
 *
 * Cost: calls are sorted by decision once. A call looks at the later decisions only, and no further than one
 * of them can have started before its own end: nothing, where calls follow each other.
 */
import { type Event, readField } from "../../model/event.ts";
import type { Point } from "../../model/order.ts";
import type { Code } from "../../model/verdict.ts";
import type { Slot } from "../../rules/rule.ts";
import type { Match } from "../../rules/truth.ts";
import { keyText } from "../../rules/values.ts";
import {
  type Asked,
  both,
  type Currency,
  certain,
  firstOf,
  never,
  type Overtaken,
  overtaken,
  stampOf,
  started,
  surely,
} from "./currency.ts";
import { type Decision, decidedLater, decisionOf } from "./decisions.ts";
import { signalled } from "./signalled.ts";

export interface Slots {
  readonly decisions: ReadonlyMap<Event, Decision>;
  /** Slot and who decides → their calls, by decision. */
  readonly ranked: ReadonlyMap<string, Ranked>;
  readonly fallback: Slot;
  readonly commute: (a: Event, b: Event) => Match;
}

interface Ranked {
  readonly calls: readonly { readonly call: Event; readonly rank: bigint }[];
  /** Earliest start among the calls from here on; null where stamps cannot tell. */
  readonly earliest: readonly bigint[] | null;
}

export function slotsOf(currency: Currency, fallback: Slot, commute: (a: Event, b: Event) => Match): Slots {
  const decisions = new Map<Event, Decision>();
  const lists = new Map<string, { call: Event; rank: bigint }[]>();
  const add = (key: string, call: Event, rank: bigint): void => {
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [{ call, rank }]);
    else list.push({ call, rank });
  };
  const anyUsed =
    fallback.is === "any" || [...currency.tools.values()].some(({ slot }) => slot?.is === "any");
  for (const call of currency.calls) {
    const decision = decisionOf(currency, call);
    if (decision.numbered === null && decision.turn === null) continue;
    decisions.set(call, decision);
    for (const { by, rank } of ranksOf(decision)) {
      add(`${by}\n${call.name ?? ""}`, call, rank);
      if (anyUsed) add(by, call, rank);
    }
  }
  const pruned = currency.order.refuted !== true;
  return {
    decisions,
    ranked: new Map([...lists].map(([key, list]) => [key, rankedBy(list, pruned)])),
    fallback,
    commute,
  };
}

function ranksOf({ numbered, turn, invocation }: Decision): { by: string; rank: bigint }[] {
  const ranks: { by: string; rank: bigint }[] = [];
  if (numbered !== null) ranks.push({ by: `#${numbered.by}`, rank: numbered.number });
  if (turn !== null && invocation !== null) ranks.push({ by: `@${invocation}`, rank: stampOf(turn) ?? 0n });
  return ranks;
}

function rankedBy(list: { call: Event; rank: bigint }[], pruned: boolean): Ranked {
  const calls = list.sort((a, b) =>
    a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : a.call.id < b.call.id ? -1 : 1,
  );
  const clock = calls[0]?.call.clock;
  const comparable =
    pruned && calls.every(({ call }) => call.clock === clock && typeof call.start === "object");
  if (!comparable) return { calls, earliest: null };
  const earliest: bigint[] = new Array(calls.length);
  let least: bigint | null = null;
  for (let i = calls.length - 1; i >= 0; i -= 1) {
    const start = stampOf(calls[i]?.call as Event) ?? 0n;
    if (least === null || start < least) least = start;
    earliest[i] = least;
  }
  return { calls, earliest };
}

/** What had superseded the call before the point of it. */
export function superseded(currency: Currency, slots: Slots, call: Event, until: Point): Overtaken | null {
  return firstOf(candidates(currency, slots, call, until));
}

function* candidates(
  currency: Currency,
  slots: Slots,
  call: Event,
  until: Point,
): Iterable<Overtaken | null> {
  yield signalled(currency, currency.supersessions, call, until);
  const own = slots.decisions.get(call);
  if (own === undefined) return;
  const tool = call.name ?? "";
  const slot = currency.tools.get(tool)?.slot ?? slots.fallback;
  for (const { by, rank } of ranksOf(own)) {
    const ranked = slots.ranked.get(slot.is === "any" ? by : `${by}\n${tool}`);
    for (const other of ranked === undefined ? [] : after(ranked, rank, until)) {
      if (other === call) continue;
      yield overtakes(currency, slots, slot, { call, own }, other, until);
    }
  }
}

function overtakes(
  currency: Currency,
  slots: Slots,
  slot: Slot,
  { call, own }: { readonly call: Event; readonly own: Decision },
  other: Event,
  until: Point,
): Overtaken | null {
  const decision = slots.decisions.get(other);
  if (decision === undefined) return null;
  const later = decidedLater(currency, own, decision);
  const inTime = both(later, () => surely(currency, started(other), until));
  const inSlot = both(inTime, () => sameSlot(slot, call, other));
  const asked = both(inSlot, () => merges(slots.commute(call, other)));
  // Numbers stay what they are; a model turn that comes late takes another place among the others.
  return overtaken(other, asked, later.identity, later.identity === "attribute");
}

/** Calls decided after the rank, as far as one of them may have started before the point. */
function* after({ calls, earliest }: Ranked, rank: bigint, until: Point): Iterable<Event> {
  const latest = latestOf(until);
  for (let i = firstFrom(calls, rank); i < calls.length; i += 1) {
    const bound = earliest?.[i];
    if (bound !== undefined && latest !== null && calls[i]?.call.clock === until.event.clock) {
      if (bound > latest) return;
    }
    const call = calls[i]?.call;
    if (call !== undefined) yield call;
  }
}

/** The latest that the point can be, by its own clock; null where nothing says. */
function latestOf({ event, boundary }: Point): bigint | null {
  const moment = boundary === "started_at" ? event.start : event.end;
  if (typeof moment === "string") return null;
  return "at" in moment ? moment.at : moment.latest;
}

/** Turns of equal stamps may be of either order, so equal ranks are looked at too. */
function firstFrom(calls: Ranked["calls"], rank: bigint): number {
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((calls[middle]?.rank ?? 0n) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Calls that commute do not get in each other's way, in whatever order they end. */
function merges({ truth, code }: Match): Asked {
  if (truth === "unknown") return { truth, order: "none", code };
  return truth === "true" ? never : certain("none");
}

/** Both are of the slot's tool already. Equal values at its paths, as keys compare; a value that is hidden may be equal. */
function sameSlot(slot: Slot, call: Event, other: Event): Asked {
  let unknown: Code | null = null;
  for (const path of slot.is === "paths" ? slot.paths : []) {
    const [a, b] = [readField(call, path), readField(other, path)];
    const code = a.is === "unknown" ? a.code : b.is === "unknown" ? b.code : null;
    if (code !== null) {
      unknown ??= code;
      continue;
    }
    const [x, y] = [a, b].map((reading) => (reading.is === "value" ? keyText(reading.value) : null));
    if (x !== y) return never;
  }
  return unknown === null ? certain("none") : { truth: "unknown", order: "none", code: unknown };
}
