/** Rules about lists of others that an event names: what it was built on, what a prompt cites. */
import { anyEvent, type Path } from "../pattern.ts";
import type { Link } from "../program.ts";
import { pathsOr, patternOr } from "./causal-parts.ts";
import { link } from "./make-link.ts";
import { signal } from "./make-pattern.ts";
import { having } from "./past-options.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

/** Everything that an event was built on is here, and has finished before it started. */
function deps(rule: RuleParts): Built | null {
  const parents = pathsOr(rule, "parents", "parents");
  const of = rule.optionalPattern("of");
  if (rule.reader.has("of") && of === null) return null;
  const built = having(of ?? { ...anyEvent, text: "any event" }, parents);
  if (of === null) rule.patterns.push(built);
  const [list] = parents;
  if (list === undefined) return null;
  const one: Link = {
    ...link("past", "some", built, { ...anyEvent, text: "what it was built on" }),
    each: { anchor: list, witness: "reference" },
  };
  return {
    program: parents.length === 1 ? one : { kernel: "fold", parts: parents.map((path) => ofList(one, path)) },
    expected: `everything in ${parents.map((path) => path.join(".")).join(" and ")} of ${of?.text ?? "any event"} before it`,
    subjects: of === null ? [] : [of],
    severity: "high",
  };
}

const ofList = (one: Link, path: Path): Link => ({ ...one, each: { anchor: path, witness: "reference" } });

/** What a prompt cites was admitted before. */
function admittedOnly(rule: RuleParts): Built | null {
  const of = patternOr(rule, "of", signal("model_turn"));
  const admitted = patternOr(rule, "admitted", signal("admitted"));
  const cites = pathsOr(rule, "cites", "told");
  const by = pathsOr(rule, "by", "event_id", "request_id", "call_id");
  const [list] = cites;
  if (of === null || admitted === null || list === undefined) return null;
  const parts = cites.map(
    (path): Link => ({ ...link("past", "some", of, admitted), each: { anchor: path, witness: by } }),
  );
  const [only] = parts;
  return only === undefined
    ? null
    : {
        program: parts.length === 1 ? only : { kernel: "fold", parts },
        expected: `${admitted.text} of everything that ${of.text} cites before it`,
        subjects: [admitted, of],
        severity: "high",
      };
}

export const listKinds: readonly RuleKind[] = [
  { kind: "deps", category: "causality", build: deps },
  { kind: "admitted_only", category: "causality", build: admittedOnly },
];
