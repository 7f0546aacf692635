/** Rules that look back: some step needs another one before it. */
import type { Pattern } from "../pattern.ts";
import { conditions, link } from "./make-link.ts";
import { having, pastOptions } from "./past-options.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

/** `require` must have happened before `before`; a run without `before` is not judged. */
export function precedence(rule: RuleParts): Built | null {
  const require = rule.pattern("require", "first");
  const before = rule.pattern("before", "second");
  return past(rule, require, before, false);
}

/** Both must happen, `before` first. */
function ordering(rule: RuleParts): Built | null {
  return past(rule, rule.pattern("before"), rule.pattern("after"), true);
}

/** The pair of a `conditional_ordering`: only the order is asked, for the run that takes the branch. */
export function orderedPair(rule: RuleParts): Built | null {
  return past(rule, rule.pattern("before"), rule.pattern("after"), false);
}

function past(
  rule: RuleParts,
  required: Pattern | null,
  anchor: Pattern | null,
  pairRequired: boolean,
): Built | null {
  const { needs, ...options } = pastOptions(rule, anchor, required);
  if (required === null || anchor === null) return null;
  const witness = having(required, needs);
  return {
    program: link("past", "some", anchor, witness, options),
    expected: `${witness.text} before ${anchor.text}${conditions(options)}`,
    subjects: [witness, anchor],
    guarded: anchor,
    proof: witness,
    pairRequired,
  };
}

function forbidBefore(rule: RuleParts): Built | null {
  const forbid = rule.pattern("forbid", "first");
  const before = rule.pattern("before", "second");
  const options = rule.linkOptions("past", "none", before);
  if (forbid === null || before === null) return null;
  return {
    program: link("past", "none", before, forbid, options),
    expected: `no ${forbid.text} before ${before.text}${conditions(options)}`,
    subjects: [forbid, before],
  };
}

/** A barrier after parallel work: every one of `all` before `before`. */
function join(rule: RuleParts): Built | null {
  const all = rule.patternList("all", 1);
  const before = rule.pattern("before");
  const { needs, ...options } = pastOptions(rule, before, null);
  if (all === null || before === null) return null;
  return {
    program: {
      kernel: "fold",
      parts: all.map((witness) => link("past", "some", before, having(witness, needs), options)),
    },
    expected: `${all.map((pattern) => pattern.text).join(" and ")} before ${before.text}${conditions(options)}`,
    subjects: [...all, before],
    guarded: before,
  };
}

export const gateKinds: readonly RuleKind[] = [
  { kind: "gate", category: "safety_gate", build: precedence },
  { kind: "precedence", category: "safety_gate", build: precedence },
  { kind: "ordering", category: "by_tool", build: ordering },
  { kind: "forbid_before", category: "workflow", build: forbidBefore },
  { kind: "not_precedence", category: "workflow", build: forbidBefore },
  { kind: "join", category: "by_tool", build: join },
];
