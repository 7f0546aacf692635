/** `effects:` as it is loaded: which rules a block becomes, what may be said of each, and what is refused. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { explainRule } from "../../src/rules/explain.ts";
import type { Rule, RuleSet } from "../../src/rules/rule.ts";
import { checkNames } from "../../src/rules/sugar/ledger.ts";
import { errorTable } from "./error-table.ts";
import { load } from "./marked.ts";

const block = (more: string): string =>
  `contract: test\neffects:\n  - {id: pay, tool: charge, lookup: find, key: args.key, ${more}}\n`;

function setOf(more: string): RuleSet {
  const { set, problems } = load(block(more));
  assert.deepEqual(problems, []);
  assert.ok(set !== null);
  return set;
}

const rulesOf = (more: string): readonly Rule[] => setOf(more).contracts.flatMap(({ rules }) => rules);

const everything =
  "intent: plan_charge, compensation: refund, claim: claim_charge, recheck: authorize, retry: {max: 3}";

describe("an effect ledger", () => {
  it("becomes one rule a check, and one more for refused attempts", () => {
    const ids = rulesOf(everything).map(({ id }) => id.replace(/^pay\./, ""));

    assert.deepEqual(ids.filter((id) => !id.endsWith(".refused")).sort(), [...checkNames].sort());
    assert.deepEqual(ids.filter((id) => id.endsWith(".refused")).sort(), [
      "intent_first.refused",
      "recheck_at_effect.refused",
    ]);
  });

  it("leaves out what it has no words for", () => {
    const ids = rulesOf("deadline: 5m").map(({ id }) => id);

    for (const id of ["pay.retry_bound", "pay.recheck_at_effect"]) assert.ok(!ids.includes(id), id);
  });

  it("says a severity for all, for one, and leaves one out", () => {
    const rules = rulesOf(
      "severity: high, checks: {one_input: low, claim_once: false, one_effect: {stage: trial}}",
    );
    const bySeverity = new Map(rules.map(({ id, severity, stage }) => [id, `${severity} ${stage}`]));

    assert.equal(bySeverity.get("pay.one_input"), "low enforced");
    assert.equal(bySeverity.get("pay.one_effect"), "high trial");
    assert.equal(bySeverity.get("pay.lookup_before_retry"), "high enforced");
    assert.equal(bySeverity.has("pay.claim_once"), false);
  });

  it("holds a refused attempt to no more than the check itself", () => {
    const rules = rulesOf("checks: {intent_first: low}");

    assert.equal(rules.find(({ id }) => id === "pay.intent_first.refused")?.severity, "low");
  });

  it("judges conversations, and counts over everything where one owner is meant", () => {
    const scopes = new Map(rulesOf(everything).map(({ id, scope }) => [id, scope.is]));

    assert.equal(scopes.get("pay.one_effect"), "conversation");
    assert.equal(scopes.get("pay.one_effect_per_request"), "all");
    assert.equal(scopes.get("pay.claim_once"), "all");
    assert.equal(rulesOf("scope: run").find(({ id }) => id === "pay.one_effect")?.scope.is, "run");
  });

  it("keeps of calls what it reads, and no more", () => {
    const { projection } = setOf(
      "provider_id: result.id, request: attr.app.request, recheck: {by: ok, same: [plan]}",
    );

    assert.deepEqual(projection.args, [["key"], ["plan"]]);
    assert.deepEqual(projection.result, [["id"]]);
    assert.ok(projection.attr.has("app.request"));
  });

  it("can be explained", () => {
    for (const rule of rulesOf(everything)) {
      const { asks, compiled } = explainRule(rule);
      assert.ok(asks.length > 0 && compiled.length > 0, rule.id);
      assert.equal(rule.category, "effect");
    }
  });

  it("fits the schema, and a wrong key does not", () => {
    const schema: unknown = JSON.parse(readFileSync("docs/contract.schema.json", "utf8"));
    assert.ok(typeof schema === "object" && schema !== null);
    const valid = new Ajv({ strict: false }).compile(schema);

    assert.equal(valid(parse(block(`${everything}, checks: {one_input: false, one_effect: high}`))), true);
    assert.equal(valid(parse(block("lokup: x"))), false);
    assert.equal(valid(parse(block("checks: {one_efect: high}"))), false);
  });
});

describe("the page of effects", () => {
  const page = readFileSync("docs/effects.md", "utf8");

  it("shows contracts that load", () => {
    const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text);
    assert.ok(examples.length > 0);
    for (const text of examples) assert.deepEqual(load(text).problems, [], text);
  });

  it("names every check with its severity, and every key of a block", () => {
    for (const { id, severity } of rulesOf(everything)) {
      const name = id.replace(/^pay\./, "");
      if (name.endsWith(".refused")) continue;
      const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
      assert.ok(row?.includes(`| ${severity} |`), `${name}: ${row}`);
    }
    const schema = JSON.parse(readFileSync("docs/contract.schema.json", "utf8")) as {
      definitions: { effect_ledger: { properties: object } };
    };
    const keys = Object.keys(schema.definitions.effect_ledger.properties);
    assert.ok(keys.length > 25);
    for (const key of keys) assert.ok(page.includes(`\`${key}\``), key);
  });
});

errorTable("effect ledgers", [
  {
    name: "no id, tool, lookup or key",
    file: "contract: test\neffects:\n  - {severity: high}\n",
    codes: ["missing-key", "missing-key", "missing-key", "missing-key"],
  },
  { name: "an unknown key", file: block("«compensations»: x"), codes: ["unknown-key"], says: /compensation/ },
  { name: "a field that no event has", file: block("request: «requests.id»"), codes: ["unknown-field"] },
  {
    name: "a check that is none",
    file: block("checks: {«one_efect»: high}"),
    codes: ["unknown-word"],
    says: /Did you mean "one_effect"/,
  },
  {
    name: "a check switched off by a word",
    file: block("checks: {one_effect: «off»}"),
    codes: ["unknown-word"],
    says: /false to leave it out/,
  },
  {
    name: "an unknown key of a check",
    file: block("checks: {one_effect: {«sevrity»: high}}"),
    codes: ["unknown-key"],
  },
  { name: "a code for many rules", file: block("«code»: blind_retry"), codes: ["no-meaning"] },
  { name: "a scope that never closes", file: block("scope: «all»"), codes: ["unknown-word"] },
  { name: "a bound that bounds nothing", file: block("retry: «{factor: 2}»"), codes: ["missing-key"] },
  { name: "a deadline without a unit", file: block("deadline: «30»"), codes: ["bad-duration"] },
  {
    name: "two ledgers of one name",
    file: "contract: test\neffects:\n  - {id: a, tool: x, lookup: l, key: key}\n  - {«id»: a, tool: y, lookup: l, key: key}\n",
    codes: ["duplicate-rule"],
  },
  {
    name: "a rule of its own that takes a check's name",
    file: "contract: test\neffects:\n  - {«id»: a, tool: x, lookup: l, key: key}\nrules:\n  - {kind: absence, of: x, id: a.one_effect}\n",
    codes: ["duplicate-rule"],
  },
]);
