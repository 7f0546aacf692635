import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { ClockPolicy } from "../../../src/model/order.ts";
import { milliseconds } from "../../../src/model/time.ts";
import type { Machine, Program, Transition } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { compared, everyEvent, machine, named, ruleOf, transition, within } from "../../support/programs.ts";
import { type EventSpec, event, ms, plainClock, watermark } from "../../support/scope.ts";

const steps = (...names: readonly (string | Partial<EventSpec>)[]): Event[] =>
  names.map((one, i) =>
    event({
      id: `e${i}`,
      start: i * 10,
      end: i * 10 + 1,
      ...(typeof one === "string" ? { name: one } : one),
    }),
  );
const on = (program: Machine, events: readonly Event[]) => judgeOn(ruleOf(program), events).instances[0];

const account = machine(
  [
    transition("new", named("open"), "opened"),
    transition("opened", named("use"), "opened"),
    transition("opened", named("close"), "closed"),
  ],
  { final: new Set(["closed"]) },
);

describe("a machine", () => {
  it("accepts its paths, and shows the one taken", () => {
    const found = on(account, steps("open", "use", "search", "close"));
    assert.deepEqual([found?.verdict, found?.involved], ["satisfied", ["e0", "e1", "e3"]]);
  });

  it("names the state and what it allowed, and lists later illegal steps with the first", () => {
    const found = on(account, steps("open", "open", "use", "open"));
    assert.deepEqual([found?.verdict, found?.code, found?.witness], ["violated", "illegal_transition", "e1"]);
    assert.deepEqual(found?.machine, { state: "opened", allowed: ["use", "close"] });
    assert.deepEqual(found?.involved, ["e0", "e1", "e3"]);
  });

  it("asks for a last state only when the scope ends", () => {
    const events = steps("open", "use");
    assert.deepEqual([on(account, events)?.verdict, on(account, events)?.code], ["violated", "not_final"]);
    const open = judgeOn(ruleOf(account), events, watermark(ms(1000))).instances[0];
    assert.deepEqual([open?.verdict, open?.final], ["pending", false]);
  });

  it("says nothing without a step, unless it is judged anyway", () => {
    assert.equal(judgeOn(ruleOf(account), steps("search")).verdict, "vacuous");
    assert.equal(judgeOn(ruleOf({ ...account, judgedWithoutStep: true }), []).verdict, "violated");
  });

  it("with a closed alphabet speaks of calls and the kinds it names, never of model turns or calls that were not made", () => {
    const closed = machine([transition("new", named("open"), "opened")], { unlisted: "violate" });
    assert.equal(on(closed, steps("open", "search"))?.code, "unlisted_event");
    const turns = steps("open", { name: "gpt", kind: "model_turn" }, { name: "wipe", status: "requested" });
    assert.equal(on(closed, turns)?.verdict, "satisfied");
  });

  it("star speaks of its alphabet", () => {
    const twice = machine([transition("0", everyEvent, "1"), transition("1", everyEvent, "2")], {
      final: new Set(["2"]),
    });
    assert.equal(on(twice, steps("a", { name: "gpt", kind: "model_turn" }, "b"))?.verdict, "satisfied");
  });

  it("keeps one instance a key, and leaves out what has none", () => {
    const keyed = { ...account, bind: [["args", "id"]] };
    const events = steps(
      { name: "open", args: { id: 1 } },
      { name: "close", args: { id: "1" } },
      { name: "close", args: { id: "2" } },
      { name: "close", args: {} },
    );
    const found = judgeOn(ruleOf(keyed), events).instances.map(({ key, verdict }) => [key, verdict]);
    assert.deepEqual(found, [
      ["1", "satisfied"],
      ["2", "violated"],
    ]);
  });
});

describe("guards, registers, needs and owners", () => {
  const guarded = machine([
    transition("new", named("load"), "loaded", {
      set: new Map([["version", { side: "e", path: ["result", "version"] }]]),
    }),
    transition("loaded", named("buy"), "bought", {
      when: [compared("e.args.version", "==", "reg.version")],
      needs: [["args", "plan"]],
      gives: [["result", "id"]],
      owner: { ...everyEvent, tests: [{ path: ["service"], test: { op: "equals", value: "shop" } }] },
    }),
  ]);
  const buy = (more: Partial<EventSpec> = {}): Partial<EventSpec> => ({
    name: "buy",
    args: { version: 2, plan: "gold" },
    result: { id: 1 },
    fields: { service: "shop" },
    ...more,
  });
  const load = { name: "load", result: { version: 2 } };
  const cases: readonly { name: string; events: Event[]; want: readonly (string | null)[] }[] = [
    { name: "all hold", events: steps(load, buy()), want: ["satisfied", null] },
    {
      name: "the guard fails",
      events: steps(load, buy({ args: { version: 1, plan: "gold" } })),
      want: ["violated", "illegal_transition"],
    },
    {
      name: "a need is missing",
      events: steps(load, buy({ args: { version: 2 } })),
      want: ["violated", "missing_attribute"],
    },
    {
      name: "a result is missing",
      events: steps(load, buy({ result: {} })),
      want: ["violated", "missing_attribute"],
    },
    {
      name: "another owner",
      events: steps(load, buy({ fields: { service: "bot" } })),
      want: ["violated", "wrong_owner"],
    },
    {
      name: "what the register holds was not captured",
      events: steps({ name: "load" }, buy()),
      want: ["inconclusive", "not_captured"],
    },
    {
      name: "no result was captured",
      events: steps(load, { name: "buy", args: { version: 2, plan: "gold" }, fields: { service: "shop" } }),
      want: ["inconclusive", "not_captured"],
    },
  ];
  for (const { name, events, want } of cases) {
    it(name, () => {
      const found = on(guarded, events);
      assert.deepEqual([found?.verdict, found?.code], want);
    });
  }

  it("a guard that fails is named in the reason, without a value", () => {
    const found = on(guarded, steps(load, buy({ args: { version: 987, plan: "gold" } })));
    assert.match(found?.reason ?? "", /e\.args\.version == reg\.version/);
    assert.doesNotMatch(found?.reason ?? "", /987/);
  });
});

describe("a machine that passes over illegal steps", () => {
  const paid = machine(
    [
      transition("new", named("load"), "loaded"),
      transition("loaded", named("buy"), "bought", {
        when: [{ ...compared("e.args.version", "==", "e.args.version"), right: { literal: 2 } }],
        needs: [["args", "plan"]],
        owner: { ...everyEvent, tests: [{ path: ["service"], test: { op: "equals", value: "shop" } }] },
      }),
    ],
    { onIllegal: "stay", maxTime: new Map([["loaded", milliseconds(50)]]) },
  );
  const buy = (more: Partial<EventSpec> = {}): Partial<EventSpec> => ({
    name: "buy",
    args: { version: 2, plan: "gold" },
    fields: { service: "shop" },
    ...more,
  });
  const cases: readonly { name: string; events: Event[]; want: readonly (string | null)[] }[] = [
    { name: "its state does not allow it", events: steps(buy(), "load", "load"), want: ["satisfied", null] },
    {
      name: "its guard fails",
      events: steps("load", buy({ args: { version: 1, plan: "gold" } })),
      want: ["satisfied", null],
    },
    {
      name: "it lacks what it must carry",
      events: steps("load", buy({ args: { version: 2 } })),
      want: ["violated", "missing_attribute"],
    },
    {
      name: "it comes from another owner",
      events: steps("load", buy({ fields: { service: "bot" } })),
      want: ["violated", "wrong_owner"],
    },
    {
      name: "it comes too late",
      events: steps("load", buy({ start: 100, end: 101 })),
      want: ["violated", "deadline_missed"],
    },
    {
      name: "nothing tells what it carried",
      events: steps("load", { name: "buy", fields: { service: "shop" } }),
      want: ["inconclusive", "not_captured"],
    },
  ];
  for (const { name, events, want } of cases) {
    it(name, () => {
      const found = on(paid, events);
      assert.deepEqual([found?.verdict, found?.code], want);
    });
  }
});

describe("time limits", () => {
  const waiting = machine(
    [transition("idle", named("ask"), "waiting"), transition("waiting", named("answer"), "idle")],
    { maxTime: new Map([["waiting", milliseconds(9)]]), final: new Set(["idle"]) },
  );
  it("count from the finish that entered to the start that left, inclusive", () => {
    assert.equal(on(waiting, steps("ask", "answer"))?.verdict, "satisfied");
    const late = steps("ask", { name: "answer", start: 11 });
    assert.deepEqual([on(waiting, late)?.verdict, on(waiting, late)?.code], ["violated", "deadline_missed"]);
  });
  it("are missed as soon as event time has passed them", () => {
    const judgedAt = (at: number) => judgeOn(ruleOf(waiting), steps("ask"), watermark(ms(at))).instances[0];
    assert.deepEqual([judgedAt(10)?.verdict, judgedAt(10)?.final], ["pending", false]);
    assert.deepEqual([judgedAt(11)?.verdict, judgedAt(11)?.final], ["violated", true]);
  });
});

describe("steps in no known order", () => {
  const parallel = (names: readonly string[], from = 0): Event[] =>
    names.map((name, i) => event({ id: `p${from + i}`, name, start: 100, end: 200 }));

  it("one legal order and one that is not cannot be told apart", () => {
    const two = machine([transition("0", named("a"), "1"), transition("1", named("b"), "2")]);
    const found = on(two, parallel(["a", "b"]));
    assert.deepEqual([found?.verdict, found?.code, found?.final], ["inconclusive", "order_unknown", true]);
  });

  it("illegal in every order is illegal", () => {
    const two = machine([transition("0", named("a"), "1"), transition("2", named("b"), "2")]);
    assert.equal(on(two, parallel(["a", "b"]))?.verdict, "violated");
  });

  it("a hundred steps that commute are counted, not told apart", () => {
    const fetch = machine(
      [
        transition("0", named("fetch"), "0"),
        transition("0", named("price"), "0"),
        transition("0", named("answer"), "done"),
      ],
      { final: new Set(["done"]) },
    );
    const many = [...parallel(Array(60).fill("fetch")), ...parallel(Array(40).fill("price"), 60)];
    const found = on(fetch, [...many, event({ id: "z", name: "answer", start: 300 })]);
    assert.equal(found?.verdict, "satisfied");
  });

  it("too many possibilities end in inconclusive, not in a guess or a hang", () => {
    const names = Array.from({ length: 14 }, (_, i) => `t${i}`);
    const messy = machine(
      names.flatMap((name) => [transition("0", named(name), "1"), transition("1", named(name), "0")]),
    );
    const found = on(messy, parallel(names));
    assert.deepEqual([found?.verdict, found?.code], ["inconclusive", "order_unknown"]);
  });

  it("a long run of steps in order is no possibility more", () => {
    const long = machine([transition("0", named("a"), "0")], { final: new Set(["0"]) });
    assert.equal(on(long, steps(...Array(600).fill("a")))?.verdict, "satisfied");
  });

  it("a step whose key was not captured may be any key's, or a step of none", () => {
    const keyed = { ...account, final: null, bind: [["args", "id"]] };
    const whose = (...keys: readonly (number | undefined)[]): Event[] =>
      steps(...keys.map((id) => ({ name: "open", ...(id === undefined ? {} : { args: { id } }) })));
    const verdicts = (events: readonly Event[]) =>
      judgeOn(ruleOf(keyed), events).instances.map(({ key, verdict }) => [key, verdict]);
    assert.deepEqual(verdicts(whose(1, 2)), [
      ["1", "satisfied"],
      ["2", "satisfied"],
    ]);
    assert.deepEqual(verdicts(whose(1, undefined)), [["1", "inconclusive"]]);
    assert.deepEqual(verdicts(whose(undefined)), [["", "inconclusive"]]);
  });
});

describe("steps whose key nobody knows, beside a key that is kept", () => {
  const inUse = [transition("new", named("open"), "used"), transition("used", named("use"), "used")];
  const done = [transition("used", named("end"), "done"), transition("done", named("open"), "done")];
  const keyed = (transitions: readonly Transition[], more: Partial<Machine> = {}) =>
    machine(transitions, { bind: [["args", "id"]], ...more });
  const again = transition("used", named("open"), "used");
  /** `open:1` is of key 1, `use` of nobody knows which. */
  const events = (text: string): Event[] =>
    steps(
      ...text.split(" ").map((word) => {
        const [name = "", id] = word.split(":");
        return { name, ...(id === undefined ? {} : { args: { id } }) };
      }),
    );
  const used = new Set(["used"]);
  for (const [name, program, text, want] of [
    ["may be what another key does not allow", keyed(inUse), "open:1 use", "inconclusive"],
    ["may be allowed, whoever's they are", keyed([...inUse, again]), "open:1 open", "satisfied"],
    ["may be so in part", keyed([...inUse, again]), "open:1 open use", "inconclusive"],
    ["may be passed over", keyed(inUse, { onIllegal: "stay" }), "open:1 use", "satisfied"],
    [
      "may leave a key of their own where it must not end",
      keyed(inUse, { onIllegal: "stay", final: used }),
      "open:1 use",
      "inconclusive",
    ],
    ["may begin a key that does not end", keyed([...inUse, ...done]), "open:1 end:1 open", "satisfied"],
    [
      "may begin a key that must end",
      keyed([...inUse, ...done], { final: new Set(["done"]) }),
      "open:1 end:1 open",
      "inconclusive",
    ],
  ] as const) {
    it(name, () => {
      const { instances, verdict } = judgeOn(ruleOf(program), events(text));
      assert.equal(verdict, want);
      assert.deepEqual(
        instances.map(({ key, verdict: one, code, final }) => [key, one, code, final]),
        [
          ["1", "satisfied", null, true],
          ...(want === "satisfied" ? [] : [["", "inconclusive", "not_captured", true]]),
        ],
      );
    });
  }

  it("are waited for while the scope is open", () => {
    const program = keyed([...inUse, ...done], { final: new Set(["done"]) });
    const found = judgeOn(ruleOf(program), events("open:1 end:1 open"), watermark(ms(1000)));
    assert.deepEqual(
      found.instances.map(({ key, verdict, final }) => [key, verdict, final]),
      [
        ["1", "satisfied", false],
        ["", "pending", false],
      ],
    );
    const broken = judgeOn(ruleOf(keyed(inUse)), events("open:1 use"), watermark(ms(1000)));
    assert.deepEqual([broken.verdict, broken.final], ["inconclusive", false]);
  });
});

describe("precedences that contradict each other", () => {
  // e2 uses the result of e3, yet its clock puts it before e1, and e1 before e3.
  const circle = [
    event({ id: "e1", name: "A", start: 1, end: 1 }),
    event({ id: "e2", name: "C", start: 0, end: 0, fields: { parents: ["e3"] } }),
    event({ id: "e3", name: "A", start: 2, end: 2 }),
  ];
  const policy: ClockPolicy = { ...plainClock, tie: "before", resolution: null, skew: milliseconds(2) };
  const stays = transition("s0", named("A"), "s0");
  const verdict = (program: Program, events: readonly Event[]) =>
    judgeOn(ruleOf(program), events, undefined, policy).verdict;

  it("leave the steps in a circle without an order", () => {
    const inTurn = (...names: readonly string[]) =>
      machine(
        names.map((name, i) => transition(`s${i}`, named(name), `s${i + 1}`)),
        { final: new Set([`s${names.length}`]) },
      );
    assert.equal(verdict(inTurn("C", "A", "A"), circle), "inconclusive");
    assert.equal(verdict(inTurn("A", "A", "C"), circle), "inconclusive");
  });

  it("hide no step that is illegal in every order", () => {
    assert.equal(verdict(machine([stays], { unlisted: "violate" }), circle), "violated");
  });

  it("break nothing by an event that may lie outside of the stretch", () => {
    const other = event({ id: "e0", name: "C", start: 0, end: 0, host: "h2" });
    const afterC = within({ after: named("C") }, machine([stays], { unlisted: "violate" }));
    assert.equal(verdict(afterC, [other, ...circle]), "inconclusive");
  });

  it("take nothing from what comes before or after all of them", () => {
    const around = [
      event({ id: "a", name: "open", start: -10, end: -9 }),
      ...circle,
      event({ id: "z", name: "close", start: 10, end: 11 }),
    ];
    const any = ["A", "C"].map((name) => transition("opened", named(name), "opened"));
    const session = machine(
      [transition("s0", named("open"), "opened"), ...any, transition("opened", named("close"), "closed")],
      { final: new Set(["closed"]) },
    );
    assert.equal(verdict(session, around), "satisfied");
  });
});
