import { domainCodes, type RuleVerdict, type Verdict, verdicts } from "../model/verdict.ts";
import { actionOf } from "../processor/publish.ts";
import type { JudgedRule } from "../processor/report.ts";
import type { RuleSet } from "../rules/rule.ts";
import type { Expectation } from "./case-file.ts";
import type { CaseState } from "./case-run.ts";

/** A case may state them before its rules do. */
const statedEarly: ReadonlySet<string> = new Set(domainCodes);

/** What differs between what was expected and what stands, one text each. */
export function differences(
  expectations: readonly Expectation[],
  state: CaseState,
  set: RuleSet,
  { revisions }: { readonly revisions: boolean } = { revisions: true },
): readonly string[] {
  return expectations.flatMap((expectation) => {
    const found = differing(expectation, state, set, revisions);
    const where = expectation.run === null ? expectation.rule : `${expectation.rule} in ${expectation.run}`;
    return found.length === 0 ? [] : [`${where}: ${found.join(", ")}`];
  });
}

function differing(
  expectation: Expectation,
  state: CaseState,
  set: RuleSet,
  revisions: boolean,
): readonly string[] {
  const rule = set.contracts.flatMap((contract) => contract.rules).find(({ id }) => id === expectation.rule);
  if (rule === undefined) return ["no rule of that id"];
  const judged = state.runs
    .flatMap((run) => run.verdicts)
    .filter((verdict) => verdict.rule.id === rule.id && inRun(verdict, expectation.run));
  const worst = fold(judged);
  if (worst === null) return ["no verdict"];
  const code = worst.code;
  const checksCode = expectation.code !== null && (rule.code !== null || !statedEarly.has(expectation.code));
  const value = judged
    .flatMap(({ result }) => result.instances)
    .find((instance) => instance.value !== undefined);
  return [
    ...unlike("verdict", expectation.verdict, worst.verdict, code === null ? "" : ` (${code})`),
    ...unlike("final", expectation.final, worst.final),
    ...(checksCode ? unlike("code", expectation.code, code) : []),
    ...unlike("action", expectation.action, actionOf(rule, worst.verdict)),
    ...unlike("value", expectation.value, value?.value ?? null),
    ...[...expectation.instances].flatMap(([event, verdict]) =>
      unlike(`instance ${event}`, verdict, instanceOf(judged, event)),
    ),
    ...(expectation.anomaly === null || hasAnomaly(state, expectation.anomaly)
      ? []
      : [`no anomaly ${expectation.anomaly}`]),
    ...(revisions && expectation.revises && !hasRevision(state, rule.id)
      ? ["no revision was published"]
      : []),
  ];
}

function unlike(what: string, expected: unknown, found: unknown, more = ""): readonly string[] {
  if (expected === null || expected === found) return [];
  return [`${what} ${found === null ? "absent" : String(found)}${more}, expected ${String(expected)}`];
}

function inRun(judged: JudgedRule, run: string | null): boolean {
  return run === null || run === "all" || judged.scopeKey === run;
}

/** The same fold as over instances: the worst verdict, with its code. */
function fold(judged: readonly JudgedRule[]): RuleVerdict | null {
  const rank = (verdict: Verdict): number => verdicts.indexOf(verdict);
  const [first, ...rest] = judged.map(({ result }) => result);
  if (first === undefined) return null;
  return rest.reduce((worst, next) => (rank(next.verdict) < rank(worst.verdict) ? next : worst), first);
}

function instanceOf(judged: readonly JudgedRule[], event: string): string | null {
  const found = judged.flatMap(({ result }) => result.instances).find(({ anchor }) => anchor === event);
  return found?.verdict ?? null;
}

function hasAnomaly({ runs }: CaseState, name: string): boolean {
  return runs.some((run) => run.anomalies.some(({ anomaly }) => anomaly === name));
}

/** A revision, or any other record that replaces one which was published before. */
function hasRevision({ outputs }: CaseState, rule: string): boolean {
  return outputs.some((output) => {
    switch (output.type) {
      case "revision":
        return output.rule.rule === rule;
      case "inconclusive":
        return output.rule.rule === rule && output.supersedes !== null;
      case "violation":
        return output.record.rule === rule && output.record.supersedes !== null;
      default:
        return false;
    }
  });
}
