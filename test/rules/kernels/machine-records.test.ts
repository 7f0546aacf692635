/** What a machine says besides its verdict, when it is final, and what it makes of doubt. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completeness } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import { milliseconds } from "../../../src/model/time.ts";
import type { Machine, Transition } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { compared, everyEvent, machine, named, ruleOf, transition } from "../../support/programs.ts";
import { closedBy, type EventSpec, event, ms, watermark } from "../../support/scope.ts";

const [A, B, C] = [named("A"), named("B"), named("C")];
const steps = (...specs: readonly (string | Partial<EventSpec>)[]): Event[] =>
  specs.map((spec, i) =>
    event({
      id: `e${i}`,
      start: i * 10,
      end: i * 10 + 1,
      ...(typeof spec === "string" ? { name: spec } : spec),
    }),
  );
const open = watermark(ms(1000));
const one = (program: Machine, events: readonly Event[], completeness?: Completeness) => {
  const [found] = judgeOn(ruleOf(program), events, completeness).instances;
  assert.ok(found !== undefined);
  return found;
};
const maybe = (name: string) =>
  named(name, {
    tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }],
    text: `approved ${name}`,
  });
const ok = { result: "ok" };

const door = machine(
  [transition("closed", A, "open"), transition("open", B, "closed"), transition("open", C, "open")],
  {
    final: new Set(["closed"]),
  },
);

describe("the record of a machine", () => {
  it("kept: the state, what it allows next, and the steps taken", () => {
    const found = one(door, steps("A", "C", "B"), closedBy("idle"));
    assert.deepEqual([found.verdict, found.final, found.completeness], ["satisfied", true, "idle"]);
    assert.deepEqual(found.machine, { state: "closed", allowed: ["A"] });
    assert.deepEqual(
      [found.involved, found.reason],
      [["e0", "e1", "e2"], "every step was allowed in its state"],
    );
    const now = one({ ...door, final: null }, steps("A"), open);
    assert.deepEqual([now.verdict, now.final, now.machine?.allowed], ["satisfied", false, ["B", "C"]]);
  });
  it("what a state allows is said once, in the order of the contract", () => {
    const twice = machine([
      transition("0", A, "1"),
      transition("1", B, "2", { needs: [["args", "id"]] }),
      transition("1", B, "3"),
      transition("1", A, "1"),
    ]);
    assert.deepEqual(one(twice, steps("A")).machine, { state: "1", allowed: ["B", "A"] });
    assert.deepEqual(one(machine([transition("0", A, "1")]), steps("A")).machine, {
      state: "1",
      allowed: [],
    });
  });
  it("not at its end yet", () => {
    const found = one(door, steps("A"), open);
    assert.deepEqual(
      [found.verdict, found.code, found.final, found.reason],
      ["pending", null, false, "state open is not a last one"],
    );
    assert.deepEqual([found.machine, found.involved], [{ state: "open", allowed: ["B", "C"] }, ["e0"]]);
  });
  it("ended elsewhere", () => {
    const found = one(door, steps("A"), closedBy("idle"));
    assert.deepEqual(
      [found.verdict, found.code, found.final, found.completeness, found.witness],
      ["violated", "not_final", true, "idle", null],
    );
    assert.deepEqual(
      [found.machine?.state, found.involved, found.reason],
      ["open", ["e0"], "ended in state open, which is not a last one"],
    );
  });
  it("an illegal step: where, what was allowed, and when that is for good", () => {
    const found = one(door, steps("A", "A", "B"), open);
    assert.deepEqual(
      [found.verdict, found.code, found.witness, found.final, found.completeness],
      ["violated", "illegal_transition", "e1", true, "watermark"],
    );
    assert.equal(found.reason, "A is not allowed in state open; allowed: B, C");
    const early = one(door, steps("A", "A", "B"), watermark(ms(11)));
    assert.deepEqual([early.verdict, early.final, early.completeness], ["violated", false, null]);
    const dead = machine([transition("0", A, "1")]);
    assert.equal(one(dead, steps("A", "A")).reason, "A is not allowed in state 1; allowed: nothing");
    const kind = machine([transition("0", { ...everyEvent, kinds: new Set(["pause"]), text: "pause" }, "1")]);
    assert.match(one(kind, steps({ kind: "pause" }, { kind: "pause" })).reason, /^pause is not allowed/);
  });
  it("the rule's own code names its violations", () => {
    const own = { ...door, code: "sequence_differs" } as const;
    assert.equal(one(own, steps("A", "A")).code, "sequence_differs");
    assert.equal(one(own, steps("A")).code, "sequence_differs");
  });
  it("what may have been lost may have been the step between", () => {
    const found = one(door, steps("B"), closedBy("idle", true));
    assert.deepEqual([found.verdict, found.code, found.witness], ["inconclusive", "data_incomplete", "e0"]);
    assert.equal(one(door, steps("B"), closedBy("evicted")).code, "evicted");
  });
  it("several orders: nothing is shown as the one that was taken", () => {
    const events = [
      event({ id: "a", name: "A", start: 0, end: 9 }),
      event({ id: "b", name: "B", start: 5, end: 9 }),
    ];
    const found = one(door, events, closedBy("idle"));
    assert.deepEqual(
      [found.verdict, found.code, found.involved, found.machine, found.completeness],
      ["inconclusive", "order_unknown", ["a", "b"], undefined, "idle"],
    );
    assert.equal(found.reason, "the possible orders of the steps end differently");
    assert.equal(one(door, events, open).final, false);
  });
  it("broken in every order: the best-ranked code, and no later steps", () => {
    const events = [
      event({ id: "a", name: "B", start: 0, end: 9 }),
      event({ id: "b", name: "C", start: 5, end: 9 }),
      event({ id: "z", name: "B", start: 20, end: 21 }),
    ];
    const found = one(door, events);
    assert.deepEqual([found.verdict, found.code], ["violated", "illegal_transition"]);
    assert.equal(found.involved.includes("z"), false);
  });
});

describe("later illegal steps", () => {
  const listed = (...names: string[]) => one(door, steps(...names)).involved;
  it("are listed with the first, the state staying as it was", () => {
    assert.deepEqual(listed("A", "A", "C", "A", "B"), ["e0", "e1", "e3"]);
    assert.deepEqual(listed("B", "A", "A"), ["e0", "e2"]);
  });
  it("until one is in doubt", () => {
    const program = machine([
      transition("0", A, "0"),
      transition("0", maybe("B"), "1"),
      transition("1", B, "1"),
    ]);
    const events = steps("A", "C", { name: "B" }, "C");
    const closed = { ...program, unlisted: "violate" } as const;
    assert.deepEqual(one(closed, events).involved, ["e0", "e1"]);
    assert.deepEqual(one(closed, steps("A", "C", "C")).involved, ["e0", "e1", "e2"]);
  });
});

describe("a step that may be none", () => {
  const program = machine([transition("0", maybe("A"), "1")], { final: new Set(["1"]) });
  it("makes no instance for sure", () => {
    assert.deepEqual(
      [one(program, steps("A")).verdict, one(program, steps("A")).code, one(program, steps("A")).final],
      ["inconclusive", "not_captured", true],
    );
    assert.equal(one(program, steps({ name: "A", ...ok })).verdict, "satisfied");
    assert.equal(judgeOn(ruleOf(program), steps({ name: "A", result: "no" })).verdict, "vacuous");
  });
  it("leaves pending what is not at its end, while more can come", () => {
    const longer = machine([transition("0", maybe("A"), "1")], { final: new Set(["2"]) });
    assert.deepEqual(
      [one(longer, steps("A"), open).verdict, one(longer, steps("A")).verdict],
      ["pending", "inconclusive"],
    );
  });
  it("is followed both ways where another step is sure", () => {
    const found = one({ ...program, onIllegal: "stay" }, steps({ name: "A", ...ok }, "A"));
    assert.equal(found.verdict, "satisfied");
    const broken = one(program, steps({ name: "A", ...ok }, "A"));
    assert.deepEqual([broken.verdict, broken.code], ["inconclusive", "not_captured"]);
  });
  it("that is listed elsewhere is illegal here, if it is a step", () => {
    const two = machine([transition("0", C, "0"), transition("1", maybe("A"), "2")]);
    const found = one(two, steps("C", "A"));
    assert.deepEqual([found.verdict, found.code], ["inconclusive", "not_captured"]);
    assert.equal(one(two, steps("C", { name: "A", ...ok })).verdict, "violated");
    const closed = one({ ...two, unlisted: "violate" }, steps("C", "A"));
    assert.equal(
      closed.verdict,
      "violated",
      "a step that is listed elsewhere or nowhere is illegal either way",
    );
  });
  it("that is listed here is legal or ignored, where the rest is", () => {
    const here = machine([transition("0", C, "0"), transition("0", maybe("A"), "0")]);
    assert.equal(one(here, steps("C", "A")).verdict, "satisfied");
    const closed = one({ ...here, unlisted: "violate" }, steps("C", "A"));
    assert.deepEqual([closed.verdict, closed.code], ["inconclusive", "not_captured"]);
  });
  it("whose guard is false is illegal only if it is the step", () => {
    const guard = compared("e.args.n", "==", "e.args.m");
    const program = machine([transition("0", C, "0"), transition("0", maybe("A"), "0", { when: [guard] })]);
    const found = one(program, steps("C", { name: "A", args: { n: 1, m: 2 } }));
    assert.deepEqual([found.verdict, found.code], ["inconclusive", "not_captured"]);
    const sure = one(program, steps("C", { name: "A", args: { n: 1, m: 2 }, ...ok }));
    assert.deepEqual(
      [sure.verdict, sure.code, sure.reason],
      [
        "violated",
        "illegal_transition",
        "A is not allowed in state 0 since e.args.n == e.args.m does not hold; allowed: C, approved A",
      ],
    );
  });
});

describe("guards, and what a step gives", () => {
  it("the first transition that holds is taken", () => {
    const of = (n: number) => compared("e.args.n", "==", `e.args.is${n}`);
    const program = machine([
      transition("0", A, "one", { when: [of(1)] }),
      transition("0", A, "two", { when: [of(2)] }),
    ]);
    const state = (n: number) =>
      one(program, steps({ name: "A", args: { n, is1: 1, is2: 2 } })).machine?.state;
    assert.deepEqual([state(1), state(2)], ["one", "two"]);
    const none = one(program, steps({ name: "A", args: { n: 3, is1: 1, is2: 2 } }));
    assert.match(none.reason, /since e\.args\.n == e\.args\.is1 does not hold/);
  });
  it("all comparisons of a guard are named", () => {
    const both = [compared("e.args.n", "==", "e.args.m"), compared("e.args.n", "!=", "e.args.k")];
    const program = machine([transition("0", A, "0", { when: both })]);
    assert.match(
      one(program, steps({ name: "A", args: { n: 1, m: 2, k: 3 } })).reason,
      /since e\.args\.n == e\.args\.m and e\.args\.n != e\.args\.k does not hold/,
    );
  });
  it("a comparison of a pattern that reads a register is a guard", () => {
    const reads = named("B", { where: [compared("e.args.v", "==", "reg.v")] });
    const set = new Map([["v", { side: "e", path: ["args", "v"] } as const]]);
    const program = machine([transition("0", A, "1", { set }), transition("1", reads, "2")]);
    const judged = (v: number) =>
      one(program, steps({ name: "A", args: { v: 1 } }, { name: "B", args: { v } }));
    assert.equal(judged(1).machine?.state, "2");
    assert.deepEqual([judged(2).verdict, judged(2).code], ["violated", "illegal_transition"]);
    const plain = named("B", { where: [compared("e.args.v", "==", "e.args.w")] });
    const other = machine([transition("0", A, "1"), transition("1", plain, "2")]);
    assert.equal(
      one(other, steps("A", { name: "B", args: { v: 1, w: 2 } })).verdict,
      "satisfied",
      "it is no step at all",
    );
  });
  it("a register that a later step does not fill is empty again", () => {
    const set = new Map([["v", { side: "e", path: ["args", "v"] } as const]]);
    const guard = { when: [compared("e.args.v", "==", "reg.v")] };
    const program = machine([transition("0", A, "0", { set }), transition("0", B, "0", guard)]);
    const judged = (...specs: Partial<EventSpec>[]) => one(program, steps(...specs)).verdict;
    const [fill, empty, use] = [
      { name: "A", args: { v: 1 } },
      { name: "A", args: {} },
      { name: "B", args: { v: 1 } },
    ];
    assert.equal(judged(fill, use), "satisfied");
    assert.equal(judged(fill, empty, use), "violated");
    assert.equal(judged(use), "violated");
    assert.equal(judged(fill, { name: "A", args: { v: 2 } }, use), "violated");
  });
  it("what is missing is named; empty text is missing", () => {
    const program = machine([
      transition("0", A, "0", { needs: [["args", "plan", "id"]], gives: [["result", "id"]] }),
    ]);
    const reason = (spec: Partial<EventSpec>) => one(program, steps({ name: "A", ...spec })).reason;
    assert.equal(
      reason({ args: { plan: { id: "" } }, result: { id: 1 } }),
      "A in state 0 lacks args.plan.id",
    );
    assert.equal(reason({ args: { plan: { id: 1 } }, result: {} }), "A in state 0 lacks result.id");
    assert.equal(
      reason({ args: { plan: { id: 1 } }, result: { id: 1 } }),
      "every step was allowed in its state",
    );
  });
  it("another owner is named so", () => {
    const owner = {
      ...everyEvent,
      tests: [{ path: ["service"], test: { op: "equals", value: "shop" } as const }],
    };
    const program = machine([transition("0", A, "0", { owner })]);
    const found = one(program, steps({ name: "A", fields: { service: "bot" } }));
    assert.deepEqual([found.code, found.reason], ["wrong_owner", "A in state 0 came from another owner"]);
    const unknown = one(program, steps({ name: "A", hidden: { service: "not_kept" } }));
    assert.deepEqual([unknown.verdict, unknown.code], ["inconclusive", "not_kept"]);
  });
});

describe("how long a state lasts", () => {
  const timed = (more: Partial<Machine>, ...extra: Transition[]) =>
    machine(
      [
        transition("idle", A, "waiting"),
        transition("waiting", B, "idle"),
        transition("waiting", C, "waiting"),
        ...extra,
      ],
      more,
    );
  const limit = { maxTime: new Map([["waiting", milliseconds(15)]]) };
  const sooner = { minTime: new Map([["waiting", milliseconds(9)]]) };
  const code = (program: Machine, ...specs: (string | Partial<EventSpec>)[]) =>
    one(program, steps(...specs)).code;

  it("at most, from the finish that entered it to the start that left it", () => {
    assert.equal(code(timed(limit), "A", { name: "B", start: 16 }), null);
    assert.equal(code(timed(limit), "A", { name: "B", start: 16.1 }), "deadline_missed");
    assert.equal(
      one(timed(limit), steps("A", { name: "B", start: 17 })).reason,
      "state waiting lasted longer than it may",
    );
  });
  it("also over steps that stay in it", () => {
    assert.equal(code(timed(limit), "A", "C", { name: "B", start: 16 }), null);
    assert.equal(code(timed(limit), "A", "C", { name: "B", start: 17 }), "deadline_missed");
  });
  it("no longer, where it was left and entered again", () => {
    assert.equal(code(timed(limit), "A", "B", "A", { name: "B", start: 30, end: 31 }), null);
  });
  it("at least", () => {
    assert.equal(code(timed(sooner), "A", { name: "B", start: 10 }), null);
    assert.equal(code(timed(sooner), "A", { name: "B", start: 9.9 }), "retry_too_soon");
    assert.equal(
      one(timed(sooner), steps("A", { name: "B", start: 5 })).reason,
      "B came sooner after the one before than it may",
    );
    assert.equal(code(timed(sooner), "A", { name: "C", start: 2, end: 3 }, { name: "B", start: 10 }), null);
  });
  it("that skew leaves in doubt", () => {
    assert.equal(code(timed(limit), "A", { name: "B", start: 70, host: "h2" }), "deadline_missed");
    const far = one(timed(limit), steps("A", { name: "B", start: 60, host: "h2" }));
    assert.deepEqual([far.verdict, far.code], ["inconclusive", "order_unknown"]);
    const soon = one(timed(sooner), steps("A", { name: "B", start: 55, host: "h2" }));
    assert.deepEqual([soon.verdict, soon.code], ["inconclusive", "order_unknown"]);
    assert.equal(code(timed(sooner), "A", { name: "B", start: 60, host: "h2" }), null);
  });
  it("that was never left: shown by what came later", () => {
    const left = timed({ ...limit, final: new Set(["idle"]) });
    const found = one(left, [...steps("A"), event({ id: "z", name: "other", start: 17 })], watermark(ms(18)));
    assert.deepEqual(
      [found.verdict, found.code, found.witness, found.final],
      ["violated", "deadline_missed", "e0", true],
    );
    const early = one(left, [...steps("A"), event({ id: "z", name: "other", start: 16 })], watermark(ms(10)));
    assert.deepEqual([early.verdict, early.final], ["pending", false]);
    const unsure = one(
      left,
      [...steps("A"), event({ id: "z", name: "other", start: 17 })],
      watermark(ms(17)),
    );
    assert.deepEqual([unsure.verdict, unsure.final], ["violated", false]);
  });
  it("that was never left, where any state may be the last one", () => {
    assert.equal(one(timed(limit), steps("A"), watermark(ms(1000))).verdict, "satisfied");
    assert.equal(
      one(timed(limit), [...steps("A"), event({ id: "z", name: "other", start: 500 })]).code,
      "deadline_missed",
    );
    const last = timed({ ...limit, final: new Set(["waiting"]) });
    assert.equal(
      one(last, [...steps("A"), event({ id: "z", name: "other", start: 500 })]).verdict,
      "satisfied",
    );
    assert.equal(one(timed({ ...limit, final: new Set(["idle"]) }), steps("A")).code, "not_final");
  });
  it("of states without a limit is no matter", () => {
    assert.equal(
      code(timed({ maxTime: new Map([["idle", milliseconds(1)]]) }), "A", "B", {
        name: "A",
        start: 900,
        end: 901,
      }),
      "deadline_missed",
    );
    assert.equal(
      code(
        timed({ maxTime: new Map([["idle", milliseconds(1)]]) }),
        { name: "A", start: 900, end: 901 },
        { name: "B", start: 1900, end: 1901 },
      ),
      null,
    );
  });
});

describe("steps that commute", () => {
  const events = (specs: readonly Partial<EventSpec>[]) =>
    specs.map((spec, i) => event({ id: `p${i}`, start: 100, end: 200, ...spec }));
  it("are told apart by what guards and registers read of them", () => {
    const set = new Map([["v", { side: "e", path: ["args", "v"] } as const]]);
    const program = machine([
      transition("0", A, "0", { set }),
      transition("0", B, "1", { when: [compared("e.args.v", "==", "reg.v")] }),
    ]);
    const last = event({ id: "z", name: "B", start: 300, args: { v: 1 } });
    const judged = (...values: number[]) =>
      one(program, [...events(values.map((v) => ({ name: "A", args: { v } }))), last]).verdict;
    assert.equal(judged(1, 1, 1), "satisfied");
    assert.equal(judged(1, 2), "inconclusive");
    assert.equal(judged(2, 2), "violated");
  });
  it("are told apart by what is needed, given, or owned", () => {
    const owner = {
      ...everyEvent,
      tests: [{ path: ["service"], test: { op: "equals", value: "shop" } as const }],
    };
    const turns = (more: Partial<Transition>) =>
      machine([transition("0", A, "1"), transition("1", A, "2", more)], { final: new Set(["2"]) });
    const [has, lacks] = [
      { name: "A", args: { id: 1 }, result: { id: 1 }, fields: { service: "shop" } },
      { name: "A", args: {}, result: {}, fields: { service: "bot" } },
    ];
    for (const more of [{ needs: [["args", "id"]] }, { gives: [["result", "id"]] }, { owner }]) {
      assert.equal(one(turns(more), events([has, lacks])).verdict, "inconclusive");
      assert.equal(one(turns(more), events([has, has])).verdict, "satisfied");
      assert.equal(one(turns(more), events([lacks, lacks])).verdict, "violated");
    }
  });
});
