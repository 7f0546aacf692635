/** The kernel itself, and events that must not overlap. */

import type { Pattern } from "../pattern.ts";
import { conditions, link } from "./make-link.ts";
import { having, pastOptions } from "./past-options.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

function rawLink(rule: RuleParts): Built | null {
  const { reader } = rule;
  const anchor = rule.pattern("anchor");
  if (!reader.has("need")) reader.require("need", "Write need: past, future, any or apart.");
  const need = reader.word("need", ["past", "future", "any", "apart"]);
  const quant = reader.word("quant", ["some", "none"]) ?? "some";
  if (need === "apart") refuseSecondSide(rule, anchor, "anchor");
  const required = need === "apart" ? anchor : rule.pattern("witness");
  const looksBack = need === "past" && quant === "some";
  const { needs, ...options } = looksBack
    ? pastOptions(rule, anchor, required)
    : { ...rule.linkOptions(need ?? "past", quant, anchor), needs: [] };
  const witness = required === null ? null : having(required, needs);
  if (anchor === null || need === null || witness === null) return null;
  const some = quant === "some";
  const words = {
    past: some ? `${witness.text} before ${anchor.text}` : `no ${witness.text} before ${anchor.text}`,
    future: some ? `${witness.text} after ${anchor.text}` : `no ${witness.text} after ${anchor.text}`,
    any: some
      ? `${witness.text} wherever ${anchor.text} happens`
      : `no ${witness.text} wherever ${anchor.text} happens`,
    apart: `no two ${anchor.text} at the same time`,
  };
  return {
    program: link(need, quant, anchor, witness, options),
    expected: `${words[need]}${conditions(options)}`,
    subjects: need === "apart" ? [anchor] : [witness, anchor],
    ...(need === "past" && some ? { guarded: anchor, proof: witness } : {}),
  };
}

function refuseSecondSide(rule: RuleParts, of: Pattern | null, key: string): void {
  rule.refuse("witness", "events that must not overlap are all of one pattern");
  rule.refuse("quant", "of events that must not overlap, no two may");
  if (of?.boundary != null) {
    rule.reader.problems.error(
      rule.reader.rangeOf(key),
      "no-meaning",
      '"boundary" has no meaning here: events overlap from their start to their end',
      "Remove boundary, or use another kind of rule.",
    );
  }
}

function apart(rule: RuleParts): Built | null {
  const of = rule.pattern("of");
  refuseSecondSide(rule, of, "of");
  const options = rule.linkOptions("apart", "some", of);
  const limit = rule.reader.wholeNumber("limit", 1) ?? 1;
  if (of === null) return null;
  const one = link("apart", "some", of, of, options);
  return {
    program: limit === 1 ? one : { ...one, limit },
    expected: `${limit === 1 ? "no two" : `no more than ${limit}`} ${of.text} at the same time${conditions(options)}`,
    subjects: [of],
  };
}

export const linkKinds: readonly RuleKind[] = [
  { kind: "link", category: "by_tool", build: rawLink },
  { kind: "apart", category: "workflow", build: apart },
  { kind: "mutex", category: "workflow", build: apart },
];
