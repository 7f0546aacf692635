/**
 * Version conflicts (docs/causality.md#version-conflicts): writes of one resource that got in each other's way.
 *
 *   refused         the provider refused a write for its version
 *   forced          a write went through after such a refusal, and nobody had read again
 *   lost_update     a write went through on a version that another write, or a change, had moved on from
 *   several_owners  two owners wrote at the same time
 *
 * What is declared to commute is in no conflict. Only what is certain counts. Each write is compared with the writes
 * of its resource that began before it, the nearest first and no more than `mostCompared`.
 */
import type { Event } from "../../model/event.ts";
import type { ConflictReason } from "../../model/output.ts";
import type { Match } from "../../rules/truth.ts";
import {
  type Asked,
  both,
  type Currency,
  certain,
  compareStarts,
  currencyOf,
  field,
  finished,
  hasRun,
  never,
  numberOf,
  started,
  surely,
} from "./currency.ts";
import type { DetectInput, Detector, Finding } from "./detector.ts";
import { conflictRecord } from "./version-conflict-record.ts";

/** Far more than writes of one thing that can still be in each other's way. */
const mostCompared = 64;

export const versionConflict: Detector = {
  name: "version_conflict",
  field: "conflict",
  settledAt: "finished_at",
  about: hasRun,
  find(input) {
    const currency = currencyOf(input);
    const writes = currency.calls.filter((call) => isWrite(currency, call)).sort(compareStarts);
    if (writes.length === 0) return [];
    return [...Map.groupBy(writes, (call) => field(call, "resource"))].flatMap(([resource, own]) =>
      ofResource(input, { ...currency, resource, writes: own, seen: readsOf(currency, resource) }),
    );
  },
};

interface OfResource extends Currency {
  /** Null: the calls say none, and only their refusals say something. */
  readonly resource: string | null;
  /** Earliest first. */
  readonly writes: readonly Event[];
  readonly seen: Seen;
}

interface Seen {
  readonly reads: readonly Event[];
  readonly changes: readonly Event[];
}

function isWrite({ tools }: Currency, call: Event): boolean {
  const effect = tools.get(call.name ?? "")?.effect;
  return effect === "write" || effect === "external" || isRefused(call) || call.fields.has("if_match");
}

const isRefused = (call: Event): boolean => field(call, "outcome") === "conflict";

/** It ended well, as far as anybody says: of a call whose end is not known nobody knows what it changed. */
const wentThrough = (call: Event): boolean =>
  call.status === "success" && !["conflict", "failed", "unknown"].includes(field(call, "outcome") ?? "ok");

function readsOf(currency: Currency, resource: string | null): Seen {
  if (resource === null) return { reads: [], changes: [] };
  const own = currency.events.filter((event) => field(event, "resource") === resource);
  return {
    reads: own
      .filter((event) => hasRun(event) && !isWrite(currency, event) && event.status === "success")
      .sort(compareStarts),
    changes: own.filter(({ kind }) => kind === "version_change").sort(compareStarts),
  };
}

interface Found {
  readonly reason: ConflictReason;
  readonly by: Event | null;
  readonly asked: Asked;
}

function ofResource(input: DetectInput, all: OfResource): readonly Finding[] {
  return all.writes.flatMap((write, place) => {
    const others = all.resource === null ? [] : all.writes.slice(Math.max(0, place - mostCompared), place);
    const mergeable = new Map(others.map((other) => [other, input.commute(write, other)]));
    const nearest = others.toReversed().filter((other) => mergeable.get(other)?.truth !== "true");
    const reasons = isRefused(write)
      ? [refused(all, write, nearest)]
      : wentThrough(write)
        ? [forced(all, write, nearest), lostUpdate(all, write, nearest), severalOwners(all, write, nearest)]
        : [];
    const found = reasons.flatMap((one) => (one === null ? [] : [unlessMergeable(one, mergeable)]));
    const isForced = found.some(({ reason, asked }) => reason === "forced" && asked.truth === "true");
    return found.map(({ reason, by, asked }): Finding => {
      const echo = reason === "lost_update" && isForced;
      return {
        detector: "version_conflict",
        reason,
        event: write,
        by,
        truth: asked.truth === "true" ? "true" : "unknown",
        code: asked.code,
        identity: "attribute",
        order: asked.order,
        note: notes[reason],
        conflict: conflictRecord(write, by, all.resource),
        ...(echo && { echo }),
      };
    });
  });
}

/** Where the two may commute, they may be in no conflict. */
function unlessMergeable(found: Found, mergeable: ReadonlyMap<Event, Match>): Found {
  const merge = found.by === null ? undefined : mergeable.get(found.by);
  if (merge?.truth !== "unknown" || found.reason === "refused") return found;
  return { ...found, asked: { ...found.asked, truth: "unknown", code: merge.code ?? "data_incomplete" } };
}

const notes: Readonly<Record<ConflictReason, string>> = {
  refused: "fetch the new version, and decide again",
  forced: "read before writing again after a conflict; a precondition (if_match) would have refused it",
  lost_update: "send the version that was read as a precondition (if_match)",
  several_owners: "give the resource one writer, a lease, or declare under commutes what may be merged",
};

/** By whatever moved the version: the nearest write that went through, or change, before the refusal. */
function refused(all: OfResource, write: Event, nearest: readonly Event[]): Found {
  const movers = [...nearest.filter(wentThrough), ...all.seen.changes.toReversed()];
  const base = baseOf(write);
  const by = movers.find(
    (other) =>
      (base === null || resultOf(other) !== base) &&
      surely(all, finished(other), finished(write)).truth === "true",
  );
  return { reason: "refused", by: by ?? null, asked: certain("none") };
}

function forced(all: OfResource, write: Event, nearest: readonly Event[]): Found | null {
  return firstFound(
    "forced",
    nearest.filter((other) => isRefused(other) && ownerOf(other) === ownerOf(write)),
    (conflict) => {
      const [now, then] = [baseOf(write), baseOf(conflict)];
      // It names another version than the one that was refused: somebody has told it.
      if (now !== null && now !== then) return never;
      return both(surely(all, finished(conflict), started(write)), () => notReread(all, conflict, write));
    },
  );
}

function notReread(all: OfResource, conflict: Event, write: Event): Asked {
  let open: Asked | null = null;
  for (const read of all.seen.reads) {
    const between = both(surely(all, finished(conflict), finished(read)), () =>
      surely(all, finished(read), started(write)),
    );
    if (between.truth === "true") return never;
    if (between.truth === "unknown") open ??= between;
  }
  return open ?? certain("none");
}

function lostUpdate(all: OfResource, write: Event, nearest: readonly Event[]): Found | null {
  const movers = [...nearest.filter(wentThrough), ...all.seen.changes.toReversed()];
  return firstFound("lost_update", movers, (other) => overwritten(all, write, other));
}

function overwritten(all: OfResource, write: Event, other: Event): Asked {
  const base = baseOf(write);
  if (base === null) return unseen(all, write, other);
  // Both started from one version and both went through: whichever came first, one is lost.
  if (other.kind !== "version_change" && baseOf(other) === base) return certain("none");
  const [from, to] = [numberOf(base), numberOf(resultOf(other))];
  if (from === null || to === null || to <= from) return never;
  return surely(all, finished(other), started(write));
}

/** Nobody names versions: what another owner wrote after this one's last look was not known to it. */
function unseen(all: OfResource, write: Event, other: Event): Asked {
  if (other.kind === "version_change" || ownerOf(other) === ownerOf(write)) return never;
  const looks = all.seen.reads.filter(
    (read) =>
      read.run === write.run &&
      ownerOf(read) === ownerOf(write) &&
      surely(all, finished(read), started(write)).truth === "true",
  );
  const last = looks.at(-1);
  if (
    last === undefined ||
    looks.some((read) => surely(all, finished(read), started(other)).truth !== "true")
  )
    return never;
  return both(surely(all, finished(last), started(other)), () =>
    surely(all, finished(other), started(write)),
  );
}

function severalOwners(all: OfResource, write: Event, nearest: readonly Event[]): Found | null {
  return firstFound(
    "several_owners",
    nearest.filter((other) => wentThrough(other) && ownerOf(other) !== ownerOf(write)),
    (other) =>
      both(surely(all, started(other), finished(write)), () => surely(all, started(write), finished(other))),
  );
}

/** The first that certainly is one, else the first that may be. */
function firstFound(
  reason: ConflictReason,
  candidates: readonly Event[],
  ask: (other: Event) => Asked,
): Found | null {
  let perhaps: Found | null = null;
  for (const by of candidates) {
    const asked = ask(by);
    if (asked.truth === "true") return { reason, by, asked };
    if (asked.truth === "unknown") perhaps ??= { reason, by, asked };
  }
  return perhaps;
}

/** The version that a write started from. */
const baseOf = (event: Event): string | null => field(event, "base_version") ?? field(event, "if_match");

/** The version that it brought about. */
export const resultOf = (event: Event): string | null => field(event, "version");

/** Who writes: one agent of one service is one owner, in whatever run. */
const ownerOf = (event: Event): string =>
  ["actor", "agent", "service"].map((name) => field(event, name) ?? "").join("\n");
