import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CloseReason } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import { createOrder } from "../../../src/processor/order/happened-before.ts";
import { judge } from "../../../src/rules/judge.ts";
import type { Rule } from "../../../src/rules/rule.ts";
import { judgeOn } from "../../support/judged.ts";
import { count, guarded, link, named, ruleOf } from "../../support/programs.ts";
import { closedBy, event, ms, plainClock, watermark } from "../../support/scope.ts";

const [A, B, C] = [named("A"), named("B"), named("C")];
const list = (...names: readonly string[]): Event[] =>
  names.map((name, i) => event({ id: `${name}${i}`, name, start: i, end: i }));
const gate = ruleOf(link(B, A));

describe("a rule that nothing exercised", () => {
  const pair = ruleOf(link(B, A), { pairRequired: true, missingAfter: "violated" });
  const must = ruleOf(link(B, A), { mustApply: true });
  const cases: readonly {
    name: string;
    rule: Rule;
    closed: CloseReason | null;
    gap?: boolean;
    want: readonly (string | boolean | null)[];
  }[] = [
    { name: "has nothing to say", rule: gate, closed: "input_end", want: ["vacuous", true, null] },
    { name: "may yet have", rule: gate, closed: null, want: ["vacuous", false, null] },
    {
      name: "is a violation where it must apply",
      rule: must,
      closed: "idle",
      want: ["violated", true, "anchor_missing"],
    },
    { name: "and pending before", rule: must, closed: null, want: ["pending", false, null] },
    {
      name: "but not where data is missing",
      rule: must,
      closed: "idle",
      gap: true,
      want: ["inconclusive", true, "data_incomplete"],
    },
    {
      name: "a pair needs both sides in a whole run",
      rule: pair,
      closed: "root_ended",
      want: ["violated", true, "anchor_missing"],
    },
    {
      name: "a run that went quiet may go on",
      rule: pair,
      closed: "idle",
      want: ["inconclusive", true, "scope_unknown"],
    },
    {
      name: "a pair whose deployment sees any traffic",
      rule: ruleOf(link(B, A), { pairRequired: true }),
      closed: "root_ended",
      want: ["vacuous", true, null],
    },
  ];
  for (const { name, rule, closed, gap = false, want } of cases) {
    it(name, () => {
      const completeness = closed === null ? watermark(ms(50)) : closedBy(closed, gap);
      const found = judgeOn(rule, list("C"), completeness);
      assert.deepEqual([found.verdict, found.final, found.code], want);
    });
  }

  it("the deployment decides what a missing later side means where the rule does not", () => {
    const events = list("A");
    const found = judge(ruleOf(link(B, A), { pairRequired: true }), {
      events,
      order: createOrder(events, plainClock),
      completeness: closedBy("input_end"),
      missingAfter: "violated",
      nearMisses: false,
    });
    assert.equal(found.code, "anchor_missing");
  });
});

describe("what is unknown", () => {
  const tie = [
    event({ id: "a", name: "A", start: 0, end: 5 }),
    event({ id: "b", name: "B", start: 5, end: 9 }),
  ];
  const answer = (onUnknown: Rule["onUnknown"], completeness = closedBy("input_end")) => {
    const { verdict, code, final } = judgeOn(ruleOf(link(B, A), { onUnknown }), tie, completeness);
    return [verdict, code, final];
  };
  it("stays so, or counts as the rule says, and keeps its code", () => {
    assert.deepEqual(answer("inconclusive"), ["inconclusive", "order_unknown", true]);
    assert.deepEqual(answer("violate"), ["violated", "order_unknown", true]);
    assert.deepEqual(answer("satisfy"), ["satisfied", "order_unknown", true]);
  });
  it("counts as nothing before it is final", () => {
    assert.deepEqual(answer("violate", watermark(ms(3))), ["inconclusive", "order_unknown", false]);
    assert.deepEqual(answer("violate", watermark(ms(6))), ["violated", "order_unknown", true]);
  });
});

describe("a guard", () => {
  const rule = ruleOf(guarded(C, link(B, A)));
  it("lets the rule speak only where it is met", () => {
    assert.equal(judgeOn(rule, list("B")).verdict, "vacuous");
    assert.equal(judgeOn(rule, list("B", "C")).verdict, "violated");
    assert.equal(judgeOn(rule, list("A", "B", "C")).verdict, "satisfied");
  });
  it("that is unknown makes a violation inconclusive and leaves a satisfaction", () => {
    const approved = named("C", { tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }] });
    const unsure = ruleOf(guarded(approved, link(B, A)));
    const broken = judgeOn(unsure, list("B", "C"));
    assert.deepEqual([broken.verdict, broken.code], ["inconclusive", "not_captured"]);
    assert.equal(judgeOn(unsure, list("A", "B", "C")).verdict, "satisfied");
  });
});

describe("a fold", () => {
  it("counts one broken anchor once, whichever parts it breaks", () => {
    const both = ruleOf({ kernel: "fold", parts: [link(B, A), link(B, C)] });
    const found = judgeOn(both, list("B", "A"));
    assert.deepEqual(
      found.instances.map(({ anchor, verdict, code }) => [anchor, verdict, code]),
      [["B0", "violated", "witness_late"]],
    );
    assert.deepEqual(found.instances[0]?.nearMisses, [{ event: "A1", code: "witness_late" }]);
  });

  it("counts a pair that is forbidden both ways once, on the later", () => {
    const never = ruleOf({
      kernel: "fold",
      parts: [link(A, B, { need: "any", quant: "none" }), link(B, A, { need: "any", quant: "none" })],
    });
    const found = judgeOn(never, list("A", "B", "B", "A"));
    assert.deepEqual(found.instances.map(({ anchor }) => anchor).sort(), ["A3", "B1", "B2"]);
    assert.equal(found.code, "forbidden_pair");
  });

  it("keeps the parts that have no anchor", () => {
    const first = ruleOf({
      kernel: "fold",
      parts: [
        count(A, { min: 1 }),
        link({ ...B, kinds: null, name: null, not: A }, A, { code: "not_first" }),
      ],
    });
    assert.equal(judgeOn(first, list("A", "B")).verdict, "satisfied");
    assert.equal(judgeOn(first, list("B", "A")).code, "not_first");
    assert.equal(judgeOn(first, []).code, "count_below");
  });
});

describe("a rule folds its instances", () => {
  it("the worst verdict, its best-ranked code, and final with the first final violation", () => {
    const events = list("B", "A", "B");
    const found = judgeOn(gate, events, watermark(ms(1)));
    assert.deepEqual([found.verdict, found.final, found.code], ["violated", true, "witness_late"]);
    assert.deepEqual(
      found.instances.map(({ verdict, final }) => [verdict, final]),
      [
        ["violated", true],
        ["satisfied", true],
      ],
    );
  });

  it("satisfied is not final while new anchors may come", () => {
    const found = judgeOn(gate, list("A", "B"), watermark(ms(50)));
    assert.deepEqual([found.verdict, found.final], ["satisfied", false]);
  });
});
