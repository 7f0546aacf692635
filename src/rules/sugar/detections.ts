/**
 * Rules about what detectors find (docs/causality.md#fields): none, or no more than `max`, of the calls may have
 * been found so. Each is a count over the field that the detector fills, so that `scope`, `bind` and severity are
 * those of any count.
 */
import type { Code } from "../../model/verdict.ts";
import { readWord } from "../map-reader.ts";
import { anyEvent, type Pattern, type ValueTest } from "../pattern.ts";
import { detectedWords } from "../words.ts";
import { counting } from "./make-count.ts";
import { oneValue } from "./make-pattern.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

interface Detected {
  readonly kind: string;
  readonly field: string;
  /** How its findings are called in reports. */
  readonly plural: string;
  readonly code: Code | null;
}

const detected: readonly Detected[] = [
  { kind: "stale_result", field: "stale", plural: "stale results", code: null },
  { kind: "stale_effect", field: "stale_effect", plural: "stale effects", code: "stale_dispatch" },
  { kind: "stale_applied", field: "stale_applied", plural: "stale results applied", code: "stale_apply" },
  { kind: "version_conflict", field: "conflict", plural: "version conflicts", code: null },
  { kind: "unknown_callback", field: "callback", plural: "unfit callbacks", code: "unknown_callback" },
];

export const detectionKinds: readonly RuleKind[] = detected.map((one) => ({
  kind: one.kind,
  category: "causality",
  build: (rule) => counted(rule, one),
}));

function counted(rule: RuleParts, { field, plural, code }: Detected): Built {
  const of = rule.optionalPattern("of") ?? (field === "callback" ? anyAnswer(rule) : anyCall(rule));
  const reasons = reasonsOf(rule, field);
  const max = rule.reader.wholeNumber("max", 0) ?? 0;
  const bind = rule.paths("bind");
  const test: ValueTest = reasons.length === 0 ? { op: "exists", wanted: true } : oneValue(reasons);
  const text = `${plural} of ${of.text}${reasons.length === 0 ? "" : ` (${reasons.join(" or ")})`}`;
  const found: Pattern = { ...of, tests: [...of.tests, { path: [field], test }], text };
  const per = bind.length > 0 ? ` per ${bind.map((path) => path.join(".")).join(" and ")}` : "";
  return {
    program: counting(found, { max, bind, code }),
    expected: `${max === 0 ? "no" : `at most ${max}`} ${text}${per}`,
    subjects: [of],
  };
}

function anyCall(rule: RuleParts): Pattern {
  const any: Pattern = { ...anyEvent, kinds: new Set(["tool_call"]), text: "any call" };
  rule.patterns.push(any);
  return any;
}

/** Callbacks, requests and calls, those included that were only asked for. */
function anyAnswer(rule: RuleParts): Pattern {
  const kinds = new Set(["callback", "request", "tool_call"]);
  const any: Pattern = { ...anyEvent, kinds, namesStatus: true, text: "any callback" };
  rule.patterns.push(any);
  return any;
}

/** One reason or a list of them; empty: any. */
function reasonsOf({ reader }: RuleParts, field: string): readonly string[] {
  reader.tell("reason", { is: "paths" });
  const node = reader.get("reason");
  const items = node === null ? [] : node.is === "list" ? node.items : [node];
  const words = detectedWords.get(field) ?? [];
  return items.flatMap((item) => readWord(item, '"reason"', words, reader.problems) ?? []);
}
