/**
 * Kernel 1, link: every anchor needs a witness, or must have none, before it, after it or anywhere
 * (docs/semantics.md 4), and when each answer is final (the table of docs/semantics.md 7). `apart` is in a
 * file of its own.
 *
 * Cost: anchors times the candidates of their key; a witness that holds ends the search, and candidates are
 * tried from the anchor outwards, so in most runs the first or second one does.
 */
import type { CompletenessSource } from "../../model/completeness.ts";
import type { Event } from "../../model/event.ts";
import { type Code, type InstanceVerdict, type NearMiss, undecidedCodes } from "../../model/verdict.ts";
import type { Link } from "../program.ts";
import type { Match } from "../truth.ts";
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
import { judgeEach } from "./each.ts";
import { boundBlocker, type CompiledBlocker, type CompiledLink } from "./examine.ts";
import { type Key, readKey } from "./keys.ts";
import { rankedNearMisses } from "./near-misses.ts";
import { reasonOfLink } from "./reason.ts";
import { type Candidates, type Search, search, witnessesByKey } from "./search.ts";

export function judgeLink(compiled: CompiledLink, kernel: Kernel): InstanceVerdict[] {
  const { link } = compiled;
  if (link.each !== undefined) return judgeEach(compiled, link.each, kernel, judgeAnchor);
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
    // Of a list's element only what it means can be near.
    near ??= rankedNearMisses(
      compiled,
      kernel,
      a,
      compiled.link.each === undefined ? undefined : candidates.events,
    );
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

/**
 * Whether the rule speaks of the anchor at all is not known: then neither is what it says
 * (docs/semantics.md 4).
 */
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
  // One that may be a witness, where several are asked for, is no reason why there are too few.
  const near = nearMisses().find(({ code: lacks }) => !undecided.has(lacks));
  const code = link.code ?? near?.code ?? missing;
  return {
    verdict: "violated",
    final: settled !== null,
    code,
    witness: null,
    completeness: settled,
  };
}

const undecided: ReadonlySet<Code> = new Set(undecidedCodes);

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
