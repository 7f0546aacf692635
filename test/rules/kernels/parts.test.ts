/** What stands around kernels: several parts that must all hold, a condition, a part of the scope. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completeness } from "../../../src/model/completeness.ts";
import type { Event } from "../../../src/model/event.ts";
import type { InstanceVerdict } from "../../../src/model/verdict.ts";
import { instance, openKernel } from "../../../src/rules/kernels/context.ts";
import { foldParts } from "../../../src/rules/kernels/fold.ts";
import type { Link, Program } from "../../../src/rules/program.ts";
import { judgeOn } from "../../support/judged.ts";
import { count, guarded, link, machine, named, ruleOf, transition, within } from "../../support/programs.ts";
import { closedBy, type EventSpec, event, ms, watermark } from "../../support/scope.ts";

const [A, B, C] = [named("A"), named("B"), named("C")];
const at = (id: string, name: string, start: number, more: Partial<EventSpec> = {}): Event =>
  event({ id, name, start, end: start, ...more });

describe("several parts", () => {
  const kernel = openKernel({
    events: [at("e1", "A", 1), at("e2", "A", 2), at("e3", "A", 3)],
    order: {
      before: () => ({ truth: "unknown", evidence: "none", code: "order_unknown" }),
      distance: () => null,
      stamp: () => null,
    },
    completeness: closedBy("input_end"),
    missingAfter: "vacuous",
    nearMisses: false,
  });
  const folded = (
    first: readonly InstanceVerdict[],
    second: readonly InstanceVerdict[],
    parts: readonly Program[] = [link(A, B), link(A, C)],
  ) => foldParts({ kernel: "fold", parts }, [first, second], kernel);
  const one = (verdict: InstanceVerdict["verdict"], final: boolean, more: Partial<InstanceVerdict> = {}) =>
    instance({ anchor: "e1", verdict, final, ...more });

  const cases: readonly { name: string; a: InstanceVerdict; b: InstanceVerdict; want: readonly unknown[] }[] =
    [
      { name: "both hold", a: one("satisfied", true), b: one("satisfied", true), want: ["satisfied", true] },
      {
        name: "one may still fail",
        a: one("satisfied", true),
        b: one("satisfied", false),
        want: ["satisfied", false],
      },
      {
        name: "either way round",
        a: one("satisfied", false),
        b: one("satisfied", true),
        want: ["satisfied", false],
      },
      {
        name: "one broken part is enough, for good",
        a: one("satisfied", false),
        b: one("violated", true),
        want: ["violated", true],
      },
      {
        name: "also if it comes first",
        a: one("violated", true),
        b: one("pending", false),
        want: ["violated", true],
      },
      {
        name: "a part that may recover is not for good",
        a: one("violated", false),
        b: one("satisfied", true),
        want: ["violated", false],
      },
      {
        name: "of two broken ones either is enough",
        a: one("violated", false, { code: "overlap" }),
        b: one("violated", true, { code: "wrong_entity" }),
        want: ["violated", true],
      },
      {
        name: "either",
        a: one("violated", true, { code: "overlap" }),
        b: one("violated", false, { code: "wrong_entity" }),
        want: ["violated", true],
      },
      {
        name: "not to be told needs both to be final",
        a: one("inconclusive", true),
        b: one("satisfied", false),
        want: ["inconclusive", false],
      },
      {
        name: "and is, if both are",
        a: one("inconclusive", true),
        b: one("satisfied", true),
        want: ["inconclusive", true],
      },
      {
        name: "pending is worse than satisfied",
        a: one("satisfied", true),
        b: one("pending", false),
        want: ["pending", false],
      },
      {
        name: "not to be told is worse than pending",
        a: one("pending", false),
        b: one("inconclusive", true),
        want: ["inconclusive", false],
      },
    ];
  for (const { name, a, b, want } of cases) {
    it(`for one anchor: ${name}`, () => {
      const found = folded([a], [b]);
      assert.equal(found.length, 1);
      assert.deepEqual([found[0]?.verdict, found[0]?.final], want);
    });
  }

  it("that are broken alike: the nearer code speaks, whichever comes first", () => {
    const [near, far] = [
      one("violated", true, { code: "expired", witness: "w" }),
      one("violated", true, { code: "wrong_entity", witness: "x" }),
    ];
    for (const found of [folded([near], [far]), folded([far], [near])]) {
      assert.deepEqual([found[0]?.code, found[0]?.witness], ["expired", "w"]);
    }
    const tied = folded(
      [one("violated", true, { witness: "first" })],
      [one("violated", true, { witness: "second" })],
    );
    assert.equal(tied[0]?.witness, "first");
  });

  it("share their near misses, each event once, the worse part's first", () => {
    const miss = (id: string, code: "overlap" | "expired") => ({ event: id, code });
    const worse = one("violated", true, { nearMisses: [miss("x", "overlap"), miss("y", "overlap")] });
    const other = one("satisfied", true, { nearMisses: [miss("y", "expired"), miss("z", "expired")] });
    assert.deepEqual(folded([other], [worse])[0]?.nearMisses, [
      miss("x", "overlap"),
      miss("y", "overlap"),
      miss("z", "expired"),
    ]);
  });

  it("of different anchors, or of an anchor and a key of one name, stay apart", () => {
    const keyed = instance({ key: "e1", verdict: "satisfied", final: true });
    const other = instance({ anchor: "e2", key: "e1", verdict: "satisfied", final: true });
    assert.equal(folded([one("satisfied", true), keyed], [other]).length, 3);
    assert.equal(folded([keyed], [keyed]).length, 1);
    assert.equal(folded([keyed], [{ ...keyed, key: "e2" }]).length, 2);
  });

  const forbids = (a: typeof A, w: typeof A, more: Partial<Link> = {}) =>
    link(a, w, { need: "any", quant: "none", ...more });
  const broken = (anchor: string, key = "") => instance({ anchor, key, verdict: "violated", final: true });
  const kept = (anchor: string) => instance({ anchor, verdict: "satisfied", final: true });
  const names = (found: readonly InstanceVerdict[]) =>
    found.map(({ anchor, verdict }) => `${anchor} ${verdict}`);

  it("that forbid each other count on the later event alone", () => {
    const both = [forbids(A, B), forbids(B, A)];
    assert.deepEqual(names(folded([broken("e1"), broken("e3")], [broken("e2")], both)), [
      "e3 violated",
      "e2 violated",
    ]);
    assert.deepEqual(names(folded([broken("e1")], [broken("e2")], both)), ["e2 violated"]);
    assert.deepEqual(names(folded([broken("e2")], [broken("e1")], both)), ["e2 violated"]);
    assert.deepEqual(names(folded([broken("e1", "k1")], [broken("e2", "k2")], both)), [
      "e1 violated",
      "e2 violated",
    ]);
    assert.deepEqual(names(folded([kept("e1"), broken("e1", "k1")], [broken("e2", "k1")], both)), [
      "e1 satisfied",
      "e2 violated",
    ]);
  });

  it("that forbid each other count once where both events are of both patterns", () => {
    const pair = [broken("e1"), broken("e2")];
    assert.deepEqual(names(folded(pair, pair, [forbids(A, B), forbids(B, A)])), ["e2 violated"]);
  });

  it("that only look like it count each", () => {
    const each = ["e1 violated", "e2 violated"];
    const alike: readonly (readonly Program[])[] = [
      [forbids(A, B), forbids(B, C)],
      [forbids(A, B), forbids(C, A)],
      [forbids(A, B), link(B, A, { need: "any" })],
      [link(A, B, { need: "any" }), forbids(B, A)],
      [forbids(A, B), forbids(B, A, { need: "past" })],
      [forbids(A, B, { need: "future" }), forbids(B, A)],
      [forbids(A, B), forbids(B, A), forbids(A, C)],
      [forbids(A, B), count(A)],
      [count(A), count(B)],
    ];
    for (const parts of alike) assert.deepEqual(names(folded([broken("e1")], [broken("e2")], parts)), each);
  });
});

describe("a condition", () => {
  const ok = { op: "equals", value: "ok" } as const;
  const met = named("C", { tests: [{ path: ["result"], test: ok }] });
  const rule = (then: Program) => ruleOf(guarded(met, then));
  const gate = rule(link(B, A));
  const judged = (events: readonly Event[], completeness?: Completeness, of = gate) => {
    const { instances } = judgeOn(of, events, completeness);
    return instances.map(({ verdict, code, final }) => [verdict, code, final]);
  };

  it("is asked of the whole scope, and one event is enough", () => {
    assert.deepEqual(judged([at("b", "B", 1), at("c", "C", 9, { result: "ok" })]), [
      ["violated", "witness_missing", true],
    ]);
    assert.deepEqual(judged([at("b", "B", 1), at("c", "C", 5), at("d", "C", 9, { result: "ok" })]), [
      ["violated", "witness_missing", true],
    ]);
    assert.deepEqual(judged([at("b", "B", 1), at("c", "C", 9, { result: "no" })]), []);
    assert.deepEqual(judged([at("b", "B", 1)]), []);
  });

  it("that may be met breaks nothing, for the reason of the first that may meet it", () => {
    const events = [at("b", "B", 1), at("c", "C", 5), at("d", "C", 6, { hidden: { result: "not_kept" } })];
    assert.deepEqual(judged(events), [["inconclusive", "not_captured", true]]);
    assert.deepEqual(judged(events, watermark(ms(100))), [["inconclusive", "not_captured", false]]);
  });

  it("that may be met leaves what holds, though not for good before the close", () => {
    const events = [at("a", "A", 0), at("b", "B", 1), at("c", "C", 5)];
    assert.deepEqual(judged(events), [["satisfied", null, true]]);
    assert.deepEqual(judged(events, watermark(ms(100))), [["satisfied", null, false]]);
    assert.deepEqual(judged([...events, at("d", "C", 6, { result: "ok" })], watermark(ms(100))), [
      ["satisfied", null, true],
    ]);
  });

  it("that may be met makes what the rule itself leaves open no more certain", () => {
    const tied = [at("a", "A", 1), at("b", "B", 1), at("c", "C", 5)];
    assert.deepEqual(judged(tied), [["inconclusive", "order_unknown", true]]);
  });
});

describe("a part of the scope", () => {
  const judged = (
    edges: Parameters<typeof within>[0],
    then: Program,
    events: readonly Event[],
    completeness?: Completeness,
  ) => {
    const { instances } = judgeOn(ruleOf(within(edges, then)), events, completeness);
    return instances.map(({ anchor, verdict, code, final }) => [anchor ?? "", verdict, code, final]);
  };
  const gate = link(B, A);

  it("begins after a finish and ends before a start, for certain", () => {
    const events = [at("c1", "C", 2), at("b", "B", 5), at("c2", "C", 8)];
    const broken = [["b", "violated", "witness_missing", true]];
    assert.deepEqual(judged({ after: C }, gate, events), broken);
    assert.deepEqual(judged({ before: C }, gate, events), broken);
    assert.deepEqual(judged({ after: C, before: C }, gate, events), broken);
    assert.deepEqual(judged({ after: C }, gate, events.slice(1)), []);
    assert.deepEqual(judged({ before: C }, gate, events.slice(0, 2)), []);
    assert.deepEqual(judged({ after: C, before: C }, gate, events.slice(1)), []);
  });

  it("takes a witness from outside", () => {
    assert.deepEqual(judged({ after: C }, gate, [at("a", "A", 0), at("c", "C", 2), at("b", "B", 5)]), [
      ["b", "satisfied", null, true],
    ]);
  });

  it("is not opened by an event itself", () => {
    const long = at("b", "B", 5, { end: 9 });
    assert.deepEqual(judged({ after: B }, gate, [long]), []);
    assert.deepEqual(judged({ after: B }, gate, [long, at("b2", "B", 20)]), [
      ["b2", "violated", "witness_missing", true],
    ]);
    assert.deepEqual(judged({ before: B }, gate, [at("z", "B", 5)]), []);
  });

  it("is of the entity that opens it", () => {
    const bind = [{ anchor: ["args", "id"], witness: ["args", "id"] }];
    const id = (value: number) => ({ args: { id: value } });
    const events = [at("c", "C", 2, id(1)), at("b1", "B", 5, id(1)), at("b2", "B", 6, id(2))];
    assert.deepEqual(
      judged({ after: C, bind }, gate, events).map(([anchor]) => anchor),
      ["b1"],
    );
  });

  it("that may hold an event makes it inconclusive, for the reason of the first doubt", () => {
    const far = at("c", "C", 2, { host: "h2" });
    assert.deepEqual(judged({ after: C }, gate, [far, at("b", "B", 5)]), [
      ["b", "inconclusive", "order_unknown", true],
    ]);
    const tie = [at("c", "C", 5), at("b", "B", 5)];
    assert.deepEqual(judged({ after: C }, gate, tie), [["b", "inconclusive", "order_unknown", true]]);
    const maybe = named("C", { tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }] });
    const doubts = [at("c", "C", 2), far, at("b", "B", 5)];
    assert.deepEqual(judged({ after: maybe }, gate, doubts), [["b", "inconclusive", "not_captured", true]]);
    const sure = [...doubts, at("d", "C", 3, { result: "ok" })];
    assert.deepEqual(judged({ after: maybe }, gate, sure), [["b", "violated", "witness_missing", true]]);
    assert.deepEqual(
      judged({ after: C }, link(A, B), [at("c", "C", 2, { host: "h2" }), at("b", "B", 1), at("a", "A", 5)]),
      [["a", "inconclusive", "order_unknown", true]],
    );
  });

  it("that may hold an event leaves it pending while it is", () => {
    const soon = link(B, A, { need: "future" });
    const events = [at("c", "C", 2, { host: "h2" }), at("b", "B", 5)];
    assert.deepEqual(judged({ after: C }, soon, events, watermark(ms(100))), [["b", "pending", null, false]]);
    assert.deepEqual(judged({ after: C }, soon, events), [["b", "inconclusive", "order_unknown", true]]);
  });

  it("a machine in one that has an end waits for the close, since a later end takes in more steps", () => {
    const steps = machine([transition("0", A, "1")]);
    const events = [at("c1", "C", 0), at("a1", "A", 5), at("a2", "A", 6), at("c", "C", 9)];
    const twice = (edges: Parameters<typeof within>[0], completeness?: Completeness) =>
      judged(edges, steps, events, completeness).map(([, verdict, , final]) => [verdict, final]);
    assert.deepEqual(twice({ before: C }), [["violated", true]]);
    assert.deepEqual(twice({ before: C }, watermark(ms(100))), [["violated", false]]);
    assert.deepEqual(twice({ after: C }, watermark(ms(100))), [["violated", true]]);
    assert.deepEqual(judged({ before: C }, gate, [at("b", "B", 5), at("c", "C", 9)], watermark(ms(100))), [
      ["b", "violated", "witness_missing", true],
    ]);
  });

  it("counts what certainly lies in it, and what may", () => {
    const limit = count(B, { max: 1 });
    const events = (host: string) => [at("c", "C", 2), at("b1", "B", 5), at("b2", "B", 6, { host })];
    assert.deepEqual(judged({ after: C }, limit, events("h1")), [["", "violated", "count_exceeded", true]]);
    assert.deepEqual(judged({ after: C }, limit, events("h2")), [
      ["", "inconclusive", "order_unknown", true],
    ]);
    assert.deepEqual(judged({ after: C }, limit, [at("b0", "B", 1), at("c", "C", 2), at("b1", "B", 5)]), [
      ["", "satisfied", null, true],
    ]);
  });
});
