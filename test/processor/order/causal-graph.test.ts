import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { Value } from "../../../src/model/value.ts";
import { buildCausalGraph } from "../../../src/processor/order/causal-graph.ts";
import { event } from "../../support/scope.ts";

const call = (
  id: string,
  fields: Readonly<Record<string, Value>> = {},
  more: Partial<Event> = {},
): Event => ({
  ...event({ id, fields }),
  ...more,
});

/** `reached("a>", "b<")`: how the start of b is known to come after the finish of a; null where it is not. */
function reached(events: readonly Event[], from: string, to: string): string | null {
  const graph = buildCausalGraph(events);
  const node = (text: string): number => {
    const place = events.findIndex(({ id }) => id === text.slice(0, -1));
    assert.notEqual(place, -1);
    return place * 2 + (text.endsWith(">") ? 1 : 0);
  };
  return graph.reaches(node(from), node(to)) ? graph.evidence(node(from), node(to)) : null;
}

const shown = (events: readonly Event[]): readonly string[] =>
  buildCausalGraph(events).edges.map(
    ({ from, fromFinish, to, evidence }) => `${from.id}${fromFinish ? ">" : "<"} ${to.id} ${evidence}`,
  );

describe("the edges that an event states", () => {
  const span = { traceId: "r1", spanId: "s1" };
  const owner = call("a", {}, { spans: [span] });
  const cases: readonly { name: string; event: Event; want: readonly string[] }[] = [
    {
      name: "a causal parent: its result was used",
      event: call("b", { parents: ["a"] }),
      want: ["a> b causal_parent"],
    },
    { name: "a link in words", event: call("b", { links: ["a"] }), want: ["a< b link"] },
    { name: "a link of the span", event: call("b", {}, { links: [span] }), want: ["a< b link"] },
    { name: "a parent in words", event: call("b", { parent: "a" }), want: ["a< b parent_span"] },
    { name: "the span around it", event: call("b", {}, { parent: span }), want: ["a< b parent_span"] },
    {
      name: "one of a kind, however often it is named",
      event: call("b", { parents: ["a", "s1", "a"] }),
      want: ["a> b causal_parent"],
    },
    {
      name: "one of each kind",
      event: call("b", { parents: ["a"], links: ["a"], parent: "a" }),
      want: ["a> b causal_parent", "a< b link", "a< b parent_span"],
    },
    { name: "none to itself", event: call("b", { parents: ["b"], links: ["b"] }), want: [] },
    {
      name: "none to what is not here",
      event: call("b", { parents: ["x"] }, { parent: { traceId: "r1", spanId: "x" } }),
      want: [],
    },
    { name: "none from whoever runs it", event: call("b", {}, { invocation: "a" }), want: [] },
  ];
  for (const { name, event: one, want } of cases) {
    it(name, () => assert.deepEqual(shown([owner, one]), want));
  }
});

describe("logical times", () => {
  const edge = (parent: Value, child: Value, field = "parents") => {
    const graph = buildCausalGraph([
      call("a", { logical_time: parent }),
      call("b", { [field]: ["a"], logical_time: child }),
    ]);
    return [graph.edges.length, graph.refuted.length];
  };
  it("refute a causal parent that the child is not above", () => {
    assert.deepEqual(edge(7, 8), [1, 0]);
    assert.deepEqual(edge(7, 7), [0, 1]);
    assert.deepEqual(edge(8, 7), [0, 1]);
    assert.deepEqual(edge(7n, "7"), [0, 1]);
  });
  it("that are no whole numbers, or stand on one side, refute nothing", () => {
    for (const [parent, child] of [
      [7, null],
      [null, 7],
      [7, 6.5],
      [7.5, 7],
      [7, "6x"],
      ["x7", 6],
      [7, ""],
      [7, true],
    ] as const) {
      assert.deepEqual(edge(parent, child), [1, 0], `${parent} ${child}`);
    }
    assert.deepEqual(edge(7, "1234567890123456789"), [1, 0]);
    assert.deepEqual(edge(7, "-123456789012345678"), [0, 1]);
  });
  it("say nothing of links", () => assert.deepEqual(edge(8, 7, "links"), [1, 0]));
});

describe("decisions", () => {
  const decided = (id: string, seq: Value, more: Partial<Event> = {}): Event => call(id, { seq }, more);
  const groups = (...events: readonly Event[]) =>
    buildCausalGraph(events).decisions.map((own) => own.map((group) => group.map(({ id }) => id)));

  it("stand in their order, whatever the order they came in and the form of their numbers", () => {
    assert.deepEqual(
      groups(decided("a", 10), decided("b", "9"), decided("c", 9n), decided("d", 100), call("e")),
      [[["b", "c"], ["a"], ["d"]]],
    );
  });
  it("of one number are siblings", () => {
    assert.equal(reached([decided("a", 1), decided("b", 1)], "a<", "b<"), null);
  });
  it("of other runs, agents or invocations have nothing to do with each other", () => {
    assert.equal(groups(decided("a", 1), decided("b", 2, { run: "r2" })).length, 2);
    assert.equal(
      groups(decided("a", 1, { invocation: "x" }), decided("b", 2, { invocation: "y" })).length,
      2,
    );
    assert.equal(groups(decided("a", 1, { invocation: "x" }), decided("b", 2)).length, 2);
  });
  it("belong to the orchestrator that is said, else to the nearest invocation", () => {
    const [a, b] = [
      decided("a", 1, { invocation: "x", orchestrator: "o" }),
      decided("b", 2, { invocation: "y", orchestrator: "o" }),
    ];
    assert.deepEqual(groups(a, b), [[["a"], ["b"]]]);
  });
  it("order starts, over any gap and any number of calls between", () => {
    const events = [decided("a", 1), decided("b", 5), decided("c", 9), decided("d", 9)];
    assert.equal(reached(events, "a<", "c<"), "decision_sequence");
    assert.equal(reached(events, "a<", "d>"), "decision_sequence");
    assert.equal(reached(events, "c<", "a<"), null);
    assert.equal(reached(events, "a>", "c<"), null);
    assert.equal(reached(events, "c<", "d<"), null);
  });
});

describe("what follows from the edges", () => {
  it("without any: a start comes before its own finish, and that is all", () => {
    const events = [call("a"), call("b")];
    assert.notEqual(reached(events, "a<", "a>"), null);
    assert.notEqual(reached(events, "b<", "b>"), null);
    for (const [from, to] of [
      ["a>", "a<"],
      ["a>", "b<"],
      ["a<", "b<"],
      ["a<", "b>"],
      ["b<", "a>"],
    ] as const) {
      assert.equal(reached(events, from, to), null, `${from} ${to}`);
    }
  });

  it("over several events, by the kind of the last edge on the way", () => {
    const events = [
      call("a"),
      call("b", { parents: ["a"] }),
      call("c", { links: ["b"] }),
      call("d", { parent: "c" }),
    ];
    assert.equal(reached(events, "a<", "b<"), "causal_parent");
    assert.equal(reached(events, "a>", "d<"), "causal_parent");
    assert.equal(reached(events, "b<", "c<"), "link");
    assert.equal(reached(events, "b<", "d<"), "parent_span");
    assert.equal(reached(events, "b>", "c<"), null);
    assert.equal(reached(events, "d<", "b<"), null);
  });

  it("an edge of another way is no evidence", () => {
    const events = [
      call("a", { seq: 1 }),
      call("b", { seq: 2, parent: "x" }),
      call("x"),
      call("y", { parents: ["a"] }),
      call("z", { parents: ["x", "y"], links: ["a"] }),
    ];
    assert.equal(reached(events, "a<", "b<"), "decision_sequence");
    assert.equal(reached(events, "x<", "b<"), "parent_span");
    assert.equal(reached(events, "a>", "z<"), "causal_parent");
    assert.equal(reached(events, "y<", "z<"), "causal_parent");
    const linked = [call("a"), call("m", { parents: ["a"] }), call("q", { links: ["a", "m"] })];
    assert.equal(reached(linked, "a>", "q<"), "causal_parent");
    assert.equal(reached(linked, "a<", "q<"), "link");
  });

  it("as well with more ancestors than are kept one by one", () => {
    const chain = Array.from({ length: 100 }, (_, i) =>
      call(`e${i}`, i === 0 ? {} : { parents: [`e${i - 1}`] }),
    );
    const events = [...chain, call("other")];
    assert.equal(reached(events, "e0<", "e99>"), "causal_parent");
    assert.equal(reached(events, "e31>", "e99<"), "causal_parent");
    assert.equal(reached(events, "e98>", "e99<"), "causal_parent");
    assert.equal(reached(events, "e99<", "e0<"), null);
    assert.equal(reached(events, "other<", "e99<"), null);
    assert.equal(reached(events, "other>", "e99>"), null);
    for (let i = 0; i < 99; i += 1) assert.notEqual(reached(events, `e${i}>`, "e99<"), null);
  });
});

describe("references in a circle", () => {
  const cycles = (...events: readonly Event[]) => buildCausalGraph(events).cycles;
  it("are found, each with the events on it, sorted", () => {
    const events = [
      call("d", { parents: ["c"] }),
      call("c", { parents: ["d"] }),
      call("b", { parents: ["a"] }),
      call("a", { links: ["x"] }),
      call("x", { parent: "b" }),
      call("after", { parents: ["a"] }),
      call("before"),
    ];
    const want = [
      ["a", "b", "x"],
      ["c", "d"],
    ];
    assert.deepEqual(cycles(...events), want);
    assert.deepEqual(cycles(...events.toReversed()), want);
  });
  it("may run over decisions", () => {
    assert.deepEqual(cycles(call("a", { seq: 1, parents: ["b"] }), call("b", { seq: 2 })), [["a", "b"]]);
  });
  it("are none where every way ends", () => {
    assert.deepEqual(
      cycles(call("a"), call("b", { parents: ["a"] }), call("c", { parents: ["a", "b"] })),
      [],
    );
    assert.deepEqual(cycles(call("a"), call("b")), []);
  });
  it("of links of starts alone are circles too", () => {
    assert.deepEqual(cycles(call("a", { links: ["b"] }), call("b", { links: ["a"] })), [["a", "b"]]);
  });
});
