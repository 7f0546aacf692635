import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { load } from "./marked.ts";

describe("the rules of the semantics cases", () => {
  const { cases } = parse(readFileSync("test/cases/semantics-cases.yaml", "utf8"), { maxAliasCount: -1 }) as {
    cases: { id: string; events: Record<string, unknown>[]; rules: unknown[] }[];
  };
  it("are here", () => assert.ok(cases.length > 60));
  for (const { id, events, rules } of cases) {
    it(`${id} loads`, () => {
      const { set, problems } = load(JSON.stringify({ contract: id, rules }), {
        declaredKinds: events.flatMap((event) => (typeof event.kind === "string" ? [event.kind] : [])),
        declaredFields: events.flatMap((event) => Object.keys(event)),
        plainNumbersAreMilliseconds: true,
      });
      const errors = problems.filter(({ level }) => level === "error").map(({ code }) => code);
      assert.equal(set?.contracts[0]?.rules.length, rules.length, errors.join());
    });
  }
});

describe("rule files that users got wrong", () => {
  const linesOf = (file: string): readonly number[] =>
    load(readFileSync(file, "utf8"))
      .problems.filter(({ level }) => level === "error")
      .map(({ range }) => range.line);

  it("misspelt keys are named, and nothing runs without the condition", () => {
    assert.deepEqual(linesOf("test/rules/data/R01.rules.yaml"), [3, 5]);
  });

  it("a key that silently overrode another is named", () => {
    assert.deepEqual(linesOf("test/rules/data/R05.rules.yaml"), [6, 7]);
  });

  for (const name of ["R03", "R06", "R10"]) {
    it(`${name}, which was right, loads`, () =>
      assert.deepEqual(linesOf(`test/rules/data/${name}.rules.yaml`), []));
  }
});

/** The rules that an essay on tool-call ordering writes down, letter by letter. */
const essays: readonly (readonly [what: string, text: string, expected: readonly string[]])[] = [
  [
    "pairs of names",
    "ordering:\n  - before: check_requester_authorization\n    after: get_customer_plan\n    severity: critical\n\n  - before: get_customer_plan\n    after: check_feature_entitlement\n    severity: high\n\n  - before: check_feature_entitlement\n    after: final_answer\n    severity: high\n",
    [
      "critical check_requester_authorization before get_customer_plan",
      "high get_customer_plan before check_feature_entitlement",
      "high check_feature_entitlement before final_answer",
    ],
  ],
  [
    "a result",
    "ordering:\n  - before:\n      tool: check_requester_authorization\n      result: approved\n    after:\n      tool: get_customer_plan\n    severity: critical\n",
    ["critical check_requester_authorization (result: approved) before get_customer_plan"],
  ],
  [
    "a status",
    "ordering:\n  - before:\n      tool: retrieve_entitlement_policy\n      status: success\n    after:\n      tool: check_feature_entitlement\n      status: success\n",
    [
      "medium retrieve_entitlement_policy (status: success) before check_feature_entitlement (status: success)",
    ],
  ],
  [
    "a branch",
    "conditional_ordering:\n  - if:\n      tool: create_support_ticket\n    then:\n      before:\n        tool: collect_diagnostic_context\n      after:\n        tool: create_support_ticket\n      severity: high\n",
    ["high collect_diagnostic_context before create_support_ticket, if create_support_ticket happens"],
  ],
  [
    "boundaries",
    "ordering:\n  - before:\n      tool: retrieve_policy_docs\n      boundary: finished_at\n    after:\n      tool: synthesize_answer\n      boundary: started_at\n",
    ["medium retrieve_policy_docs before synthesize_answer"],
  ],
  [
    "severities",
    "ordering:\n  - before: human_approval\n    after: send_customer_email\n    severity: critical\n\n  - before: retrieve_policy_docs\n    after: final_answer\n    severity: high\n\n  - before: retrieve_product_docs\n    after: retrieve_policy_docs\n    severity: low\n",
    [
      "critical human_approval before send_customer_email",
      "high retrieve_policy_docs before final_answer",
      "low retrieve_product_docs before retrieve_policy_docs",
    ],
  ],
];

describe("rules as an essay writes them", () => {
  for (const [what, text, expected] of essays) {
    it(what, () => {
      const rules = load(`contract: essay\n${text}`).set?.contracts[0]?.rules ?? [];
      assert.deepEqual(
        rules.map((rule) => `${rule.severity} ${rule.expected}`),
        expected,
      );
    });
  }
});
