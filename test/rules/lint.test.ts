import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { lint, table } from "./lint-table.ts";

const critical = "severity: critical";

table("weak evidence", [
  {
    name: "an approval that is only the answer",
    rules: "  - {kind: gate, «require»: final_answer, before: refund}",
    codes: ["weak-evidence"],
    says: /final_answer is text that the model wrote: it proves nothing about refund/,
  },
  {
    name: "either of two generated texts",
    rules: "  - {kind: gate, «require»: {any_of: [final_answer, {kind: model_turn}]}, before: refund}",
    codes: ["weak-evidence"],
  },
  {
    name: "under a condition",
    rules: `  - {kind: conditional_ordering, if: refund, then: {«before»: {kind: model_turn}, after: refund}, ${critical}}`,
    codes: ["weak-evidence"],
  },
  {
    name: "a tool call",
    rules: "  - {kind: gate, require: {tool: approve, status: success}, before: refund}",
    codes: [],
  },
  { name: "an approval", rules: "  - {kind: gate, require: {kind: approval}, before: refund}", codes: [] },
  {
    name: "one of two that is not generated",
    rules: "  - {kind: gate, require: {any_of: [final_answer, {kind: approval}]}, before: refund}",
    codes: [],
  },
  {
    name: "one of two kinds that is not generated",
    rules: "  - {kind: gate, require: {kind: [model_turn, approval]}, before: refund}",
    codes: [],
  },
  {
    name: "a rule that is not critical",
    rules: "  - {kind: gate, require: final_answer, before: refund, severity: medium}",
    codes: [],
  },
  {
    name: "what must not come before",
    rules: `  - {kind: forbid_before, forbid: final_answer, before: refund, ${critical}}`,
    codes: [],
  },
  {
    name: "a preference",
    rules: "  - {kind: gate, require: final_answer, before: refund, class: preference}",
    codes: [],
  },
]);

const gate = "kind: gate, require: {tool: approve, status: success}, before: refund";

table("an identity that the model writes", [
  {
    name: "a user",
    rules: `  - {${gate}, «bind»: [args.user_id]}`,
    codes: ["model-written-identity"],
    says: /writes args\.user_id/,
  },
  {
    name: "a user in camel case, deep inside",
    rules: `  - {${gate}, «bind»: [args.who.userId]}`,
    codes: ["model-written-identity"],
  },
  {
    name: "a key of a count",
    rules: `  - {kind: count, of: charge, max: 1, «bind»: [args.idempotency_key], ${critical}}`,
    codes: ["model-written-identity"],
  },
  {
    name: "a request beside a plan",
    rules: `  - {${gate}, «bind»: [args.plan_id, args.request_id]}`,
    codes: ["model-written-identity"],
  },
  { name: "one that the program stamps too", rules: `  - {${gate}, bind: [args.user_id, user]}`, codes: [] },
  {
    name: "one that is compared with what the program stamps",
    rules: `  - {${gate}, bind: [args.user_id], where: [a.args.user_id == a.user]}`,
    codes: [],
  },
  {
    name: "one from a result",
    rules: `  - {${gate}, bind: [{a: args.user_id, w: result.user_id}]}`,
    codes: [],
  },
  { name: "a thing, not a person", rules: `  - {${gate}, bind: [args.plan_id]}`, codes: [] },
  {
    name: "a rule that is not critical",
    rules: `  - {${gate}, bind: [args.user_id], severity: high}`,
    codes: [],
  },
]);

table("rules that are hard to live with", [
  {
    name: "an exact sequence",
    rules: "  - {kind: sequence, steps: [a, b], «mode»: exact}",
    codes: ["exact-sequence"],
  },
  { name: "a sequence in order", rules: "  - {kind: sequence, steps: [a, b], mode: in_order}", codes: [] },
  {
    name: "a machine without other steps",
    rules: "  - {kind: machine, transitions: [[s, a, t]], unlisted: violate}",
    codes: [],
  },
  { name: "a mutex without a key", rules: "  - {kind: mutex, «of»: write_*}", codes: ["mutex-without-bind"] },
  {
    name: "a link apart without a key",
    rules: "  - {kind: link, «anchor»: a, need: apart}",
    codes: ["mutex-without-bind"],
  },
  { name: "a mutex with a key", rules: "  - {kind: mutex, of: write_*, bind: [args.id]}", codes: [] },
  {
    name: "a response without a limit",
    rules: "  - {«kind»: response, trigger: a, expect: b, severity: high}",
    codes: ["decided-at-close"],
    says: /run is over\nAdd within/,
  },
  {
    name: "a minimum",
    rules: "  - {«kind»: existence, of: a, severity: critical, scope: conversation}",
    codes: ["decided-at-close"],
    says: /conversation is over\nJudge it before/,
  },
  {
    name: "a response within a limit",
    rules: "  - {kind: response, trigger: a, expect: b, severity: high, within: 1m}",
    codes: [],
  },
  {
    name: "a response that medium severity only warns of",
    rules: "  - {kind: response, trigger: a, expect: b}",
    codes: [],
  },
  {
    name: "a response on trial",
    rules: "  - {kind: response, trigger: a, expect: b, severity: high, stage: trial}",
    codes: [],
  },
  { name: "both a minimum and a maximum", rules: "  - {kind: exactly, of: a, severity: high}", codes: [] },
  {
    name: "every different value",
    rules: "  - {kind: metric_count, of: a, «distinct»: args.id}",
    codes: ["unbounded-state"],
  },
  {
    name: "different values of a window",
    rules: "  - {kind: metric_count, of: a, distinct: args.id, window: 5m}",
    codes: [],
  },
  {
    name: "different values up to a maximum",
    rules: "  - {kind: count, of: a, distinct: args.id, max: 3}",
    codes: [],
  },
]);

table("scopes that never close", [
  {
    name: "counts of everything",
    rules: "  - {kind: count, of: a, max: 1, bind: [args.id], «scope»: all}",
    codes: ["unbounded-state"],
    says: /its counts are kept for ever/,
  },
  {
    name: "counts of one entity",
    rules: "  - {kind: count, of: a, max: 1, «scope»: {key: args.id}}",
    codes: ["unbounded-state"],
  },
  {
    name: "counts of a window",
    rules: "  - {kind: count, of: a, max: 1, bind: [args.id], scope: all, window: 1h}",
    codes: [],
  },
  { name: "counts of a run", rules: "  - {kind: count, of: a, max: 1, bind: [args.id]}", codes: [] },
]);

const tools = "tools: {get_plan: , put_plan: {effect: write}}\n";

table("names", [
  {
    name: "two tools that case tells apart",
    rules: "  - {kind: absence, of: get_plan}\n  - {kind: absence, of: «getPlan»}",
    codes: ["shadowed-name"],
    says: /the tools "getPlan" and "get_plan"/,
  },
  {
    name: "a declared tool in another spelling",
    head: tools,
    rules: "  - {kind: absence, of: {tool: [put_plan, «put-plan»]}}",
    codes: ["shadowed-name"],
  },
  {
    name: "two states",
    rules: "  - {kind: machine, transitions: [[new, a, in_work], [in_work, b, «inWork»]]}",
    codes: ["shadowed-name"],
    says: /the states/,
  },
  {
    name: "two rules",
    rules: "  - {id: no-a, kind: absence, of: a}\n  - {id: «no_a», kind: absence, of: b}",
    codes: ["shadowed-name"],
  },
  {
    name: "a field like one that is built in",
    head: "fields: [«requestId»]\n",
    rules: "  - {kind: absence, of: {kind: decision, requestId: x}}",
    codes: ["shadowed-name"],
    says: /"requestId" and "request_id"/,
  },
  {
    name: "a tool named twice",
    rules: "  - {kind: existence, of: get_plan}\n  - {kind: count, of: get_plan, max: 3}",
    codes: [],
  },
  {
    name: "names that differ in a letter",
    rules: "  - {kind: absence, of: get_plan}\n  - {kind: absence, of: get_plans}",
    codes: [],
  },
  {
    name: "a tool and a state",
    rules: "  - {kind: machine, transitions: [[s, get_plan, getPlan]]}",
    codes: [],
  },
  {
    name: "a wildcard that meets no declared tool",
    head: tools,
    rules: "  - {kind: absence, of: «got_*»}",
    codes: ["undeclared-tool"],
  },
  {
    name: "an expression that meets none",
    head: tools,
    rules: "  - {kind: absence, of: {tool: «/^set/»}}",
    codes: ["undeclared-tool"],
  },
  {
    name: "a trait that names no tool",
    head: "tools: {get_plan: , put_plan: {reads: «get_plans»}}\n",
    rules: "  - {kind: absence, of: put_plan}",
    codes: ["undeclared-tool"],
    says: /the trait reads of "put_plan" names "get_plans"/,
  },
  { name: "a wildcard that meets one", head: tools, rules: "  - {kind: absence, of: get_*}", codes: [] },
  { name: "a wildcard where no tools are declared", rules: "  - {kind: absence, of: got_*}", codes: [] },
]);

describe("lint: no false alarm", () => {
  const examples = ["customer-access/contract.yaml", "customer-access/workflow.yaml"];
  for (const file of examples) {
    it(`on examples/${file}`, () => {
      const path = `examples/${file}`;
      assert.deepEqual(lint({ file: path, text: readFileSync(path, "utf8") }), []);
    });
  }
  it("on the contract of examples/patterns.yaml", () => {
    const { contract } = parse(readFileSync("examples/patterns.yaml", "utf8")) as { contract: unknown };
    assert.deepEqual(lint({ file: "patterns.yaml", text: JSON.stringify(contract) }), []);
  });
});
