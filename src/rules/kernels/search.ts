/** Looks for the witness of an anchor: among what may share its key, from the anchor outwards. */
import type { Event } from "../../model/event.ts";
import type { Code } from "../../model/verdict.ts";
import type { Link } from "../program.ts";
import { type Match, nearer } from "../truth.ts";
import type { Kernel } from "./context.ts";
import { type CompiledLink, type Examined, examine } from "./examine.ts";
import { type Key, readWitnessKey } from "./keys.ts";
import { byStart } from "./scope-index.ts";

/** What may share an anchor's key. */
export interface Candidates {
  readonly events: readonly Event[];
  /** True when all of them surely do: the pair need not be compared again. */
  readonly bound: boolean;
}

export function witnessesByKey(compiled: CompiledLink, kernel: Kernel): (key: Key) => Candidates {
  const { link } = compiled;
  const all = kernel.index.candidates(link.witness);
  if (link.bind.length === 0) return () => ({ events: all, bound: true });
  const known = new Map<string, Event[]>();
  const unknown: Event[] = [];
  for (const w of all) {
    const key = readWitnessKey(w, link.bind, kernel.match.settled);
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
export interface Search {
  readonly truth: Match["truth"];
  /** The witness that decided: the one that holds, or the forbidden one. */
  readonly witness: Event | null;
  readonly examined: Examined | null;
  /** Best-ranked code of what stayed unknown. */
  readonly code: Code | null;
  readonly mayChange: boolean;
}

/** Whether as many witnesses as the link counts exist. */
export function search(compiled: CompiledLink, kernel: Kernel, a: Event, candidates: Candidates): Search {
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
