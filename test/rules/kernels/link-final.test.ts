/** Links: when an answer is final, and what lies between. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completeness } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import type { ClockPolicy } from "../../../src/model/order.ts";
import { milliseconds } from "../../../src/model/time.ts";
import type { Link } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { blocker, compared, everyEvent, link, named, ruleOf, within } from "../../support/programs.ts";
import { closedBy, type EventSpec, event, ms, watermark } from "../../support/scope.ts";

const [A, W, X] = [named("a"), named("w"), named("x")];
const a = (start: number, end = start, more: Partial<EventSpec> = {}): Event =>
  event({ id: "a", name: "a", start, end, ...more });
const w = (start: number, end: number | "open" = start, more: Partial<EventSpec> = {}): Event =>
  event({ id: "w", name: "w", start, end, ...more });
const x = (start: number, end: number | "open" = start, more: Partial<EventSpec> = {}): Event =>
  event({ id: "x", name: "x", start, end, ...more });

const one = (program: Link, events: readonly Event[], completeness?: Completeness, policy?: ClockPolicy) => {
  const found = judgeOn(ruleOf(program), events, completeness, policy).instances.find(
    ({ anchor }) => anchor === "a",
  );
  assert.ok(found !== undefined);
  return found;
};
const brief = (...asked: Parameters<typeof one>) => {
  const { verdict, code } = one(...asked);
  return code === null ? verdict : `${verdict} ${code}`;
};
const ended = (...asked: Parameters<typeof one>) => {
  const { verdict, final, completeness } = one(...asked);
  return `${verdict} ${final ? "final" : "open"} ${completeness ?? "-"}`;
};
const far = { host: "h2" };

describe("when an answer is final", () => {
  const at = (time: number) => watermark(ms(time));
  const cases: readonly { name: string; link: Link; events: readonly Event[]; mark: number; want: string }[] =
    [
      {
        name: "past, found: at once",
        link: link(A, W),
        events: [a(50), w(0, 10)],
        mark: 0,
        want: "satisfied final -",
      },
      {
        name: "past, missing: for now",
        link: link(A, W),
        events: [a(50)],
        mark: 50,
        want: "violated open -",
      },
      {
        name: "past, missing: once the anchor is complete",
        link: link(A, W),
        events: [a(50)],
        mark: 51,
        want: "violated final watermark",
      },
      {
        name: "past, blocked: found for now",
        link: link(A, W, { unlessBetween: [blocker(X)] }),
        events: [a(50), w(0, 10)],
        mark: 50,
        want: "satisfied open -",
      },
      {
        name: "past, blocked: found, with the anchor",
        link: link(A, W, { unlessBetween: [blocker(X)] }),
        events: [a(50), w(0, 10)],
        mark: 51,
        want: "satisfied final watermark",
      },
      {
        name: "future, found: at once",
        link: link(A, W, { need: "future" }),
        events: [a(0), w(10)],
        mark: 0,
        want: "satisfied final -",
      },
      {
        name: "future, missing: pending",
        link: link(A, W, { need: "future" }),
        events: [a(0)],
        mark: 900,
        want: "pending open -",
      },
      {
        name: "future, blocked: found, with the witness",
        link: link(A, W, { need: "future", unlessBetween: [blocker(X)] }),
        events: [a(0), w(10)],
        mark: 10,
        want: "satisfied open -",
      },
      {
        name: "future, blocked: once the witness is complete",
        link: link(A, W, { need: "future", unlessBetween: [blocker(X)] }),
        events: [a(0), w(10)],
        mark: 11,
        want: "satisfied final watermark",
      },
      {
        name: "deadline: at it",
        link: link(A, W, { need: "future", within: milliseconds(20) }),
        events: [a(0)],
        mark: 20,
        want: "pending open -",
      },
      {
        name: "deadline: past it",
        link: link(A, W, { need: "future", within: milliseconds(20) }),
        events: [a(0)],
        mark: 21,
        want: "violated final watermark",
      },
      {
        name: "any, missing: pending",
        link: link(A, W, { need: "any" }),
        events: [a(0)],
        mark: 900,
        want: "pending open -",
      },
      {
        name: "none past, found: at once",
        link: link(A, W, { quant: "none" }),
        events: [a(50), w(0, 10)],
        mark: 0,
        want: "violated final -",
      },
      {
        name: "none past, not found: for now",
        link: link(A, W, { quant: "none" }),
        events: [a(50)],
        mark: 50,
        want: "satisfied open -",
      },
      {
        name: "none past, not found: with the anchor",
        link: link(A, W, { quant: "none" }),
        events: [a(50)],
        mark: 51,
        want: "satisfied final watermark",
      },
      {
        name: "none past, excusable: with the anchor",
        link: link(A, W, { quant: "none", unlessBetween: [blocker(X)] }),
        events: [a(50), w(0, 10)],
        mark: 50,
        want: "violated open -",
      },
      {
        name: "none past, excusable: complete",
        link: link(A, W, { quant: "none", unlessBetween: [blocker(X)] }),
        events: [a(50), w(0, 10)],
        mark: 51,
        want: "violated final watermark",
      },
      {
        name: "none future, not found: for now",
        link: link(A, W, { need: "future", quant: "none" }),
        events: [a(0)],
        mark: 900,
        want: "satisfied open -",
      },
      {
        name: "none future, excusable: with what is forbidden",
        link: link(A, W, { need: "future", quant: "none", unlessBetween: [blocker(X)] }),
        events: [a(0), w(50)],
        mark: 50,
        want: "violated open -",
      },
      {
        name: "none future, excusable: complete",
        link: link(A, W, { need: "future", quant: "none", unlessBetween: [blocker(X)] }),
        events: [a(0), w(50)],
        mark: 51,
        want: "violated final watermark",
      },
      {
        name: "past, in doubt: for now",
        link: link(A, W),
        events: [a(50), w(40, 45, far)],
        mark: 50,
        want: "inconclusive open -",
      },
      {
        name: "past, in doubt: with the anchor",
        link: link(A, W),
        events: [a(50), w(40, 45, far)],
        mark: 51,
        want: "inconclusive final watermark",
      },
      {
        name: "past, in doubt while one runs",
        link: link(A, W),
        events: [a(50), w(40, "open")],
        mark: 51,
        want: "inconclusive open watermark",
      },
      {
        name: "future, in doubt: pending",
        link: link(A, W, { need: "future" }),
        events: [a(50), w(60, 65, far)],
        mark: 900,
        want: "pending open -",
      },
      {
        name: "future, in doubt, past the deadline",
        link: link(A, W, { need: "future", within: milliseconds(20) }),
        events: [a(50), w(60, 65, far)],
        mark: 900,
        want: "inconclusive final watermark",
      },
      {
        name: "none past, in doubt: with the anchor",
        link: link(A, W, { quant: "none" }),
        events: [a(50), w(40, 45, far)],
        mark: 51,
        want: "inconclusive final watermark",
      },
      {
        name: "none past, in doubt: for now",
        link: link(A, W, { quant: "none" }),
        events: [a(50), w(40, 45, far)],
        mark: 50,
        want: "inconclusive open -",
      },
      {
        name: "none past, in doubt while one runs",
        link: link(A, W, { quant: "none" }),
        events: [a(50), w(40, "open")],
        mark: 51,
        want: "inconclusive open watermark",
      },
      {
        name: "none future, in doubt: pending",
        link: link(A, W, { need: "future", quant: "none" }),
        events: [a(50), w(60, 65, far)],
        mark: 900,
        want: "pending open -",
      },
      {
        name: "a finish that has not come: nothing is complete before it",
        link: link(A, W, { anchorBoundary: "finished_at" }),
        events: [event({ id: "a", name: "a", start: 50, end: "open" })],
        mark: 900,
        want: "violated open -",
      },
    ];
  for (const { name, link: program, events, mark, want } of cases) {
    it(name, () => assert.equal(ended(program, events, at(mark)), want));
  }

  it("everything at the close, by its name", () => {
    assert.equal(ended(link(A, W), [a(50)], closedBy("root_ended")), "violated final root_ended");
    assert.equal(ended(link(A, W, { need: "any" }), [a(50)], closedBy("idle")), "violated final idle");
    assert.equal(
      ended(link(A, W, { quant: "none", need: "future" }), [a(50)], closedBy("idle")),
      "satisfied final idle",
    );
    assert.equal(
      ended(link(A, W, { quant: "none", need: "any" }), [a(50), w(40, 45, far)], closedBy("idle")),
      "violated final -",
    );
    assert.equal(
      ended(link(A, W, { quant: "none", need: "future" }), [a(50), w(60, 65, far)], closedBy("idle")),
      "inconclusive final idle",
    );
  });

  it("an anchor that may be none is final only when no span to come can tell", () => {
    const done = named("a", { tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }] });
    const anchor = (more: Partial<EventSpec>) => ended(link(done, W), [a(50, 50, more), w(0, 10)], at(51));
    assert.equal(anchor({}), "satisfied final -");
    assert.equal(anchor({ unsettled: ["result"] }), "satisfied open -");
    assert.equal(anchor({ result: "ok", unsettled: ["agent"] }), "satisfied final -");
    const broken = (more: Partial<EventSpec>) => ended(link(done, W), [a(50, 50, more)], at(51));
    assert.equal(broken({}), "inconclusive final watermark");
    assert.equal(brief(link(done, W), [a(50), w(0, 10)]), "satisfied");
    assert.equal(brief(link(done, W), [a(50), w(0, 10, far)]), "inconclusive order_unknown");
    assert.equal(broken({ unsettled: ["result"] }), "inconclusive open watermark");
  });

  it("an anchor that may lie outside is final at the close alone", () => {
    const program = within({ after: X }, link(A, W));
    const of = (completeness: Completeness) => {
      const [found] = judgeOn(ruleOf(program), [x(30, 30, far), a(50), w(0, 10)], completeness).instances;
      return [found?.verdict, found?.code, found?.final, found?.reason];
    };
    const reason = "w before a: cannot be told, their order cannot be told";
    assert.deepEqual(of(at(900)), ["inconclusive", "order_unknown", false, reason]);
    assert.deepEqual(of(closedBy("idle")), ["inconclusive", "order_unknown", true, reason]);
  });
});

describe("a blocker that lies before whatever can still come", () => {
  const program = (more = {}, extra: Partial<Link> = {}) =>
    link(A, W, { need: "future", unlessBetween: [blocker(X, more)], ...extra });
  const state = (events: readonly Event[], mark = 900, of = program()) =>
    ended(of, events, watermark(ms(mark)));
  it("breaks a response for good once it is complete", () => {
    assert.equal(state([a(0, 10), x(20)]), "violated final watermark");
    assert.equal(state([a(0, 10), x(20)], 20), "pending open -");
    assert.equal(state([a(0, 10), x(20)], 21), "violated final watermark");
    assert.equal(state([a(0, 10)]), "pending open -");
  });
  it("that was over before the anchor, or may have been, does not", () => {
    assert.equal(state([a(10, 20), x(0, 5)]), "pending open -");
    assert.equal(state([a(10, 60), x(30, 55, far)]), "pending open -");
    assert.equal(state([a(10, 20), x(15, 18)]), "pending open -");
    assert.equal(state([a(10, 20), x(15, 25)]), "violated final watermark");
  });
  it("that runs, or asks for more than its pattern, does not", () => {
    assert.equal(state([a(0, 10), x(20, "open")]), "pending open -");
    assert.equal(
      state([a(0, 10), x(20)], 900, program({ where: [compared("b.args.id", "==", "w.args.id")] })),
      "pending open -",
    );
    const approved = named("x", { tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }] });
    const asks = link(A, W, { need: "future", unlessBetween: [blocker(approved)] });
    assert.equal(state([a(0, 10), x(20)], 900, asks), "pending open -");
    assert.equal(state([a(0, 10), x(20, 20, { result: "ok" })], 900, asks), "violated final watermark");
  });
  it("of the anchor's entity alone, where the rule binds it", () => {
    const bind = [{ anchor: ["args", "id"], witness: ["args", "id"] }];
    const id = (value: number) => ({ args: { id: value } });
    const own = program({ bound: true }, { bind });
    assert.equal(state([a(0, 10, id(1)), x(20, 20, id(2))], 900, own), "pending open -");
    assert.equal(state([a(0, 10, id(1)), x(20, 20, id(1))], 900, own), "violated final watermark");
  });
  it("is never the anchor", () => {
    const chain = link(A, W, { need: "future", unlessBetween: [blocker(everyEvent)] });
    assert.equal(state([a(0, 10)], 900, chain), "pending open -");
    assert.equal(state([a(0, 10), x(20)], 900, chain), "violated final watermark");
  });
});

describe("what lies between", () => {
  const blocked = (
    more: Partial<Parameters<typeof blocker>[1] & object>,
    events: readonly Event[],
    extra: Partial<Link> = {},
  ) => brief(link(A, W, { unlessBetween: [blocker(X, more)], ...extra }), events);
  it("is judged by its comparisons, which see all three events", () => {
    const v = (value: number) => ({ args: { v: value } });
    const where = [compared("b.args.v", "==", "w.args.v"), compared("b.args.v", "!=", "a.args.v")];
    assert.equal(
      blocked({ where }, [a(50, 50, v(2)), w(0, 10, v(1)), x(20, 20, v(1))]),
      "violated invalidated",
    );
    assert.equal(blocked({ where }, [a(50, 50, v(1)), w(0, 10, v(1)), x(20, 20, v(1))]), "satisfied");
    assert.equal(blocked({ where }, [a(50, 50, v(2)), w(0, 10, v(1)), x(20)]), "inconclusive not_captured");
    assert.equal(
      blocked({ where: [compared("e.args.v", "==", "w.args.v")] }, [a(50), w(0, 10, v(1)), x(20, 20, v(1))]),
      "violated invalidated",
    );
  });
  it("is neither of the two, and has its own code", () => {
    const any = (events: readonly Event[]) =>
      brief(link(A, W, { unlessBetween: [blocker(everyEvent)] }), events);
    assert.equal(any([a(50), w(0, 10)]), "satisfied");
    assert.equal(any([a(50), w(0, 10), x(20)]), "violated invalidated");
    assert.equal(blocked({ code: "blocked" }, [a(50), w(0, 10), x(20)]), "violated blocked");
  });
  it("of a response lies after the anchor and before the answer", () => {
    const future = (start: number, end = start) =>
      blocked({}, [a(0, 10), w(50), x(start, end)], { need: "future" });
    assert.equal(future(20), "violated invalidated");
    assert.equal(future(60), "satisfied");
    const over = (events: readonly Event[]) => blocked({}, events, { need: "future" });
    assert.equal(over([a(10, 20), w(50), x(0, 5)]), "satisfied");
  });
  it("that is in doubt leaves it in doubt, for its first reason", () => {
    assert.equal(blocked({}, [a(100), w(0, 10), x(50, 55, far)]), "inconclusive order_unknown");
    assert.equal(
      blocked({}, [a(100), w(0, 10), x(50, 55, { end: "unknown", flaws: ["end_before_start"] })]),
      "violated invalidated",
    );
    assert.equal(
      blocked({}, [a(100), w(0, 10), x(5, 55, { end: "unknown", flaws: ["end_before_start"] })]),
      "inconclusive invalid_interval",
    );
    assert.equal(
      blocked({}, [a(100), w(0, 10), x(101, 102, { start: "unknown", flaws: ["time_out_of_range"] })]),
      "inconclusive time_out_of_range",
    );
    const bind = [{ anchor: ["args", "id"], witness: ["args", "id"] }];
    const id = { args: { id: 1 } };
    assert.equal(
      blocked({ bound: true }, [a(50, 50, id), w(0, 10, id), x(20)], { bind }),
      "inconclusive not_captured",
    );
    assert.equal(
      blocked({ bound: true }, [a(50, 50, id), w(0, 10, id), x(20, 20, { args: {} })], { bind }),
      "satisfied",
    );
    assert.equal(
      blocked({ bound: true }, [a(50), w(0, 10), x(20, 20, id)], { bind }),
      "inconclusive not_captured",
    );
    const approved = named("x", { tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }] });
    const twice = x(50, 55, { ...far, hidden: { result: "not_kept" } });
    const doubtful = link(A, W, { unlessBetween: [blocker(approved)] });
    assert.equal(brief(doubtful, [a(100), w(0, 10), twice]), "inconclusive not_kept");
    const lost = closedBy("idle", true);
    assert.equal(
      brief(link(A, W, { quant: "none", unlessBetween: [blocker(X)] }), [a(50), w(0, 10)], lost),
      "inconclusive data_incomplete",
    );
  });
});
