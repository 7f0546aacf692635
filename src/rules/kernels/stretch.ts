/** A part of a scope: after some event, before another, or both (docs/semantics.md 4, "Scope"). */
import type { Event } from "../../model/event.ts";
import type { InstanceVerdict } from "../../model/verdict.ts";
import { compileMatcher, type Matcher } from "../match.ts";
import type { Pattern } from "../pattern.ts";
import type { Stretch } from "../program.ts";
import { because, type Match, no, yes } from "../truth.ts";
import { allOf } from "../value-test.ts";
import { before, type Kernel, point } from "./context.ts";
import { bindMatch } from "./keys.ts";

export interface CompiledStretch {
  readonly stretch: Stretch;
  readonly edges: readonly Edge[];
}

interface Edge {
  readonly pattern: Pattern;
  readonly matcher: Matcher;
  readonly side: "after" | "before";
}

export function compileStretch(stretch: Stretch): CompiledStretch {
  const edge = (pattern: Pattern | null, side: Edge["side"]): readonly Edge[] =>
    pattern === null ? [] : [{ pattern, matcher: compileMatcher(pattern), side }];
  return { stretch, edges: [...edge(stretch.after, "after"), ...edge(stretch.before, "before")] };
}

export function applyStretch(
  compiled: CompiledStretch,
  then: (kernel: Kernel) => InstanceVerdict[],
  kernel: Kernel,
): InstanceVerdict[] {
  const known = new Map<Event, Match>();
  const member = (event: Event): Match => {
    const found = known.get(event) ?? allOf(compiled.edges, (edge) => lies(edge, compiled, kernel, event));
    known.set(event, found);
    return found;
  };
  const verdicts = then({ ...kernel, member });
  if (compiled.stretch.before === null || !kernel.open) return verdicts;
  // A later end of the stretch takes in steps that may have come before those that are judged now.
  return verdicts.map((one) => (one.machine === undefined ? one : { ...one, final: false }));
}

/** Whether some event of the edge's pattern lies on its side of this one. */
function lies(
  { pattern, matcher, side }: Edge,
  { stretch }: CompiledStretch,
  kernel: Kernel,
  event: Event,
): Match {
  let result = no;
  for (const edge of kernel.index.candidates(pattern)) {
    if (edge === event) continue;
    const found = allOf(
      [
        (): Match => matcher(edge, kernel.match),
        (): Match => bindMatch(event, edge, stretch.bind, kernel.match.settled),
        (): Match => ordered(kernel, side === "after" ? [edge, event] : [event, edge]),
      ],
      (part) => part(),
    );
    if (found.truth === "true") return yes;
    if (found.truth === "unknown" && result.truth === "false") result = found;
  }
  return result;
}

/** Two stamps that tie put nothing into the stretch: being judged must be certain. */
function ordered(kernel: Kernel, [first, second]: readonly [Event, Event]): Match {
  const relation = before(kernel, point(first, "finished_at"), point(second, "started_at"), "blocker");
  if (relation.truth === "true") return yes;
  return relation.truth === "false" ? no : because("unknown", relation.code ?? "order_unknown");
}
