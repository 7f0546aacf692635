import type { Event, Moment } from "../model/event.ts";
import type { UnixNano } from "../model/time.ts";
import { codes } from "../model/verdict.ts";
import type { FoldedRow, TimelineInput } from "./view-model.ts";

/** Events on each side of the ones that decided: enough to see where in the run it happened. */
const context = 2;
/** Past this many rows, stretches in which nothing decided anything are folded too. */
const longSlice = 200;
/** Near misses that widen the slice; those further off are marked only where they are shown anyway. */
const shownMisses = 5;
/** Rows of a run whose verdict names no event at all. */
const overview = 12;

const quietKinds: ReadonlySet<string> = new Set(["model_turn", "agent_run", "step"]);

/** The events that can be rows, by start, then end, then id. A call that was only asked for follows the turn that asked. */
export function inOrder(input: TimelineInput): readonly Event[] {
  const named = namedEvents(input);
  const byId = new Map(input.events.map((event) => [event.id, event]));
  const key = (event: Event): bigint | null => {
    const own = placeOf(event);
    if (own !== null || event.decidedBy === null) return own;
    const turn = byId.get(event.decidedBy);
    return turn === undefined ? null : (stampOf(turn.end) ?? placeOf(turn));
  };
  return input.events
    .filter(
      (event) =>
        !quietKinds.has(event.kind) || named.has(event.id) || (input.rule.kinds?.has(event.kind) ?? false),
    )
    .map((event) => ({ event, start: key(event), end: stampOf(event.end) }))
    .sort(
      (a, b) =>
        compare(a.start, b.start) ||
        compare(a.end, b.end) ||
        a.event.id.localeCompare(b.event.id, "en", { numeric: true }),
    )
    .map(({ event }) => event);
}

/** Where an event stands on the time line: its start, else its end; null when neither is known. */
export function placeOf(event: Event): UnixNano | null {
  return stampOf(event.start) ?? stampOf(event.end);
}

/** Places to show, with a fold wherever some are left out. */
export function slice(input: TimelineInput, shown: readonly Event[]): readonly (number | FoldedRow)[] {
  const places = decidingPlaces(input, shown);
  const keep = keptPlaces(places, shown.length);
  const parts: (number | FoldedRow)[] = [];
  let left = 0;
  for (let place = 0; place < shown.length; place += 1) {
    if (keep(place)) {
      if (left > 0) parts.push({ is: "folded", count: left });
      left = 0;
      parts.push(place);
    } else left += 1;
  }
  if (left > 0) parts.push({ is: "folded", count: left });
  return parts;
}

/**
 * Places of the events that decided, and of the nearest of the near misses: a call that was denied twenty times
 * would else draw the whole run in.
 */
function decidingPlaces({ instance }: TimelineInput, shown: readonly Event[]): readonly number[] {
  const placeOfId = new Map(shown.map((event, place) => [event.id, place]));
  const anchor = (instance.anchor === null ? undefined : placeOfId.get(instance.anchor)) ?? 0;
  const misses = instance.nearMisses
    .flatMap(({ event, code }) => {
      const place = placeOfId.get(event);
      return place === undefined ? [] : [{ place, rank: codes.indexOf(code), far: Math.abs(place - anchor) }];
    })
    .sort((a, b) => a.rank - b.rank || a.far - b.far)
    .slice(0, shownMisses);
  const decided = [instance.anchor, instance.witness, ...instance.involved].flatMap((id) =>
    id === null ? [] : (placeOfId.get(id) ?? []),
  );
  return [...new Set([...decided, ...misses.map(({ place }) => place)])].sort((a, b) => a - b);
}

function keptPlaces(named: readonly number[], length: number): (place: number) => boolean {
  const first = named[0];
  const last = named.at(-1);
  if (first === undefined || last === undefined) return (place) => place < overview;
  const from = first - context;
  // One hidden event behind a fold line saves nothing: it is shown instead.
  const to = last + context;
  if (to - from < longSlice) {
    return (place) =>
      (place >= from && place <= to) ||
      (from === 1 && place === 0) ||
      (to === length - 2 && place === length - 1);
  }
  return (place) => named.some((at) => Math.abs(at - place) <= context);
}

/** Shown events that had begun and not ended when the one at `place` started. Nothing is said where a stamp is missing. */
export function overlaps(shown: readonly Event[], place: number): readonly number[] {
  const event = shown[place];
  const start = event === undefined ? null : stampOf(event.start);
  if (start === null) return [];
  return shown.flatMap((other, index) => {
    if (index >= place) return [];
    const began = stampOf(other.start);
    const ended = other.end === "open" ? null : stampOf(other.end);
    if (began === null || began > start) return [];
    if (other.end !== "open" && (ended === null || ended <= start)) return [];
    return [index];
  });
}

/** The side of the rule that the run lacks, and where its row belongs; null when both sides are there. */
export function missingPlace(
  input: TimelineInput,
): { readonly name: string; readonly where: "before" | "end" } | null {
  const { instance, rule } = input;
  if (rule.link === null || instance.verdict !== "violated" || rule.link.quant !== "some") return null;
  if (instance.code === "anchor_missing") return { name: rule.link.anchor, where: "end" };
  const absent = instance.witness === null && instance.nearMisses.length === 0;
  if (!absent || (instance.code !== "witness_missing" && instance.code !== "deadline_missed")) return null;
  return { name: rule.link.witness, where: rule.link.need === "past" ? "before" : "end" };
}

function namedEvents({ instance }: TimelineInput): ReadonlySet<string> {
  const named = new Set(instance.involved);
  for (const miss of instance.nearMisses) named.add(miss.event);
  if (instance.anchor !== null) named.add(instance.anchor);
  if (instance.witness !== null) named.add(instance.witness);
  return named;
}

function stampOf(moment: Moment): UnixNano | null {
  if (typeof moment !== "object") return null;
  return "at" in moment ? moment.at : moment.earliest;
}

/** What has no place in time comes last. */
function compare(a: bigint | null, b: bigint | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}
