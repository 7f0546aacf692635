/** Rules about identity: which request a callback answers, which decision a number names, what a journal reduces to. */
import { formatDuration } from "../../model/time.ts";
import type { Path, Pattern } from "../pattern.ts";
import type { Program } from "../program.ts";
import { bindOn, compared, inWords, keyedBy, lacking, pathsOr, patternOr } from "./causal-parts.ts";
import { counting } from "./make-count.ts";
import { conditions, link } from "./make-link.ts";
import { oneOf, signal } from "./make-pattern.ts";
import { having } from "./past-options.ts";
import type { Built, RuleKind } from "./rule-kind.ts";
import type { RuleParts } from "./rule-parts.ts";

/** A callback that was admitted answers a request that is known; one that was quarantined asks for nothing. */
function knownCallback(rule: RuleParts): Built | null {
  const callback = patternOr(rule, "callback", signal("callback", { disposition: "admitted" }));
  const request = patternOr(rule, "request", signal("request"));
  const options = keyedBy(rule, "past", "some", callback, bindOn("request_id"));
  if (callback === null || request === null) return null;
  return {
    program: link("past", "some", callback, request, { ...options, code: "unknown_callback" }),
    expected: `${request.text} before ${callback.text}${conditions(options)}`,
    subjects: [request, callback],
    severity: "critical",
  };
}

/** So many different values of one path under one key, at most one. */
function oneValue(
  rule: RuleParts,
  usual: {
    readonly of: Pattern;
    readonly bind: readonly string[];
    readonly content: readonly string[];
    readonly code: "identity_reuse" | "nondeterministic";
  },
): Built | null {
  const of = patternOr(rule, "of", usual.of);
  const bind = pathsOr(rule, "bind", ...usual.bind);
  const content = pathsOr(rule, "content", ...usual.content);
  const window = rule.reader.duration("window", rule.plainNumbersAreMilliseconds);
  if (of === null) return null;
  return {
    program: counting(of, { distinct: content, bind, max: 1, window, code: usual.code }),
    expected: `one ${inWords(content)} of ${of.text} per ${inWords(bind)}${window === null ? "" : ` in ${formatDuration(window)}`}`,
    subjects: [of],
  };
}

/** The provider's id of one request never changes. */
function correlation(rule: RuleParts): Built | null {
  const of = oneOf([signal("callback"), signal("request")]);
  const built = oneValue(rule, {
    of: having(of, [["correlation_id"]]),
    bind: ["request_id"],
    content: ["correlation_id"],
    code: "identity_reuse",
  });
  return built === null ? null : { ...built, severity: "high" };
}

/** A decision number names one decision: seen again it is a delivery of the same, or a reuse. */
function identity(rule: RuleParts): Built | null {
  const built = oneValue(rule, {
    of: signal("decision"),
    bind: ["run", "seq"],
    content: ["content_hash"],
    code: "identity_reuse",
  });
  return built === null ? null : { ...built, severity: "critical" };
}

/** The same journal reduces to the same state, in whatever run. */
function replay(rule: RuleParts): Built | null {
  const built = oneValue(rule, {
    of: signal("reduced"),
    bind: ["journal_hash"],
    content: ["state_hash"],
    code: "nondeterministic",
  });
  return built === null ? null : { ...built, severity: "high", scope: { is: "all" } };
}

/** One request is admitted once, whether the reducer or the callback says so. */
function onceAdmitted(rule: RuleParts): Built | null {
  const given = rule.optionalPattern("of");
  const bind = pathsOr(rule, "bind", "request_id");
  const usual = [signal("admitted"), signal("callback", { disposition: "admitted" })];
  const of = given === null ? usual : [given];
  if (given === null) rule.patterns.push(...usual);
  if (rule.reader.has("of") && given === null) return null;
  // Counted apart: a callback that was admitted, and the signal that says so, are one admission.
  const parts: readonly Program[] = of.map((one) =>
    counting(one, { bind, max: 1, code: "duplicate_callback" }),
  );
  const [only] = parts;
  return only === undefined
    ? null
    : {
        program: parts.length === 1 ? only : { kernel: "fold", parts },
        expected: `at most 1 ${of.map(({ text }) => text).join(" and at most 1 ")} per ${inWords(bind)}`,
        subjects: of.slice(0, 1),
        severity: "critical",
      };
}

/** A reducer that refuses an event says why. */
function rejectionReason(rule: RuleParts): Built | null {
  const of = patternOr(rule, "of", signal("reducer_rejected"));
  const reason = pathsOr(rule, "reason", "rejection_reason");
  const bind = rule.paths("bind");
  if (of === null) return null;
  const silent = { ...lacking(of, reason), text: `${of.text} without ${inWords(reason)}` };
  return {
    program: counting(silent, { max: 0, bind, code: "missing_attribute" }),
    expected: `a ${inWords(reason)} on every ${of.text}`,
    subjects: [of],
    severity: "medium",
  };
}

/** What was applied was based on the state that it changed. */
function noStaleApply(rule: RuleParts): Built | null {
  const of = patternOr(rule, "of", signal("applied"));
  const [base = ["base_version"]] = onePath(rule, "base", "base_version");
  const [state = ["state_version"]] = onePath(rule, "state", "state_version");
  const bind = rule.paths("bind");
  if (of === null) return null;
  const differs = compared(["e", base], "!=", ["e", state]);
  const stale = { ...of, where: [...of.where, differs], text: `${of.text} where ${differs.text}` };
  return {
    program: counting(stale, { max: 0, bind, code: "stale_apply" }),
    expected: `no ${of.text} on another version than it was based on (${base.join(".")}, ${state.join(".")})`,
    subjects: [of],
    severity: "critical",
  };
}

function onePath(rule: RuleParts, key: string, usual: string): readonly Path[] {
  const paths = pathsOr(rule, key, usual);
  if (paths.length > 1) {
    rule.reader.problems.error(
      rule.reader.get(key)?.range ?? rule.reader.node.range,
      "wrong-type",
      `"${key}" takes one path, not ${paths.length}`,
      `Write ${key}: ${usual}.`,
    );
  }
  return paths;
}

export const identityKinds: readonly RuleKind[] = [
  { kind: "known_callback", category: "causality", build: knownCallback },
  { kind: "correlation", category: "causality", build: correlation },
  { kind: "identity", category: "causality", build: identity },
  { kind: "replay", category: "causality", build: replay },
  { kind: "once_admitted", category: "causality", build: onceAdmitted },
  { kind: "rejection_reason", category: "causality", build: rejectionReason },
  { kind: "no_stale_apply", category: "causality", build: noStaleApply },
];
