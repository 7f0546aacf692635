/** What every journal must do, whatever it is made of. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { Journal } from "../../src/journal/journal.ts";
import type { Entry } from "../../src/model/entry.ts";
import { unixNano } from "../../src/model/time.ts";
import { callFact } from "../support/facts.ts";
import fc from "../support/properties.ts";

export const tick = (at: number): Entry => ({ type: "tick", at: unixNano(BigInt(at)) });
export const facts = (at: number, count: number): Entry => ({
  type: "facts",
  at: unixNano(BigInt(at)),
  projection: "p",
  facts: Array.from({ length: count }, (_, index) => callFact({ spanId: `${at}.${index}` })),
});

/** `create`: an empty journal that holds at most `maxFacts` span facts. */
export function journalSuite(name: string, create: (maxFacts: number) => Promise<Journal> | Journal): void {
  describe(`journal ${name}`, () => {
    let journal: Journal;
    const open = async (maxFacts: number): Promise<Journal> => {
      journal = await create(maxFacts);
      return journal;
    };
    afterEach(() => journal.close());

    it("gives entries back in order, with positions from 1 on", async () => {
      const { append, read } = await open(100);
      assert.deepEqual(await append([tick(1), facts(2, 3)]), { is: "appended", last: 2 });
      assert.deepEqual(await append([tick(3)]), { is: "appended", last: 3 });
      assert.deepEqual(
        (await read(1, 10)).map(({ position, entry }) => [position, entry.type, entry.at]),
        [
          [1, "tick", 1n],
          [2, "facts", 2n],
          [3, "tick", 3n],
        ],
      );
      assert.deepEqual(
        (await read(2, 1)).map(({ position }) => position),
        [2],
      );
      assert.deepEqual(await read(4, 10), []);
    });

    it("gives back what it was given, facts and all", async () => {
      const { append, read } = await open(100);
      const entry = facts(7, 2);
      await append([entry]);
      assert.deepEqual((await read(1, 1))[0]?.entry, entry);
    });

    it("takes an append whole or not at all", async () => {
      const { append, read, usage } = await open(10);
      await append([facts(1, 8)]);
      const refused = await append([tick(2), facts(3, 2), facts(4, 1)]);
      assert.equal(refused.is, "full");
      assert.deepEqual(
        (await read(1, 10)).map(({ position }) => position),
        [1],
      );
      assert.deepEqual(usage(), { entries: 1, facts: 8 });
    });

    it("has room again once what was read is truncated", async () => {
      const { append, truncate, usage } = await open(10);
      await append([facts(1, 10)]);
      assert.equal((await append([facts(2, 1)])).is, "full");
      await truncate(2);
      assert.deepEqual(usage(), { entries: 0, facts: 0 });
      assert.deepEqual(await append([facts(2, 1)]), { is: "appended", last: 2 });
    });

    it("takes ticks, deaf intervals and contracts when facts do not fit", async () => {
      const { append } = await open(1);
      await append([facts(1, 1)]);
      assert.equal((await append([facts(2, 1)])).is, "full");
      assert.equal((await append([tick(3)])).is, "appended");
      assert.equal((await append([{ type: "deaf", at: unixNano(5n), from: unixNano(4n) }])).is, "appended");
    });

    it("takes an append larger than itself when it is empty, or its sender would try for ever", async () => {
      const { append } = await open(2);
      assert.equal((await append([facts(1, 5)])).is, "appended");
      assert.equal((await append([facts(2, 1)])).is, "full");
    });

    it("reads from where it still holds entries, and never goes back", async () => {
      const { append, read, truncate } = await open(100);
      await append([tick(1), tick(2), tick(3)]);
      await truncate(3);
      await truncate(1);
      assert.deepEqual(
        (await read(1, 10)).map(({ position }) => position),
        [3],
      );
      await truncate(99);
      assert.deepEqual(await read(1, 10), []);
      assert.deepEqual(await append([tick(4)]), { is: "appended", last: 4 });
    });

    it("refuses once it is closed, and can still be read", async () => {
      const { append, close, read } = await open(100);
      await append([tick(1)]);
      await close();
      assert.deepEqual(await append([tick(2)]), { is: "closed" });
      assert.equal((await read(1, 10)).length, 1);
    });

    it("agrees with a plain list, whatever is asked of it in whatever order", async () => {
      const command = fc.oneof(
        fc.record({ do: fc.constant("append" as const), sizes: fc.array(fc.nat(4), { maxLength: 3 }) }),
        fc.record({ do: fc.constant("truncate" as const), below: fc.nat(30) }),
        fc.record({
          do: fc.constant("read" as const),
          from: fc.nat(30),
          limit: fc.integer({ min: 1, max: 9 }),
        }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 30 }), async (commands) => {
          const { append, read, truncate, usage } = await create(8);
          const list: { position: number; size: number }[] = [];
          let next = 1;
          let held = 0;
          for (const one of commands) {
            if (one.do === "append") {
              const added = one.sizes.reduce((sum, size) => sum + size, 0);
              const fits = added === 0 || held === 0 || held + added <= 8;
              // A size of 0 stands for a tick.
              const entries = one.sizes.map((size) => (size === 0 ? tick(next) : facts(next, size)));
              assert.equal((await append(entries)).is, fits ? "appended" : "full");
              if (!fits) continue;
              for (const size of one.sizes) list.push({ position: next++, size });
              held += added;
            } else if (one.do === "truncate") {
              while ((list[0]?.position ?? Number.POSITIVE_INFINITY) < one.below)
                held -= list.shift()?.size ?? 0;
              await truncate(one.below);
            } else {
              const wanted = list.filter(({ position }) => position >= one.from).slice(0, one.limit);
              assert.deepEqual(
                (await read(one.from, one.limit)).map(({ position }) => position),
                wanted.map(({ position }) => position),
              );
            }
            assert.deepEqual(usage(), { entries: list.length, facts: held });
          }
        }),
        { numRuns: 100 },
      );
    });
  });
}
