/**
 * Judges one rule in one scope as it stands (docs/semantics.md 3 to 7). A function of the rule and the view:
 * nothing is kept between calls but the rule's compiled form, so an order of arrival leaves no trace.
 */
import type { Code, InstanceVerdict, RuleVerdict, Verdict } from "../model/verdict.ts";
import { verdicts } from "../model/verdict.ts";
import { judgeApart } from "./kernels/apart.ts";
import { gapCode, instance, type Kernel, openKernel } from "./kernels/context.ts";
import { compileCount, judgeCount } from "./kernels/count.ts";
import { compileLink } from "./kernels/examine.ts";
import { foldParts } from "./kernels/fold.ts";
import { applyGuard } from "./kernels/guard.ts";
import { judgeLink } from "./kernels/link.ts";
import { judgeMachine } from "./kernels/machine.ts";
import { compileMachine } from "./kernels/machine-steps.ts";
import { applyStretch, compileStretch } from "./kernels/stretch.ts";
import type { Program } from "./program.ts";
import type { Rule } from "./rule.ts";
import { nearer } from "./truth.ts";
import type { ScopeView } from "./view.ts";

export type { ScopeView } from "./view.ts";

type Judge = (kernel: Kernel) => InstanceVerdict[];

const judges = new WeakMap<Program, Judge>();

/** Rules are immutable, so each program is compiled once in the life of the process. */
function judgeOf(program: Program): Judge {
  const known = judges.get(program);
  if (known !== undefined) return known;
  const made = compileProgram(program);
  judges.set(program, made);
  return made;
}

function compileProgram(program: Program): Judge {
  switch (program.kernel) {
    case "link": {
      const compiled = compileLink(program);
      if (program.need === "apart") return (kernel) => judgeApart(compiled, kernel);
      return (kernel) => judgeLink(compiled, kernel);
    }
    case "count": {
      const compiled = compileCount(program);
      return (kernel) => judgeCount(compiled, kernel);
    }
    case "machine": {
      const compiled = compileMachine(program);
      return (kernel) => judgeMachine(compiled, kernel);
    }
    case "fold": {
      const parts = program.parts.map(judgeOf);
      return (kernel) =>
        foldParts(
          program,
          parts.map((part) => part(kernel)),
          kernel,
        );
    }
    case "guard": {
      const then = judgeOf(program.then);
      return (kernel) => applyGuard(program, then, kernel);
    }
    case "stretch": {
      const compiled = compileStretch(program);
      const then = judgeOf(program.then);
      return (kernel) => applyStretch(compiled, then, kernel);
    }
  }
}

export function judge(rule: Rule, view: ScopeView): RuleVerdict {
  const kernel = openKernel(view);
  const found = judgeOf(rule.program)(kernel);
  const applied = found.length > 0 ? found : withoutInstance(rule, kernel);
  const instances = applied.map((one) => onUnknown(withCode(one, rule.code), rule));
  return foldRule(rule, instances, kernel);
}

/**
 * What a rule that nothing activated says: nothing, unless it asks to be exercised (docs/semantics.md 3, 8).
 */
function withoutInstance(rule: Rule, kernel: Kernel): InstanceVerdict[] {
  const { view, open } = kernel;
  const { closed } = view.completeness;
  const asksForPair = rule.pairRequired && (rule.missingAfter ?? view.missingAfter) === "violated";
  if (!rule.mustApply && !asksForPair) return [];
  const reason = rule.mustApply ? "nothing exercised this rule" : "the later side never happened";
  if (open) return [instance({ verdict: "pending", final: false, reason })];
  const lost = gapCode(kernel);
  // A pair asks for both sides in a run that is known whole; a run that merely went quiet may go on.
  const whole = rule.mustApply || closed === "root_ended" || closed === "input_end";
  const broken = lost === null && whole;
  return [
    instance({
      verdict: broken ? "violated" : "inconclusive",
      final: true,
      code: broken ? "anchor_missing" : (lost ?? "scope_unknown"),
      completeness: closed,
      reason,
    }),
  ];
}

function withCode(found: InstanceVerdict, code: Code | null): InstanceVerdict {
  return code !== null && found.verdict === "violated" && found.code !== "anchor_missing"
    ? { ...found, code }
    : found;
}

/** Speaks on final verdicts only: what may still be learnt is not unknown for good. The code stays. */
function onUnknown(found: InstanceVerdict, rule: Rule): InstanceVerdict {
  if (found.verdict !== "inconclusive" || !found.final || rule.onUnknown === "inconclusive") return found;
  return { ...found, verdict: rule.onUnknown === "violate" ? "violated" : "satisfied" };
}

function foldRule(rule: Rule, instances: readonly InstanceVerdict[], kernel: Kernel): RuleVerdict {
  const verdict = worst(instances);
  const code = instances
    .filter((one) => one.verdict === verdict)
    .reduce<Code | null>((best, one) => nearer(best, one.code), null);
  return { verdict, final: isFinal(rule, verdict, instances, kernel), code, instances };
}

function worst(instances: readonly InstanceVerdict[]): Verdict {
  return verdicts.find((verdict) => instances.some((one) => one.verdict === verdict)) ?? "vacuous";
}

/** New anchors may come until the scope closes, and each may be worse than what is here; nothing is worse than violated. */
function isFinal(
  rule: Rule,
  verdict: Verdict,
  instances: readonly InstanceVerdict[],
  kernel: Kernel,
): boolean {
  if (verdict === "violated") return instances.some((one) => one.verdict === "violated" && one.final);
  if (!kernel.open) return instances.every((one) => one.final);
  const program = rule.program.kernel === "stretch" ? rule.program.then : rule.program;
  // A minimum once met stays met, and without a key no other count can come.
  const oneCount = program.kernel === "count" && program.max === null && program.bind.length === 0;
  return oneCount && verdict === "satisfied" && instances.every((one) => one.final);
}
