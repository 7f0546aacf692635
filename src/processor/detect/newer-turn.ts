/**
 * `turn`: a newer user turn of the conversation had begun (docs/causality.md#turn).
 *
 * Where the agent names its turns, those names decide; where a `user_turn` is recorded, that; and where nothing
 * says anything of turns, a later trace of the conversation with a model turn of its own is taken for one.
 */
import type { Event } from "../../model/event.ts";
import type { Point } from "../../model/order.ts";
import type { IdentitySource } from "../../model/output.ts";
import {
  type Asked,
  both,
  type Currency,
  certain,
  compareStarts,
  decidedAt,
  field,
  firstOf,
  never,
  numberOf,
  type Overtaken,
  overtaken,
  started,
  surely,
} from "./currency.ts";

export interface Turns {
  /** What begins a turn, earliest first. */
  readonly starters: readonly Starter[];
  /** Turn → the first event of it. */
  readonly begin: ReadonlyMap<string, Event>;
}

interface Starter {
  readonly event: Event;
  /** The turn it begins; null: it does not say. */
  readonly turn: string | null;
  readonly identity: IdentitySource;
}

export function turnsOf(currency: Currency): Turns {
  const begin = new Map<string, Event>();
  const traces = new Map<string, Event>();
  for (const event of currency.events) {
    const turn = field(event, "turn");
    if (turn !== null) keepEarlier(begin, turn, event);
    if (event.kind === "model_turn") keepEarlier(traces, event.run, event);
  }
  const starters: Starter[] = currency.userTurns.map((event) => ({
    event,
    turn: field(event, "turn"),
    identity: "signal",
  }));
  for (const [turn, event] of begin) {
    if (event.kind !== "user_turn") starters.push({ event, turn, identity: "attribute" });
  }
  if (starters.length === 0) {
    const resumed = resumedTraces(currency);
    for (const [trace, event] of traces) {
      if (!resumed.has(trace)) starters.push({ event, turn: null, identity: "trace" });
    }
  }
  return { begin, starters: starters.sort((a, b) => compareStarts(a.event, b.event)) };
}

function keepEarlier(map: Map<string, Event>, key: string, event: Event): void {
  const known = map.get(key);
  if (known === undefined || compareStarts(event, known) < 0) map.set(key, event);
}

/** A trace that goes on with paused work begins no turn: it says so, or runs what another trace asked for. */
function resumedTraces({ events, byId }: Currency): ReadonlySet<string> {
  const resumed = new Set<string>();
  for (const event of events) {
    const decider = event.decidedBy === null ? undefined : byId.get(event.decidedBy);
    if (event.kind === "resume" || (decider !== undefined && decider.run !== event.run)) {
      resumed.add(event.run);
    }
  }
  return resumed;
}

/** What had begun a newer turn before the point of the call. */
export function newerTurn(currency: Currency, turns: Turns, call: Event, until: Point): Overtaken | null {
  if (turns.starters.length < 2 && turns.starters[0]?.identity !== "signal") return null;
  return firstOf(candidates(currency, turns, call, until));
}

function* candidates(
  currency: Currency,
  turns: Turns,
  call: Event,
  until: Point,
): Iterable<Overtaken | null> {
  for (const starter of turns.starters) {
    const asked = both(isNewer(currency, turns, starter, call), () =>
      surely(currency, started(starter.event), until),
    );
    yield overtaken(starter.event, asked, starter.identity, areNumbered(starter, call));
  }
}

function isNewer(currency: Currency, turns: Turns, starter: Starter, call: Event): Asked {
  const own = field(call, "turn");
  if (own !== null && starter.turn !== null) {
    if (own === starter.turn) return never;
    const [mine, other] = [numberOf(own), numberOf(starter.turn)];
    if (mine !== null && other !== null) return other > mine ? certain("none") : never;
    return begunAfter(currency, turns.begin.get(own), starter);
  }
  // That other work names its turn says nothing of a call that names none: it may well be the same one.
  if (starter.identity === "attribute") return never;
  const decided = decidedAt(currency, call);
  if (starter.identity === "signal") return begunAfter(currency, decided, starter);
  // Where every step is a trace of its own, a later trace is no newer turn: the call and what asked for it share one.
  if (decided === call || decided.run !== call.run || starter.event.run === call.run) return never;
  return begunAfter(currency, decided, starter);
}

/** Numbers stay what they are; where a turn named otherwise began, a span that comes late may change. */
function areNumbered({ turn }: Starter, call: Event): boolean {
  return numberOf(turn) !== null && numberOf(field(call, "turn")) !== null;
}

function begunAfter(currency: Currency, own: Event | undefined, { event }: Starter): Asked {
  return own === undefined || own === event ? never : surely(currency, started(own), started(event));
}
