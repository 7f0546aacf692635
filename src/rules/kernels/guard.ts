/** A rule that speaks only where an event of the scope matches (`if`). */
import type { Code, InstanceVerdict } from "../../model/verdict.ts";
import { compileMatcher, type Matcher } from "../match.ts";
import type { Guard } from "../program.ts";
import type { Match } from "../truth.ts";
import type { Kernel } from "./context.ts";

const matchers = new WeakMap<Guard, Matcher>();

export function applyGuard(
  guard: Guard,
  then: (kernel: Kernel) => InstanceVerdict[],
  kernel: Kernel,
): InstanceVerdict[] {
  const exists = existence(guard, kernel);
  if (exists.truth === "false") return [];
  const found = then(kernel);
  if (exists.truth === "true") return found;
  // It may not apply at all: what it would break is not known to be broken, what it finds kept is kept.
  return found.map((one) => ({
    ...one,
    ...(one.verdict === "violated" ? { verdict: "inconclusive" as const, code: exists.code } : {}),
    final: one.final && !kernel.open,
  }));
}

function existence(guard: Guard, kernel: Kernel): Match {
  const matcher = matchers.get(guard) ?? compileMatcher(guard.if);
  matchers.set(guard, matcher);
  let code: Code | null = null;
  let unknown = false;
  for (const event of kernel.index.candidates(guard.if)) {
    const match = matcher(event, kernel.match);
    if (match.truth === "true") return match;
    if (match.truth === "unknown") {
      unknown = true;
      code ??= match.code;
    }
  }
  return { truth: unknown ? "unknown" : "false", code };
}
