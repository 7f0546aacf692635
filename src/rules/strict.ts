/** What `validate --strict` asks of contracts beyond that they load: what each stands for, and who answers for it. */
import type { LoadProblem } from "../model/load-error.ts";
import type { Contract, Rule, RuleSet } from "./rule.ts";

const atTheTop = { line: 1, column: 1, length: 1 };

/** Errors: a contract without `policy` or `reviewed`, and a critical rule that does not say why. */
export function strictProblems({ contracts }: RuleSet): readonly LoadProblem[] {
  return contracts.flatMap((contract) => [...ofContract(contract), ...contract.rules.flatMap(ofRule)]);
}

function ofContract({ name, file, policy, reviewed }: Contract): readonly LoadProblem[] {
  const about = { file, range: atTheTop, level: "error" as const };
  return [
    ...(policy === null
      ? [
          {
            ...about,
            code: "no-policy",
            message: `the contract "${name}" does not say which policy it stands for`,
            advice: "Add policy: the https address of the document that these rules put into force.",
          },
        ]
      : []),
    ...(reviewed === null
      ? [
          {
            ...about,
            code: "not-reviewed",
            message: `nobody is named who has reviewed the contract "${name}"`,
            advice: "Add reviewed: {by: …, on: 2026-05-31}.",
          },
        ]
      : []),
  ];
}

function ofRule(rule: Rule): readonly LoadProblem[] {
  if (rule.severity !== "critical" || rule.why !== null) return [];
  return [
    {
      file: rule.file,
      range: rule.range,
      level: "error",
      code: "no-why",
      message: `the critical rule "${rule.id}" does not say why it is there`,
      advice: "Add why: what goes wrong when it is broken; alerts show it.",
    },
  ];
}
