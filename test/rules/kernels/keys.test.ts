import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Value } from "../../../src/model/value.ts";
import { bindMatch, readKey, readWitnessKey } from "../../../src/rules/kernels/keys.ts";
import type { Bind } from "../../../src/rules/pattern.ts";
import { event } from "../../support/scope.ts";

const of = (args: Value | undefined, more: Parameters<typeof event>[0] | object = {}) =>
  event({ id: "e", ...(args === undefined ? {} : { args }), ...more });
const [user, plan] = [
  ["args", "user"],
  ["args", "plan"],
];

describe("the key of an event", () => {
  const known = (text: string) => ({ is: "known", text });
  const cases: readonly { name: string; args: Value | undefined; paths: string[][]; want: object }[] = [
    { name: "nothing is asked for", args: undefined, paths: [], want: known("") },
    { name: "one value is its text", args: { user: 7 }, paths: [user], want: known("7") },
    {
      name: "several are a list",
      args: { user: 7, plan: "gold" },
      paths: [user, plan],
      want: known('["7","gold"]'),
    },
    { name: "null is none", args: { user: null }, paths: [user], want: { is: "absent" } },
    { name: "nor is empty text", args: { user: "" }, paths: [user], want: { is: "absent" } },
    { name: "nor what is not there", args: {}, paths: [user], want: { is: "absent" } },
    { name: "one that lacks a part is none", args: { user: 7 }, paths: [user, plan], want: { is: "absent" } },
    {
      name: "what was not captured may be any",
      args: undefined,
      paths: [user],
      want: { is: "unknown", code: "not_captured" },
    },
  ];
  for (const { name, args, paths, want } of cases) {
    it(name, () => assert.deepEqual(readKey(of(args), paths, true), want));
  }

  it("an absent part decides, whatever the others are", () => {
    const half = of(undefined, { fields: {} });
    assert.deepEqual(readKey(half, [user, ["workflow"]], true), { is: "absent" });
    assert.deepEqual(readKey(half, [["workflow"], user], true), { is: "absent" });
  });

  it("a part that a span to come may change is unknown while the scope is open", () => {
    const half = of({ plan: "gold" }, { fields: { user: "u" }, unsettled: ["user"] });
    assert.deepEqual(readKey(half, [plan, ["user"]], false), { is: "unknown", code: "scope_unknown" });
    assert.deepEqual(readKey(half, [plan, ["user"]], true), known('["gold","u"]'));
  });
});

describe("a witness's key", () => {
  const first: readonly Bind[] = [
    {
      anchor: user,
      witness: user,
      witnessFirst: [
        ["result", "user"],
        ["attr", "user"],
      ],
    },
  ];
  it("is the first of several places that holds a value", () => {
    const place = (more: object) => readWitnessKey(of({ user: "from args" }, more), first, true);
    assert.deepEqual(place({ result: { user: "from result" }, attr: { user: "from attr" } }), {
      is: "known",
      text: "from result",
    });
    assert.deepEqual(place({ result: {}, attr: { user: "from attr" } }), { is: "known", text: "from attr" });
    assert.deepEqual(place({ result: {} }), { is: "known", text: "from args" });
  });
  it("is unknown where an earlier place may hold one, and absent where none does", () => {
    assert.deepEqual(readWitnessKey(of({ user: "u" }), first, true), { is: "unknown", code: "not_captured" });
    assert.deepEqual(readWitnessKey(of({}, { result: {} }), first, true), { is: "absent" });
  });
});

describe("whether two events share their keys", () => {
  const bind: readonly Bind[] = [
    { anchor: user, witness: user },
    { anchor: plan, witness: ["result", "plan"] },
  ];
  const cases: readonly {
    name: string;
    a: Value | undefined;
    args: Value | undefined;
    result?: Value;
    want: readonly (string | null)[];
  }[] = [
    {
      name: "all agree, each at its own path",
      a: { user: 1, plan: 2 },
      args: { user: "1", plan: 9 },
      result: { plan: 2 },
      want: ["true", null],
    },
    {
      name: "one differs",
      a: { user: 1, plan: 2 },
      args: { user: 1 },
      result: { plan: 3 },
      want: ["false", "wrong_entity"],
    },
    {
      name: "the anchor has none",
      a: { plan: 2 },
      args: { user: 1 },
      result: { plan: 2 },
      want: ["false", "unbound_key"],
    },
    {
      name: "the other has none",
      a: { user: 1, plan: 2 },
      args: { user: 1 },
      result: {},
      want: ["false", "unbound_key"],
    },
    {
      name: "the other's was not captured",
      a: { user: 1, plan: 2 },
      args: { user: 1 },
      want: ["unknown", "not_captured"],
    },
    {
      name: "a part that differs decides over one that is unknown",
      a: { user: 1, plan: 2 },
      args: undefined,
      result: { plan: 3 },
      want: ["false", "wrong_entity"],
    },
    {
      name: "and one that is absent",
      a: { user: 1, plan: 2 },
      args: undefined,
      result: {},
      want: ["false", "unbound_key"],
    },
    {
      name: "the anchor's were not captured",
      a: undefined,
      args: { user: 1 },
      result: { plan: 2 },
      want: ["unknown", "not_captured"],
    },
  ];
  for (const { name, a, args, result, want } of cases) {
    it(name, () => {
      const other = of(args, result === undefined ? {} : { result });
      const { truth, code } = bindMatch(of(a), other, bind, true);
      assert.deepEqual([truth, code], want);
    });
  }

  it("the first unknown part gives its reason, of the anchor before the other", () => {
    const hidden = (code: string) => ({ fields: {}, hidden: { user: code } });
    const byUser: readonly Bind[] = [{ anchor: ["user"], witness: ["user"] }];
    const match = bindMatch(of({}, hidden("data_incomplete")), of({}, hidden("not_kept")), byUser, true);
    assert.deepEqual([match.truth, match.code], ["unknown", "data_incomplete"]);
    const two = bindMatch(
      of(undefined),
      of({}, hidden("not_kept")),
      [{ anchor: user, witness: plan }, ...byUser],
      true,
    );
    assert.deepEqual([two.truth, two.code], ["false", "unbound_key"]);
    const both = bindMatch(
      of(undefined),
      of({ plan: 1 }, hidden("not_kept")),
      [
        { anchor: user, witness: plan },
        { anchor: ["id"], witness: ["user"] },
      ],
      true,
    );
    assert.deepEqual([both.truth, both.code], ["unknown", "not_captured"]);
  });

  it("nothing is asked for", () => assert.equal(bindMatch(of({}), of({}), [], true).truth, "true"));
});
