/** What every rule of rules.txt compiles to, and what is said of every rule of refused.txt, as text. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadContracts } from "../../../src/rules/load.ts";
import type { Rule } from "../../../src/rules/rule.ts";

const tools = `define: {approved: [args.id, user], keys: [args.plan_id, user]}
tools:
  load: {effect: read}
  look_up: {effect: read, access: sensitive}
  write_it: {effect: write, resource: args.id, reads: look_up}
  send_it: {effect: external, resource: args.to, reads: look_up, cancel: stop_it}
  stop_it: {effect: none}
${[..."ABCDELR"].map((name) => `  ${name}: {}\n`).join("")}`;

/** The lines of one of the lists: a rule each. */
export function rulesOf(file: "rules.txt" | "refused.txt"): readonly string[] {
  const lines = readFileSync(join(import.meta.dirname, file), "utf8").split("\n");
  return lines.filter((line) => line.startsWith("{"));
}

export function written(rule: string): string {
  const text = `contract: one\n${tools}${block(rule)}\n`;
  const { set, problems } = loadContracts([{ file: "one.yaml", text }], {});
  const line = text.split("\n").findIndex((one) => one.startsWith("  - ")) + 1;
  const said = problems.map(({ level, range, code, message, advice }) => {
    const place =
      range === undefined || range.line !== line
        ? ""
        : (text.split("\n")[line - 1] ?? "").slice(range.column - 1, range.column - 1 + range.length);
    return `  ${level} [${code}] at «${place}»: ${message}${advice === undefined ? "" : ` | ${advice}`}`;
  });
  const contract = set?.contracts[0];
  const rules = contract?.rules ?? [];
  const taking = contract?.participants.map((pattern) => pattern.text).join("; ");
  return [
    rule,
    ...said,
    ...(taking === undefined ? [] : [`  takes part by: ${taking}`]),
    ...rules.map((one) => `  ${compiled(one)}`),
  ].join("\n");
}

/** `{effects: {…}}` is a ledger, `{commutes: […], rule: {…}}` a rule beside what commutes, anything else a rule. */
function block(rule: string): string {
  const ledger = /^\{effects: (.*)\}$/.exec(rule)?.[1];
  if (ledger !== undefined) return `effects:\n  - ${ledger}`;
  const [, commutes, beside] = /^\{commutes: (.*), rule: (.*)\}$/.exec(rule) ?? [];
  return commutes === undefined ? `rules:\n  - ${rule}` : `commutes: ${commutes}\nrules:\n  - ${beside}`;
}

/** Everything of a rule but where it stands and what identifies its form. */
function compiled({
  file: _file,
  range: _range,
  revision: _revision,
  contract: _contract,
  ...rule
}: Rule): string {
  return JSON.stringify(rule, plain);
}

/** Without what says nothing: null, and lists and maps that are empty. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  const data = value instanceof Set ? [...value] : value instanceof Map ? Object.fromEntries(value) : value;
  if (data === null) return undefined;
  if (Array.isArray(data)) return data.length === 0 ? undefined : data;
  return typeof data === "object" && Object.keys(data).length === 0 ? undefined : data;
}
