/** Rules that look ahead: something must, or must not, follow. */
import { conditions, link } from "./make-link.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

function response(rule: RuleParts): Built | null {
  const trigger = rule.pattern("trigger", "first");
  const expect = rule.pattern("expect", "second");
  const options = rule.linkOptions("future", "some", trigger);
  if (trigger === null || expect === null) return null;
  return {
    program: link("future", "some", trigger, expect, options),
    expected: `${expect.text} after ${trigger.text}${conditions(options)}`,
    subjects: [trigger, expect],
  };
}

function forbidAfter(rule: RuleParts): Built | null {
  const after = rule.pattern("after", "first");
  const forbid = rule.pattern("forbid", "second");
  const options = rule.linkOptions("future", "none", after);
  if (after === null || forbid === null) return null;
  return {
    program: link("future", "none", after, forbid, options),
    expected: `no ${forbid.text} after ${after.text}${conditions(options)}`,
    subjects: [after, forbid],
  };
}

export const responseKinds: readonly RuleKind[] = [
  { kind: "response", category: "workflow", build: response },
  { kind: "forbid_after", category: "workflow", build: forbidAfter },
  { kind: "not_response", category: "workflow", build: forbidAfter },
  { kind: "not_succession", category: "workflow", build: forbidAfter },
];
