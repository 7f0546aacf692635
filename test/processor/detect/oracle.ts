/**
 * What is stale, looked up the slow and obvious way: every pair of events of a finished conversation on one clock,
 * whose stamps are whole milliseconds and whose numbers are small.
 */
import type { Event } from "../../../src/model/event.ts";
import type { Truth } from "../../../src/model/order.ts";

/** `detector reason event`, with a `?` where it only may be; sorted. */
export function slowlyFound(events: readonly Event[], writes: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const say = (detector: string, reason: string, call: Event, truths: readonly Truth[]): void => {
    if (truths.includes("true")) found.push(`${detector} ${reason} ${call.id}`);
    else if (truths.includes("unknown")) found.push(`${detector} ${reason} ${call.id}?`);
  };
  for (const call of events) {
    if (call.kind !== "tool_call" || call.status === "requested") continue;
    for (const until of ["end", "start"] as const) {
      const detector = until === "end" ? "stale_result" : "stale_effect";
      if (until === "end" && (call.end === "open" || call.status === "cancelled")) continue;
      if (until === "start" && !writes.has(call.name ?? "")) continue;
      for (const [reason, asks] of Object.entries(reasons)) {
        say(
          detector,
          reason,
          call,
          events.flatMap((other) => (other === call ? [] : [asks(events, call, other, until)])),
        );
      }
      if (until === "end" && !writes.has(call.name ?? "")) say(detector, "version", call, [sawItMove(call)]);
    }
  }
  // What is certain for one cause is no doubt for another.
  return [...new Set(found)]
    .filter((text) => !found.includes(text.replace(/\?$/, "")) || !text.endsWith("?"))
    .sort();
}

/** A read that names both versions. */
function sawItMove(call: Event): Truth {
  const [base, version] = [number(call, "base_version"), number(call, "state_version")];
  return base !== null && version !== null && version > base ? "true" : "false";
}

type Asks = (events: readonly Event[], call: Event, other: Event, until: "start" | "end") => Truth;

const reasons: Readonly<Record<string, Asks>> = {
  superseded(events, call, other, until) {
    if (other.kind !== "tool_call" || other.status === "requested" || other.name !== call.name) {
      return "false";
    }
    return and(decidedLater(events, call, other), startedBefore(other, call, until));
  },
  version(events, call, other, until) {
    const base = number(call, "base_version") ?? number(call, "state_version");
    const version = number(other, "state_version");
    if (base === null || version === null || version <= base || siblings(events, call, other)) return "false";
    const shown = other.fields.has("base_version") ? finishedBefore(other, call, until) : null;
    return shown ?? startedBefore(other, call, until);
  },
  turn(events, call, other, until) {
    const [own, turn] = [number(call, "turn"), number(other, "turn")];
    // The first event of its turn stands for it.
    const first = events.every(
      (event) => event === other || number(event, "turn") !== turn || isBefore(other, event),
    );
    if (own === null || turn === null || turn <= own || !first) return "false";
    return startedBefore(other, call, until);
  },
  cancelled(_events, call, other, until) {
    if (other.kind !== "cancel_requested") return "false";
    if (other.fields.get("decision") !== call.fields.get("decision")) return "false";
    return startedBefore(other, call, until);
  },
};

function decidedLater(events: readonly Event[], call: Event, other: Event): Truth {
  const [own, later] = [turnOf(events, call), turnOf(events, other)];
  if (own !== null && own === later) return "false";
  const [mine, theirs] = [number(call, "seq"), number(other, "seq")];
  if (mine !== null && theirs !== null) return theirs > mine ? "true" : "false";
  if (own === null || later === null || own.invocation !== later.invocation) return "false";
  return earlier(startOf(own), startOf(later));
}

function siblings(events: readonly Event[], call: Event, other: Event): boolean {
  const own = turnOf(events, call);
  if (own !== null && own === turnOf(events, other)) return true;
  return number(call, "seq") !== null && number(call, "seq") === number(other, "seq");
}

const turnOf = (events: readonly Event[], call: Event): Event | null =>
  events.find(({ id }) => id === call.decidedBy) ?? null;

const startedBefore = (other: Event, call: Event, until: "start" | "end"): Truth =>
  came(other, startOf(other), call, until, true);

const finishedBefore = (other: Event, call: Event, until: "start" | "end"): Truth =>
  came(other, endOf(other), call, until, false);

/** What was decided first began first, unless the one clock shows that it did not. */
function came(other: Event, at: bigint, call: Event, until: "start" | "end", isStart: boolean): Truth {
  const point = until === "start" ? startOf(call) : endOf(call);
  const clock = earlier(at, point);
  const [mine, theirs] = [number(call, "seq"), number(other, "seq")];
  if (mine === null || theirs === null || mine === theirs) return clock;
  if (isStart && theirs < mine) return "true";
  return until === "start" && theirs > mine && clock === "unknown" ? "false" : clock;
}

const isBefore = (a: Event, b: Event): boolean =>
  startOf(a) < startOf(b) || (startOf(a) === startOf(b) && a.id < b.id);

const earlier = (a: bigint, b: bigint): Truth => (a < b ? "true" : a > b ? "false" : "unknown");
const and = (a: Truth, b: Truth): Truth => (a === "false" || b === "false" ? "false" : a === "true" ? b : a);

const stamp = (moment: Event["start"]): bigint =>
  typeof moment === "object" && "at" in moment ? moment.at : 0n;
const startOf = ({ start }: Event): bigint => stamp(start);
const endOf = ({ end }: Event): bigint => stamp(end);

function number(event: Event, field: string): number | null {
  const value = event.fields.get(field);
  return typeof value === "number" ? value : null;
}
