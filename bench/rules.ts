/** Fifty rules about the tools of `traffic.ts`, of the kinds that contracts are made of. */
import { tools } from "./traffic.ts";

export const ruleCount = 50;

/** One contract as YAML text. Most of its rules hold on that traffic, and some do not, as in life. */
export function fiftyRules(): string {
  const rules: string[] = [];
  const add = (...lines: readonly string[]): void => {
    rules.push([`  - id: rule-${String(rules.length + 1).padStart(2, "0")}`, ...lines].join("\n    "));
  };
  const pairs = tools.flatMap((first, at) => tools.slice(at + 1).map((second) => [first, second] as const));

  for (const [first, second] of pairs.slice(0, 25)) {
    add(
      "kind: gate",
      `require: {tool: ${first}, status: success}`,
      `before: {tool: ${second}}`,
      "bind: [args.customer_id]",
    );
  }
  for (const [first, second] of pairs.slice(25, 33)) {
    add(
      "kind: gate",
      `require: {tool: ${first}, result.status: approved}`,
      `before: {tool: ${second}}`,
      "within: 10m",
      "scope: conversation",
    );
  }
  for (const [first, second] of pairs.slice(33, 41)) {
    add(
      "kind: response",
      `trigger: {tool: ${first}, status: success}`,
      `expect: {tool: ${second}}`,
      "within: 5m",
    );
  }
  for (const [first, second] of pairs.slice(41, 44)) {
    add(
      "kind: forbid_after",
      `after: {tool: ${second}, status: success}`,
      `forbid: {tool: ${first}}`,
      "bind: [args.customer_id]",
    );
  }
  // The wrong way round: violated in every run.
  add("kind: gate", `require: {tool: ${tools.at(-1)}}`, `before: {tool: ${tools[0]}}`, "severity: low");
  for (const tool of tools.slice(0, 4))
    add("kind: count", `of: {tool: ${tool}}`, "max: 3", "bind: [args.customer_id]");
  add(
    "kind: machine",
    "initial: unknown_customer",
    "transitions:",
    "  - [unknown_customer, resolve_customer, known_customer]",
    "  - [known_customer, {tool: check_requester_authorization, result.status: approved}, authorized]",
    "  - [authorized, get_customer_plan, authorized]",
  );
  if (rules.length !== ruleCount) throw new Error(`${rules.length} rules`);
  return `contract: benchmark\nrules:\n${rules.join("\n")}\n`;
}
