import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Attributes, context, SpanKind, TraceFlags, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { AgentSpanProcessor, decision, run, snapshot } from "../../src/agent/agent.ts";
import { isToolCall, roleOf } from "../../src/agent/roles.ts";
import { createTraceCounters } from "../../src/agent/trace-counters.ts";
import fc from "../support/properties.ts";
import { type Traced, toolAttributes, traced } from "./traced.ts";

const seqOf = (agent: Traced, name: string): unknown => agent.attribute(name, "agent.decision.seq");

describe("numbers of decisions that the program does not number itself", () => {
  it("follow the model turns that ended", async () => {
    const agent = traced();
    const root = agent.start("root");
    const inside = agent.inside(root);
    await agent.tool("before any", undefined, inside);
    agent.model(inside);
    await Promise.all(["first a", "first b"].map((name) => agent.tool(name, undefined, inside)));
    agent.model(inside);
    await agent.tool("second", undefined, inside);
    root.end();
    assert.deepEqual(
      ["before any", "first a", "first b", "second", "root"].map((name) => seqOf(agent, name)),
      [undefined, 1, 1, 2, undefined],
    );
    assert.equal(seqOf(agent, "chat"), 2);
  });

  it("are told by what a tool began under, also where only its end says that it is a tool", () => {
    const agent = traced();
    const root = agent.start("root");
    const inside = agent.inside(root);
    agent.model(inside);
    const late = agent.start("late to say", {}, inside);
    agent.model(inside);
    late.setAttributes(toolAttributes("late to say"));
    late.end();
    assert.equal(seqOf(agent, "late to say"), 1);
  });

  it("are a child agent's own", async () => {
    const agent = traced();
    const outer = agent.start("outer", { attributes: { "gen_ai.operation.name": "invoke_agent" } });
    agent.model(agent.inside(outer));
    const call = agent.start("delegate", { attributes: toolAttributes("delegate") }, agent.inside(outer));
    const inner = agent.start(
      "inner",
      { attributes: { "gen_ai.operation.name": "invoke_agent" } },
      agent.inside(call),
    );
    agent.model(agent.inside(inner));
    await agent.tool("inner tool", undefined, agent.inside(inner));
    await agent.tool("nobody's tool", undefined, agent.inside(call));
    inner.end();
    call.end();
    assert.equal(seqOf(agent, "delegate"), 1);
    assert.equal(seqOf(agent, "inner tool"), 2);
    assert.equal(seqOf(agent, "nobody's tool"), undefined);
  });

  it("stop where two model turns of one agent overlap, or a model still speaks", async () => {
    const agent = traced();
    const root = agent.start("root");
    const inside = agent.inside(root);
    const chat = { attributes: { "gen_ai.operation.name": "chat" } };
    const first = agent.start("one", chat, inside);
    await agent.tool("while it speaks", undefined, inside);
    first.end();
    await agent.tool("decided", undefined, inside);
    const second = agent.start("two", chat, inside);
    const third = agent.start("three", chat, inside);
    second.end();
    third.end();
    await agent.tool("unclear", undefined, inside);
    assert.equal(seqOf(agent, "while it speaks"), undefined);
    assert.equal(seqOf(agent, "decided"), 1);
    assert.equal(seqOf(agent, "unclear"), undefined);
  });

  it("stop where the stamps show it of spans that are written down when all is over", async () => {
    const base = Date.UTC(2026, 0, 1);
    const muddled = async (second: number): Promise<unknown> => {
      const agent = traced();
      const root = agent.start("root");
      for (const [from, to] of [
        [1_000, 1_100],
        [second, second + 50],
      ] as const) {
        const attributes = { "gen_ai.operation.name": "chat" };
        agent.start("chat", { attributes, startTime: base + from }, agent.inside(root)).end(base + to);
      }
      await agent.tool("tool", undefined, agent.inside(root));
      return seqOf(agent, "tool");
    };
    assert.deepEqual(await Promise.all([1_050, 1_099, 1_100].map(muddled)), [undefined, 2, 2]);
  });

  it("stop where turns overlapped that say only at their end that they are some", async () => {
    const agent = traced();
    const root = agent.start("root");
    const turns = [agent.start("one", {}, agent.inside(root)), agent.start("two", {}, agent.inside(root))];
    for (const turn of turns) {
      turn.setAttribute("gen_ai.operation.name", "chat");
      turn.end();
    }
    await agent.tool("tool", undefined, agent.inside(root));
    assert.equal(seqOf(agent, "tool"), undefined);
  });

  it("tell turns apart however soon one follows the other", async () => {
    const agent = traced();
    const root = agent.start("root");
    for (let turn = 1; turn <= 50; turn += 1) {
      agent.model(agent.inside(root));
      await agent.tool(`tool ${turn}`, undefined, agent.inside(root));
      assert.equal(seqOf(agent, `tool ${turn}`), turn);
    }
  });

  it("do not count one model turn twice that two instrumentations trace", async () => {
    const agent = traced();
    const root = agent.start("root");
    const outer = agent.start(
      "outer chat",
      { attributes: { "gen_ai.operation.name": "chat" } },
      agent.inside(root),
    );
    agent.model(agent.inside(outer));
    outer.end();
    await agent.tool("tool", undefined, agent.inside(root));
    assert.equal(seqOf(agent, "tool"), 1);
  });

  it("leave the numbers to the program that gives them, and to a caller elsewhere", async () => {
    const agent = traced();
    await run({ id: "r" }, async () => {
      await decision({}, () => undefined);
      const root = agent.start("root");
      agent.model(agent.inside(root));
      await agent.tool("own numbers", undefined, agent.inside(root));
    });
    assert.equal(seqOf(agent, "own numbers"), undefined);
    const remote = trace.setSpanContext(context.active(), {
      traceId: "a".repeat(32),
      spanId: "b".repeat(16),
      traceFlags: TraceFlags.SAMPLED,
      isRemote: true,
    });
    const served = agent.start("served", {}, remote);
    agent.model(agent.inside(served));
    await agent.tool("for a caller", undefined, agent.inside(served));
    assert.equal(seqOf(agent, "for a caller"), undefined);
  });

  it("count on in a run, so that a snapshot holds them", async () => {
    const agent = traced();
    await run({ id: "r" }, async () => {
      for (const name of ["one", "two"]) {
        const root = agent.start(name);
        agent.model(agent.inside(root));
        await agent.tool(`${name} tool`, undefined, agent.inside(root));
        root.end();
      }
      assert.equal(snapshot()?.decisions, 2);
    });
    assert.equal(seqOf(agent, "two tool"), 2);
  });

  it("can be switched off", async () => {
    const agent = traced({ numberDecisions: false });
    const root = agent.start("root");
    agent.model(agent.inside(root));
    await agent.tool("tool", undefined, agent.inside(root));
    assert.equal(seqOf(agent, "tool"), undefined);
  });
});

describe("what is known when a span ends", () => {
  it("numbers the spans of a trace without a gap, each with its children, for any tree", () => {
    // Every span hangs from one before it; ends come in any order.
    const trees = fc
      .array(fc.nat(), { minLength: 1, maxLength: 12 })
      .chain((parents) => fc.tuple(fc.constant(parents), fc.shuffledSubarray([...parents.keys()])));
    fc.assert(
      fc.property(trees, ([parents, early]) => {
        const agent = traced();
        const spans = [agent.start("0")];
        const children = [0];
        parents.forEach((pick, index) => {
          const parent = pick % spans.length;
          const under = spans[parent];
          assert.ok(under !== undefined);
          spans.push(agent.start(String(index + 1), {}, agent.inside(under)));
          children.push(0);
          children[parent] = (children[parent] ?? 0) + 1;
        });
        for (const index of early) spans[index]?.end();
        for (const span of spans) if (span.isRecording()) span.end();
        const ended = agent.spans.getFinishedSpans();
        assert.deepEqual(
          ended.map(({ attributes }) => attributes["agent.event.seq"]),
          ended.map((_, index) => index + 1),
        );
        for (const { name, attributes } of ended) {
          assert.equal(attributes["agent.child.count"], children[Number(name)]);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("is stamped by SDKs too that do not say that a span is ending", () => {
    const processor = new AgentSpanProcessor({ startSignals: false });
    const span = traced({ startSignals: false }).start("old") as unknown as Parameters<
      AgentSpanProcessor["onStart"]
    >[0];
    processor.onStart(span, context.active());
    processor.onEnd(span);
    assert.equal(span.attributes["agent.event.seq"], 1);
    assert.equal(span.attributes["agent.child.count"], 0);
  });

  it("is left out for a trace that was forgotten meanwhile", () => {
    const counters = createTraceCounters(2);
    for (const traceId of ["a", "b", "a", "c"]) counters.begin(traceId);
    assert.deepEqual(
      ["a", "b", "c", "a"].map((traceId) => counters.end(traceId)),
      [1, null, 1, 2],
    );
  });
});

describe("start signals", () => {
  it("repeat the tool's span as it began, as a child of it, for toolorder alone", async () => {
    const agent = traced();
    await run({ id: "r", conversation: "c" }, () =>
      decision({}, async () => {
        const root = agent.start("root");
        const attributes = { ...toolAttributes("wipe"), "gen_ai.tool.call.id": "call_1" };
        const tool = agent.start("wipe", { attributes, kind: SpanKind.CLIENT }, agent.inside(root));
        await agent.processor.forceFlush();
        const [signal, ...more] = agent.signals.getFinishedSpans();
        assert.equal(more.length, 0);
        assert.ok(signal !== undefined);
        assert.equal(agent.spans.getFinishedSpans().length, 0);
        assert.equal(signal.parentSpanContext?.spanId, tool.spanContext().spanId);
        assert.notEqual(signal.spanContext().spanId, tool.spanContext().spanId);
        assert.equal(signal.spanContext().traceId, tool.spanContext().traceId);
        assert.deepEqual([signal.name, signal.kind], ["wipe", SpanKind.CLIENT]);
        assert.equal(signal.instrumentationScope.name, "test-agent");
        assert.deepEqual(signal.endTime, signal.startTime);
        assert.equal(signal.resource.attributes["toolorder.start_signals"], true);
        assert.deepEqual(
          [
            "toolorder.signal",
            "toolorder.signal.parent",
            "gen_ai.tool.call.id",
            "agent.run.id",
            "agent.decision.seq",
          ].map((key) => signal.attributes[key]),
          ["start", root.spanContext().spanId, "call_1", "r", 1],
        );
      }),
    );
  });

  it("go out for tool calls only, and for what the program calls one", async () => {
    const agent = traced();
    agent.start("plain").end();
    agent.model();
    await agent.processor.forceFlush();
    assert.equal(agent.signals.getFinishedSpans().length, 0);
    const own = traced({ isToolSpan: (attributes, name) => name.startsWith("job ") && attributes.x === 1 });
    own.start("job a", { attributes: { x: 1 } }).end();
    await own.tool("tool");
    await own.processor.forceFlush();
    assert.deepEqual(
      own.signals.getFinishedSpans().map(({ name }) => name),
      ["job a"],
    );
  });

  const failing: readonly { name: string; exporter: SpanExporter["export"] }[] = [
    { name: "says no", exporter: (_, done) => done({ code: 1, error: new Error("503") }) },
    {
      name: "throws",
      exporter: () => {
        throw new Error("no network");
      },
    },
  ];
  for (const { name, exporter } of failing) {
    it(`never reach the agent as an error: the exporter ${name}`, async () => {
      const signals = Object.assign(new InMemorySpanExporter(), { export: exporter });
      const agent = traced({ signalExporter: signals });
      await agent.tool("a");
      await agent.processor.forceFlush();
      assert.deepEqual(agent.processor.counts, { spans: 1, signalsSent: 0, signalsDropped: 1 });
      assert.equal(agent.spans.getFinishedSpans().length, 1);
    });
  }

  it("wait in a bounded queue, and the next one says how many were lost", async () => {
    const waiting: (() => void)[] = [];
    const seen: Attributes[] = [];
    const signals = Object.assign(new InMemorySpanExporter(), {
      export: ((spans, done) => {
        seen.push(...spans.map(({ attributes }) => attributes));
        waiting.push(() => done({ code: 0 }));
      }) satisfies SpanExporter["export"],
    });
    const agent = traced({ signalExporter: signals, maxQueuedSignals: 2 });
    for (let index = 0; index < 5; index += 1) await agent.tool(`t${index}`, () => undefined);
    assert.ok(agent.processor.counts.signalsDropped >= 1);
    const lost = agent.processor.counts.signalsDropped;
    const flushed = agent.processor.forceFlush();
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const answer of waiting.splice(0)) answer();
    await flushed;
    assert.equal(agent.processor.counts.signalsSent + lost, 5);
    assert.equal(seen.at(-1)?.["toolorder.signal.dropped"], lost);
  });

  for (const off of ["false", "0", "off"]) {
    it(`are off by option and by TOOLORDER_START_SIGNALS=${off}`, async () => {
      process.env.TOOLORDER_START_SIGNALS = off;
      try {
        const byVariable = traced();
        const byOption = traced({ startSignals: false });
        for (const agent of [byVariable, byOption]) {
          await agent.tool("tool");
          await agent.processor.forceFlush();
          assert.equal(agent.signals.getFinishedSpans().length, 0);
          assert.equal(agent.attribute("tool", "agent.event.seq"), 1);
        }
      } finally {
        delete process.env.TOOLORDER_START_SIGNALS;
      }
    });
  }
});

describe("what a span is when it starts", () => {
  const cases: readonly [Attributes, ReturnType<typeof roleOf>][] = [
    [{ "gen_ai.operation.name": "execute_tool" }, "tool"],
    [{ "gen_ai.operation.name": "chat", "ai.toolCall.name": "x" }, "tool"],
    [{ "ai.operationId": "ai.toolCall" }, "tool"],
    [{ "ai.operationId": "ai.generateText" }, "agent"],
    [{ "ai.operationId": "ai.streamText.doStream" }, "model"],
    [{ "openinference.span.kind": "TOOL" }, "tool"],
    [{ "openinference.span.kind": "LLM" }, "model"],
    [{ "openinference.span.kind": "CHAIN" }, null],
    [{ "traceloop.span.kind": "tool" }, "tool"],
    [{ "lmnr.span.type": "TOOL" }, "tool"],
    [{ "mcp.method.name": "tools/call" }, "tool"],
    [{ "mcp.method.name": "tools/list" }, null],
    [{ "gen_ai.operation.name": 7 }, null],
    [{}, null],
  ];
  for (const [attributes, role] of cases) {
    it(`${JSON.stringify(attributes)} is ${role ?? "nothing known"}`, () => {
      assert.equal(roleOf(attributes), role);
      assert.equal(isToolCall(attributes), role === "tool");
    });
  }
});
