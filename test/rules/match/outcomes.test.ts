/** What a pattern says of how a call ended, of lives that never ran, of comparisons, and of what detectors found. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { compare, compareAll } from "../../../src/rules/comparison.ts";
import { compileMatcher, compilePattern, openContext, settledContext } from "../../../src/rules/match.ts";
import type { Comparison, Pattern, ValueTest } from "../../../src/rules/pattern.ts";
import { readPredicate } from "../../../src/rules/read.ts";
import { compared, named } from "../../support/programs.ts";
import { type EventSpec, event } from "../../support/scope.ts";

const call = (spec: Partial<EventSpec> = {}): Event => event({ id: "e", name: "pay", ...spec });
const asking = (path: string, test: ValueTest): Pattern =>
  named("pay", { tests: [{ path: path.split("."), test }] });
const equals = (value: string): ValueTest => ({ op: "equals", value });
const answer = (pattern: Pattern, of: Event, settled = false): string => {
  const { truth, code } = compileMatcher(pattern)(of, settled ? settledContext : openContext);
  return code === null ? truth : `${truth} ${code}`;
};

describe("how a call ended", () => {
  const cases: readonly { name: string; pattern: Pattern; of: Partial<EventSpec>; want: string }[] = [
    {
      name: "another outcome is a near miss",
      pattern: asking("outcome", equals("ok")),
      of: { fields: { outcome: "failed" } },
      want: "false wrong_status",
    },
    {
      name: "another argument is none",
      pattern: asking("args.x", equals("ok")),
      of: { args: { x: "no" } },
      want: "false",
    },
    {
      name: "another field of the result is a near miss",
      pattern: asking("result.x", equals("ok")),
      of: { result: { x: "no" } },
      want: "false wrong_status",
    },
    {
      name: "a status that is not known may be any",
      pattern: asking("status", equals("success")),
      of: { status: "unknown" },
      want: "unknown data_incomplete",
    },
    {
      name: "and says what hides it",
      pattern: asking("status", equals("success")),
      of: { status: "unknown", hidden: { result: "not_captured" } },
      want: "unknown not_captured",
    },
    {
      name: "asked for by its own word, it is what it is",
      pattern: asking("status", equals("unknown")),
      of: { status: "unknown" },
      want: "true",
    },
    {
      name: "an unknown status leaves other fields alone",
      pattern: asking("agent", equals("a")),
      of: { status: "unknown", fields: { agent: "a" } },
      want: "true",
    },
    {
      name: "and what is inside a result that is there",
      pattern: asking("result.status", equals("ok")),
      of: { status: "unknown", result: { status: "ok" } },
      want: "true",
    },
    {
      name: "that there is a status is always so",
      pattern: asking("status", { op: "exists", wanted: true }),
      of: { status: "unknown" },
      want: "true",
    },
  ];
  for (const { name, pattern, of, want } of cases) {
    it(name, () => assert.equal(answer(pattern, call(of)), want));
  }
});

describe("a call that never ran", () => {
  const awaiting = call({ status: "awaiting" });
  it("is no attempt, and says so", () => {
    assert.equal(answer(named("pay"), awaiting), "false wrong_status");
    for (const status of ["rejected_invalid", "requested"] as const) {
      assert.equal(answer(named("pay"), call({ status })), "false wrong_status");
    }
  });
  it("is what a pattern asks for that names its status, in whatever way", () => {
    const ways: readonly ValueTest[] = [
      equals("awaiting"),
      { op: "one_of", tests: [equals("success"), equals("awaiting")] },
      { op: "all", tests: [equals("awaiting"), { op: "ne", value: "success" }] },
      { op: "glob", glob: "awaiting*" },
      { op: "matches", pattern: "^(success|awaiting)$" },
    ];
    for (const test of ways) assert.equal(answer(asking("status", test), awaiting), "true", test.op);
  });
  it("is not what a pattern asks for that names another", () => {
    const ways: readonly ValueTest[] = [
      equals("requested"),
      { op: "ne", value: "success" },
      { op: "glob", glob: "*" },
      { op: "matches", pattern: "." },
    ];
    for (const test of ways)
      assert.equal(answer(asking("status", test), awaiting), "false wrong_status", test.op);
  });
  it("is not named by a result of that word", () => {
    assert.equal(answer(asking("result", equals("awaiting")), awaiting), "false wrong_status");
    assert.equal(answer(asking("result.status", equals("awaiting")), awaiting), "false wrong_status");
    assert.equal(
      answer(asking("args.status", equals("awaiting")), call({ status: "awaiting", args: {} })),
      "false wrong_status",
    );
  });
  it("is named for all branches by the pattern around them", () => {
    const branches = { ...asking("status", equals("awaiting")), anyOf: [named("pay"), named("other")] };
    assert.equal(answer(branches, awaiting), "true");
    const one = { ...named("pay"), anyOf: [asking("status", equals("awaiting")), named("pay")] };
    assert.equal(answer(one, awaiting), "true");
    assert.equal(answer(one, call({ status: "requested" })), "false wrong_status");
  });
  it("counts behind a not, and behind two of them", () => {
    const not = (inner: Pattern): Pattern => ({ ...named("pay", { tests: [] }), name: null, not: inner });
    assert.equal(answer({ ...asking("status", equals("awaiting")), not: named("other") }, awaiting), "true");
    assert.equal(answer({ ...asking("status", equals("awaiting")), not: named("pay") }, awaiting), "false");
    const both = { ...asking("status", equals("awaiting")), not: not(named("pay")) };
    assert.equal(answer(both, awaiting), "true");
  });
  it("is a step all the same: only calls run", () => {
    const step = { ...named("pay"), kinds: new Set(["step"]) };
    assert.equal(answer(step, call({ kind: "step", status: "awaiting" })), "true");
  });
});

describe("a comparison", () => {
  const a = call({ args: { n: 2, t: "x" }, fields: { seq: 2 } });
  const w = event({ id: "w", args: { n: 1, t: "x" }, fields: { seq: 2 } });
  const said = (comparison: Comparison, settled = true): string => {
    const { truth, code } = compare(comparison, { a, w }, settled);
    return code === null ? truth : `${truth} ${code}`;
  };
  const literal = (op: Comparison["op"], value: number | null): Comparison => ({
    left: { side: "w", path: ["args", "n"] },
    op,
    right: { literal: value },
    text: "",
  });

  it("holds or does not, for each operator and side of it", () => {
    const table: readonly [Comparison["op"], string][] = [
      ["<", "100"],
      ["<=", "110"],
      [">", "001"],
      [">=", "011"],
      ["==", "010"],
      ["!=", "101"],
    ];
    for (const [op, want] of table) {
      const got = [2, 1, 0].map((value) => (said(literal(op, value)) === "true" ? "1" : "0")).join("");
      assert.equal(got, want, op);
    }
  });
  it("of values without an order does not hold", () => {
    for (const op of ["<", "<=", ">", ">="] as const)
      assert.equal(said(compared("w.args.n", op, "w.args.t")), "false");
  });
  it("with nothing on a side is false, also where it asks for a difference", () => {
    for (const op of ["==", "!=", "<"] as const) {
      assert.equal(said(compared("w.args.z", op, "a.args.n")), "false missing_attribute");
      assert.equal(said(compared("w.args.n", op, "a.args.z")), "false missing_attribute");
      assert.equal(said(literal(op, null)), "false missing_attribute");
      assert.equal(said(compared("b.args.n", op, "a.args.n")), "false missing_attribute");
    }
  });
  it("with what was not captured on a side is unknown", () => {
    assert.equal(said(compared("w.result.x", "==", "a.args.n")), "unknown not_captured");
    assert.equal(said(compared("w.args.n", "==", "a.result.x")), "unknown not_captured");
  });
  it("of the decision numbers of both sides that are one says so", () => {
    assert.equal(said(compared("w.seq", "<", "a.seq")), "false same_decision");
    assert.equal(said(compared("a.seq", ">", "w.seq")), "false same_decision");
    assert.equal(said(compared("w.seq", "!=", "a.seq")), "false");
    assert.equal(said(compared("w.seq", "<", "w.seq")), "false");
    assert.equal(said(compared("a.seq", "<", "a.seq")), "false");
    assert.equal(said(compared("w.args.t", "<", "a.args.t")), "false");
    const later = { a: call({ fields: { seq: 1 } }), w };
    assert.deepEqual(compare(compared("w.seq", "<", "a.seq"), later, true), { truth: "false", code: null });
    const inside = {
      a: call({ fields: { seq: { n: 1 } } }),
      w: event({ id: "w", fields: { seq: { n: 1 } } }),
    };
    assert.deepEqual(compare(compared("w.seq.n", "<", "a.seq.n"), inside, true), {
      truth: "false",
      code: null,
    });
  });
  it("reads registers by their name and what is inside them", () => {
    const reg = new Map([["seen", { is: "value", value: { v: 7, none: null } } as const]]);
    const of = (path: string): string => compare(compared(path, "==", path), { reg }, true).truth;
    assert.equal(of("reg.seen.v"), "true");
    assert.equal(of("reg.seen"), "true");
    assert.equal(of("reg.seen.none"), "false");
    assert.equal(of("reg.seen.other"), "false");
    assert.equal(of("reg.other"), "false");
    const unknown = new Map([["seen", { is: "unknown", code: "not_captured" } as const]]);
    assert.equal(
      compare(compared("reg.seen", "==", "reg.seen"), { reg: unknown }, true).code,
      "not_captured",
    );
  });
  it("beside others: a no decides, else the first that is unknown speaks", () => {
    const yes = compared("w.args.n", "<", "a.args.n");
    const no = compared("w.args.n", ">", "a.args.n");
    const unknown = compared("w.result.x", "==", "a.args.n");
    const running = compared("b.result.x", "==", "a.args.n");
    const b = event({ id: "b", end: "open", status: "running" });
    const all = (...list: readonly Comparison[]): string => {
      const { truth, code } = compareAll(list, { a, w, b }, false);
      return code === null ? truth : `${truth} ${code}`;
    };
    assert.equal(all(), "true");
    assert.equal(all(yes, yes), "true");
    assert.equal(all(yes, unknown, yes), "unknown not_captured");
    assert.equal(all(unknown, running), "unknown not_captured");
    assert.equal(all(running, unknown), "unknown data_incomplete");
    assert.equal(all(unknown, no), "false");
    assert.equal(all(no, unknown), "false");
  });
});

describe("what a span to come may still change", () => {
  const path = (text: string): readonly string[] => text.split(".");
  it("is unknown until it is settled, and said to be of the scope where it says whose the event is", () => {
    for (const field of ["agent", "service", "conversation", "environment", "user"]) {
      const one = call({ fields: { [field]: "x" }, unsettled: [field] });
      assert.deepEqual(readPredicate(one, [field], false), { is: "unknown", code: "scope_unknown" });
      assert.equal(readPredicate(one, [field], true).is, field === "conversation" ? "absent" : "value");
    }
    const one = call({ args: { x: { y: 1 } }, unsettled: ["args.x"] });
    assert.deepEqual(readPredicate(one, path("args.x.y"), false), { is: "unknown", code: "data_incomplete" });
    assert.deepEqual(readPredicate(one, path("args.x"), false), { is: "unknown", code: "data_incomplete" });
    assert.equal(readPredicate(one, path("args"), false).is, "value");
    assert.equal(readPredicate(one, path("args.z"), false).is, "absent");
  });
  it("is how it ends, of a call that runs", () => {
    const running = call({ end: "open", status: "running", args: { x: 1 } });
    for (const field of ["status", "result", "end", "outcome"]) {
      assert.deepEqual(
        readPredicate(running, [field], false),
        { is: "unknown", code: "data_incomplete" },
        field,
      );
    }
    assert.equal(readPredicate(running, path("args.x"), false).is, "value");
    assert.equal(readPredicate(running, ["status"], true).is, "value");
  });
  it("is nothing of a result where the call has none to give", () => {
    for (const status of ["error", "timeout", "cancelled", "rejected_invalid", "awaiting"] as const) {
      assert.equal(readPredicate(call({ status }), path("result.x"), true).is, "absent", status);
    }
    for (const status of ["success", "refused", "unknown", "requested"] as const) {
      const read = readPredicate(call({ status }), path("result.x"), true);
      assert.deepEqual(read, { is: "unknown", code: "not_captured" }, status);
    }
    assert.deepEqual(readPredicate(call({ status: "error" }), path("args.x"), true), {
      is: "unknown",
      code: "not_captured",
    });
  });
});

describe("what a detector found of a call", () => {
  const late: ValueTest = equals("turn");
  const cases: readonly { name: string; test: ValueTest; of: Partial<EventSpec>; want: string }[] = [
    {
      name: "one of its reasons is enough",
      test: late,
      of: { fields: { stale: ["superseded", "turn"] } },
      want: "true",
    },
    { name: "another reason is none", test: late, of: { fields: { stale: ["superseded"] } }, want: "false" },
    { name: "no reason is none", test: late, of: {}, want: "false" },
    {
      name: "a single reason counts as a list of one",
      test: late,
      of: { fields: { stale: "turn" } },
      want: "true",
    },
    { name: "null is none", test: late, of: { fields: { stale: null } }, want: "false" },
    {
      name: "what may still be found is unknown",
      test: late,
      of: { fields: { stale: ["superseded"] }, hidden: { stale: "order_unknown" } },
      want: "unknown order_unknown",
    },
    {
      name: "what was found stands, whatever else may be",
      test: late,
      of: { fields: { stale: ["turn"] }, hidden: { stale: "order_unknown" } },
      want: "true",
    },
    {
      name: "what is not settled is unknown",
      test: late,
      of: { unsettled: ["stale"] },
      want: "unknown data_incomplete",
    },
    {
      name: "any reason at all",
      test: { op: "exists", wanted: true },
      of: { fields: { stale: ["run"] } },
      want: "true",
    },
    { name: "that there is none", test: { op: "exists", wanted: false }, of: {}, want: "true" },
    {
      name: "that there is none, where there is one",
      test: { op: "exists", wanted: false },
      of: { fields: { stale: ["run"] } },
      want: "false",
    },
    {
      name: "that there is none, where it is not known",
      test: { op: "exists", wanted: false },
      of: { hidden: { stale: "order_unknown" } },
      want: "unknown order_unknown",
    },
    {
      name: "none but this",
      test: { op: "ne", value: "run" },
      of: { fields: { stale: ["turn"] } },
      want: "true",
    },
    {
      name: "none of this, where it is there",
      test: { op: "ne", value: "run" },
      of: { fields: { stale: ["turn", "run"] } },
      want: "false",
    },
  ];
  for (const { name, test, of, want } of cases) {
    it(name, () => assert.equal(answer(asking("stale", test), call(of)), want));
  }
  it("is settled with the event", () => {
    assert.equal(answer(asking("stale", late), call({ unsettled: ["stale"] }), true), "false");
  });
});

describe("a pattern by itself", () => {
  it("reads the registers it is given", () => {
    const seen = named("pay", { where: [compared("e.args.v", "==", "reg.v")] });
    const test = compilePattern(seen);
    assert.equal(test(call({ args: { v: 1 } }), new Map([["v", 1]])).truth, "true");
    assert.equal(test(call({ args: { v: 1 } }), new Map([["v", 2]])).truth, "false");
    assert.equal(test(call({ args: { v: 1 } })).code, "missing_attribute");
  });
});
