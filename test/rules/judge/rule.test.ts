/** What becomes of instances: the rule's verdict, its code, when it is final, and what is not known for good. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CloseReason, Completeness } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import type { Program } from "../../../src/rules/program.ts";
import type { Rule } from "../../../src/rules/rule.ts";
import { judgeOn } from "../../support/judged.ts";
import { count, link, machine, named, ruleOf, transition, within } from "../../support/programs.ts";
import { closedBy, type EventSpec, event, ms, plainClock, watermark } from "../../support/scope.ts";

const [A, B, C] = [named("A"), named("B"), named("C")];
const at = (id: string, name: string, start: number, more: Partial<EventSpec> = {}): Event =>
  event({ id, name, start, end: start, ...more });
const open = watermark(ms(1000));
const judged = (
  program: Program,
  events: readonly Event[],
  completeness?: Completeness,
  more: Partial<Rule> = {},
) => judgeOn(ruleOf(program, more), events, completeness);
const brief = (...asked: Parameters<typeof judged>) => {
  const { verdict, final, code } = judged(...asked);
  return `${verdict} ${final ? "final" : "open"} ${code ?? "-"}`;
};
const far = { host: "h2" };

describe("a rule", () => {
  const gate = link(B, A);
  it("is as bad as its worst instance, with the best-ranked code of those", () => {
    const late = [at("b1", "B", 1), at("a", "A", 5, far)];
    assert.equal(brief(gate, [at("a", "A", 0), at("b", "B", 1)]), "satisfied final -");
    assert.equal(brief(gate, late), "inconclusive final order_unknown");
    assert.equal(
      brief(gate, [at("b", "B", 1), at("a", "A", 5), at("b2", "B", 9)]),
      "violated final witness_late",
    );
    const twoCodes = link(B, A, { bind: [{ anchor: ["args", "id"], witness: ["args", "id"] }] });
    const id = (value: number) => ({ args: { id: value } });
    const events = [
      at("b1", "B", 1, id(1)),
      at("a", "A", 5, id(2)),
      at("b2", "B", 9, { args: {} }),
      at("b3", "B", 3, id(2)),
    ];
    assert.equal(brief(twoCodes, events), "violated final witness_late");
  });

  it("has no code of an instance that is better off", () => {
    const keyed = ruleOf(link(B, A, { bind: [{ anchor: ["args", "id"], witness: ["args", "id"] }] }));
    const id = (value: number) => ({ args: { id: value } });
    const events = [at("a", "A", 0, id(1)), at("b1", "B", 5, id(1)), at("b2", "B", 6, id(2))];
    const found = judgeOn(keyed, events, undefined, { ...plainClock, evidence: "causal" });
    assert.deepEqual(
      found.instances.map(({ verdict, code }) => `${verdict} ${code}`),
      ["inconclusive unenforced_order", "violated wrong_entity"],
    );
    assert.equal(found.code, "wrong_entity");
  });

  it("broken for good is final at once; anything else waits for the close, since anchors may come", () => {
    assert.equal(brief(gate, [at("b", "B", 1)], open), "violated final witness_missing");
    assert.equal(brief(gate, [at("b", "B", 1)], watermark(ms(1))), "violated open witness_missing");
    assert.equal(
      brief(gate, [at("b1", "B", 1), at("b2", "B", 5)], watermark(ms(3))),
      "violated final witness_missing",
    );
    assert.equal(brief(gate, [at("a", "A", 0), at("b", "B", 1)], open), "satisfied open -");
    assert.equal(brief(gate, [], open), "vacuous open -");
    assert.equal(brief(gate, []), "vacuous final -");
  });

  it("a minimum that is met without a key or a maximum is final at once, also in a part of the scope", () => {
    assert.equal(brief(count(A, { min: 1 }), [at("a", "A", 5)], open), "satisfied final -");
    assert.equal(
      brief(within({ after: C }, count(A, { min: 1 })), [at("c", "C", 1), at("a", "A", 5)], open),
      "satisfied final -",
    );
    assert.equal(brief(count(A, { min: 1, max: 2 }), [at("a", "A", 5)], open), "satisfied open -");
    assert.equal(
      brief(count(A, { min: 1, bind: [["args", "id"]] }), [at("a", "A", 5, { args: { id: 1 } })], open),
      "satisfied open -",
    );
    assert.equal(brief(count(A, { min: 2 }), [at("a", "A", 5)], open), "pending open -");
    const doubtful = named("A", { tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }] });
    assert.equal(brief(count(doubtful, { min: 1 }), [at("a", "A", 5)], open), "pending open not_captured");
    assert.equal(brief(machine([transition("0", A, "0")]), [at("a", "A", 5)], open), "satisfied open -");
  });

  it("gives its own code to what is violated, and to nothing else", () => {
    const own = { code: "stale_apply" } as const;
    assert.equal(brief(gate, [at("b", "B", 1)], undefined, own), "violated final stale_apply");
    assert.equal(
      brief(gate, [at("b", "B", 1), at("a", "A", 1, far)], undefined, own),
      "inconclusive final order_unknown",
    );
    assert.equal(brief(gate, [at("a", "A", 0), at("b", "B", 1)], undefined, own), "satisfied final -");
    assert.equal(brief(gate, [], undefined, { ...own, mustApply: true }), "violated final anchor_missing");
  });

  it("takes what is unknown for good as it says, with the code of the doubt, and nothing before that", () => {
    const doubt = [at("b", "B", 5), at("a", "A", 5, far)];
    assert.equal(
      brief(gate, doubt, undefined, { onUnknown: "violate", code: "stale_apply" }),
      "violated final order_unknown",
    );
    assert.equal(brief(gate, doubt, undefined, { onUnknown: "satisfy" }), "satisfied final order_unknown");
    assert.equal(
      brief(gate, doubt, watermark(ms(5)), { onUnknown: "violate" }),
      "inconclusive open order_unknown",
    );
    assert.equal(
      brief(gate, [at("b", "B", 5)], undefined, { onUnknown: "satisfy" }),
      "violated final witness_missing",
    );
  });
});

describe("a rule that nothing exercised", () => {
  const found = (more: Partial<Rule>, closed: CloseReason | null, gap = false) => {
    const completeness = closed === null ? open : closedBy(closed, gap);
    const [one, ...others] = judged(link(B, A), [], completeness, more).instances;
    assert.deepEqual(others, []);
    return one;
  };
  const pair = { pairRequired: true, missingAfter: "violated" } as const;
  it("says why it speaks at all", () => {
    const must = found({ mustApply: true }, "idle");
    assert.deepEqual(
      [must?.verdict, must?.reason, must?.completeness, must?.anchor],
      ["violated", "nothing exercised this rule", "idle", null],
    );
    const missing = found(pair, "input_end");
    assert.deepEqual(
      [missing?.verdict, missing?.reason, missing?.completeness],
      ["violated", "the later side never happened", "input_end"],
    );
    const pending = found({ mustApply: true }, null);
    assert.deepEqual(
      [pending?.verdict, pending?.final, pending?.reason, pending?.completeness],
      ["pending", false, "nothing exercised this rule", null],
    );
    assert.equal(found({}, "idle"), undefined);
    assert.equal(found({ pairRequired: true, missingAfter: "vacuous" }, "input_end"), undefined);
    assert.equal(found({ missingAfter: "violated" }, "input_end"), undefined);
  });
  it("a pair asks for a run that is known whole, must_apply only for one that lost nothing", () => {
    const of = (more: Partial<Rule>, closed: CloseReason, gap = false) => {
      const one = found(more, closed, gap);
      return `${one?.verdict} ${one?.code} ${one?.final}`;
    };
    assert.equal(of(pair, "root_ended"), "violated anchor_missing true");
    assert.equal(of(pair, "input_end"), "violated anchor_missing true");
    assert.equal(of(pair, "max_age"), "inconclusive scope_unknown true");
    assert.equal(of(pair, "root_ended", true), "inconclusive data_incomplete true");
    assert.equal(of({ mustApply: true }, "max_age"), "violated anchor_missing true");
    assert.equal(of({ mustApply: true }, "max_age", true), "inconclusive data_incomplete true");
    assert.equal(of({ mustApply: true }, "evicted"), "inconclusive evicted true");
    assert.equal(of({ ...pair, mustApply: true }, "max_age"), "violated anchor_missing true");
  });
  it("and what it takes for unknown holds there too", () => {
    assert.equal(
      brief(link(B, A), [], closedBy("evicted"), { mustApply: true, onUnknown: "violate" }),
      "violated final evicted",
    );
  });
});
