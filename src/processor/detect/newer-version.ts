/**
 * `version`: the state that a call was decided on had moved (docs/causality.md#version).
 *
 * What a call was decided on is its `base_version`, else the `state_version` it names. Numbers tell which of
 * two versions is older; of other texts only that they differ, so there the other one must have come after the
 * call began.
 */
import type { Event } from "../../model/event.ts";
import type { Point } from "../../model/order.ts";
import {
  both,
  type Currency,
  certain,
  compareStarts,
  field,
  finished,
  firstOf,
  never,
  numberOf,
  type Overtaken,
  overtaken,
  started,
  surely,
} from "./currency.ts";
import { siblings } from "./decisions.ts";

/** Events that say which version the state had. */
export interface Versions {
  readonly events: readonly Shown[];
  /** The greatest number among them: what is not below it was not overtaken. Null: not all are numbers. */
  readonly greatest: bigint | null;
}

interface Shown {
  readonly event: Event;
  readonly version: string;
  readonly number: bigint | null;
  /** Whose version it is, where it is not the state's but a resource's. */
  readonly resource: string | null;
}

/** Events that bring a version about: those name it as `version` too. */
const changes: ReadonlySet<string> = new Set(["version_change", "reduced", "applied"]);

export function versionsOf({ events }: Currency): Versions {
  const found: Shown[] = [];
  for (const event of events) {
    const state = field(event, "state_version");
    const version = state ?? (changes.has(event.kind) ? field(event, "version") : null);
    if (version === null) continue;
    const resource = state === null ? field(event, "resource") : null;
    found.push({ event, version, number: numberOf(version), resource });
  }
  found.sort((a, b) => compareStarts(a.event, b.event));
  let greatest: bigint | null = null;
  for (const { number } of found) {
    if (number === null) return { events: found, greatest: null };
    if (greatest === null || number > greatest) greatest = number;
  }
  return { events: found, greatest };
}

/** The state of the agent that a call was decided on. */
const stateOf = (call: Event): string | null => field(call, "base_version") ?? field(call, "state_version");

/** What shows that the state had moved on before the point of the call. */
export function newerVersion(
  currency: Currency,
  versions: Versions,
  call: Event,
  until: Point,
): Overtaken | null {
  const base = stateOf(call);
  if (base === null || versions.events.length === 0) return null;
  const number = numberOf(base);
  if (number !== null && versions.greatest !== null && number >= versions.greatest) return null;
  return firstOf(candidates(currency, versions, call, base, until));
}

function* candidates(
  currency: Currency,
  { events }: Versions,
  call: Event,
  base: string,
  until: Point,
): Iterable<Overtaken | null> {
  const number = numberOf(base);
  for (const { event, version, number: other, resource } of events) {
    if (event === call) {
      yield ownVersion(currency, call, base, until);
      continue;
    }
    if (version === base || !sameState(call, event, resource)) continue;
    if (siblings(currency, call, event)) continue;
    const newer =
      number !== null && other !== null
        ? other > number
          ? certain("none")
          : never
        : surely(currency, started(call), started(event));
    yield overtaken(
      event,
      both(newer, () => surely(currency, shownAt(event), until)),
      "attribute",
      true,
    );
  }
}

/**
 * A read that names both versions saw the state move while it ran. A write may have moved it itself, and so may
 * a tool of which nothing is known.
 */
function ownVersion({ tools }: Currency, call: Event, base: string, until: Point): Overtaken | null {
  const version = field(call, "state_version");
  if (field(call, "base_version") === null || version === null || until.boundary === "started_at")
    return null;
  const [from, to] = [numberOf(base), numberOf(version)];
  const moved = from !== null && to !== null ? to > from : version !== base;
  const effect = tools.get(call.name ?? "")?.effect;
  if (!moved || (effect !== "read" && effect !== "none")) return null;
  return overtaken(call, certain("none"), "attribute", true);
}

/** A call that names the version it started from brought the other one about: by its end. */
function shownAt(event: Event): Point {
  return event.fields.has("base_version") ? finished(event) : started(event);
}

/** A resource's versions say nothing of another, and two runs have states of their own. */
function sameState(call: Event, event: Event, resource: string | null): boolean {
  if (resource !== null) return field(call, "resource") === resource;
  const [a, b] = [field(call, "run_id"), field(event, "run_id")];
  return a === null || b === null || a === b;
}
