import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "./marked.ts";

const base = `contract: c
tools: {pay: {effect: external}}
rules:
  - id: r
    kind: gate
    require: {tool: check, result: {status: ok, by: [a, b]}}
    before: {tool: pay, args.amount: {gt: 100}}
    bind: [args.user]
    within: 1h
`;

function revisions(text: string): { readonly rule: string; readonly set: string } {
  const { set } = load(text);
  assert.ok(set !== null);
  return { rule: set.contracts[0]?.rules[0]?.revision ?? "", set: set.revision };
}

describe("revisions", () => {
  const same: readonly (readonly [string, string])[] = [
    ["comments and blank lines", `# a\n\n${base.replace("kind: gate", "kind: gate # why not")}`],
    ["the style of maps", base.replace("bind: [args.user]", "bind:\n      - args.user")],
    [
      "the order of keys",
      base.replace("    bind: [args.user]\n    within: 1h\n", "    within: 1h\n    bind: [args.user]\n"),
    ],
    ["another spelling of a duration", base.replace("1h", "60m")],
    ["headings and reasons", `${base}    title: Paid\n    why: Because\n`],
    [
      "dotted keys for maps",
      base.replace("result: {status: ok, by: [a, b]}", "result.status: ok, result.by: [a, b]"),
    ],
    ["CR LF", base.replaceAll("\n", "\r\n")],
  ];
  for (const [what, text] of same) {
    it(`are not changed by ${what}`, () => assert.deepEqual(revisions(text), revisions(base)));
  }

  const other: readonly (readonly [string, string])[] = [
    ["a bound", base.replace("1h", "2h")],
    ["a value", base.replace("100", "101")],
    ["the type of a value", base.replace("status: ok", "status: true")],
    ["severity", `${base}    severity: low\n`],
    ["scope", `${base}    scope: conversation\n`],
  ];
  for (const [what, text] of other) {
    it(`are changed by ${what}`, () => assert.notEqual(revisions(text).rule, revisions(base).rule));
  }

  it("of the set follow traits too", () => {
    const changed = revisions(base.replace("external", "write"));
    assert.notEqual(changed.set, revisions(base).set);
  });

  it("are the same for the same text", () => assert.deepEqual(load(base), load(base)));
});
