import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { milliseconds } from "../../../src/model/time.ts";
import type { Value } from "../../../src/model/value.ts";
import type { Link } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { blocker, compared, link, named, ruleOf } from "../../support/programs.ts";
import { closedBy, type EventSpec, event, ms, plainClock, watermark } from "../../support/scope.ts";

const [read, check] = [named("read"), named("check")];
const gate = (more: Partial<Link> = {}): Link => link(read, check, more);
const reading = event({
  id: "read",
  name: "read",
  start: 100,
  end: 200,
  args: { id: "T1" },
  fields: { seq: 2 },
});
const checking = (spec: Partial<EventSpec> = {}) =>
  event({ id: "check", name: "check", start: 10, end: 20, args: { id: "T1" }, fields: { seq: 1 }, ...spec });

const onTicket = [{ anchor: ["args", "id"], witness: ["args", "id"] }];

describe("why a gate does not hold", () => {
  const cases: readonly {
    name: string;
    link: Link;
    check: Partial<EventSpec> | null;
    want: readonly (string | null)[];
  }[] = [
    { name: "it holds", link: gate(), check: {}, want: ["satisfied", null] },
    { name: "nothing there", link: gate(), check: null, want: ["violated", "witness_missing"] },
    {
      name: "too late",
      link: gate(),
      check: { start: 300, end: 310, fields: {} },
      want: ["violated", "witness_late"],
    },
    {
      name: "began, not finished in time",
      link: gate(),
      check: { start: 50, end: 150 },
      want: ["violated", "overlap"],
    },
    {
      name: "never finished",
      link: gate(),
      check: { start: 50, end: "open" },
      want: ["violated", "witness_never_finished"],
    },
    {
      name: "another entity",
      link: gate({ bind: onTicket }),
      check: { args: { id: "T2" } },
      want: ["violated", "wrong_entity"],
    },
    {
      name: "no entity",
      link: gate({ bind: onTicket }),
      check: { args: { id: "" } },
      want: ["violated", "unbound_key"],
    },
    {
      name: "entity not captured",
      link: gate({ bind: onTicket }),
      check: { args: undefined as unknown as Value },
      want: ["inconclusive", "not_captured"],
    },
    {
      name: "one decision",
      link: gate({ where: [compared("w.seq", "<", "a.seq")] }),
      check: { fields: { seq: 2 } },
      want: ["violated", "same_decision"],
    },
    {
      name: "a comparison that fails",
      link: gate({ where: [compared("w.args.id", "!=", "a.args.id")] }),
      check: {},
      want: ["violated", "wrong_entity"],
    },
    {
      name: "a comparison that lacks a side",
      link: gate({ where: [compared("w.args.v", "==", "a.args.v")] }),
      check: {},
      want: ["violated", "missing_attribute"],
    },
    {
      name: "exactly as old as it may be",
      link: gate({ within: milliseconds(80) }),
      check: {},
      want: ["satisfied", null],
    },
    {
      name: "older than it may be",
      link: gate({ within: milliseconds(79) }),
      check: {},
      want: ["violated", "expired"],
    },
    {
      name: "skew may carry it over the bound",
      link: gate({ within: milliseconds(100) }),
      check: { host: "h2", fields: {} },
      want: ["inconclusive", "order_unknown"],
    },
    {
      name: "awaiting is no witness",
      link: gate(),
      check: { status: "awaiting" },
      want: ["violated", "wrong_status"],
    },
    {
      name: "one of two that are needed",
      link: gate({ atLeast: 2 }),
      check: {},
      want: ["violated", "witness_missing"],
    },
  ];
  for (const { name, link: program, check: spec, want } of cases) {
    it(name, () => {
      const events = spec === null ? [reading] : [reading, checking(spec)];
      const [one] = judgeOn(ruleOf(program), events).instances;
      assert.deepEqual([one?.verdict, one?.code], want);
      assert.equal(one?.anchor, "read");
      assert.equal(one?.witness, want[0] === "satisfied" ? "check" : null);
    });
  }
});

describe("validity", () => {
  const valid = (unit: "s" | "ms" | "ns" | null): Link =>
    gate({ validUntil: { operand: { side: "w", path: ["result", "until"] }, unit } });
  const cases: readonly {
    name: string;
    until: Value;
    unit: "s" | "ms" | "ns" | null;
    host?: string;
    want: readonly (string | null)[];
  }[] = [
    { name: "up to the very instant", until: 100, unit: "ms", want: ["satisfied", null] },
    { name: "not beyond it", until: 99, unit: "ms", want: ["violated", "expired"] },
    { name: "text with an offset", until: "1970-01-01T00:00:00.100Z", unit: null, want: ["satisfied", null] },
    {
      name: "text without an offset is no guess",
      until: "1970-01-01T00:00:00.100",
      unit: null,
      want: ["inconclusive", "data_incomplete"],
    },
    {
      name: "a number without a unit is no guess",
      until: 100,
      unit: null,
      want: ["inconclusive", "data_incomplete"],
    },
    { name: "no such time", until: null, unit: "ms", want: ["violated", "missing_attribute"] },
    {
      name: "another clock may be past it",
      until: 120,
      unit: "ms",
      host: "h2",
      want: ["inconclusive", "order_unknown"],
    },
    {
      name: "another clock cannot be past it",
      until: 150,
      unit: "ms",
      host: "h2",
      want: ["satisfied", null],
    },
  ];
  for (const { name, until, unit, host = "h1", want } of cases) {
    it(name, () => {
      const witness = checking({ host, start: 10, end: 20, fields: {}, result: { until } });
      const anchor = { ...reading, fields: new Map() };
      const [one] = judgeOn(ruleOf(valid(unit)), [anchor, witness]).instances;
      assert.deepEqual([one?.verdict, one?.code], want);
    });
  }
});

describe("what lies between", () => {
  const revoked = named("revoke");
  const program = gate({ bind: onTicket, unlessBetween: [blocker(revoked)] });
  const cases: readonly { name: string; revoke: Partial<EventSpec>; want: readonly (string | null)[] }[] = [
    { name: "between", revoke: { start: 50, end: 60 }, want: ["violated", "invalidated"] },
    { name: "before the check", revoke: { start: 1, end: 5 }, want: ["satisfied", null] },
    { name: "after the read began", revoke: { start: 101, end: 110 }, want: ["satisfied", null] },
    { name: "across the check's end", revoke: { start: 5, end: 60 }, want: ["violated", "invalidated"] },
    { name: "across the read's start", revoke: { start: 90, end: 160 }, want: ["violated", "invalidated"] },
    { name: "never ended", revoke: { start: 5, end: "open" }, want: ["violated", "invalidated"] },
    {
      name: "on a clock that may be either side",
      revoke: { start: 30, end: 40, host: "h2" },
      want: ["inconclusive", "order_unknown"],
    },
  ];
  for (const { name, revoke, want } of cases) {
    it(name, () => {
      const events = [reading, checking(), event({ id: "revoke", name: "revoke", ...revoke })];
      const [one] = judgeOn(ruleOf(program), events).instances;
      assert.deepEqual([one?.verdict, one?.code], want);
    });
  }

  it("one of another entity spends nothing where the rule binds its blockers", () => {
    const spent = gate({ bind: onTicket, unlessBetween: [blocker(read, { bound: true, code: "blocked" })] });
    const other = event({ id: "other", name: "read", start: 50, end: 60, args: { id: "T2" } });
    const same = event({ id: "same", name: "read", start: 50, end: 60, args: { id: "T1" } });
    const of = (extra: typeof other) =>
      judgeOn(ruleOf(spent), [reading, checking(), extra]).instances.find(({ anchor }) => anchor === "read");
    assert.equal(of(other)?.verdict, "satisfied");
    assert.deepEqual([of(same)?.verdict, of(same)?.code], ["violated", "blocked"]);
  });
});

describe("near misses", () => {
  it("come by code, then start, then id, and give the rule its code", () => {
    const events = [
      reading,
      checking({ id: "late", start: 300, end: 301, fields: {} }),
      checking({ id: "later", start: 302, end: 303, fields: {} }),
      checking({ id: "other", args: { id: "T2" } }),
      checking({ id: "asked", status: "requested", start: 5 }),
      event({ id: "unrelated", name: "search" }),
    ];
    const found = judgeOn(ruleOf(gate({ bind: onTicket })), events);
    assert.equal(found.code, "witness_late");
    assert.deepEqual(found.instances[0]?.nearMisses, [
      { event: "late", code: "witness_late" },
      { event: "later", code: "witness_late" },
      { event: "other", code: "wrong_entity" },
      { event: "asked", code: "wrong_status" },
    ]);
  });

  it("a rule's own code names its violations, and leaves near misses and the unknown as they are", () => {
    const rule = ruleOf(gate(), { code: "stale_apply", onUnknown: "violate" });
    const late = judgeOn(rule, [reading, checking({ start: 300, end: 301, fields: {} })]);
    assert.equal(late.code, "stale_apply");
    assert.equal(late.instances[0]?.nearMisses[0]?.code, "witness_late");
  });
});

describe("a wrong verdict is worse than none", () => {
  it("an anchor that may be none breaks nothing for sure", () => {
    const done = named("read", { tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }] });
    const [one] = judgeOn(ruleOf(link(done, check)), [reading]).instances;
    assert.deepEqual([one?.verdict, one?.code], ["inconclusive", "not_captured"]);
  });

  it("in a scope with a gap nothing is broken by what is missing, and what is there still is", () => {
    const gap = closedBy("idle", true);
    const missing = judgeOn(ruleOf(gate()), [reading], gap);
    assert.deepEqual(
      [missing.verdict, missing.code, missing.final],
      ["inconclusive", "data_incomplete", true],
    );
    const forbidden = judgeOn(ruleOf(gate({ quant: "none" })), [reading, checking()], gap);
    assert.deepEqual([forbidden.verdict, forbidden.code], ["violated", "forbidden_after"]);
    const evicted = judgeOn(ruleOf(gate()), [reading], closedBy("evicted"));
    assert.equal(evicted.code, "evicted");
  });

  it("a response that only runs has not answered, and one that never ended did not", () => {
    const answered = link(read, check, {
      need: "future",
      anchorBoundary: "started_at",
      witnessBoundary: "finished_at",
    });
    const running = checking({ start: 150, end: "open", fields: {} });
    const open = judgeOn(ruleOf(answered), [reading, running], watermark(ms(1000)));
    assert.deepEqual([open.verdict, open.final], ["pending", false]);
    const closed = judgeOn(ruleOf(answered), [reading, running]);
    assert.deepEqual([closed.verdict, closed.code], ["violated", "witness_never_finished"]);
  });

  it("names no value in its reason", () => {
    const secret = checking({ args: { id: "s3cret" } });
    const anchor = { ...reading, args: { id: "hunter2" } };
    for (const more of [{}, { bind: onTicket }, { within: milliseconds(1) }] as const) {
      const text = JSON.stringify(judgeOn(ruleOf(gate(more)), [anchor, secret]).instances[0]?.reason);
      assert.ok(!/s3cret|hunter2/.test(text) && text.includes("check"), text);
    }
  });

  it("two clocks without any bound prove nothing", () => {
    const far = checking({ host: "h2", fields: {} });
    const found = judgeOn(ruleOf(gate()), [reading, far], closedBy("input_end"), {
      ...plainClock,
      skew: null,
    });
    assert.deepEqual([found.verdict, found.code], ["inconclusive", "order_unknown"]);
  });
});

describe("events that must not overlap", () => {
  const pair = (a: Partial<EventSpec>, w: Partial<EventSpec>) =>
    judgeOn(
      ruleOf(
        link(named("pay"), named("pay"), {
          need: "apart",
          where: [compared("a.args.id", "==", "w.args.id")],
        }),
      ),
      [
        event({ id: "w", name: "pay", start: 0, end: 50, ...w }),
        event({ id: "a", name: "pay", start: 10, end: 20, ...a }),
      ],
    ).instances.find(({ anchor }) => anchor === "a");

  it("are compared only where the rule's own comparison holds", () => {
    const one = { args: { id: 1 } };
    assert.equal(pair(one, one)?.verdict, "violated");
    assert.equal(pair(one, { args: { id: 2 } })?.verdict, "satisfied");
    assert.deepEqual([pair(one, {})?.verdict, pair(one, {})?.code], ["inconclusive", "not_captured"]);
  });
});
