import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryJournal } from "../../src/journal/memory.ts";
import type { Entry } from "../../src/model/entry.ts";
import type { Output } from "../../src/model/output.ts";
import { durationNano, plus, seconds, type UnixNano, unixNano } from "../../src/model/time.ts";
import type { Clock } from "../../src/service/clock.ts";
import { createLoop, type Loop } from "../../src/service/loop.ts";
import { callFact } from "../support/facts.ts";
import fc from "../support/properties.ts";
import { SteppedClock } from "../support/stepped-clock.ts";

/** A core that notes what it is given, and has a deadline `wait` after each entry of facts. */
function notingCore(wait = seconds(10)) {
  const seen: Entry[] = [];
  let deadlines: UnixNano[] = [];
  return {
    seen,
    step(entry: Entry): readonly Output[] {
      seen.push(entry);
      deadlines = deadlines.filter((due) => due > entry.at);
      if (entry.type === "facts") deadlines.push(plus(entry.at, wait));
      return [{ type: "count", of: "late", disposition: "reopened" }];
    },
    nextDue: (): UnixNano | null =>
      deadlines.reduce<UnixNano | null>((a, b) => (a !== null && a < b ? a : b), null),
  };
}

function setUp(options: { maxFacts?: number; core?: ReturnType<typeof notingCore>; clock?: Clock } = {}) {
  const clock = new SteppedClock(unixNano(1_000n));
  const core = options.core ?? notingCore();
  const journal = createMemoryJournal({ maxFacts: options.maxFacts ?? 1_000 });
  const deaf: { from: UnixNano; until: UnixNano }[] = [];
  const faults: unknown[] = [];
  const appended: string[] = [];
  let outputs = 0;
  const loop: Loop = createLoop({
    journal,
    core,
    clock: options.clock ?? clock,
    onOutputs: (some) => {
      outputs += some.length;
    },
    onFault: (error) => faults.push(error),
    onAppended: ({ type }) => appended.push(type),
    takeDeaf: () => deaf.shift() ?? null,
  });
  return { clock, core, journal, loop, deaf, faults, appended, outputs: () => outputs };
}

const facts = (at: UnixNano, count = 1): Entry => ({
  type: "facts",
  at,
  projection: "p",
  facts: Array.from({ length: count }, (_, index) => callFact({ spanId: String(index) })),
});

const shape = (entries: readonly Entry[]): readonly string[] =>
  entries.map((entry) => `${entry.type}@${entry.at}${entry.type === "deaf" ? ` from ${entry.from}` : ""}`);

describe("the loop", () => {
  it("steps what is journaled, in order, and hands the outputs on", async () => {
    const { loop, core, outputs, journal, appended } = setUp();
    await loop.append((at) => [facts(at), facts(at)]);
    await loop.append((at) => [facts(at)]);
    await loop.idle();
    assert.deepEqual(shape(core.seen), ["facts@1000", "facts@1000", "facts@1000"]);
    assert.equal(outputs(), 3);
    assert.deepEqual(appended, ["facts", "facts", "facts"]);
    assert.equal(journal.usage().entries, 0);
    await loop.close();
  });

  it("journals a tick when a deadline is due, and none before or without one", async () => {
    const { loop, core, clock } = setUp();
    await clock.pass(seconds(100), () => loop.idle());
    assert.deepEqual(shape(core.seen), []);
    await loop.append((at) => [facts(at)]);
    await clock.pass(durationNano(9_999_999_999n), () => loop.idle());
    assert.equal(core.seen.length, 1);
    await clock.pass(durationNano(1n), () => loop.idle());
    assert.deepEqual(shape(core.seen), ["facts@100000001000", "tick@110000001000"]);
    await clock.pass(seconds(100), () => loop.idle());
    assert.equal(core.seen.length, 2);
    await loop.close();
  });

  it("lets one tick serve every deadline that is past", async () => {
    const clock = { at: unixNano(1_000n), now: () => clock.at, wakeAt: () => () => undefined };
    const { loop, core } = setUp({ clock });
    await loop.append((at) => [facts(at)]);
    clock.at = unixNano(2_000n);
    await loop.append((at) => [facts(at)]);
    await loop.idle();
    // The process was suspended: both deadlines are past when it wakes.
    clock.at = unixNano(60_000_000_000n);
    await loop.idle();
    assert.deepEqual(shape(core.seen), ["facts@1000", "facts@2000", "tick@60000000000"]);
    await loop.close();
  });

  it("stands still while its clock goes back", async () => {
    const clock = { at: unixNano(1_000n), now: () => clock.at, wakeAt: () => () => undefined };
    const { loop, core } = setUp({ clock });
    await loop.append((at) => [facts(at)]);
    clock.at = unixNano(400n);
    await loop.append((at) => [facts(at)]);
    await loop.idle();
    assert.deepEqual(shape(core.seen), ["facts@1000", "facts@1000"]);
    await loop.close();
  });

  it("ticks on while one tick does not clear all that is due", async () => {
    const core = notingCore();
    let left = 5;
    const piecemeal = {
      ...core,
      step(entry: Entry): readonly Output[] {
        if (entry.type === "tick") left -= 1;
        return core.step(entry);
      },
      nextDue: () => (left > 0 ? unixNano(1_000n) : null),
    };
    const { loop } = setUp({ core: piecemeal });
    await loop.append((at) => [facts(at)]);
    await loop.idle();
    assert.equal(core.seen.filter(({ type }) => type === "tick").length, 5);
    await loop.close();
  });

  it("does not spin when a core never clears its deadline", async () => {
    const core = notingCore();
    const stuck = { ...core, nextDue: () => unixNano(1_000n) };
    const { loop, clock } = setUp({ core: stuck });
    await loop.append((at) => [facts(at)]);
    await clock.pass(seconds(1), () => loop.idle());
    const ticks = core.seen.filter(({ type }) => type === "tick").length;
    assert.ok(ticks >= 1_000 && ticks <= 1_020, `${ticks} ticks in a second`);
    await loop.close();
  });

  it("writes down when it was deaf, before what comes after", async () => {
    const { loop, core, deaf } = setUp();
    deaf.push({ from: unixNano(400n), until: unixNano(900n) });
    await loop.append((at) => [facts(at)]);
    await loop.idle();
    assert.deepEqual(shape(core.seen), ["deaf@900 from 400", "facts@1000"]);
    await loop.close();
  });

  it("writes down when it was deaf before a tick too, so that no wait runs out meanwhile", async () => {
    const { loop, core, deaf, clock } = setUp();
    await loop.append((at) => [facts(at)]);
    await loop.idle();
    deaf.push({ from: unixNano(5_000_000_000n), until: unixNano(9_000_000_000n) });
    await clock.pass(seconds(10), () => loop.idle());
    assert.deepEqual(shape(core.seen), ["facts@1000", "deaf@9000000000 from 5000000000", "tick@10000001000"]);
    await loop.close();
  });

  it("keeps a deaf interval that could not be journaled for the next entry", async () => {
    const { loop, core, deaf, journal } = setUp({ maxFacts: 2 });
    // Nothing is read while both are appended in one turn, so the second finds the journal full.
    const first = loop.append((at) => [facts(at, 2)]);
    deaf.push({ from: unixNano(10n), until: unixNano(20n) });
    const second = loop.append((at) => [facts(at, 1)]);
    assert.equal((await first).is, "appended");
    assert.equal((await second).is, "full");
    await loop.idle();
    assert.equal(journal.usage().facts, 0);
    deaf.push({ from: unixNano(20n), until: unixNano(1_000n) });
    await loop.append((at) => [facts(at, 1)]);
    await loop.idle();
    assert.deepEqual(shape(core.seen), ["facts@1000", "deaf@1000 from 10", "facts@1000"]);
    await loop.close();
  });

  it("goes on after the core failed on an entry, and says so", async () => {
    const core = notingCore();
    const failing = {
      ...core,
      step(entry: Entry): readonly Output[] {
        if (entry.type === "facts" && entry.facts.length === 2) throw new Error("broken");
        return core.step(entry);
      },
    };
    const { loop, faults } = setUp({ core: failing });
    await loop.append((at) => [facts(at, 1), facts(at, 2), facts(at, 3)]);
    await loop.idle();
    assert.equal(core.seen.length, 2);
    assert.equal(faults.length, 1);
    await loop.close();
  });

  it("goes on after its outputs could not be taken", async () => {
    const core = notingCore();
    const faults: unknown[] = [];
    let taken = 0;
    const loop = createLoop({
      journal: createMemoryJournal({ maxFacts: 10 }),
      core,
      clock: new SteppedClock(unixNano(1_000n)),
      onOutputs: () => {
        taken += 1;
        if (taken === 1) throw new Error("no room in the log");
      },
      onFault: (error) => faults.push(error),
      onAppended: () => undefined,
      takeDeaf: () => null,
    });
    await loop.append((at) => [facts(at), facts(at)]);
    await loop.close();
    assert.equal(taken, 2);
    assert.equal(faults.length, 1);
  });

  it("steps what waits before it closes, and takes nothing more", async () => {
    const { loop, core } = setUp();
    void loop.append((at) => [facts(at), facts(at)]);
    await loop.close();
    assert.equal(core.seen.length, 2);
    assert.deepEqual(await loop.append((at) => [facts(at)]), { is: "closed" });
    assert.equal(core.seen.length, 2);
  });

  it("never lets time fall, and loses and reorders nothing, whatever comes when", async () => {
    const action = fc.oneof(
      fc.record({ do: fc.constant("append" as const), count: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ do: fc.constant("pass" as const), by: fc.bigInt(0n, 20_000_000_000n) }),
      fc.record({ do: fc.constant("refuse" as const), by: fc.bigInt(1n, 3_000_000_000n) }),
      fc.constant({ do: "idle" as const }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
        const { loop, core, clock, deaf } = setUp({ maxFacts: 6 });
        let accepted = 0;
        const pending: Promise<void>[] = [];
        for (const one of actions) {
          if (one.do === "append") {
            pending.push(
              loop
                .append((at) => [facts(at, one.count)])
                .then(({ is }) => {
                  if (is === "appended") accepted += one.count;
                }),
            );
          } else if (one.do === "pass") {
            await clock.pass(durationNano(one.by), () => loop.idle());
          } else if (one.do === "refuse") {
            const from = clock.now();
            await clock.pass(durationNano(one.by), async () => undefined);
            deaf.push({ from, until: clock.now() });
          } else await loop.idle();
        }
        await Promise.all(pending);
        await loop.close();
        const { seen } = core;
        assert.ok(seen.every(({ at }, index) => index === 0 || (seen[index - 1]?.at ?? at) <= at));
        assert.equal(
          seen.reduce((sum, entry) => sum + (entry.type === "facts" ? entry.facts.length : 0), 0),
          accepted,
        );
      }),
      { numRuns: 60 },
    );
  });
});
