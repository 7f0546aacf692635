import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { test } from "../../src/cli/test.ts";
import { fakeTerminal } from "./fake-terminal.ts";

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "toolorder-test-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function run(text: string) {
  const path = join(folder, "cases.yaml");
  writeFileSync(path, text);
  const fake = fakeTerminal();
  const code = await test([path], fake.terminal);
  return { code, lines: fake.out.split("\n"), err: fake.err.replaceAll(`${folder}/`, "") };
}

const events = "[{id: a, name: A}, {id: b, name: B}]";
const gate = "{id: gate, kind: gate, require: A, before: B}";
const one = (expect: string, more = ""): string =>
  `cases:\n  - id: one\n    events: ${events}\n    rules: [${gate}]\n    expect: [${expect}]\n${more}`;

describe("toolorder test", () => {
  it("prints one line a case and a summary", async () => {
    const { code, lines } = await run(
      `${one("{rule: gate, verdict: satisfied}")}  - id: two-b\n    events: [{id: b, name: B}]\n    rules: [${gate}]\n    expect: [{rule: gate, verdict: violated, code: witness_missing}]\n`,
    );
    assert.equal(code, 0);
    assert.deepEqual(lines, ["one    ok", "two-b  ok", "", "2 ok, 0 failed"]);
  });

  const differing: readonly { readonly name: string; readonly expect: string; readonly says: string }[] = [
    {
      name: "a verdict",
      expect: "{rule: gate, verdict: violated}",
      says: "gate: verdict satisfied, expected violated",
    },
    {
      name: "a code",
      expect: "{rule: gate, code: witness_late}",
      says: "gate: code absent, expected witness_late",
    },
    { name: "an action", expect: "{rule: gate, action: block}", says: "gate: action none, expected block" },
    { name: "finality", expect: "{rule: gate, final: false}", says: "gate: final true, expected false" },
    {
      name: "an instance",
      expect: "{rule: gate, instances: {b: violated}}",
      says: "gate: instance b satisfied, expected violated",
    },
    {
      name: "an instance that is none",
      expect: "{rule: gate, instances: {a: satisfied}}",
      says: "gate: instance a absent, expected satisfied",
    },
    {
      name: "an anomaly",
      expect: "{rule: gate, anomaly: causal_cycle}",
      says: "gate: no anomaly causal_cycle",
    },
    { name: "a revision", expect: "{rule: gate, revises: true}", says: "gate: no revision was published" },
    { name: "a value", expect: "{rule: gate, value: 3}", says: "gate: value absent, expected 3" },
    { name: "a rule", expect: "{rule: other, verdict: satisfied}", says: "other: no rule of that id" },
    { name: "a run", expect: "{rule: gate, run: r2, verdict: satisfied}", says: "gate in r2: no verdict" },
  ];
  for (const { name, expect, says } of differing) {
    it(`says what differs in ${name}`, async () => {
      const { code, lines } = await run(one(expect));
      assert.equal(code, 1);
      assert.deepEqual(lines, [`one  failed  ${says}`, "", "0 ok, 1 failed"]);
    });
  }

  it("does not check what is left out, nor a domain code that the rule does not set", async () => {
    const count = "{id: n, kind: count, of: A, max: 0}";
    const { code } = await run(
      `cases:\n  - id: one\n    events: ${events}\n    rules: [${gate}, ${count}]\n    expect: [{rule: n, verdict: violated, code: duplicate_effect}]\n`,
    );
    assert.equal(code, 0);
  });

  it("names the rule of a case that does not load", async () => {
    const { code, lines } = await run(
      `cases:\n  - id: one\n    events: ${events}\n    rules: [${gate}, {id: bad, kind: gate, require: A}]\n    expect: [{rule: gate, verdict: satisfied}]\n`,
    );
    assert.equal(code, 1);
    assert.match(lines[0] ?? "", /^one {2}failed {2}bad: .*before/);
  });

  it("takes events in their order of arrival, a snapshot at a time", async () => {
    const { code, lines } = await run(`
defaults: {clock: {skew_ms: 50, tie: unknown}}
cases:
  - id: late
    events:
      - {id: b, name: B, start: 200, end: 300, arrival: 1}
      - {id: a, name: A, start: 0, end: 100, arrival: 2}
    rules: [${gate}]
    snapshots:
      - {upto: 1, watermark: 150, closed: false, expect: [{rule: gate, verdict: violated, final: false}]}
      - {upto: 1, watermark: 500, closed: false, expect: [{rule: gate, verdict: violated, final: true}]}
      - {upto: 2, watermark: 500, closed: false, expect: [{rule: gate, verdict: satisfied, revises: true}]}
      - {closed: true, expect: [{rule: gate, verdict: satisfied, final: true}]}
`);
    assert.deepEqual(lines, ["late  ok", "", "1 ok, 0 failed"]);
    assert.equal(code, 0);
  });

  it("judges a case's events by a contract of the file", async () => {
    const { lines } = await run(
      `contract: {contract: c, rules: [${gate}]}\ncases:\n  - id: one\n    events: ${events}\n    expect: [{rule: gate, verdict: satisfied}]\n`,
    );
    assert.deepEqual(lines, ["one  ok", "", "1 ok, 0 failed"]);
  });
});

describe("toolorder test refuses, with the place and the cure,", () => {
  const table: readonly { readonly name: string; readonly text: string; readonly says: RegExp }[] = [
    { name: "no YAML", text: "cases: [", says: /^cases\.yaml:\d+:\d+: / },
    { name: "no cases", text: "version: 1", says: /no `cases`/ },
    { name: "another version", text: "version: 2\ncases: []", says: /^cases\.yaml:1:10: this version/ },
    {
      name: "an unknown key",
      text: "cases:\n  - id: a\n    evnets: []",
      says: /^cases\.yaml:3:5: a case has no key `evnets`\n {2}advice: Did you mean "events"/,
    },
    {
      name: "a case without an id",
      text: `cases:\n  - events: ${events}`,
      says: /^cases\.yaml:2:5: the case has no `id`/,
    },
    { name: "a case without events", text: "cases:\n  - id: a", says: /case a has no `events`/ },
    {
      name: "a case without rules",
      text: `cases:\n  - id: a\n    events: ${events}`,
      says: /case a has no `rules`/,
    },
    {
      name: "a case that expects nothing",
      text: `cases:\n  - id: a\n    events: ${events}\n    rules: [${gate}]`,
      says: /expects nothing/,
    },
    {
      name: "a verdict that is none",
      text: one("{rule: gate, verdict: broken}"),
      says: /"broken" is no verdict/,
    },
    {
      name: "one id twice",
      text: one("{rule: gate}", "  - {id: one, events: [{name: A}], rules: [], expect: [{rule: x}]}"),
      says: /the case id "one" is already used at .*cases\.yaml:2/,
    },
  ];
  for (const { name, text, says } of table) {
    it(name, async () => {
      const { code, err } = await run(text);
      assert.equal(code, 2);
      assert.match(err, says);
      assert.match(err, /advice:/);
    });
  }
});
