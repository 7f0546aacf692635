import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ContractSource } from "../../src/model/entry.ts";
import { lint, table } from "./lint-table.ts";

const g = (id: string, require: string, before: string, more = ""): string =>
  `  - {id: ${id}, kind: gate, require: {tool: ${require}, status: success}, before: ${before}${more}}`;
const marked = (line: string): string => line.replace("kind:", "«kind»:");

table("contradictions", [
  {
    name: "P before Q and Q before P",
    rules: [g("one", "a", "b"), marked(g("two", "b", "a"))].join("\n"),
    codes: ["contradicting-rules"],
    says: /^b needs a needs b before it, so the first of them is always a violation: see "one" \(test\.yaml:3\)|^a needs b needs a/,
  },
  {
    name: "the same in orderings and under a condition that always holds",
    rules: [
      "  - {id: one, kind: ordering, before: a, after: b}",
      "  - {id: two, «kind»: conditional_ordering, if: a, then: {before: {tool: b}, after: {tool: a}}}",
    ].join("\n"),
    codes: ["contradicting-rules"],
  },
  {
    name: "under a condition that may not hold",
    rules: [
      g("one", "a", "b"),
      "  - {id: two, kind: conditional_ordering, if: c, then: {before: b, after: a}}",
    ].join("\n"),
    codes: [],
  },
  {
    name: "another result",
    rules: [
      g("one", "a", "b"),
      "  - {id: two, kind: gate, require: {tool: b, status: success}, before: {tool: a, args.final: true}}",
    ].join("\n"),
    codes: [],
  },
  {
    name: "a chain",
    rules: [g("one", "a", "b"), g("two", "b", "c"), g("three", "a", "c")].join("\n"),
    codes: [],
  },
  {
    name: "an order that another rule forbids",
    rules: [g("one", "a", "b"), "  - {id: two, «kind»: forbid_after, after: a, forbid: b}"].join("\n"),
    codes: ["contradicting-rules"],
    says: /no b can be right: see "one"/,
  },
  {
    name: "an order forbidden under a condition",
    rules: [g("one", "a", "b"), "  - {id: two, kind: forbid_after, after: a, forbid: b, within: 1m}"].join(
      "\n",
    ),
    codes: [],
  },
  {
    name: "an order forbidden by other boundaries",
    rules: [
      g("one", "a", "b"),
      "  - {id: two, kind: forbid_before, forbid: {tool: a, boundary: started_at}, before: {tool: b, boundary: finished_at}}",
    ].join("\n"),
    codes: [],
  },
  {
    name: "an order forbidden for some",
    rules: [
      g("one", "a", "b"),
      "  - {id: two, kind: forbid_before, forbid: {tool: a, args.x: 1}, before: b}",
    ].join("\n"),
    codes: [],
  },
  {
    name: "both, and never both",
    rules:
      "  - {id: one, kind: response, trigger: a, expect: b, within: 1m}\n  - {id: two, «kind»: not_co_existence, first: b, second: a}",
    codes: ["contradicting-rules"],
  },
  {
    name: "a proof that may never happen",
    rules: [g("one", "a", "b"), "  - {id: two, «kind»: absence, of: a}"].join("\n"),
    codes: ["contradicting-rules"],
    says: /b needs a \(status: success\), which may never happen/,
  },
  {
    name: "a proof that may happen once",
    rules: [g("one", "a", "b"), "  - {id: two, kind: count, of: a, max: 1}"].join("\n"),
    codes: [],
  },
  {
    name: "more than there may be",
    rules: "  - {id: one, kind: existence, of: a, n: 3}\n  - {id: two, «kind»: count, of: a, max: 2}",
    codes: ["contradicting-rules"],
    says: /no number of a is at least 3 and at most 2/,
  },
  {
    name: "as many as there may be",
    rules: "  - {id: one, kind: existence, of: a, n: 2}\n  - {id: two, kind: count, of: a, max: 2}",
    codes: [],
  },
]);

table("circles", [
  {
    name: "over three rules",
    rules: [g("one", "a", "b"), g("two", "b", "c"), marked(g("three", "c", "a"))].join("\n"),
    codes: ["ordering-cycle"],
    says: /"one" \(test\.yaml:3\).*"two" \(test\.yaml:4\)/,
  },
  {
    name: "of one rule",
    rules: marked(g("one", "a", "a")),
    codes: ["ordering-cycle"],
    says: /^a needs a before it/,
  },
  {
    name: "that a rule closes with wildcards",
    rules: [g("one", "get_a", "b"), g("two", "b", "c"), marked(g("three", "c", "get_*"))].join("\n"),
    codes: ["ordering-cycle"],
  },
  {
    name: "that names keep open",
    rules: [g("one", "get_a", "b"), g("two", "b", "c"), g("three", "c", "put_*")].join("\n"),
    codes: [],
  },
]);

describe("lint: several files", () => {
  const rules = (name: string, head: string, rule: string): ContractSource => ({
    file: `${name}.yaml`,
    text: `contract: ${name}\n${head}rules:\n${rule}\n`,
  });
  it("sees a circle over two contracts that judge the same traffic", () => {
    const found = lint(rules("x", "", g("one", "a", "b")), rules("y", "", g("two", "b", "a")));
    assert.deepEqual(
      found.map(({ file, code }) => [file, code]),
      [["y.yaml", "contradicting-rules"]],
    );
  });
  it("sees none over contracts of other traffic", () => {
    const [s, t] = ["applies_to: {service: s}\n", "applies_to: {service: t}\n"];
    assert.deepEqual(lint(rules("x", s, g("one", "a", "b")), rules("y", t, g("two", "b", "a"))), []);
  });
});

const absence = (pattern: string): string => `  - {kind: absence, «of»: ${pattern}}`;

table("patterns that nothing can match", [
  {
    name: "a status of calls on an answer",
    rules: absence("{kind: final_answer, status: requested}"),
    codes: ["dead-pattern"],
    says: /the status requested is one of calls, never of final_answer; the rule is never violated/,
  },
  { name: "two names", rules: absence("{tool: a, where: [e.name == 'b']}"), codes: ["dead-pattern"] },
  {
    name: "a status that not takes out",
    rules: absence("{tool: a, status: success, not: {status: success}}"),
    codes: ["dead-pattern"],
  },
  {
    name: "a number between nothing",
    rules: absence("{tool: a, args.n: {gt: 5, lt: 5}}"),
    codes: ["dead-pattern"],
    says: /args\.n cannot be above 5 and below 5/,
  },
  {
    name: "a value and its absence",
    rules: absence("{tool: a, args.x: 1, absent: [args.x]}"),
    codes: ["dead-pattern"],
    says: /args\.x must be there and must not/,
  },
  {
    name: "a value inside what is absent",
    rules: absence("{tool: a, args.x.y: 1, absent: [args.x]}"),
    codes: ["dead-pattern"],
  },
  {
    name: "only branches of other kinds",
    rules: absence("{kind: tool_call, any_of: [final_answer, {kind: decision}]}"),
    codes: ["dead-pattern"],
  },
  {
    name: "a proof",
    rules: "  - {kind: gate, «require»: {tool: a, status: success, result.n: {ge: 3, le: 2}}, before: b}",
    codes: ["dead-pattern"],
    says: /the rule is always violated/,
  },
  {
    name: "the guarded step",
    rules:
      "  - {kind: gate, require: {tool: a, status: success}, «before»: {kind: final_answer, status: rejected_invalid}}",
    codes: ["dead-pattern"],
    says: /never judges anything/,
  },
  {
    name: "a condition",
    rules:
      "  - {kind: conditional, «if»: {kind: decision, where: [e.args.x == 1, e.args.x == 2]}, then: {kind: absence, of: a}}",
    codes: ["dead-pattern"],
  },
  {
    name: "what would break a line",
    rules:
      "  - {kind: gate, require: {tool: a, status: success}, before: b, «unless_between»: [{kind: resume, status: requested}]}",
    codes: ["dead-pattern"],
    says: /it breaks nothing/,
  },
  {
    name: "a status of calls on calls",
    rules: "  - {kind: absence, of: {tool: a, status: requested}}",
    codes: [],
  },
  {
    name: "a status of calls on any kind",
    rules: "  - {kind: absence, of: {status: requested, service: s}}",
    codes: [],
  },
  {
    name: "one of several statuses",
    rules: "  - {kind: absence, of: {tool: a, status: [success, error], not: {status: error}}}",
    codes: [],
  },
  {
    name: "a number that is one",
    rules: "  - {kind: absence, of: {tool: a, args.n: {ge: 5, le: 5}}}",
    codes: [],
  },
  { name: "a branch that may be", rules: "  - {kind: absence, of: {any_of: [final_answer, a]}}", codes: [] },
  {
    name: "another path that is absent",
    rules: "  - {kind: absence, of: {tool: a, args.x: 1, absent: [args.y]}}",
    codes: [],
  },
]);
