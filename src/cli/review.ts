/**
 * The review sheet of a contract: ten questions that a person asks of ordering rules, answered from the contract,
 * the traits of its tools and, where there are any, recorded runs. Every gap that a rule can close comes with one
 * to paste. A function of its arguments.
 */
import type { JudgedRun } from "../processor/report.ts";
import { toolNames } from "../rules/lint-names.ts";
import type { Contract, RuleSet } from "../rules/rule.ts";
import { effects, gates, sensitiveTools } from "./review-access.ts";
import type { Item, Review, Subject } from "./review-item.ts";
import { blocking, branches, drift, outcomes, stability } from "./review-policy.ts";
import { reads, writes } from "./review-reads.ts";
import { trafficOf } from "./review-traffic.ts";

const questions: readonly (readonly [title: string, answer: (subject: Subject) => readonly Item[]])[] = [
  ["Which tool calls access sensitive data?", sensitiveTools],
  ["Which tool calls create external side effects?", effects],
  ["Which checks must happen before those actions?", gates],
  ["Which values must be read before they are used?", reads],
  ["Which write operations require current state?", writes],
  ["Which branches are optional?", branches],
  ["Which outcomes, of which retries, count?", outcomes],
  ["Which failures block?", blocking],
  ["Which differences are harmless drift?", drift],
  ["Which rules are stable enough, and used?", stability],
];

/** `runs`: null where no traces were given. */
export function reviewOf(contract: Contract, set: RuleSet, runs: readonly JudgedRun[] | null): Review {
  const traffic = runs === null ? null : trafficOf(runs);
  const subject: Subject = {
    contract,
    set,
    tools: [
      ...new Set([
        ...contract.tools.keys(),
        ...contract.rules.flatMap(toolNames),
        ...[...(traffic?.tools.keys() ?? [])].sort(),
      ]),
    ],
    traffic,
    runs: runs ?? [],
    taken: new Set(contract.rules.map(({ id }) => id)),
  };
  return {
    contract: contract.name,
    file: contract.file,
    owner: contract.owner,
    runs: runs === null ? null : runs.length,
    questions: questions.map(([title, answer], index) => ({
      number: index + 1,
      title,
      items: answer(subject),
    })),
  };
}
