import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Truth } from "../../src/model/order.ts";
import { compileCommutes } from "../../src/rules/commuting.ts";
import { type EventSpec, event } from "../support/scope.ts";
import { load } from "./marked.ts";

function commuting(entries: string) {
  const { set, problems } = load(`contract: c\ncommutes: ${entries}\nrules: []\n`);
  assert.ok(set !== null, JSON.stringify(problems));
  return compileCommutes(set.commutes);
}

const call = (name: string, args: EventSpec["args"], more: Partial<EventSpec> = {}) =>
  event({
    id: `${name}-${JSON.stringify(args)}`,
    name,
    ...(args !== undefined && { args }),
    ...more,
  });

const rows: readonly {
  readonly name: string;
  readonly entries: string;
  readonly pair: readonly [ReturnType<typeof call>, ReturnType<typeof call>];
  readonly want: Truth;
}[] = [
  { name: "nothing listed", entries: "[]", pair: [call("a", {}), call("a", {})], want: "false" },
  {
    name: "two of one entry",
    entries: "[{tools: a, as: union}]",
    pair: [call("a", {}), call("a", {})],
    want: "true",
  },
  {
    name: "two tools of one entry",
    entries: "[{tools: [a, b], as: increment}]",
    pair: [call("a", {}), call("b", {})],
    want: "true",
  },
  {
    name: "two tools of two entries",
    entries: "[{tools: a, as: union}, {tools: b, as: union}]",
    pair: [call("a", {}), call("b", {})],
    want: "false",
  },
  {
    name: "names by glob",
    entries: "[{tools: search_*, as: union}]",
    pair: [call("search_a", {}), call("search_b", {})],
    want: "true",
  },
  {
    name: "other fields",
    entries: "[{tools: a, by: args.f}]",
    pair: [call("a", { f: "x" }), call("a", { f: "y" })],
    want: "true",
  },
  {
    name: "the same field",
    entries: "[{tools: a, by: args.f}]",
    pair: [call("a", { f: "x" }), call("a", { f: "x" })],
    want: "false",
  },
  {
    name: "fields of which one is shared",
    entries: "[{tools: a, by: args.f}]",
    pair: [call("a", { f: ["x", "y"] }), call("a", { f: "y" })],
    want: "false",
  },
  {
    name: "no field named",
    entries: "[{tools: a, by: args.f}]",
    pair: [call("a", { f: "x" }), call("a", {})],
    want: "false",
  },
  {
    name: "an empty list of fields",
    entries: "[{tools: a, by: args.f}]",
    pair: [call("a", { f: "x" }), call("a", { f: [] })],
    want: "false",
  },
  {
    name: "a field as number and as text",
    entries: "[{tools: a, by: args.f}]",
    pair: [call("a", { f: 1 }), call("a", { f: "1" })],
    want: "false",
  },
  {
    name: "fields that were not captured",
    entries: "[{tools: a, by: args.f}]",
    pair: [call("a", { f: "x" }), call("a", undefined)],
    want: "unknown",
  },
  {
    name: "an unknown field where another entry decides",
    entries: "[{tools: a, by: args.f}, {tools: a, as: union}]",
    pair: [call("a", { f: "x" }), call("a", undefined)],
    want: "true",
  },
  {
    name: "a kind of event",
    entries: "[{kind: applied, by: field}]",
    pair: [
      event({ id: "1", kind: "applied", fields: { field: "x" } }),
      event({ id: "2", kind: "applied", fields: { field: "y" } }),
    ],
    want: "true",
  },
];

describe("what commutes", () => {
  for (const { name, entries, pair, want } of rows) {
    it(`${name}: ${want}`, () => {
      const ask = commuting(entries);
      assert.equal(ask(...pair, true).truth, want);
      assert.equal(ask(pair[1], pair[0], true).truth, want, "either way round");
    });
  }

  it("is read of all contracts together, and kept of events", () => {
    const { set } = load("contract: c\ncommutes: [{tools: a, resource: args.id, by: args.f}]\nrules: []\n");
    assert.deepEqual(set?.projection.args, [["f"], ["id"]]);
    assert.equal(set?.contracts[0]?.commutes.length, 1);
  });

  it("changes the revision of the rules that ask for it, and of no other", () => {
    const text = (by: string) =>
      `contract: c\ncommutes: [{tools: a, by: ${by}}]\nrules:\n  - {id: one, kind: single_writer, of: a}\n  - {id: two, kind: gate, require: b, before: a}\n`;
    const revisions = (by: string) =>
      load(text(by)).set?.contracts[0]?.rules.map(({ revision }) => revision) ?? [];
    const [before, after] = [revisions("args.f"), revisions("args.g")];
    assert.notEqual(before[0], after[0]);
    assert.equal(before[1], after[1]);
  });
});
