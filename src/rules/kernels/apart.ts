/**
 * The link form `apart`: of every two events of one key, one finished before the other started. The anchor of a
 * pair is the greater by start and id, so each pair counts once.
 *
 * Cost: each event is compared with the earlier ones of its key, and those whose key is not known.
 */
import type { Event } from "../../model/event.ts";
import type { Code, InstanceVerdict } from "../../model/verdict.ts";
import { compareAll } from "../comparison.ts";
import type { Link } from "../program.ts";
import { nearer, no } from "../truth.ts";
import { before, instance, type Kernel, type Membership, point } from "./context.ts";
import type { CompiledLink } from "./examine.ts";
import { bindMatch, readKey, readWitnessKey } from "./keys.ts";
import { reasonOfLink } from "./reason.ts";

interface Pair {
  readonly truth: "apart" | "overlap" | "unknown";
  readonly code: Code | null;
}

export function judgeApart(compiled: CompiledLink, kernel: Kernel): InstanceVerdict[] {
  const { link } = compiled;
  const matches = kernel.index
    .candidates(link.anchor)
    .map((event) => ({ event, match: compiled.anchor(event, kernel.match) }))
    .filter(({ match }) => match.truth !== "false");
  // One event can overlap nothing: the rule had nothing to say, whatever its key.
  if (matches.length < 2) return [];
  const earlier = new Earlier(link, kernel);
  return matches.flatMap((current) => {
    const member = kernel.member(current.event);
    // An event that may lie outside the stretch is no surer an anchor than one that may not match.
    const anchor = member.truth === "unknown" ? { ...current, match: member } : current;
    const verdict =
      member.truth === "false" ? [] : [judgeOne(compiled, kernel, anchor, earlier.of(current.event))];
    earlier.add(current);
    return verdict.map((one) => (member.truth === "true" ? one : unsure(link, kernel, one, member)));
  });
}

function unsure(link: Link, kernel: Kernel, found: InstanceVerdict, member: Membership): InstanceVerdict {
  const final = found.final && !kernel.open;
  const result = { ...found, verdict: "inconclusive" as const, code: member.code ?? "order_unknown", final };
  return { ...result, reason: reasonOfLink(link, result) };
}

interface Matched {
  readonly event: Event;
  readonly match: { readonly truth: "true" | "false" | "unknown"; readonly code: Code | null };
}

/** What came before, by key: of a thousand effects with keys of their own no two need be compared. */
class Earlier {
  readonly #link: Link;
  readonly #settled: boolean;
  readonly #all: Matched[] = [];
  /** Places in the list of all, by key. */
  readonly #byKey = new Map<string, number[]>();
  readonly #unknown: number[] = [];

  constructor(link: Link, { match }: Kernel) {
    this.#link = link;
    this.#settled = match.settled;
  }

  add(matched: Matched): void {
    const place = this.#all.push(matched) - 1;
    const key = readWitnessKey(matched.event, this.#link.bind, this.#settled);
    if (key.is === "unknown") this.#unknown.push(place);
    if (key.is !== "known") return;
    const own = this.#byKey.get(key.text);
    if (own === undefined) this.#byKey.set(key.text, [place]);
    else own.push(place);
  }

  /** Those that may share the key of an event, in their order. */
  of(event: Event): readonly Matched[] {
    const paths = this.#link.bind.map(({ anchor }) => anchor);
    const key = readKey(event, paths, this.#settled);
    if (key.is === "absent") return [];
    if (key.is === "unknown") return this.#all;
    const own = this.#byKey.get(key.text) ?? [];
    const places = this.#unknown.length === 0 ? own : [...own, ...this.#unknown].sort((a, b) => a - b);
    return places.flatMap((place) => this.#all[place] ?? []);
  }
}

function judgeOne(
  compiled: CompiledLink,
  kernel: Kernel,
  { event: a, match }: Matched,
  earlier: readonly Matched[],
): InstanceVerdict {
  const { link } = compiled;
  const limit = link.limit ?? 1;
  if (limit > 1) return judgeCrowd(compiled, kernel, a, match, earlier, limit);
  let code: Code | null = null;
  let unknown = false;
  for (const { event: w, match: other } of earlier) {
    const pair = comparePair(compiled, kernel, a, w);
    if (pair.truth === "apart") continue;
    const certain = pair.truth === "overlap" && match.truth === "true" && other.truth === "true";
    if (certain) {
      const key = keyText(compiled, kernel, a);
      const found = instance({
        anchor: a.id,
        key,
        verdict: "violated",
        final: true,
        code: link.code ?? "overlap",
        witness: w.id,
      });
      return { ...found, reason: reasonOfLink(link, found) };
    }
    unknown = true;
    code = nearer(code, pair.code ?? match.code ?? other.code ?? "order_unknown");
  }
  const closed = kernel.view.completeness.closed;
  const result = instance({
    anchor: a.id,
    key: keyText(compiled, kernel, a),
    verdict: unknown ? "inconclusive" : "satisfied",
    final: closed !== null,
    code,
    completeness: closed,
  });
  return { ...result, reason: reasonOfLink(link, result) };
}

/**
 * More than `limit` open at once: events of which every two overlap have an instant in common, since each is an
 * interval of one time. So the earlier ones that surely overlap this one, and each other, decide.
 */
function judgeCrowd(
  compiled: CompiledLink,
  kernel: Kernel,
  a: Event,
  match: Matched["match"],
  earlier: readonly Matched[],
  limit: number,
): InstanceVerdict {
  const { link } = compiled;
  const sure = match.truth === "true";
  const beside = earlier
    .map((other) => ({ ...other, pair: comparePair(compiled, kernel, a, other.event) }))
    .filter(({ pair }) => pair.truth !== "apart");
  const certain = beside.filter(({ pair, match: own }) => pair.truth === "overlap" && own.truth === "true");
  const overlap = (of: "certain" | "possible") => (x: Matched, y: Matched) => {
    const { truth } = comparePair(compiled, kernel, y.event, x.event);
    return of === "certain" ? truth === "overlap" : truth !== "apart";
  };
  const crowd = sure ? crowdOf(certain, limit, overlap("certain")) : null;
  if (Array.isArray(crowd)) {
    const found = instance({
      anchor: a.id,
      key: keyText(compiled, kernel, a),
      verdict: "violated",
      final: true,
      code: link.code ?? "overlap",
      witness: crowd[0]?.event.id ?? null,
      involved: crowd.map(({ event }) => event.id),
    });
    return { ...found, reason: reasonOfLink(link, found) };
  }
  const possible = crowdOf(beside, limit, overlap("possible"));
  const closed = kernel.view.completeness.closed;
  const code = beside.reduce<Code | null>(
    (best, { pair, match: own }) => nearer(best, pair.truth === "unknown" ? pair.code : own.code),
    match.code,
  );
  const result = instance({
    anchor: a.id,
    key: keyText(compiled, kernel, a),
    verdict: possible === null ? "satisfied" : "inconclusive",
    final: closed !== null,
    code: possible === null ? null : (code ?? "order_unknown"),
    completeness: closed,
  });
  return { ...result, reason: reasonOfLink(link, result) };
}

/** Steps of the search for a crowd before it is called unknown; on one clock the first try finds it. */
const mostTries = 2_000;

/** So many of these that every two of them overlap; null where there are none, "unknown" where it takes too long. */
function crowdOf(
  events: readonly Matched[],
  size: number,
  overlap: (x: Matched, y: Matched) => boolean,
): readonly Matched[] | "unknown" | null {
  let tries = 0;
  const grow = (chosen: readonly Matched[], rest: readonly Matched[]): readonly Matched[] | null => {
    if (chosen.length === size) return chosen;
    if (chosen.length + rest.length < size || tries > mostTries) return null;
    const [next, ...others] = rest;
    if (next === undefined) return null;
    tries += 1;
    const beside = others.filter((other) => overlap(next, other));
    return grow([...chosen, next], beside) ?? grow(chosen, others);
  };
  const found = grow([], events);
  return found === null && tries > mostTries ? "unknown" : found;
}

function comparePair({ link, commuting }: CompiledLink, kernel: Kernel, a: Event, w: Event): Pair {
  const bound = bindMatch(a, w, link.bind, kernel.match.settled);
  if (bound.truth === "false") return { truth: "apart", code: null };
  const where = compareAll(link.where, { a, w }, kernel.match.settled);
  if (where.truth === "false") return { truth: "apart", code: null };
  const commute = commuting === null ? no : commuting(a, w, kernel.match.settled);
  if (commute.truth === "true") return { truth: "apart", code: null };
  const first = before(kernel, point(w, "finished_at"), point(a, "started_at"), "required");
  if (first.truth === "true") return { truth: "apart", code: null };
  const second = before(kernel, point(a, "finished_at"), point(w, "started_at"), "required");
  if (second.truth === "true") return { truth: "apart", code: null };
  if (first.truth === "unknown" || second.truth === "unknown") {
    return { truth: "unknown", code: first.code ?? second.code ?? "order_unknown" };
  }
  const unsure = [bound, where, commute].find((part) => part.truth === "unknown");
  return unsure === undefined
    ? { truth: "overlap", code: "overlap" }
    : { truth: "unknown", code: unsure.code };
}

function keyText({ link }: CompiledLink, kernel: Kernel, a: Event): string {
  const key = readKey(
    a,
    link.bind.map((pair) => pair.anchor),
    kernel.match.settled,
  );
  return key.is === "known" ? key.text : "";
}
