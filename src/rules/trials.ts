/**
 * Rules on trial are judged and shown and never alert: a trial that nobody ends is a rule that nobody enforces. The
 * core has no clock, so the day is handed in.
 */
import type { LoadProblem } from "../model/load-error.ts";
import { dayNumber } from "./reviewed.ts";
import type { RuleSet } from "./rule.ts";

const mostDays = 30;

/**
 * Trials that have lasted longer than 30 days by `today` (`2026-05-31`), and those of which nothing says since when:
 * `since` of the rule, else the day that the contract was reviewed.
 */
export function longTrials(set: RuleSet, today: string): readonly LoadProblem[] {
  const now = dayNumber(today);
  if (now === null) throw new RangeError(`"${today}" is no day`);
  return set.contracts.flatMap(({ reviewed, rules }) =>
    rules
      .filter(({ stage }) => stage === "trial")
      .flatMap((rule): readonly LoadProblem[] => {
        const about = { file: rule.file, range: rule.range, level: "warning" as const };
        const since = rule.since ?? reviewed?.on ?? null;
        const first = since === null ? null : dayNumber(since);
        if (since === null || first === null) {
          const message = `nothing says since when the rule "${rule.id}" is on trial`;
          const advice =
            "Add since: the first day, such as 2026-05-31, or reviewed: {by, on} of the contract.";
          return [{ ...about, code: "trial-without-date", message, advice }];
        }
        if (now - first <= mostDays) return [];
        const message = `the rule "${rule.id}" has been on trial for ${now - first} days, since ${since}`;
        const advice = "Enforce it, remove it, or review the contract and write the new day.";
        return [{ ...about, code: "long-trial", message, advice }];
      }),
  );
}
