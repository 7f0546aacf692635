import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { propagation } from "@opentelemetry/api";
import {
  carry,
  causedBy,
  decision,
  receive,
  resume,
  run,
  type Snapshot,
  snapshot,
  stateVersion,
  turn,
} from "../../src/agent/agent.ts";
import fc from "../support/properties.ts";
import { traced } from "./traced.ts";

/** A promise that is settled from outside. */
function later(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

describe("a scope", () => {
  it("stamps run, conversation, turn and decision on what begins in it, and nothing outside", async () => {
    const agent = traced();
    await agent.tool("outside");
    await run({ id: "run-1", conversation: "conv-9" }, async () => {
      await agent.tool("between");
      await turn({ id: "turn-3" }, async () => {
        await decision({ baseVersion: 11 }, async () => {
          stateVersion(12);
          await agent.tool("first");
        });
        await decision({}, () => agent.tool("second"));
      });
    });
    assert.equal(agent.attribute("outside", "agent.run.id"), undefined);
    const shown = ["between", "first", "second"].map((name) => {
      const { attributes } = agent.span(name);
      return [
        attributes["agent.run.id"],
        attributes["gen_ai.conversation.id"],
        attributes["agent.turn.id"],
        attributes["agent.decision.seq"],
        attributes["agent.decision.id"],
        attributes["agent.base.version"],
        attributes["agent.state.version"],
      ];
    });
    assert.deepEqual(shown, [
      ["run-1", "conv-9", undefined, undefined, undefined, undefined, undefined],
      ["run-1", "conv-9", "turn-3", 1, "run-1/d1", 11, 12],
      ["run-1", "conv-9", "turn-3", 2, "run-1/d2", undefined, 12],
    ]);
  });

  it("leaves what a span states itself", async () => {
    const agent = traced();
    run({ id: "run-1", conversation: "conv-9" }, () => {
      const attributes = { "gen_ai.conversation.id": "own", "agent.run.id": "mine" };
      agent.start("stated", { attributes }).end();
    });
    assert.equal(agent.attribute("stated", "gen_ai.conversation.id"), "own");
    assert.equal(agent.attribute("stated", "agent.run.id"), "mine");
  });

  it("numbers decisions in the order in which they are made, however they overlap", async () => {
    const agent = traced();
    await run({ id: "r" }, async () => {
      const gate = later();
      const slow = decision({}, async () => {
        await agent.tool("early, ends last", () => gate.promise);
      });
      const fast = decision({}, async (seq) => {
        assert.equal(seq, 2);
        await agent.tool("late, ends first");
      });
      await fast;
      gate.open();
      await slow;
    });
    assert.equal(agent.attribute("early, ends last", "agent.decision.seq"), 1);
    assert.equal(agent.attribute("late, ends first", "agent.decision.seq"), 2);
  });

  it("names what a span was built on, and not below it", async () => {
    const agent = traced();
    const lookup = await agent.tool("lookup");
    causedBy([lookup, "call_7"], () => {
      const outer = agent.start("mail");
      agent.start("inner", {}, agent.inside(outer)).end();
      outer.end();
      causedBy("call_8", () => agent.start("nested", {}, agent.inside(outer)).end());
    });
    agent.start("after").end();
    assert.deepEqual(agent.attribute("mail", "agent.causal.parents"), [
      lookup.spanContext().spanId,
      "call_7",
    ]);
    assert.equal(agent.attribute("inner", "agent.causal.parents"), undefined);
    assert.deepEqual(agent.attribute("nested", "agent.causal.parents"), ["call_8"]);
    assert.equal(agent.attribute("after", "agent.causal.parents"), undefined);
  });

  it("gives a child agent numbers of its own, in the same conversation and turn", async () => {
    const agent = traced();
    await run({ id: "parent", conversation: "c" }, () =>
      turn({ id: "t" }, () =>
        decision({}, () =>
          run({ id: "child" }, () => decision({}, () => agent.tool("inner").then(() => undefined))),
        ),
      ),
    );
    const { attributes } = agent.span("inner");
    assert.deepEqual(
      ["agent.run.id", "gen_ai.conversation.id", "agent.turn.id", "agent.decision.seq"].map(
        (key) => attributes[key],
      ),
      ["child", "c", "t", 1],
    );
  });

  it("makes up a run for a decision outside of any, and its tool still has its number", async () => {
    const agent = traced();
    await decision({}, () => agent.tool("alone").then(() => undefined));
    assert.equal(agent.attribute("alone", "agent.decision.seq"), 1);
    assert.match(String(agent.attribute("alone", "agent.run.id")), /^[0-9a-f-]{36}$/);
  });
});

describe("persist", () => {
  it("holds back every tool of the decision until the store has answered", async () => {
    const agent = traced();
    const stored = later();
    const kept: Snapshot[] = [];
    await run({ id: "r" }, async () => {
      const made = decision(
        {
          persist: async (state) => {
            kept.push(state);
            await stored.promise;
          },
        },
        () => agent.tool("dangerous").then(() => undefined),
      );
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(kept.length, 1);
      assert.equal(agent.processor.counts.spans, 0);
      stored.open();
      await made;
    });
    assert.equal(agent.processor.counts.spans, 1);
    assert.deepEqual([kept[0]?.decision, kept[0]?.decisions, kept[0]?.run], [1, 1, "r"]);
  });

  it("starts nothing where the store refuses, and never gives the number again", async () => {
    await run({ id: "r" }, async () => {
      const refused = decision({ persist: () => Promise.reject(new Error("disk full")) }, () => "ran");
      await assert.rejects(refused, /disk full/);
      assert.equal(await decision({}, (seq) => seq), 2);
    });
  });

  it("never lets an older state overwrite a newer one", async () => {
    const gate = later();
    const written: number[] = [];
    await run({ id: "r" }, async () => {
      const first = decision(
        {
          persist: async ({ decisions }) => {
            await gate.promise;
            written.push(decisions);
          },
        },
        () => undefined,
      );
      // The first state is at the store, which is slow, when the next decision is made.
      await new Promise((resolve) => setImmediate(resolve));
      const second = decision({ persist: ({ decisions }) => void written.push(decisions) }, () => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      gate.open();
      await Promise.all([first, second]);
    });
    assert.deepEqual(
      written,
      written.toSorted((a, b) => a - b),
    );
    assert.equal(written.at(-1), 2);
  });
});

describe("a snapshot", () => {
  it("is plain data that JSON carries, and null outside of a run", () => {
    assert.equal(snapshot(), null);
    run({ id: "r", conversation: "c" }, () =>
      turn({ id: "t" }, () => {
        const state = snapshot();
        assert.deepEqual(JSON.parse(JSON.stringify(state)), state);
        assert.equal(state?.turn, "t");
      }),
    );
  });

  it("refuses a format that it does not know", () => {
    const state = { format: 2 } as unknown as Snapshot;
    assert.throws(() => resume(state, () => undefined), /format 2: this reads 1/);
  });

  it("lets numbers grow strictly, over any mix of decisions, restarts and branches", async () => {
    const action = fc.constantFrom("decide", "restart", "together", "turn", "stored");
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 20 }), async (actions) => {
        const given: number[] = [];
        let state = run({ id: "r" }, snapshot);
        for (const act of actions) {
          assert.ok(state !== null);
          // What a restarted process has is the text it wrote.
          const read = JSON.parse(JSON.stringify(state)) as Snapshot;
          state = await resume(read, async () => {
            const decide = (): Promise<unknown> =>
              decision(act === "stored" ? { persist: async () => {} } : {}, async (seq) => given.push(seq));
            if (act === "together") await Promise.all([decide(), decide(), decide()]);
            else if (act === "turn") await turn({}, decide);
            else if (act !== "restart") await decide();
            return snapshot();
          });
        }
        assert.ok(given.every((seq, i) => i === 0 || seq > (given[i - 1] ?? 0)));
        assert.equal(state?.decisions, given.length);
      }),
    );
  });

  it("goes on with the decision that was under way, after a crash too", async () => {
    const agent = traced();
    let stored: Snapshot | null = null;
    const crash = run({ id: "r" }, () =>
      decision(
        {
          persist: (state) => {
            stored = state;
          },
        },
        () => Promise.reject(new Error("killed")),
      ),
    );
    await assert.rejects(crash, /killed/);
    assert.ok(stored !== null);
    await resume(stored, async () => {
      await agent.tool("again");
      await decision({}, () => agent.tool("next").then(() => undefined));
    });
    assert.equal(agent.attribute("again", "agent.decision.seq"), 1);
    assert.equal(agent.attribute("next", "agent.decision.seq"), 2);
  });
});

describe("identity for child agents", () => {
  it("goes out as W3C baggage beside what is there, and comes in again", async () => {
    const agent = traced();
    const headers = await run({ id: "r/1 ü", conversation: "c" }, () =>
      turn({ id: "t" }, () => decision({}, () => carry({ baggage: "tenant=a;p=1, agent.run.id=old" }))),
    );
    assert.match(headers.baggage, /^tenant=a;p=1,agent\.run\.id=r%2F1%20%C3%BC,/);
    await receive(headers, async () => {
      await agent.tool("child");
      assert.equal(snapshot(), null);
    });
    const { attributes } = agent.span("child");
    assert.equal(attributes["agent.run.id"], "r/1 ü");
    assert.equal(attributes["agent.decision.seq"], 1);
    assert.equal(attributes["agent.decision.id"], "r/1 ü/d1");
  });

  it("is in the context's baggage, where a propagator finds it", () => {
    run({ id: "r" }, () => {
      assert.equal(propagation.getActiveBaggage()?.getEntry("agent.run.id")?.value, "r");
    });
    assert.equal(propagation.getActiveBaggage(), undefined);
  });

  for (const baggage of [
    "",
    "=",
    "agent.run.id",
    "agent.run.id=",
    "agent.run.id=%",
    `agent.run.id=${"x".repeat(300)}`,
  ]) {
    it(`takes nothing that is no id: ${baggage.slice(0, 20)}`, async () => {
      const agent = traced();
      await receive({ baggage }, () => agent.tool("child"));
      const stamped = agent.attribute("child", "agent.run.id");
      assert.ok(stamped === undefined || stamped === "%");
    });
  }
});
