/** Rules that look back: some step needs another one before it. */
import type { Comparison, Operand, Pattern } from "../pattern.ts";
import type { Blocker } from "../program.ts";
import { conditions, link } from "./make-link.ts";
import type { Built, LinkOptions, RuleKind, RuleParts } from "./rule-kind.ts";

/**
 * An approval that is spent by one use: another use of the same key stands between. `where` are the link's own
 * comparisons: a use that they keep from this witness spends nothing.
 */
export const spentBy = (use: Pattern, where: readonly Comparison[]): Blocker => ({
  match: use,
  where: where.map(ofAnotherAnchor),
  bound: true,
  code: "blocked",
});

/** What is asked of the anchor, asked of the event in between. */
function ofAnotherAnchor(comparison: Comparison): Comparison {
  const turn = (operand: Operand): Operand =>
    "side" in operand && operand.side === "a" ? { ...operand, side: "b" } : operand;
  return { ...comparison, left: turn(comparison.left), right: turn(comparison.right) };
}

/** `consume: once` on any link that looks back. */
function withConsume(rule: RuleParts, options: LinkOptions, anchor: Pattern | null): LinkOptions {
  const once = rule.reader.word("consume", ["once"]) !== null;
  return once && anchor !== null
    ? { ...options, unlessBetween: [...options.unlessBetween, spentBy(anchor, options.where)] }
    : options;
}

/** `require` must have happened before `before`; a run without `before` is not judged. */
export function precedence(rule: RuleParts): Built | null {
  const require = rule.pattern("require", "first");
  const before = rule.pattern("before", "second");
  return past(rule, require, before, false);
}

/** As in the essays: both must happen, `before` first. */
function ordering(rule: RuleParts): Built | null {
  return past(rule, rule.pattern("before"), rule.pattern("after"), true);
}

/** The pair of a `conditional_ordering`: only the order is asked, for the run that takes the branch. */
export function orderedPair(rule: RuleParts): Built | null {
  return past(rule, rule.pattern("before"), rule.pattern("after"), false);
}

function past(
  rule: RuleParts,
  witness: Pattern | null,
  anchor: Pattern | null,
  pairRequired: boolean,
): Built | null {
  const options = withConsume(rule, rule.linkOptions("past", "some", anchor), anchor);
  if (witness === null || anchor === null) return null;
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
  const options = withConsume(rule, rule.linkOptions("past", "some", before), before);
  if (all === null || before === null) return null;
  return {
    program: { kernel: "fold", parts: all.map((witness) => link("past", "some", before, witness, options)) },
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
