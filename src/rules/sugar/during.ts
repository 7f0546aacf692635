/** Rules about what is open while something else happens. */
import { conditions, link } from "./make-link.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

/** Every P that has started has finished before R starts: none is open across it. */
function finishAll(rule: RuleParts): Built | null {
  const all = rule.pattern("all_of", "of");
  const before = rule.pattern("before");
  const options = rule.linkOptions("past", "none", before);
  if (all === null || before === null) return null;
  const open = link(
    "past",
    "none",
    before,
    { ...all, boundary: "started_at" },
    { ...options, code: "overlap" },
  );
  return {
    program: {
      ...open,
      also: [
        {
          first: { of: "w", boundary: "finished_at" },
          second: { of: "a", boundary: open.anchorBoundary },
          holds: false,
        },
      ],
    },
    expected: `every ${all.text} that started has finished before ${before.text}${conditions(options)}`,
    subjects: [all, before],
    guarded: before,
  };
}

/** Every P lies inside one Q: it starts after that Q started, and finishes before that Q finishes. */
function during(rule: RuleParts): Built | null {
  const inner = rule.pattern("inner");
  const outer = rule.pattern("outer");
  const options = rule.linkOptions("past", "some", inner);
  if (inner === null || outer === null) return null;
  const inside = link(
    "past",
    "some",
    { ...inner, boundary: "started_at" },
    { ...outer, boundary: "started_at" },
    options,
  );
  return {
    program: {
      ...inside,
      also: [
        {
          first: { of: "a", boundary: "finished_at" },
          second: { of: "w", boundary: "finished_at" },
          holds: true,
        },
      ],
    },
    expected: `${inner.text} only during ${outer.text}${conditions(options)}`,
    subjects: [inner, outer],
    guarded: inner,
  };
}

export const duringKinds: readonly RuleKind[] = [
  { kind: "finish_all", category: "by_tool", build: finishAll },
  { kind: "during", category: "by_tool", build: during },
];
