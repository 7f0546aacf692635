/**
 * The promise of `final` (docs/semantics.md 7): whatever still arrives, no verdict called final is ever
 * contradicted.
 *
 * First exhaustively: every trace of three symbols, every set of its events that may have arrived, with the
 * watermark that this set allows. Then at random: intervals, two clocks, calls of which only the start is known.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completeness } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import type { ClockPolicy } from "../../../src/model/order.ts";
import { type DurationNano, milliseconds } from "../../../src/model/time.ts";
import type { RuleVerdict } from "../../../src/model/verdict.ts";
import { createOrder } from "../../../src/processor/order/happened-before.ts";
import { judge } from "../../../src/rules/judge.ts";
import type { Rule } from "../../../src/rules/rule.ts";
import { policies, scopes } from "../../support/arbitrary-scope.ts";
import {
  blocker,
  compared,
  count,
  everyEvent,
  guarded,
  link,
  machine,
  named,
  ruleOf,
  transition,
  within,
} from "../../support/programs.ts";
import fc, { propertyRuns, traceLength } from "../../support/properties.ts";
import { closedBy, event, ms, plainClock, watermark } from "../../support/scope.ts";

const [A, B, C] = [named("A"), named("B"), named("C")];

/** Every row of the table in docs/semantics.md 7, and what is made of rows. */
const rules: Readonly<Record<string, Rule>> = {
  "some past": ruleOf(link(A, B)),
  "some past within": ruleOf(link(A, B, { within: milliseconds(2) })),
  "some past, two of them": ruleOf(link(A, B, { atLeast: 2 })),
  "some past, blocked by another": ruleOf(link(A, B, { unlessBetween: [blocker(C)] })),
  "some past, used up (alternate)": ruleOf(link(A, B, { unlessBetween: [blocker(A, { code: "blocked" })] })),
  "some past, next to it (chain)": ruleOf(link(A, B, { unlessBetween: [blocker(everyEvent)] })),
  "some future": ruleOf(link(A, B, { need: "future" })),
  "some future within": ruleOf(link(A, B, { need: "future", within: milliseconds(1) })),
  "some future, blocked by another": ruleOf(link(A, B, { need: "future", unlessBetween: [blocker(C)] })),
  "some future, next to it (chain)": ruleOf(
    link(A, B, { need: "future", unlessBetween: [blocker(everyEvent)] }),
  ),
  "some future within, blocked": ruleOf(
    link(A, B, { need: "future", within: milliseconds(2), unlessBetween: [blocker(A)] }),
  ),
  "some any": ruleOf(link(A, B, { need: "any" })),
  "none future": ruleOf(link(A, B, { need: "future", quant: "none" })),
  "none future, excused": ruleOf(link(A, B, { need: "future", quant: "none", unlessBetween: [blocker(C)] })),
  "none past": ruleOf(link(A, B, { quant: "none" })),
  "none past, excused": ruleOf(link(A, B, { quant: "none", unlessBetween: [blocker(C)] })),
  "none past within": ruleOf(link(A, B, { quant: "none", within: milliseconds(1) })),
  "none any": ruleOf(link(A, B, { need: "any", quant: "none" })),
  apart: ruleOf(link(A, A, { need: "apart" })),
  "count max": ruleOf(count(A, { max: 1 })),
  "count min": ruleOf(count(A, { min: 2 })),
  "count exactly": ruleOf(count(A, { min: 2, max: 2 })),
  "count in a window": ruleOf(count(A, { max: 1, window: milliseconds(1) })),
  "machine, open alphabet": ruleOf(
    machine([transition("0", A, "1"), transition("1", B, "2"), transition("2", A, "1")], {
      final: new Set(["2"]),
    }),
  ),
  "machine, closed alphabet": ruleOf(
    machine([transition("0", A, "1"), transition("1", B, "0")], { unlisted: "violate" }),
  ),
  "machine that stays": ruleOf(
    machine([transition("0", A, "1"), transition("1", B, "2")], {
      onIllegal: "stay",
      final: new Set(["2"]),
      judgedWithoutStep: true,
    }),
  ),
  "machine with a time limit": ruleOf(
    machine([transition("0", A, "1"), transition("1", B, "2")], {
      onIllegal: "stay",
      final: new Set(["0", "2"]),
      maxTime: new Map([["1", milliseconds(2)]]),
    }),
  ),
  "both directions (succession)": ruleOf({
    kernel: "fold",
    parts: [link(A, B, { need: "future" }), link(B, A)],
  }),
  "not together": ruleOf({
    kernel: "fold",
    parts: [link(A, B, { need: "any", quant: "none" }), link(B, A, { need: "any", quant: "none" })],
  }),
  "none past, still open (finish_all)": ruleOf(
    link(A, B, {
      quant: "none",
      witnessBoundary: "started_at",
      also: [
        {
          first: { of: "w", boundary: "finished_at" },
          second: { of: "a", boundary: "started_at" },
          holds: false,
        },
      ],
    }),
  ),
  "some past, around it (during)": ruleOf(
    link(A, B, {
      witnessBoundary: "started_at",
      also: [
        {
          first: { of: "a", boundary: "finished_at" },
          second: { of: "w", boundary: "finished_at" },
          holds: true,
        },
      ],
    }),
  ),
  "some past, no sooner": ruleOf(link(A, B, { noSooner: milliseconds(2) })),
  "some future, no sooner": ruleOf(link(A, B, { need: "future", noSooner: milliseconds(2) })),
  "apart, two at a time": ruleOf(link(A, A, { need: "apart", limit: 2 })),
  "machine with a least time": ruleOf(
    machine([transition("0", A, "1"), transition("1", A, "0")], {
      minTime: new Map([["1", milliseconds(2)]]),
    }),
  ),
  guarded: ruleOf(guarded(C, link(A, B))),
  "some past, after an event": ruleOf(within({ after: C }, link(A, B))),
  "some future, before an event": ruleOf(within({ before: C }, link(A, B, { need: "future" }))),
  "none future, between two": ruleOf(
    within({ after: C, before: B }, link(A, A, { need: "future", quant: "none" })),
  ),
  "count max, between two": ruleOf(within({ after: B, before: C }, count(A, { max: 1 }))),
  "count min, after an event": ruleOf(within({ after: B }, count(A, { min: 1 }))),
  "machine, before an event": ruleOf(
    within({ before: C }, machine([transition("0", A, "1"), transition("1", B, "0")])),
  ),
  "must apply": ruleOf(link(A, B), { mustApply: true }),
  "a pair": ruleOf(link(A, B), { pairRequired: true, missingAfter: "violated" }),
  "unknown counts as broken": ruleOf(link(A, B), { onUnknown: "violate" }),
  "unknown counts as kept": ruleOf(link(A, B, { need: "future" }), { onUnknown: "satisfy" }),
};

function judged(
  rule: Rule,
  events: readonly Event[],
  completeness: Completeness,
  policy: ClockPolicy,
): RuleVerdict {
  return judge(rule, {
    events,
    order: createOrder(events, policy, { closed: () => completeness.closed !== null }),
    completeness,
    missingAfter: "vacuous",
    nearMisses: false,
  });
}

function mustAgree(early: RuleVerdict, whole: RuleVerdict, where: () => string): number {
  let finals = 0;
  if (early.final) {
    finals += 1;
    assert.equal(early.verdict, whole.verdict, where());
  }
  for (const one of early.instances) {
    if (!one.final || one.anchor === null) continue;
    finals += 1;
    const later = whole.instances.find(({ anchor }) => anchor === one.anchor);
    assert.equal(later?.verdict, one.verdict, `${where()} anchor ${one.anchor}`);
  }
  return finals;
}

function* traces(length: number): Generator<readonly string[]> {
  for (let n = 0; n < 3 ** length; n += 1) {
    yield Array.from({ length }, (_, i) => "ABC"[Math.floor(n / 3 ** i) % 3] ?? "A");
  }
}

/** One set of arrivals of one trace; made once, since every rule is judged on it. */
interface Arrived {
  readonly view: Parameters<typeof judge>[1];
  readonly where: string;
}

interface WholeTrace {
  readonly whole: Parameters<typeof judge>[1];
  readonly arrived: readonly Arrived[];
}

const eachTrace = traceLength(5);
const made = new Map<number, readonly WholeTrace[]>();

/** `length`: of each event; where it is 0 they are points in time. */
function arrivalsOf(length: number): readonly WholeTrace[] {
  const known = made.get(length);
  if (known !== undefined) return known;
  const view = (events: readonly Event[], completeness: Completeness): Arrived["view"] => ({
    events,
    order: createOrder(events, plainClock, { closed: () => completeness.closed !== null }),
    completeness,
    missingAfter: "vacuous",
    nearMisses: false,
  });
  const all = [...traces(eachTrace)].map((trace): WholeTrace => {
    const events = trace.map((symbol, i) => event({ id: `${i}`, name: symbol, start: i, end: i + length }));
    const arrived = Array.from({ length: 2 ** trace.length }, (_, set): Arrived => {
      const missing = trace.findIndex((__, i) => (set & (1 << i)) === 0);
      const here = events.filter((__, i) => (set & (1 << i)) !== 0);
      const at = ms(missing === -1 ? trace.length : missing);
      return { view: view(here, watermark(at)), where: `${trace.join("")} arrived ${set.toString(2)}` };
    });
    return { whole: view(events, closedBy("input_end")), arrived };
  });
  made.set(length, all);
  return all;
}

describe(`no final verdict is contradicted, every trace of length ${eachTrace} and every arrival`, () => {
  for (const [name, rule] of Object.entries(rules)) {
    it(name, () => {
      // Calls that overlap their neighbours for `apart`, and change nothing else.
      const length = name === "apart" ? 1.5 : name === "apart, two at a time" ? 2.5 : 0;
      let [early, tried] = [0, 0];
      for (const { whole, arrived } of arrivalsOf(length)) {
        const last = judge(rule, whole);
        for (const { view, where } of arrived) {
          tried += 1;
          early += mustAgree(judge(rule, view), last, () => where);
        }
      }
      assert.equal(tried, 3 ** eachTrace * 2 ** eachTrace);
      // A kernel that calls nothing final before the end would pass otherwise.
      if (!decidedAtClose.has(name)) assert.ok(early > 0, "something was final before the scope closed");
    });
  }
});

const decidedAtClose = new Set(["machine that stays", "machine, before an event"]);

describe("no final verdict is contradicted, intervals of two clocks and running calls", () => {
  for (const [name, rule] of Object.entries(rules)) {
    it(name, () => {
      fc.assert(
        fc.property(
          scopes(6),
          policies,
          fc.array(fc.constantFrom("missing", "running", "done"), { minLength: 6, maxLength: 6 }),
          (shapes, policy, arrivals) => {
            // Edges may refute a clock, which revises verdicts on purpose; a call that never ends is not about to.
            const all = shapes.map((one): Event => ({ ...one, fields: new Map() }));
            const ended = all.filter(({ end }) => end !== "open");
            const skew = policy.skew ?? (1_000_000_000n as DurationNano);
            const whole = judged(rule, ended, closedBy("input_end"), policy);
            const here = ended.flatMap((one, i) => {
              if (arrivals[i] === "missing") return [];
              const running: Event = { ...one, end: "open", status: "running", result: undefined };
              return arrivals[i] === "running" ? [running] : [one];
            });
            const unknownFrom = ended.flatMap(({ start, end }, i) => {
              const moment = arrivals[i] === "missing" ? start : arrivals[i] === "running" ? end : null;
              return moment !== null && typeof moment === "object" && "at" in moment ? [moment.at] : [];
            });
            const at = unknownFrom.reduce((least, one) => (one < least ? one : least), ms(100));
            // Stamps are as wide as their unit: what is earlier than the watermark is so by a whole unit.
            const found = judged(rule, here, watermark(at, skew + milliseconds(2)), policy);
            mustAgree(found, whole, () => "at random");
          },
        ),
        { numRuns: propertyRuns(200) },
      );
    });
  }
});

describe("finality where a predicate reads what is not here yet", () => {
  const approved = named("B", {
    tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }],
    text: "approved B",
  });
  const gate = ruleOf(link(A, approved));
  const anchor = event({ id: "a", name: "A", start: 10, end: 11 });
  const cases = [
    { name: "a result that is there decides", w: { result: "ok" }, verdict: "satisfied", final: true },
    { name: "a result that differs is no witness", w: { result: "no" }, verdict: "violated", final: true },
    { name: "a result that never came is unknown for good", w: {}, verdict: "inconclusive", final: true },
    {
      name: "a result that a span to come fills in is unknown for now",
      w: { result: "no", unsettled: ["result"] },
      verdict: "inconclusive",
      final: false,
    },
    {
      name: "a call that runs has no result yet",
      w: { end: "open" as const, status: "running" as const },
      verdict: "inconclusive",
      final: false,
    },
  ] as const;
  for (const { name, w, verdict, final } of cases) {
    it(name, () => {
      const events = [anchor, event({ id: "w", name: "B", start: 1, end: 2, ...w })];
      const [found] = judged(gate, events, watermark(ms(50)), plainClock).instances;
      assert.deepEqual([found?.verdict, found?.final], [verdict, final]);
    });
  }

  it("a comparison of decision numbers is not final before the number is here", () => {
    const later = ruleOf(link(A, B, { where: [compared("w.seq", "<", "a.seq")] }));
    const events = [
      { ...anchor, fields: new Map([["seq", 2]]) },
      event({ id: "w", name: "B", start: 1, end: 2, unsettled: ["seq"] }),
    ];
    const [found] = judged(later, events, watermark(ms(50)), plainClock).instances;
    assert.deepEqual([found?.verdict, found?.final], ["inconclusive", false]);
  });

  it("a finish that has not come is not complete, however long ago its call began", () => {
    const waited: Completeness = { closed: null, gap: false, complete: () => "wait", passed: () => true };
    const running = event({ id: "b", name: "B", start: 1, end: "open", status: "running" });
    const strict = ruleOf(machine([transition("0", A, "1"), transition("1", B, "2")]));
    const stepped = judged(strict, [running], waited, plainClock);
    assert.deepEqual([stepped.verdict, stepped.final], ["violated", false]);
    const atEnd = ruleOf(link(B, A, { anchorBoundary: "finished_at" }));
    const linked = judged(atEnd, [running], waited, plainClock);
    assert.deepEqual([linked.verdict, linked.final], ["violated", false]);
  });
});
