import type { Event } from "../../model/event.ts";
import type { NearMiss } from "../../model/verdict.ts";
import { rankOf } from "../truth.ts";
import type { Kernel } from "./context.ts";
import { type CompiledLink, examine } from "./examine.ts";

/**
 * Every event of the witness's kind and name that failed by something a person can act on, nearest first, then
 * by start, then by id (docs/semantics.md 9).
 */
export function rankedNearMisses(
  compiled: CompiledLink,
  kernel: Kernel,
  a: Event,
  among: readonly Event[] = kernel.index.candidates(compiled.link.witness),
): NearMiss[] {
  const found: NearMiss[] = [];
  for (const w of among) {
    if (w === a) continue;
    const { code, truth } = examine(compiled, kernel, a, w);
    if (truth !== "true" && code !== null) found.push({ event: w.id, code });
  }
  // The candidates come by start and id, and the sort is stable.
  return found.sort((x, y) => rankOf(x.code) - rankOf(y.code));
}
