import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { byStart, indexScope, startOf } from "../../../src/rules/kernels/scope-index.ts";
import type { Pattern, ValueTest } from "../../../src/rules/pattern.ts";
import { everyEvent, named } from "../../support/programs.ts";
import { event, ms } from "../../support/scope.ts";

const asked = (id: string): Event => event({ id, name: "A", start: "none", end: "none" });

describe("the order of a scope's events", () => {
  const events = [
    asked("y"),
    event({ id: "late", name: "A", start: 9 }),
    asked("x"),
    event({ id: "b", name: "B", start: 1 }),
    event({ id: "a", name: "B", start: 1 }),
    event({ id: "early", kind: "resume", start: { earliest: ms(0), latest: ms(100) } }),
  ];
  const sorted = ["early", "a", "b", "late", "x", "y"];
  it("is by start, then id; what has no start comes last", () => {
    assert.deepEqual(
      indexScope(events).events.map(({ id }) => id),
      sorted,
    );
    assert.deepEqual(
      indexScope(events.toReversed()).events.map(({ id }) => id),
      sorted,
    );
    assert.equal(events[0]?.id, "y", "the list itself stays as it is");
  });
  it("is the same for one event and itself", () => {
    const [one] = events;
    assert.ok(one !== undefined);
    assert.equal(byStart(one, one), 0);
    assert.equal(startOf(one), null);
  });
  it("is the same asked either way round", () => {
    for (const x of events) {
      for (const y of events) {
        const [there, back] = [sorted.indexOf(x.id) - sorted.indexOf(y.id), byStart(x, y)];
        assert.equal(Math.sign(back), Math.sign(there), `${x.id} ${y.id}`);
      }
    }
  });
  it("is made once a list", () => assert.equal(indexScope(events), indexScope(events)));
});

describe("candidates of a pattern", () => {
  const events = [
    event({ id: "1", name: "A", start: 1 }),
    event({ id: "2", name: "B", start: 2 }),
    event({ id: "3", name: "A", start: 3, kind: "retrieval" }),
    event({ id: "4", name: null, start: 4, kind: "resume" }),
    event({ id: "5", name: "C", start: 5 }),
  ];
  const index = indexScope(events);
  const ids = (pattern: Pattern): string =>
    index
      .candidates(pattern)
      .map(({ id }) => id)
      .join("");
  const oneOf = (...tests: ValueTest[]): ValueTest => ({ op: "one_of", tests });
  const is = (value: string | number): ValueTest => ({ op: "equals", value });
  const cases: readonly { name: string; pattern: Pattern; want: string }[] = [
    { name: "of one name", pattern: named("A"), want: "13" },
    { name: "of a name that nothing has", pattern: named("X"), want: "" },
    {
      name: "of several names, in order",
      pattern: named("", { name: oneOf(is("C"), is("A")) }),
      want: "135",
    },
    {
      name: "of one name that is listed twice",
      pattern: named("", { name: oneOf(is("A"), is("A")) }),
      want: "13",
    },
    { name: "of lists in lists", pattern: named("", { name: oneOf(oneOf(is("B")), is("C")) }), want: "25" },
    {
      name: "of names that are no names: by kind",
      pattern: named("", { name: oneOf(is("A"), is(7)) }),
      want: "1235",
    },
    { name: "of a glob: by kind", pattern: named("", { name: { op: "glob", glob: "*" } }), want: "1235" },
    { name: "of a kind", pattern: { ...everyEvent, kinds: new Set(["resume"]) }, want: "4" },
    {
      name: "of kinds, in order",
      pattern: { ...everyEvent, kinds: new Set(["retrieval", "tool_call"]) },
      want: "1235",
    },
    { name: "of anything", pattern: everyEvent, want: "12345" },
    {
      name: "of a glob of any kind",
      pattern: { ...everyEvent, name: { op: "glob", glob: "A*" } },
      want: "12345",
    },
  ];
  for (const { name, pattern, want } of cases) it(name, () => assert.equal(ids(pattern), want));

  it("are found once", () => {
    const pattern = named("", { name: oneOf(is("C"), is("A")) });
    assert.equal(index.candidates(pattern), index.candidates(pattern));
  });
});
