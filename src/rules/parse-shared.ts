/** What rules of all kinds may say: severity, category, stage, clock and the like, and what holds where they do not. */
import type { ClockPolicy } from "../model/order.ts";
import { type Category, type Code, categories, codes, type Severity, severities } from "../model/verdict.ts";
import { type MapReader, readDuration, readMap } from "./map-reader.ts";
import type { Pattern } from "./pattern.ts";
import { readDay } from "./reviewed.ts";
import type { Rule, Scope, ToolTraits } from "./rule.ts";
import type { Built, KindContext, RuleKind } from "./sugar/rule-kind.ts";

/** A rule as far as the file alone says it. */
export type OwnRule = Omit<Rule, "contract" | "revision" | "kinds" | "reads" | "file" | "id">;

type Shared = Omit<OwnRule, "kind" | "expected" | "pairRequired" | "program" | "range">;

export function readShared(
  reader: MapReader,
  context: KindContext & { readonly plainNumbersAreMilliseconds: boolean },
  ruleKind: RuleKind,
  built: Built | null,
  scope: Scope,
): Shared {
  const category = reader.word("category", categories) ?? defaultCategory(ruleKind, built, context.tools);
  const severity = reader.word("severity", severities);
  reader.get("id");
  return {
    title: reader.text("title"),
    severity: severity ?? built?.severity ?? defaultSeverity(category),
    category,
    class: reader.word("class", ["invariant", "preference"]) ?? "invariant",
    stage: reader.word("stage", ["enforced", "trial"]) ?? "enforced",
    since: readSince(reader),
    why: reader.text("why"),
    scope,
    onUnknown: reader.word("on_unknown", ["inconclusive", "violate", "satisfy"]) ?? "inconclusive",
    clock: readClock(reader, context.plainNumbersAreMilliseconds),
    decisionWait: reader.duration("decision_wait", context.plainNumbersAreMilliseconds),
    mustApply: reader.boolean("must_apply") ?? false,
    missingAfter: ruleKind.kind === "ordering" ? reader.word("missing_after", ["violated", "vacuous"]) : null,
    code: reader.word<Code>("code", codes),
  };
}

function readSince(reader: MapReader): string | null {
  const node = reader.get("since");
  const since = node === null ? null : readDay(node, '"since"', reader.problems);
  if (since === null || reader.word("stage", ["enforced", "trial"]) === "trial") return since;
  reader.problems.error(
    reader.rangeOf("since"),
    "no-meaning",
    "since is the first day of a trial, and this rule is not on trial",
    "Remove since, or add stage: trial.",
  );
  return null;
}

const bySeverity: ReadonlyMap<Category, Severity> = new Map([
  ["safety_gate", "critical"],
  ["effect", "critical"],
  ["read_before_write", "high"],
  ["evidence", "high"],
  ["information_dependency", "high"],
]);

const defaultSeverity = (category: Category): Severity => bySeverity.get(category) ?? "medium";

/** A step that reads what is sensitive, or that acts outside, is what safety gates stand before. */
function defaultCategory(
  ruleKind: RuleKind,
  built: Built | null,
  tools: ReadonlyMap<string, ToolTraits>,
): Category {
  if (ruleKind.category !== "by_tool") return ruleKind.category;
  const risky = namesOf(built?.guarded).some((name) => {
    const traits = tools.get(name);
    return traits?.access === "sensitive" || traits?.effect === "external" || traits?.effect === "write";
  });
  return risky ? "safety_gate" : "workflow";
}

function namesOf(pattern: Pattern | undefined): readonly string[] {
  const test = pattern?.name ?? null;
  const tests = test?.op === "one_of" ? test.tests : test === null ? [] : [test];
  return tests.flatMap((one) => (one.op === "equals" && typeof one.value === "string" ? [one.value] : []));
}

function readClock(outer: MapReader, plainNumbers: boolean): Partial<ClockPolicy> {
  const node = outer.get("clock");
  const reader = node === null ? null : readMap(node, '"clock"', outer.problems);
  if (reader === null) return {};
  const policy: { -readonly [Key in keyof ClockPolicy]?: ClockPolicy[Key] } = {};
  const skew = reader.get("skew_ms");
  if (skew !== null) {
    const none = skew.is === "scalar" && (skew.value === null || skew.text === "none");
    const read = none ? null : readDuration(skew, '"skew_ms"', true, outer.problems);
    if (none || read !== null) policy.skew = read;
  }
  const tie = reader.word("tie", ["before", "unknown"]);
  if (tie !== null) policy.tie = tie;
  const resolution = reader.duration("resolution", plainNumbers);
  if (resolution !== null) policy.resolution = resolution;
  const inferOffset = reader.boolean("infer_offset");
  if (inferOffset !== null) policy.inferOffset = inferOffset;
  const evidence = reader.word("evidence", ["any", "causal"]);
  if (evidence !== null) policy.evidence = evidence;
  const assume = reader.boolean("assume_clock");
  if (assume !== null) policy.assumeClock = assume;
  reader.done();
  return policy;
}
