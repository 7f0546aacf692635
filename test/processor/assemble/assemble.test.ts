import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { preferred } from "../../../src/processor/assemble/copies.ts";
import { sameTool } from "../../../src/processor/assemble/tool-name.ts";
import type { ToolTraits } from "../../../src/rules/rule.ts";
import { everything } from "../../captures/judge-run.ts";
import fc from "../../support/properties.ts";
import { at, exception, makeSpan, type SpanSketch } from "../normalize/make-span.ts";
import { agent, assembleSpans, calls, chat, tool } from "./make-facts.ts";

describe("copies of a span", () => {
  const fact = (sketch: SpanSketch) => everything.normalize(makeSpan(tool("f", sketch)), at(60_000), null);
  it("the one that has ended counts, then the later end, whichever came first", () => {
    const open = fact({ end: null });
    const early = fact({ end: 10 });
    const late = fact({ end: 20 });
    for (const [a, b, keep] of [
      [open, early, early],
      [early, late, late],
      [open, late, late],
    ] as const) {
      assert.equal(preferred(a, b).keep, keep);
      assert.equal(preferred(b, a).keep, keep);
      assert.equal(preferred(a, b).difference, "conflicting");
    }
  });
  it("of two with one end the choice does not depend on the order", () => {
    const a = fact({ attributes: { note: "x" } });
    const b = fact({ attributes: { note: "y" } });
    assert.equal(preferred(a, b).keep, preferred(b, a).keep);
    assert.equal(preferred(a, fact({ attributes: { note: "x" } })).difference, "identical");
  });
});

describe("ancestry", () => {
  const inside: readonly SpanSketch[] = [
    agent("support", { id: "root", attributes: { "gen_ai.conversation.id": "conv", "agent.turn.id": "t1" } }),
    { id: "http", parent: "root", name: "POST /run", kind: 3 },
    tool("get_plan", { id: "tool", parent: "http" }),
  ];

  it("comes down through plain spans", () => {
    const [call] = calls(assembleSpans(inside));
    assert.deepEqual(
      [call?.conversation, call?.fields.get("agent"), call?.fields.get("turn"), call?.invocation],
      ["conv", "support", "t1", "root"],
    );
  });

  it("is unsettled until the carrier or a root is here", () => {
    const late = assembleSpans(inside.slice(1), { closed: null });
    assert.deepEqual([...(calls(late)[0]?.unsettled ?? [])].sort(), [
      "agent",
      "args",
      "base_version",
      "conversation",
      "decision",
      "run_id",
      "seq",
      "turn",
    ]);
    assert.deepEqual([...(calls(assembleSpans(inside, { closed: null }))[0]?.unsettled ?? [])], ["args"]);
    assert.deepEqual([...(calls(assembleSpans(inside.slice(1)))[0]?.unsettled ?? [])], []);
  });

  it("stops at an agent that does not name itself", () => {
    const spans = [
      agent("outer", { id: "a" }),
      { id: "b", parent: "a", attributes: { "gen_ai.operation.name": "invoke_agent" } },
      tool("f", { id: "c", parent: "b" }),
    ];
    assert.equal(calls(assembleSpans(spans))[0]?.fields.has("agent"), false);
  });

  it("an event keeps the conversation that it names", () => {
    const spans = [
      ...inside,
      tool("send", { id: "own", parent: "root", attributes: { "session.id": "sub" } }),
    ];
    const { events, runs } = assembleSpans(spans);
    assert.equal(events.find((event) => event.name === "send")?.conversation, "sub");
    assert.equal(runs.get("t1")?.conversation, "conv");
    assert.deepEqual(runs.get("t1")?.flaws, ["conversation_disagrees"]);
  });

  it("spans that are each other's ancestors do not hang", () => {
    const spans = [tool("f", { id: "a", parent: "b" }), tool("g", { id: "b", parent: "a" })];
    assert.equal(calls(assembleSpans(spans)).length, 2);
  });

  it("a chain as deep as a run is long does not overflow", () => {
    const spans = Array.from({ length: 5_000 }, (_, index) => ({
      id: `n${index}`,
      parent: index === 0 ? "" : `n${index - 1}`,
    }));
    const deep = assembleSpans([...spans, tool("f", { id: "leaf", parent: "n4999" })]);
    assert.equal(calls(deep)[0]?.invocation, "n0");
  });
});

describe("names of one tool", () => {
  const rows: readonly [string | null, string | null, boolean, boolean][] = [
    ["get_plan", "get_plan", false, true],
    ["Get_Plan", "get_plan", false, true],
    ["mcp__crm__get_plan", "get_plan", false, true],
    ["get_plan", "Crm-get_plan", false, true],
    ["Crm.get_plan", "get_plan", false, true],
    ["crm_get_plan", "get_plan", false, false],
    ["crm_get_plan", "get_plan", true, true],
    ["get-plan", "set-plan", true, false],
    ["mcp__a__f", "mcp__b__f", false, false],
    ["budget", "get", true, false],
    [null, "get_plan", false, false],
  ];
  for (const [a, b, throughServer, same] of rows) {
    it(`${a} and ${b}${throughServer ? ", through a server" : ""}`, () =>
      assert.equal(sameTool(a, b, throughServer), same));
  }
});

describe("one call, several spans", () => {
  const rows: readonly {
    readonly title: string;
    readonly spans: readonly SpanSketch[];
    readonly calls: number;
  }[] = [
    {
      title: "an outer and an inner instrumentation",
      spans: [
        tool("f", { id: "a", scope: "x", end: 20 }),
        tool("f", { id: "b", parent: "a", scope: "y", start: 1 }),
      ],
      calls: 1,
    },
    {
      title: "a plain span between them",
      spans: [
        tool("f", { id: "a", scope: "x", end: 20 }),
        { id: "h", parent: "a", start: 1 },
        tool("f", { id: "b", parent: "h", scope: "y", start: 2 }),
      ],
      calls: 1,
    },
    {
      title: "a server's prefix on one of them",
      spans: [
        tool("mcp__crm__f", { id: "a", end: 20 }),
        tool("f", { id: "b", parent: "a", scope: "y", start: 1 }),
      ],
      calls: 1,
    },
    {
      title: "another agent between: a genuine second call",
      spans: [
        tool("f", { id: "a", end: 20 }),
        agent("sub", { id: "s", parent: "a", start: 1 }),
        tool("f", { id: "b", parent: "s", start: 2 }),
      ],
      calls: 2,
    },
    {
      title: "one scope, other arguments: a recursive call",
      spans: [
        tool("f", { id: "a", end: 20, args: '{"n":2}' }),
        tool("f", { id: "b", parent: "a", start: 1, args: '{"n":1}' }),
      ],
      calls: 2,
    },
    {
      title: "a tool inside another tool",
      spans: [tool("task", { id: "a", end: 20 }), tool("f", { id: "b", parent: "a", start: 1 })],
      calls: 2,
    },
    {
      title: "siblings of two scopes with one id",
      spans: [
        tool("f", { id: "a", scope: "x", callId: "c" }),
        tool("f", { id: "b", scope: "y", start: 1, callId: "c" }),
      ],
      calls: 1,
    },
    {
      title: "siblings of two scopes with equal arguments and times",
      spans: [
        tool("f", { id: "a", scope: "x", args: '{"n":1}' }),
        tool("f", { id: "b", scope: "y", start: 1, args: '{"n":1}' }),
      ],
      calls: 1,
    },
    {
      title: "siblings of one scope with equal arguments: real parallel calls",
      spans: [tool("f", { id: "a", args: '{"n":1}' }), tool("f", { id: "b", args: '{"n":1}' })],
      calls: 2,
    },
    {
      title: "two parallel calls, each traced twice",
      spans: [
        tool("f", { id: "a", scope: "x", args: '{"n":1}' }),
        tool("f", { id: "b", scope: "x", args: '{"n":1}', start: 3, end: 14 }),
        tool("f", { id: "c", scope: "y", args: '{"n":1}', start: 1 }),
        tool("f", { id: "d", scope: "y", args: '{"n":1}', start: 4, end: 14 }),
      ],
      calls: 2,
    },
    {
      title: "two scopes that do not overlap",
      spans: [
        tool("f", { id: "a", scope: "x", callId: "c" }),
        tool("f", { id: "b", scope: "y", start: 50, end: 60, callId: "c" }),
      ],
      calls: 2,
    },
    {
      title: "one id in two traces: two executions",
      spans: [tool("f", { id: "a", callId: "c" }), tool("f", { id: "b", trace: "t2", callId: "c" })],
      calls: 2,
    },
  ];
  for (const { title, spans, calls: count } of rows) {
    it(title, () => assert.equal(calls(assembleSpans(spans)).length, count));
  }

  it("takes from the inner span what the outer lacks, and the worse outcome", () => {
    const [call] = calls(
      assembleSpans([
        tool("f", { id: "a", scope: "x", end: 20, status: 2 }),
        tool("f", {
          id: "b",
          parent: "a",
          scope: "y",
          start: 1,
          end: 9,
          status: 2,
          callId: "c",
          args: '{"n":1}',
          events: [exception("TimeoutError")],
        }),
      ]),
    );
    assert.deepEqual(
      [call?.id, call?.callId, JSON.stringify(call?.args), call?.status, call?.end],
      ["t1:a", "c", '{"n":1}', "timeout", { at: at(20) }],
    );
    assert.equal(call?.hidden.has("args"), false);
  });

  it("an outer call that recovered from a failed inner attempt went well", () => {
    const [call] = calls(
      assembleSpans([
        tool("f", { id: "a", scope: "x", end: 40 }),
        tool("f", { id: "b", parent: "a", scope: "y", start: 1, end: 9, status: 2 }),
        tool("f", { id: "c", parent: "a", scope: "y", start: 11, end: 39 }),
      ]),
    );
    assert.equal(call?.status, "success");
  });

  describe("an MCP server without trace context", () => {
    const client = tool("f", {
      id: "client",
      kind: 3,
      end: 30,
      attributes: { "mcp.method.name": "tools/call", "session.id": "conv" },
      resource: { "service.name": "agent" },
    });
    const server = (sketch: SpanSketch = {}): SpanSketch =>
      tool("f", {
        id: "server",
        trace: "t2",
        kind: 2,
        start: 5,
        end: 25,
        attributes: { "mcp.method.name": "tools/call" },
        resource: { "service.name": "tools" },
        ...sketch,
      });

    it("belongs to the one client span around it", () => {
      const { events, runs } = assembleSpans([client, server()]);
      assert.deepEqual(
        events.filter((event) => event.kind === "tool_call").map((event) => event.id),
        ["t1:client"],
      );
      assert.equal(runs.get("t2")?.beginningSeen, true);
    });
    it("stays alone where two could be it, and its beginning was not seen", () => {
      const other = { ...client, id: "client2" };
      const { events, runs } = assembleSpans([client, other, server()]);
      assert.equal(events.filter((event) => event.kind === "tool_call").length, 3);
      assert.equal(runs.get("t2")?.beginningSeen, false);
    });
    it("stays alone outside of the client's time", () => {
      assert.equal(calls(assembleSpans([client, server({ start: 100, end: 120 })])).length, 2);
    });
  });
});

describe("requests and executions", () => {
  const shown = (event: Event): string =>
    `${event.name} ${event.status} ${event.callId} ${event.decidedBy} ${event.decisionIndex}`;

  it("joins by call id, and numbers the calls of one turn", () => {
    const spans = [
      chat(
        [
          { id: "c1", name: "f" },
          { id: "c2", name: "g" },
        ],
        { id: "m" },
      ),
      tool("g", { id: "b", start: 11, callId: "c2" }),
      tool("f", { id: "a", start: 12, callId: "c1" }),
    ];
    assert.deepEqual(calls(assembleSpans(spans)).map(shown), ["g success c2 t1:m 1", "f success c1 t1:m 0"]);
  });

  it("joins by name and arguments where spans have no id", () => {
    const spans = [
      chat(
        [
          { id: "cA", name: "f", args: { acct: "A" } },
          { id: "cB", name: "f", args: { acct: "B" } },
        ],
        { id: "m" },
      ),
      tool("f", { id: "x", start: 11, end: 13, args: '{"acct":"B"}' }),
      tool("f", { id: "y", start: 11, end: 30, args: '{"acct":"A"}' }),
    ];
    assert.deepEqual(
      calls(assembleSpans(spans)).map((call) => `${call.id} ${call.callId}`),
      ["t1:y cA", "t1:x cB"],
    );
  });

  it("joins by order where nothing else is there, within the turn", () => {
    const spans = [
      chat([{ id: "c1", name: "f" }], { id: "m1" }),
      tool("f", { id: "x", start: 11, end: 13 }),
      chat([{ id: "c2", name: "f" }], { id: "m2", start: 20 }),
      tool("f", { id: "y", start: 31, end: 33 }),
    ];
    assert.deepEqual(
      calls(assembleSpans(spans)).map((call) => `${call.id} ${call.callId}`),
      ["t1:x c1", "t1:y c2"],
    );
  });

  it("an id that every turn uses again belongs to the latest turn before the call", () => {
    const spans = [
      chat([{ id: "1", name: "f" }], { id: "m1" }),
      tool("f", { id: "x", start: 11, end: 13, callId: "1" }),
      chat([{ id: "1", name: "f" }], { id: "m2", start: 20, end: 30 }),
      tool("f", { id: "y", start: 31, end: 33, callId: "1" }),
      chat([{ id: "1", name: "f" }], { id: "m3", start: 40, end: 50 }),
    ];
    assert.deepEqual(
      calls(assembleSpans(spans)).map((call) => `${call.id} ${call.status} ${call.decidedBy}`),
      ["t1:x success t1:m1", "t1:y success t1:m2", "t1:m3#1 requested t1:m3"],
    );
  });

  it("fills arguments that were no object, and a name that was not said", () => {
    const spans = [
      chat([{ id: "c1", name: "f", args: { email: "x" } }], { id: "m" }),
      {
        id: "a",
        start: 11,
        name: "f",
        status: 1,
        attributes: { "openinference.span.kind": "TOOL", "input.value": "x" },
      },
    ];
    const [call] = calls(assembleSpans(spans));
    assert.deepEqual([call?.callId, JSON.stringify(call?.args)], ["c1", '{"email":"x"}']);
  });

  it("takes result and status from what the next turn was told", () => {
    const bare = { id: "a", start: 11, name: "execute_tool f", scope: "gcp.vertex.agent" };
    const asked = chat([{ id: "c1", name: "f" }], { id: "m1" });
    const told = chat([], {
      id: "m2",
      start: 30,
      told: [{ id: "c1", name: "f", answer: "no", isError: true }],
    });
    const [failed] = calls(assembleSpans([asked, bare, told]));
    assert.deepEqual([failed?.status, failed?.result], ["error", "no"]);
    const [unknown] = calls(assembleSpans([asked, bare], { closed: null }));
    assert.equal(unknown?.status, "unknown");
    assert.ok(unknown?.unsettled.has("status") && unknown.unsettled.has("result"));
  });

  it("shows what was asked for and never ran", () => {
    const spans = [
      chat(
        [
          { id: "c1", name: "f" },
          { id: "c2", name: "g" },
        ],
        { id: "m" },
      ),
      tool("f", { id: "a", start: 11, callId: "c1" }),
    ];
    const requested = calls(assembleSpans(spans)).filter((call) => call.status === "requested");
    assert.deepEqual(
      requested.map((call) => [call.id, call.name, call.start, call.end, call.spans.length, call.decidedBy]),
      [["t1:m#c2", "g", "none", "none", 0, "t1:m"]],
    );
  });

  it("a request ends when the call runs in another trace of the conversation", () => {
    const conversation = { "gen_ai.conversation.id": "conv" };
    const asked = chat([{ id: "c1", name: "f", args: { n: 1 } }], { id: "m", attributes: conversation });
    const resumed = tool("f", {
      id: "a",
      trace: "t2",
      start: 500,
      args: '{"n":1}',
      attributes: conversation,
    });
    assert.deepEqual(calls(assembleSpans([asked, resumed])).map(shown), ["f success c1 t1:m 0"]);
    assert.deepEqual(
      calls(assembleSpans([asked])).map((call) => call.status),
      ["requested"],
    );
  });

  it("a run that goes on with a call of one conversation belongs to it, and says how that was found", () => {
    const asked = chat([{ id: "c1", name: "f" }], { id: "m", attributes: { "session.id": "conv" } });
    const resumed = tool("f", { id: "a", trace: "t2", start: 500, callId: "c1" });
    const assembly = assembleSpans([asked, resumed]);
    assert.equal(assembly.runs.get("t2")?.conversation, "conv");
    assert.ok(calls(assembly)[0]?.flaws.includes("inferred_session"));
  });

  it("where no tool is traced, an answered call ran between the two turns", () => {
    const session = { "session.id": "conv" };
    const spans = [
      chat([{ id: "c1", name: "f" }], { id: "m1", trace: "a", start: 0, end: 10, attributes: session }),
      chat([], {
        id: "m2",
        trace: "b",
        start: 40,
        told: [{ id: "c1", name: "f", answer: { ok: true } }],
        attributes: session,
      }),
    ];
    const [call] = calls(assembleSpans(spans));
    const between = { earliest: at(10), latest: at(40) };
    assert.deepEqual(
      [call?.status, call?.start, call?.end, JSON.stringify(call?.result)],
      ["success", between, between, '{"ok":true}'],
    );
  });

  it("two instrumentations that spell out one request ask once", () => {
    const spans = [
      chat([{ id: "c1", name: "f" }], { id: "m1", scope: "x" }),
      chat([{ id: "c1", name: "f" }], { id: "m2", scope: "y" }),
    ];
    assert.equal(calls(assembleSpans(spans)).length, 1);
  });
});

describe("the final answer", () => {
  const answers = (
    spans: readonly SpanSketch[],
    closed: "input_end" | null = "input_end",
  ): readonly string[] =>
    assembleSpans(spans, { closed })
      .events.filter((event) => event.kind === "final_answer")
      .map((event) => event.id);
  const root = agent("support", { id: "root", end: 100 });

  it("is what the last model turn said", () => {
    assert.deepEqual(answers([root, chat([], { id: "m", parent: "root", start: 50 })]), ["t1:m#final"]);
  });
  it("is not told before the run has ended", () => {
    const open = { ...root, end: null };
    assert.deepEqual(answers([open, chat([], { id: "m", parent: "root" })], null), []);
    assert.deepEqual(answers([root, chat([], { id: "m", parent: "root" })], null), ["t1:m#final"]);
  });
  it("is none where the run stopped to wait", () => {
    assert.deepEqual(answers([root, chat([{ id: "c", name: "f" }], { id: "m", parent: "root" })]), []);
  });
  it("is never a sub-agent's", () => {
    const spans = [
      root,
      chat([], { id: "m", parent: "root", start: 10, end: 20 }),
      tool("ask", { id: "t", parent: "root", start: 30, end: 60 }),
      chat([], { id: "sub", parent: "t", start: 40, end: 50 }),
    ];
    assert.deepEqual(answers(spans), ["t1:m#final"]);
  });
});

describe("traits", () => {
  const traits: ToolTraits = {
    access: null,
    effect: "unknown",
    resource: null,
    reads: null,
    idempotent: null,
    compensable: null,
    cancel: null,
    slot: null,
    outcome: new Map([
      ["refused", [{ path: ["result", "status"], test: { op: "equals", value: "denied" } }]],
      ["existing", [{ path: ["result", "status"], test: { op: "equals", value: "existing" } }]],
    ]),
    note: null,
  };
  const statusOf = (result: string): readonly unknown[] => {
    const span = tool("check", { id: "a", attributes: { "gen_ai.tool.call.result": result } });
    const [call] = calls(assembleSpans([span], { tools: new Map([["check", traits]]) }));
    return [call?.status, call?.fields.get("disposition")];
  };
  it("a tool's own words refine a success", () => {
    assert.deepEqual(statusOf('{"status":"denied"}'), ["refused", undefined]);
    assert.deepEqual(statusOf('{"status":"approved"}'), ["success", undefined]);
    assert.deepEqual(statusOf('{"status":"existing"}'), ["success", "existing"]);
  });
});

it("no order of facts changes the events", () => {
  const pool: readonly SpanSketch[] = [
    agent("a", { id: "root", end: 90, attributes: { "session.id": "conv" } }),
    chat(
      [
        { id: "c1", name: "f" },
        { name: "g", args: { n: 1 } },
      ],
      { id: "m1", parent: "root" },
    ),
    tool("f", { id: "x", parent: "root", start: 10, callId: "c1", scope: "one" }),
    tool("f", { id: "y", parent: "x", start: 10, scope: "two", args: '{"q":1}' }),
    tool("g", { id: "z", parent: "root", start: 10, args: '{"n":1}' }),
    tool("g", { id: "w", parent: "missing", start: 10, args: '{"n":1}', end: null }),
    chat([], { id: "m2", parent: "root", start: 40, told: [{ id: "c1", name: "f", answer: "ok" }] }),
    tool("h", { id: "v", trace: "t2", start: 70, callId: "c1", attributes: { "session.id": "conv" } }),
    { id: "n", parent: "root", events: [{ name: "e", attributes: { "agent.event.kind": "pause" } }] },
  ];
  const indices = fc.uniqueArray(fc.nat(pool.length - 1), { minLength: 2, maxLength: pool.length });
  fc.assert(
    fc.property(indices, fc.constantFrom("input_end" as const, null), (chosen, closed) => {
      const pick = (order: readonly number[]): SpanSketch[] => order.flatMap((index) => pool[index] ?? []);
      const inOrder = assembleSpans(pick(chosen.toSorted((a, b) => a - b)), { closed });
      assert.deepEqual(assembleSpans(pick(chosen), { closed }).events, inOrder.events);
    }),
  );
});
