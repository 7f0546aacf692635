/**
 * Kernel 1, link: every anchor needs a witness, or must have none, before it, after it or anywhere (RULES 4),
 * and when each answer is final (the table of RULES 7). `apart` is in a file of its own.
 *
 * Cost: anchors times the candidates of their key; a witness that holds ends the search, and candidates are
 * tried from the anchor outwards, so in most runs the first or second one does.
 */
import type { CompletenessSource } from "../../model/completeness.ts";
import type { Event } from "../../model/event.ts";
import type { Code, InstanceVerdict, NearMiss } from "../../model/verdict.ts";
import type { Link } from "../program.ts";
import { type Match, nearer } from "../truth.ts";
import {
  before,
  completeAt,
  gapCode,
  instance,
  type Kernel,
  type Membership,
  mayChange,
  point,
} from "./context.ts";
import { boundBlocker, type CompiledBlocker, type CompiledLink, type Examined, examine } from "./examine.ts";
import { type Key, readKey } from "./keys.ts";
import { rankedNearMisses } from "./near-misses.ts";
import { reasonOfLink } from "./reason.ts";
import { byStart } from "./scope-index.ts";

export function judgeLink(compiled: CompiledLink, kernel: Kernel): InstanceVerdict[] {
  const { link } = compiled;
  const byKey = witnessesByKey(compiled, kernel);
  const verdicts: InstanceVerdict[] = [];
  for (const a of kernel.index.candidates(link.anchor)) {
    const matched = compiled.anchor(a, kernel.match);
    if (matched.truth === "false") continue;
    const member = kernel.member(a);
    if (member.truth === "false") continue;
    const key = readKey(
      a,
      link.bind.map((pair) => pair.anchor),
      kernel.match.settled,
    );
    const found = judgeAnchor(compiled, kernel, a, matched, key, byKey(key));
    verdicts.push(member.truth === "true" ? found : unsureMember(compiled.link, kernel, found, member));
  }
  return verdicts;
}

/** What may share an anchor's key. */
interface Candidates {
  readonly events: readonly Event[];
  /** True when all of them surely do: the pair need not be compared again. */
  readonly bound: boolean;
}

function witnessesByKey(compiled: CompiledLink, kernel: Kernel): (key: Key) => Candidates {
  const { link } = compiled;
  const all = kernel.index.candidates(link.witness);
  if (link.bind.length === 0) return () => ({ events: all, bound: true });
  const known = new Map<string, Event[]>();
  const unknown: Event[] = [];
  const paths = link.bind.map((pair) => pair.witness);
  for (const w of all) {
    const key = readKey(w, paths, kernel.match.settled);
    if (key.is === "unknown") unknown.push(w);
    if (key.is !== "known") continue;
    const list = known.get(key.text);
    if (list === undefined) known.set(key.text, [w]);
    else list.push(w);
  }
  return (key) => {
    if (key.is === "absent") return { events: [], bound: true };
    if (key.is === "unknown") return { events: all, bound: false };
    const own = known.get(key.text) ?? [];
    if (unknown.length === 0) return { events: own, bound: true };
    return { events: [...own, ...unknown].sort(byStart), bound: false };
  };
}

/** What the candidates of one anchor came to, before finality. */
interface Search {
  readonly truth: Match["truth"];
  /** The witness that decided: the one that holds, or the forbidden one. */
  readonly witness: Event | null;
  readonly examined: Examined | null;
  /** Best-ranked code of what stayed unknown. */
  readonly code: Code | null;
  readonly mayChange: boolean;
}

/** Whether as many witnesses as the link counts exist. */
function search(compiled: CompiledLink, kernel: Kernel, a: Event, candidates: Candidates): Search {
  const { link } = compiled;
  const wanted = link.quant === "none" ? 1 : Math.max(1, link.atLeast);
  let certain = 0;
  let possible = 0;
  let code: Code | null = null;
  let hangs = false;
  for (const w of outwards(candidates.events, a, link.need)) {
    if (w === a) continue;
    const examined = examine(compiled, kernel, a, w, candidates.bound);
    if (examined.truth === "true") {
      certain += 1;
      if (certain >= wanted) return { truth: "true", witness: w, examined, code: null, mayChange: false };
    } else if (examined.truth === "unknown") {
      possible += 1;
      code = nearer(code, examined.code ?? "order_unknown");
      hangs ||= examined.mayChange;
    }
  }
  const truth = certain + possible >= wanted ? "unknown" : "false";
  return { truth, witness: null, examined: null, code, mayChange: hangs };
}

/** Nearest first: backwards from the anchor for what must be past, forwards for the rest, then what is left. */
function* outwards(candidates: readonly Event[], a: Event, need: Link["need"]): Generator<Event> {
  let low = 0;
  let high = candidates.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = candidates[middle];
    if (candidate !== undefined && byStart(candidate, a) < 0) low = middle + 1;
    else high = middle;
  }
  if (need !== "past") yield* from(candidates, low);
  for (let i = low - 1; i >= 0; i -= 1) {
    const candidate = candidates[i];
    if (candidate !== undefined) yield candidate;
  }
  if (need === "past") yield* from(candidates, low);
}

function* from(candidates: readonly Event[], first: number): Generator<Event> {
  for (let i = first; i < candidates.length; i += 1) {
    const candidate = candidates[i];
    if (candidate !== undefined) yield candidate;
  }
}

function judgeAnchor(
  compiled: CompiledLink,
  kernel: Kernel,
  a: Event,
  matched: Match,
  key: Key,
  candidates: Candidates,
): InstanceVerdict {
  const found = search(compiled, kernel, a, candidates);
  let near: readonly NearMiss[] | null = null;
  const nearMisses = (): readonly NearMiss[] => {
    near ??= rankedNearMisses(compiled, kernel, a);
    return near;
  };
  const drafted =
    compiled.link.quant === "some"
      ? judgeSome(compiled, kernel, a, key, found, nearMisses)
      : judgeNone(compiled, kernel, a, found);
  const unsure = matched.truth === "unknown";
  // An event that may not be an anchor at all can break nothing for sure.
  const verdict = unsure && drafted.verdict === "violated" ? "inconclusive" : drafted.verdict;
  const code = unsure && drafted.verdict === "violated" ? matched.code : drafted.code;
  const result = instance({
    ...drafted,
    anchor: a.id,
    key: key.is === "known" ? key.text : "",
    verdict,
    code,
    final: drafted.final && !mayChangeAnchor(kernel, a, matched),
    evidence: found.examined?.evidence ?? "none",
    nearMisses:
      kernel.view.nearMisses && compiled.link.quant === "some" && verdict !== "satisfied" ? nearMisses() : [],
  });
  return { ...result, reason: reasonOfLink(compiled.link, result) };
}

/** Whether the rule speaks of the anchor at all is not known: then neither is what it says (RULES 4). */
function unsureMember(
  link: Link,
  kernel: Kernel,
  found: InstanceVerdict,
  member: Membership,
): InstanceVerdict {
  if (found.verdict === "pending") return { ...found, final: false };
  const result = {
    ...found,
    verdict: "inconclusive" as const,
    code: member.code ?? "order_unknown",
    final: found.final && !kernel.open,
  };
  return { ...result, reason: reasonOfLink(link, result) };
}

/** A pattern that holds only as far as the event is known so far makes nothing final. */
function mayChangeAnchor(kernel: Kernel, a: Event, matched: Match): boolean {
  return matched.truth === "unknown" && mayChange(kernel, a);
}

type Draft = Pick<InstanceVerdict, "verdict" | "final" | "code" | "witness" | "completeness">;

function judgeSome(
  compiled: CompiledLink,
  kernel: Kernel,
  a: Event,
  key: Key,
  found: Search,
  nearMisses: () => readonly NearMiss[],
): Draft {
  const { link } = compiled;
  const blocked = compiled.blockers.length > 0;
  if (found.truth === "true") {
    const w = found.witness;
    // A blocker still to come may lie between: then the later of the two points has to be complete.
    const last =
      link.need === "future" && w !== null ? point(w, link.witnessBoundary) : point(a, link.anchorBoundary);
    const source = blocked ? completeAt(kernel, last) : null;
    const final = !blocked || source !== null;
    return { verdict: "satisfied", final, code: null, witness: w?.id ?? null, completeness: source };
  }
  const settled = nothingMoreCanHelp(compiled, kernel, a, found);
  if (found.truth === "unknown") {
    const final = settled !== null && !found.mayChange;
    const waits = link.need !== "past" && settled === null;
    return {
      verdict: waits ? "pending" : "inconclusive",
      final,
      code: found.code,
      witness: null,
      completeness: settled,
    };
  }
  if (link.need !== "past" && settled === null) {
    return { verdict: "pending", final: false, code: null, witness: null, completeness: null };
  }
  const lost = gapCode(kernel);
  if (lost !== null) {
    return {
      verdict: "inconclusive",
      final: settled !== null,
      code: lost,
      witness: null,
      completeness: settled,
    };
  }
  const missing = key.is === "absent" ? "unbound_key" : missingCode(link);
  const code = link.code ?? nearMisses()[0]?.code ?? missing;
  return {
    verdict: "violated",
    final: settled !== null,
    code,
    witness: null,
    completeness: settled,
  };
}

/** A response that nobody gave in time missed its deadline; anything else is simply not there. */
function missingCode(link: Link): Code {
  return link.need === "future" && link.within !== null ? "deadline_missed" : "witness_missing";
}

/** The source by which no further arrival can bring the missing witness; null while one may come. */
function nothingMoreCanHelp(
  compiled: CompiledLink,
  kernel: Kernel,
  a: Event,
  found: Search,
): CompletenessSource | null {
  const { link } = compiled;
  const { completeness, order } = kernel.view;
  if (completeness.closed !== null) return completeness.closed;
  const at = point(a, link.anchorBoundary);
  if (link.need === "past") return completeAt(kernel, at);
  if (link.need !== "future") return null;
  const source = completeAt(kernel, at);
  if (source === null) return null;
  if (link.within !== null) {
    const stamp = order.stamp(at);
    if (stamp !== null && completeness.passed((stamp.latest + link.within) as typeof stamp.latest))
      return source;
  }
  if (found.truth !== "false") return null;
  return compiled.blockers.some((blocker) => blocksWhatIsToCome(blocker, compiled, kernel, a))
    ? source
    : null;
}

/** A blocker that surely lies before every witness that can still arrive. */
function blocksWhatIsToCome(
  { blocker, matcher }: CompiledBlocker,
  { link }: CompiledLink,
  kernel: Kernel,
  a: Event,
): boolean {
  if (blocker.where.length > 0) return false;
  const from = point(a, link.anchorBoundary);
  return kernel.index.candidates(blocker.match).some((b) => {
    if (b === a || mayChange(kernel, b) || matcher(b, kernel.match).truth !== "true") return false;
    if (blocker.bound && boundBlocker(link, kernel, a, b).truth !== "true") return false;
    if (before(kernel, point(b, "finished_at"), from, "blocker").truth !== "false") return false;
    return completeAt(kernel, point(b, "started_at")) !== null;
  });
}

function judgeNone(compiled: CompiledLink, kernel: Kernel, a: Event, found: Search): Draft {
  const { link } = compiled;
  const blocked = compiled.blockers.length > 0;
  const at = point(a, link.anchorBoundary);
  const over = link.need === "past" ? completeAt(kernel, at) : kernel.view.completeness.closed;
  if (found.truth === "false") {
    return { verdict: "satisfied", final: over !== null, code: null, witness: null, completeness: over };
  }
  if (found.truth === "unknown") {
    const waits = link.need !== "past" && over === null;
    const final = over !== null && !found.mayChange;
    return {
      verdict: waits ? "pending" : "inconclusive",
      final,
      code: found.code,
      witness: null,
      completeness: over,
    };
  }
  const w = found.witness;
  const last = link.need === "past" || w === null ? at : point(w, link.witnessBoundary);
  const source = blocked ? completeAt(kernel, last) : null;
  const lost = blocked ? gapCode(kernel) : null;
  const final = !blocked || source !== null;
  const verdict = lost === null ? "violated" : "inconclusive";
  const code = lost ?? link.code ?? (link.need === "any" ? "forbidden_pair" : "forbidden_after");
  return { verdict, final, code, witness: w?.id ?? null, completeness: source };
}
