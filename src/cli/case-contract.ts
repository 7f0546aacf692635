import type { ContractSource } from "../model/entry.ts";
import type { LoadProblem } from "../model/load-error.ts";
import { withIncluded } from "../service/contract-files.ts";
import type { Plain } from "../source/yaml-source.ts";
import type { ContractCase } from "./case-file.ts";
import type { PlainMap } from "./case-nodes.ts";
import { readText } from "./files.ts";

/**
 * The contracts that judge a case, as sources. Rules written in the case become a contract of the case's name,
 * one rule a line, so that a load problem's line names its rule.
 */
export async function caseSources(contractCase: ContractCase): Promise<readonly ContractSource[]> {
  const { id, rules, contract, contracts, scope } = contractCase;
  if (rules !== null) return [{ file: `case ${id}`, text: rulesText(id, rules, scope) }];
  const files = await Promise.all(contracts.map(async (file) => ({ file, text: await readText(file) })));
  const own = contract === null ? [] : [{ file: `contract of case ${id}`, text: flowText(contract) }];
  return withIncluded([...files, ...own]);
}

const linesBefore = 2;

function rulesText(id: string, rules: readonly PlainMap[], scope: Plain): string {
  const lines = rules.map((rule) => `  - ${flowText(completed(rule, scope))}`);
  return [`contract: ${JSON.stringify(id)}`, "rules:", ...lines, ""].join("\n");
}

/** The rule of the case that a problem of its generated contract is about; null: the case itself. */
export function ruleOfProblem(contractCase: ContractCase, { range }: LoadProblem): string | null {
  const rule = contractCase.rules?.[range.line - linesBefore - 1];
  return rule === undefined ? null : String(rule.id ?? rule.kind ?? "");
}

/**
 * The case's scope where the rule has none, and `none` for a skew of null, which are one
 * (docs/contract-tests.md).
 */
function completed(rule: PlainMap, scope: Plain): PlainMap {
  const clock = rule.clock;
  return {
    ...rule,
    ...(scope !== null && rule.scope === undefined && { scope }),
    ...(isMap(clock) && clock.skew_ms === null && { clock: { ...clock, skew_ms: "none" } }),
  };
}

function isMap(value: Plain | undefined): value is PlainMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON is YAML; integers beyond 2^53 are written in full. */
function flowText(value: Plain): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map(flowText).join(", ")}]`;
  if (isMap(value)) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}: ${flowText(item)}`)
      .join(", ")}}`;
  }
  return JSON.stringify(value);
}
