import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seconds } from "../../src/model/time.ts";
import type { RuleSet } from "../../src/rules/rule.ts";
import { load, oneRule } from "./marked.ts";

/** The whole language of a file, as the documentation shows it. */
const whole = `
contract: customer-feature-access
description: Who may see a customer's plan, and in which order it is looked up.
owner: support-platform
runbook: https://runbooks.example/feature-access
policy: https://policies.example/access
reviewed: {by: ana, on: 2026-11-02}
applies_to: {service: support-agent, resource.cloud.region: [eu-1, 'eu-*']}
kinds: [ticket_opened]
fields: [ticket]
tools:
  resolve_customer: {effect: read}
  check_requester_authorization: {outcome: {refused: {result.status: [refused, denied]}}}
  get_customer_plan: {access: sensitive, effect: read, note: sensitive access}
  record_acknowledgement:
  create_enrollment: {effect: external, idempotent: true, compensable: true, cancel: cancel_enrollment, resource: args.plan_id}
define:
  approved_auth: {tool: check_requester_authorization, result: approved}
ordering:
  - before: $approved_auth
    after: {tool: get_customer_plan}
conditional_ordering:
  - if: {kind: ticket_opened, ticket: {exists: true}}
    then:
      before: {tool: resolve_customer, status: success}
      after: {tool: create_enrollment}
      severity: high
      id: resolved
state_machines:
  - id: account
    initial: unresolved
    transitions:
      - [unresolved, resolve_customer, customer_resolved]
      - [customer_resolved, $approved_auth, requester_authorized]
    final: [requester_authorized]
rules:
  - id: ack-before-enroll
    kind: gate
    title: Terms accepted
    require: {tool: record_acknowledgement, status: success}
    before: {tool: create_enrollment}
    bind: [args.user_id, args.plan_id]
    within: 30m
    severity: critical
    category: evidence
    class: preference
    stage: trial
    decision_wait: 30s
    scope: session
    on_unknown: violate
    must_apply: true
    code: expired
    clock: {skew_ms: none, tie: unknown, resolution: 1ms, infer_offset: false, evidence: causal, assume_clock: false}
    why: The plan's terms must have been accepted for this very plan.
`;

function loaded(text: string): RuleSet {
  const { set, problems } = load(text);
  assert.deepEqual(problems, []);
  assert.ok(set !== null);
  return set;
}

describe("a whole contract", () => {
  const [contract] = loaded(whole).contracts;
  assert.ok(contract !== undefined);
  const ruleOf = (id: string) => {
    const rule = contract.rules.find((candidate) => candidate.id === id);
    assert.ok(rule !== undefined, `no rule ${id}: ${contract.rules.map((candidate) => candidate.id)}`);
    return rule;
  };

  it("keeps its head", () => {
    assert.equal(contract.name, "customer-feature-access");
    assert.equal(contract.owner, "support-platform");
    assert.equal(contract.runbook, "https://runbooks.example/feature-access");
    assert.deepEqual(contract.appliesTo, [
      { path: ["service"], test: { op: "equals", value: "support-agent" } },
      {
        path: ["attr", "resource", "cloud", "region"],
        test: {
          op: "one_of",
          tests: [
            { op: "equals", value: "eu-1" },
            { op: "glob", glob: "eu-*" },
          ],
        },
      },
    ]);
    assert.deepEqual(contract.participants, []);
  });

  it("reads traits", () => {
    const plan = contract.tools.get("get_customer_plan");
    assert.deepEqual([plan?.access, plan?.effect, plan?.note], ["sensitive", "read", "sensitive access"]);
    assert.equal(contract.tools.get("record_acknowledgement")?.effect, "unknown");
    assert.deepEqual(
      [...(contract.tools.get("check_requester_authorization")?.outcome.keys() ?? [])],
      ["refused"],
    );
  });

  it("makes an id of kind and names, and finds the risk in traits", () => {
    const rule = ruleOf("ordering-check_requester_authorization-get_customer_plan");
    assert.deepEqual([rule.category, rule.severity, rule.pairRequired], ["safety_gate", "critical", true]);
    assert.equal(rule.expected, "check_requester_authorization (result: approved) before get_customer_plan");
  });

  it("takes id and severity from inside then", () => {
    assert.deepEqual(
      [ruleOf("resolved").severity, ruleOf("resolved").kind],
      ["high", "conditional_ordering"],
    );
  });

  it("keeps everything a rule says", () => {
    const {
      severity,
      category,
      class: type,
      stage,
      decisionWait,
      scope,
      onUnknown,
      mustApply,
      code,
      title,
      why,
      clock,
    } = ruleOf("ack-before-enroll");
    assert.deepEqual(
      { severity, category, type, stage, decisionWait, scope, onUnknown, mustApply, code, title },
      {
        severity: "critical",
        category: "evidence",
        type: "preference",
        stage: "trial",
        decisionWait: seconds(30),
        scope: { is: "conversation" },
        onUnknown: "violate",
        mustApply: true,
        code: "expired",
        title: "Terms accepted",
      },
    );
    assert.equal(why, "The plan's terms must have been accepted for this very plan.");
    assert.deepEqual(clock, {
      skew: null,
      tie: "unknown",
      resolution: 1_000_000n,
      inferOffset: false,
      evidence: "causal",
      assumeClock: false,
    });
  });

  it("knows what it reads, and keeps no more", () => {
    assert.deepEqual(ruleOf("ack-before-enroll").reads, [
      ["name"],
      ["status"],
      ["args", "user_id"],
      ["args", "plan_id"],
    ]);
    const { projection } = loaded(whole);
    assert.deepEqual(projection.args, [["plan_id"], ["user_id"]]);
    assert.deepEqual(projection.result, [["status"], []]);
    assert.ok(projection.attr.has("resource.cloud.region"));
    assert.equal(projection.all, false);
    assert.equal(projection.steps, false);
  });

  it("knows its kinds", () => {
    assert.deepEqual(ruleOf("ack-before-enroll").kinds, new Set(["tool_call", "retrieval"]));
    assert.deepEqual(ruleOf("resolved").kinds, new Set(["ticket_opened", "tool_call", "retrieval"]));
  });
});

describe("kinds", () => {
  it("of a machine that allows only what it lists are all calls", () => {
    const machine = "{kind: machine, transitions: [[s, {kind: phase}, t]]";
    assert.deepEqual(oneRule(`${machine}}`).kinds, new Set(["phase"]));
    assert.deepEqual(
      oneRule(`${machine}, unlisted: violate}`).kinds,
      new Set(["phase", "tool_call", "retrieval"]),
    );
  });

  it("of a pattern without kind and name are any", () => {
    assert.equal(oneRule("{kind: absence, of: {span_name: guard}}").kinds, null);
  });
});

describe("projection", () => {
  it("keeps the key of a scope, which no pattern names", () => {
    const { projection } = loaded(
      "contract: c\nrules:\n  - {kind: count, of: a, max: 1, window: 1h, scope: {key: args.account}}\n",
    );
    assert.deepEqual(projection.args, [["account"]]);
  });

  it("keeps attributes by every key they could have", () => {
    const { projection } = loaded(
      "contract: c\nrules:\n  - {kind: absence, of: {tool: a, attr.app.user.id: 7}}\n",
    );
    assert.deepEqual(projection.attr, new Set(["app", "app.user", "app.user.id"]));
  });

  it("keeps steps and named spans only if a rule names them", () => {
    const { projection } = loaded(
      "contract: c\nrules:\n  - {kind: absence, of: {kind: step, name: plan}}\n  - {kind: absence, of: {span_name: guard*}}\n",
    );
    assert.equal(projection.steps, true);
    assert.deepEqual(projection.spanNames, [{ op: "glob", glob: "guard*" }]);
  });

  it("is named by what it keeps", () => {
    const id = (text: string) =>
      loaded(`contract: c\nrules:\n  - {kind: absence, of: ${text}}\n`).projection.id;
    assert.equal(id("{tool: a, args.x: 1}"), id("{tool: b, args.x: 2}"));
    assert.notEqual(id("{tool: a, args.x: 1}"), id("{tool: a, args.y: 1}"));
  });

  it("keeps everything when told to", () => {
    assert.equal(
      load("contract: c\nrules: [{kind: absence, of: a}]\n", { keepEverything: true }).set?.projection.all,
      true,
    );
  });
});

describe("defaults", () => {
  const rows: readonly (readonly [rule: string, category: string, severity: string])[] = [
    ["{kind: gate, require: {tool: a, status: success}, before: b}", "safety_gate", "critical"],
    ["{kind: response, trigger: a, expect: b}", "workflow", "medium"],
    ["{kind: count, of: a, max: 1}", "workflow", "medium"],
    ["{kind: count, of: a, max: 1, category: effect}", "effect", "critical"],
    ["{kind: count, of: a, max: 1, category: evidence}", "evidence", "high"],
    ["{kind: count, of: a, max: 1, category: read_before_write}", "read_before_write", "high"],
    ["{kind: count, of: a, max: 1, category: information_dependency}", "information_dependency", "high"],
    ["{kind: count, of: a, max: 1, category: causality}", "causality", "medium"],
    ["{kind: gate, require: a, before: b, severity: low}", "safety_gate", "low"],
  ];
  for (const [text, category, severity] of rows) {
    it(text, () => {
      const rule = oneRule(text);
      assert.deepEqual([rule.category, rule.severity], [category, severity]);
      assert.deepEqual(
        [rule.class, rule.stage, rule.onUnknown, rule.mustApply],
        ["invariant", "enforced", "inconclusive", false],
      );
      assert.deepEqual(rule.scope, { is: "run" });
    });
  }

  it("tells rules of the same kind and names apart, and keeps clear of given ids", () => {
    const { set } = load(
      "contract: c\nrules:\n  - {kind: absence, of: a}\n  - {kind: absence, of: a, n: 2}\n  - {id: absence-a-2, kind: absence, of: b}\n",
    );
    assert.deepEqual(
      set?.contracts[0]?.rules.map(({ id }) => id),
      ["absence-a", "absence-a-3", "absence-a-2"],
    );
  });

  it("lets an event of any pattern make a contract take part, each pattern once", () => {
    const { set } = load(
      "contract: c\nrules:\n  - {kind: gate, require: {tool: a, status: success}, before: b}\n  - {kind: init, of: b}\n",
    );
    assert.deepEqual(
      set?.contracts[0]?.participants.map(({ text }) => text),
      ["a (status: success)", "b"],
    );
  });
});
