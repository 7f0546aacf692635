/** Which decision an event belongs to: what the agent states, then links, then the model turns. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { Value } from "../../../src/model/value.ts";
import fc from "../../support/properties.ts";
import type { SpanSketch } from "../normalize/make-span.ts";
import { agent, assembleSpans, calls, chat, tool } from "./make-facts.ts";

const root = agent("support", { id: "root", start: 0, end: 10_000 });
/** A model turn whose messages were not captured. */
const turn = (
  id: string,
  start: number,
  end: number,
  attributes: Record<string, Value> = {},
): SpanSketch => ({
  id,
  parent: "root",
  start,
  end,
  attributes: { "gen_ai.operation.name": "chat", ...attributes },
});
const look = (id: string, start: number, more: SpanSketch = {}): SpanSketch =>
  tool("look", { id, parent: "root", start, end: start + 5, ...more });

const byId = (spans: readonly SpanSketch[]): ReadonlyMap<string, Event> =>
  new Map(assembleSpans(spans).events.map((event) => [event.id, event]));
const decidedBy = (spans: readonly SpanSketch[]): string | null => {
  const call = byId(spans).get("t1:c");
  assert.ok(call);
  return call.decidedBy?.replace("t1:", "") ?? null;
};
const fieldsOf = (spans: readonly SpanSketch[], id = "c") =>
  Object.fromEntries(
    ["run_id", "turn", "seq", "decision", "base_version", "state_version"].flatMap((name) => {
      const value = byId(spans).get(`t1:${id}`)?.fields.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

describe("a call that no request names", () => {
  const rows: readonly { title: string; spans: readonly SpanSketch[]; by: string | null }[] = [
    {
      title: "was decided by the last turn that had ended",
      spans: [turn("m1", 0, 10), turn("m2", 20, 30), look("c", 40)],
      by: "m2",
    },
    { title: "not by a later one", spans: [turn("m1", 0, 10), look("c", 15), turn("m2", 20, 30)], by: "m1" },
    {
      title: "by the turn that ended in its own millisecond",
      spans: [turn("m1", 0, 10.9), look("c", 10)],
      by: "m1",
    },
    {
      title: "not by one that ended more than a millisecond into it",
      spans: [turn("m1", 0, 11.1), look("c", 10)],
      by: null,
    },
    {
      title: "by nobody while another turn was under way: a stream may have asked",
      spans: [turn("m1", 0, 10), turn("m2", 20, 60), look("c", 40)],
      by: null,
    },
    {
      title: "by nobody while an older turn still was",
      spans: [turn("m1", 0, 60), turn("m2", 20, 30), look("c", 40)],
      by: null,
    },
    { title: "by nobody before the first turn", spans: [turn("m1", 20, 30), look("c", 10)], by: null },
    {
      title: "by nobody where the last turn answered",
      spans: [turn("m1", 0, 10), chat([], { id: "m2", parent: "root", start: 20, end: 30 }), look("c", 40)],
      by: null,
    },
    {
      title: "by nobody where the turn's clock is another",
      spans: [{ ...turn("m1", 0, 10), resource: { "host.id": "other" } }, look("c", 40)],
      by: null,
    },
    {
      title: "by nobody of another invocation",
      spans: [
        agent("other", { id: "a2", parent: "root", start: 0, end: 90 }),
        { ...turn("m1", 0, 10), parent: "a2" },
        look("c", 40),
      ],
      by: null,
    },
    {
      title: "by nobody inside another tool call",
      spans: [
        turn("m1", 0, 10),
        look("outer", 15, { end: 90 }),
        tool("inner", { id: "c", parent: "outer", start: 40, end: 45 }),
      ],
      by: null,
    },
    {
      title: "by nobody in a trace without agent or root",
      spans: [{ ...turn("m1", 0, 10), parent: "" }, look("c", 40, { parent: "" })],
      by: null,
    },
    {
      title: "by the turn of its own number, not by the last",
      spans: [
        turn("m1", 0, 10, { "agent.decision.seq": 1 }),
        turn("m2", 20, 30, { "agent.decision.seq": 2 }),
        look("c", 40, { attributes: { "agent.decision.seq": 1 } }),
      ],
      by: "m1",
    },
    {
      title: "by nobody where no turn has its number",
      spans: [
        turn("m1", 0, 10, { "agent.decision.seq": 1 }),
        look("c", 40, { attributes: { "agent.decision.seq": 7 } }),
      ],
      by: null,
    },
    {
      title: "by nobody where it has a number and turns state none",
      spans: [turn("m1", 0, 10), look("c", 40, { attributes: { "agent.decision.seq": 7 } })],
      by: null,
    },
    {
      title: "by the one turn that it links to",
      spans: [turn("m1", 0, 10), turn("m2", 20, 30), look("c", 40, { links: ["m1"] })],
      by: "m1",
    },
    {
      title: "by time where it links to two turns",
      spans: [turn("m1", 0, 10), turn("m2", 20, 30), look("c", 40, { links: ["m1", "m2"] })],
      by: "m2",
    },
    {
      title: "by time where it links to something else",
      spans: [turn("m1", 0, 10), look("d", 12), look("c", 40, { links: ["d"] })],
      by: "m1",
    },
  ];
  for (const { title, spans, by } of rows) it(title, () => assert.equal(decidedBy([root, ...spans]), by));

  it("that a request names belongs to that turn, whatever came between and whatever it links to", () => {
    const asked = chat([{ id: "x", name: "look" }], { id: "m1", parent: "root", start: 0, end: 10 });
    const call = (more: SpanSketch = {}) =>
      tool("look", { id: "c", parent: "root", callId: "x", start: 40, end: 45, ...more });
    assert.equal(decidedBy([root, asked, turn("m2", 20, 30), call()]), "m1");
    assert.equal(decidedBy([root, asked, turn("m2", 20, 30), call({ links: ["m2"] })]), "m1");
  });

  it("takes the request of the turn that it links to, also where another asked alike", () => {
    const ask = (id: string, start: number) =>
      chat([{ name: "look" }], { id, parent: "root", start, end: start + 5 });
    const spans = [root, ask("m1", 0), ask("m2", 10), look("c", 40, { links: ["m1"] }), look("d", 41)];
    assert.deepEqual(
      calls(assembleSpans(spans)).map((call) => [call.id, call.status, call.decidedBy]),
      [
        ["t1:c", "success", "t1:m1"],
        ["t1:d", "success", "t1:m2"],
      ],
    );
  });

  it("equals what a search through all turns finds", () => {
    const stretch = fc
      .tuple(fc.nat(20), fc.nat(8))
      .map(([start, length]) => ({ start, end: start + length }));
    let decided = 0;
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 6 }), fc.nat(30), (stretches, start) => {
        const turns = stretches.map((one, index) => turn(`m${index}`, one.start * 3, one.end * 3));
        const at = start * 3;
        // Starts lie three milliseconds apart, so the slack of one decides nothing.
        const begun = turns.filter((one) => (one.start ?? 0) <= at);
        const running = begun.some((one) => (one.end ?? 0) > at + 1);
        const latest = Math.max(...begun.map((one) => one.start ?? 0));
        const found = decidedBy([root, ...turns, look("c", at)]);
        if (begun.length === 0 || running) assert.equal(found, null);
        else {
          decided += 1;
          assert.equal(turns.find(({ id }) => id === found)?.start, latest);
        }
      }),
    );
    assert.ok(decided > 10);
  });
});

describe("fields of a decision", () => {
  const stated = {
    "agent.run.id": "r",
    "agent.turn.id": "t",
    "agent.decision.seq": 3,
    "agent.decision.id": "d",
    "agent.base.version": 11,
    "agent.state.version": 12,
  };
  const all = { run_id: "r", turn: "t", seq: 3, decision: "d", base_version: 11 };

  it("come down from the span around it, through plain spans; the state's own version does not", () => {
    const step: SpanSketch = { id: "step", parent: "root", name: "decide", attributes: stated };
    const http: SpanSketch = { id: "http", parent: "step", name: "POST", kind: 3 };
    assert.deepEqual(fieldsOf([root, step, http, look("c", 10, { parent: "http" })]), all);
  });

  it("are the span's own where it says them", () => {
    const step: SpanSketch = { id: "step", parent: "root", attributes: stated };
    const own = { "agent.decision.seq": 4, "agent.turn.id": "t2" };
    assert.deepEqual(fieldsOf([root, step, look("c", 10, { parent: "step", attributes: own })]), {
      ...all,
      seq: 4,
      turn: "t2",
    });
  });

  it("stop at agent runs and at calls, which decide anew; run and turn do not", () => {
    const below = { run_id: "r", turn: "t" };
    const inner = agent("inner", { id: "inner", attributes: stated });
    assert.deepEqual(fieldsOf([inner, look("c", 10, { parent: "inner" })]), below);
    const outer = look("outer", 5, { end: 90, attributes: stated });
    assert.deepEqual(fieldsOf([root, outer, tool("g", { id: "c", parent: "outer", start: 10 })]), below);
  });

  it("are what an inner span of the same call says, before what the outer inherits", () => {
    const step: SpanSketch = { id: "step", parent: "root", attributes: stated };
    const outer = look("outer", 10, { parent: "step", end: 30 });
    const inner = tool("look", {
      id: "i",
      parent: "outer",
      start: 11,
      end: 29,
      attributes: { "agent.decision.seq": 9 },
    });
    assert.equal(fieldsOf([root, step, outer, inner], "outer").seq, 9);
  });

  it("are those of the turn that asked for the call", () => {
    const asked = chat([{ id: "x", name: "look" }], {
      id: "m1",
      parent: "root",
      start: 0,
      end: 5,
      attributes: stated,
    });
    const call = tool("look", { id: "c", parent: "root", callId: "x", start: 10 });
    assert.deepEqual(fieldsOf([root, asked, call]), { seq: 3, decision: "d", base_version: 11 });
  });

  it("are no numbers of a turn that only stood before the call", () => {
    assert.deepEqual(fieldsOf([root, turn("m1", 0, 5, stated), look("c", 10)]), { decision: "d" });
    assert.deepEqual(fieldsOf([root, turn("m1", 0, 5), look("c", 10)]), { decision: "t1:m1" });
  });

  it("may still come while a span between is missing", () => {
    const open = (spans: readonly SpanSketch[]) =>
      assembleSpans(spans, { closed: null }).events.find(({ id }) => id === "t1:c")?.unsettled ?? new Set();
    const call = look("c", 10, { parent: "step" });
    assert.ok(open([root, call]).has("seq"));
    assert.ok(!open([root, { id: "step", parent: "root" }, call]).has("seq"));
    assert.ok(!open([root, look("c", 10, { parent: "step", attributes: stated })]).has("seq"));
    // What an agent run above decides is not this call's, so nothing above it is waited for.
    const inner = agent("inner", { id: "inner", parent: "gone" });
    assert.deepEqual(
      ["seq", "turn"].map((name) => open([inner, look("c", 10, { parent: "inner" })]).has(name)),
      [false, true],
    );
  });
});

describe("signals", () => {
  const asked = chat([{ id: "x", name: "look" }], { id: "m1", parent: "root", start: 0, end: 5 });
  const call = (attributes: Record<string, Value> = {}) =>
    tool("look", { id: "c", parent: "root", callId: "x", start: 10, end: 90, attributes });
  const cancel = (more: SpanSketch): SpanSketch => ({
    id: "s",
    parent: "root",
    start: 50,
    ...more,
    attributes: { "agent.event.kind": "cancel_requested", ...more.attributes },
  });
  const signal = (spans: readonly SpanSketch[]): Event | undefined =>
    assembleSpans([root, asked, ...spans]).events.find(({ kind }) => kind === "cancel_requested");
  const about = (spans: readonly SpanSketch[]) => {
    const found = signal(spans);
    return [found?.callId ?? null, found?.fields.get("decision") ?? null];
  };

  it("on a call's span are about the call and its decision", () => {
    const found = signal([call({ "agent.cancel.requested": true })]);
    assert.deepEqual([found?.callId, found?.fields.get("decision")], ["x", "t1:m1"]);
    assert.deepEqual([found?.start, found?.end], [found?.end, found?.start]);
    const moment = found?.start;
    assert.ok(
      typeof moment === "object" && "latest" in moment && moment.latest - moment.earliest === 80_000_000n,
    );
  });

  const rows: readonly { title: string; spans: readonly SpanSketch[]; want: readonly (string | null)[] }[] = [
    {
      title: "that link to a call are about it",
      spans: [call(), cancel({ links: ["c"] })],
      want: ["x", "t1:m1"],
    },
    {
      title: "that link to a model turn are about its decision",
      spans: [call(), cancel({ links: ["m1"] })],
      want: [null, "t1:m1"],
    },
    {
      title: "that link to two are about neither",
      spans: [call(), cancel({ links: ["c", "m1"] })],
      want: [null, null],
    },
    {
      title: "that say what they are about are about that",
      spans: [call(), cancel({ links: ["c"], attributes: { "agent.decision.id": "d9" } })],
      want: [null, "d9"],
    },
    { title: "that say nothing are about nothing", spans: [call(), cancel({})], want: [null, null] },
  ];
  for (const { title, spans, want } of rows) it(title, () => assert.deepEqual(about(spans), want));
});
