/**
 * What `check` found, one entry a violated or undecided instance: every output format, the approvals, the
 * baseline and the exit code speak of these.
 */
import { type InstanceVerdict, type RuleVerdict, severities } from "../model/verdict.ts";
import { type EventsById, verdictId } from "../processor/identity.ts";
import { actionOf } from "../processor/publish.ts";
import type { JudgedRule, JudgedRun } from "../processor/report.ts";
import type { Rule } from "../rules/rule.ts";

/**
 * What a finding asks of people, most urgent first. `blocking`: a release waits for it. `review`: somebody
 * should look. `drift`: it is recorded, so that a change of habit is seen.
 */
export const tiers = ["blocking", "review", "drift"] as const;
export type Tier = (typeof tiers)[number];

export interface Finding {
  readonly run: JudgedRun;
  readonly judged: JudgedRule;
  readonly instance: InstanceVerdict;
  readonly verdict: "violated" | "inconclusive";
  /**
   * The id under which a service publishes it (docs/semantics.md 9): the same recorded trace gives the same
   * id anywhere.
   */
  readonly id: string;
  readonly tier: Tier;
  /** Files that the run was read from, in the order in which they were named; `-` for standard input. */
  readonly files: readonly string[];
  readonly standing: Standing;
}

/** Whether somebody has answered for a finding already. */
export type Standing =
  | { readonly is: "open" }
  | {
      readonly is: "approved";
      readonly by: string;
      readonly reason: string;
      readonly until: string;
    }
  /** The baseline lists it. */
  | { readonly is: "known" }
  /** There is a baseline, and it does not list this one. */
  | { readonly is: "new" };

/** Every finding, worst first; of equal ones, in the order of runs and rules. */
export function findingsOf(
  runs: readonly JudgedRun[],
  filesOf: (run: string) => readonly string[],
): readonly Finding[] {
  // A wide verdict stands in one run and may be of events of another; an id of the run's own means its own event.
  const all = new Map(runs.flatMap(({ events }) => events).map((event) => [event.id, event]));
  const findings = runs.flatMap((run) => {
    const own = new Map(run.events.map((event) => [event.id, event]));
    const events = { get: (id: string) => own.get(id) ?? all.get(id) };
    return run.verdicts.flatMap((judged) => ruleFindings(run, judged, events, filesOf(run.run)));
  });
  return findings.sort(compareFindings);
}

function ruleFindings(
  run: JudgedRun,
  judged: JudgedRule,
  events: EventsById,
  files: readonly string[],
): readonly Finding[] {
  const { rule } = judged;
  return brokenInstances(judged).map((instance) => {
    const verdict = instance.verdict === "violated" ? "violated" : "inconclusive";
    return {
      run,
      judged,
      instance,
      verdict,
      id: verdictId(rule, { is: judged.scope, key: judged.scopeKey }, instance, events),
      tier: tierOf(rule, verdict),
      files,
      standing: { is: "open" },
    };
  });
}

/** A verdict that no instance carries is one finding too: it must not get lost. */
function brokenInstances({ result }: JudgedRule): readonly InstanceVerdict[] {
  const broken = result.instances.filter(({ verdict }) => isBroken(verdict));
  return broken.length > 0 || !isBroken(result.verdict) ? broken : [standIn(result)];
}

/** An instance that says no more than the verdict of the whole rule. */
export function standIn({ verdict, final, code }: Omit<RuleVerdict, "instances">): InstanceVerdict {
  return {
    anchor: null,
    key: "",
    verdict,
    final,
    code,
    witness: null,
    nearMisses: [],
    evidence: "none",
    completeness: null,
    reason: "",
    involved: [],
  };
}

const isBroken = (verdict: InstanceVerdict["verdict"]): boolean =>
  verdict === "violated" || verdict === "inconclusive";

/**
 * By what is to be done about it (docs/semantics.md 8). An undecided verdict blocks nothing by itself: of a
 * critical or high rule somebody has to look why; of the others it is recorded. A rule on trial only records.
 */
export function tierOf(rule: Rule, verdict: "violated" | "inconclusive"): Tier {
  if (rule.stage === "trial" || rule.class === "preference") return "drift";
  if (verdict === "inconclusive") {
    return rule.severity === "critical" || rule.severity === "high" ? "review" : "drift";
  }
  switch (actionOf(rule, verdict)) {
    case "block":
    case "block_or_approve":
      return "blocking";
    case "warn":
      return "review";
    default:
      return "drift";
  }
}

function compareFindings(a: Finding, b: Finding): number {
  return (
    tiers.indexOf(a.tier) - tiers.indexOf(b.tier) ||
    Number(a.verdict !== "violated") - Number(b.verdict !== "violated") ||
    severities.indexOf(a.judged.rule.severity) - severities.indexOf(b.judged.rule.severity)
  );
}
