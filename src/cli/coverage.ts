/**
 * Which rules the cases of `test` exercise: a contract whose tests never break a rule does not show that the
 * rule can fail, and one whose tests never keep it does not show that it can be kept.
 *
 * Rules that a case brings itself are not counted: they are the test.
 */
import type { Verdict } from "../model/verdict.ts";
import type { JudgedRule } from "../processor/report.ts";
import type { Contract } from "../rules/rule.ts";
import type { Style } from "./style.ts";

export interface ContractCoverage {
  readonly contract: string;
  readonly file: string;
  readonly rules: readonly RuleCoverage[];
}

export interface RuleCoverage {
  readonly rule: string;
  /** Cases in which an instance of it was kept. */
  readonly satisfied: number;
  readonly violated: number;
  /** Cases in which it had something to say and could not decide. */
  readonly undecided: number;
}

/** What one case shows of the contracts that judged it. */
export interface CaseCoverage {
  readonly contracts: readonly Pick<Contract, "name" | "file" | "rules">[];
  /** Every verdict of every snapshot. */
  readonly judged: readonly JudgedRule[];
}

/** In the order in which contracts and rules are met first. */
export function coverageOf(cases: readonly CaseCoverage[]): readonly ContractCoverage[] {
  const found = new Map<string, { file: string; contract: string; rules: Map<string, RuleCoverage> }>();
  for (const { contracts, judged } of cases) {
    const seen = verdictsByRule(judged);
    for (const { name, file, rules } of contracts) {
      const key = `${file}\u0000${name}`;
      const entry = found.get(key) ?? { file, contract: name, rules: new Map() };
      found.set(key, entry);
      for (const { id } of rules) {
        const verdicts = seen.get(`${name}\u0000${id}`) ?? new Set();
        const { satisfied, violated, undecided } = entry.rules.get(id) ?? noCoverage;
        entry.rules.set(id, {
          rule: id,
          satisfied: satisfied + Number(verdicts.has("satisfied")),
          violated: violated + Number(verdicts.has("violated")),
          undecided: undecided + Number(verdicts.has("inconclusive") || verdicts.has("pending")),
        });
      }
    }
  }
  return [...found.values()].map(({ file, contract, rules }) => ({
    contract,
    file,
    rules: [...rules.values()],
  }));
}

const noCoverage = { satisfied: 0, violated: 0, undecided: 0 };

/** Of instances, and of the rule itself where none carries its verdict. */
function verdictsByRule(judged: readonly JudgedRule[]): ReadonlyMap<string, ReadonlySet<Verdict>> {
  const verdicts = new Map<string, Set<Verdict>>();
  for (const { contract, rule, result } of judged) {
    const key = `${contract.name}\u0000${rule.id}`;
    const set = verdicts.get(key) ?? new Set();
    verdicts.set(key, set);
    set.add(result.verdict);
    for (const { verdict } of result.instances) set.add(verdict);
  }
  return verdicts;
}

export function coverageLines(coverage: readonly ContractCoverage[], style: Style): readonly string[] {
  if (coverage.length === 0) return ["coverage: no case is judged by a contract, only by rules of its own"];
  const all = coverage.flatMap(({ rules }) => rules);
  const width = Math.max(...all.map(({ rule }) => rule.length));
  return [
    ...coverage.flatMap(({ contract, file, rules }) => [
      style.bold(`coverage of ${contract} (${file}):`),
      ...rules.map((rule) => `  ${rule.rule.padEnd(width)}  ${ruleWords(rule, style)}`),
    ]),
    totalLine(all),
  ];
}

function ruleWords({ satisfied, violated, undecided }: RuleCoverage, style: Style): string {
  if (satisfied + violated + undecided === 0) return style.red("never exercised");
  return [
    satisfied > 0 ? `satisfied in ${satisfied}` : style.yellow("never satisfied"),
    violated > 0 ? `violated in ${violated}` : style.yellow("never violated"),
    ...(undecided > 0 ? [`undecided in ${undecided}`] : []),
  ].join(", ");
}

function totalLine(rules: readonly RuleCoverage[]): string {
  const exercised = rules.filter(
    ({ satisfied, violated, undecided }) => satisfied + violated + undecided > 0,
  );
  const both = exercised.filter(({ satisfied, violated }) => satisfied > 0 && violated > 0);
  return `${exercised.length} of ${rules.length} rules exercised, ${both.length} both ways`;
}
