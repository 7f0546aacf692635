import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { Point } from "../../../src/model/order.ts";
import { openKernel } from "../../../src/rules/kernels/context.ts";
import { has, precedence } from "../../../src/rules/kernels/precedence.ts";
import { closedBy, event } from "../../support/scope.ts";

/** An order that says of each named pair that the first finished before the second started, and knows no other. */
function known(count: number, pairs: readonly (readonly [number, number])[]): ReadonlySet<string> {
  const events = Array.from({ length: count }, (_, i) => event({ id: `${i}`, start: i }));
  const said = new Set(pairs.map(([i, j]) => `${i} ${j}`));
  const kernel = openKernel({
    events,
    order: {
      before: (p: Point, q: Point) => {
        assert.deepEqual([p.boundary, q.boundary], ["finished_at", "started_at"]);
        return said.has(`${p.event.id} ${q.event.id}`)
          ? { truth: "true", evidence: "clock" }
          : { truth: "unknown", evidence: "none", code: "order_unknown" };
      },
      distance: () => null,
      stamp: () => null,
    },
    completeness: closedBy("input_end"),
    missingAfter: "vacuous",
    nearMisses: false,
  });
  const { preds, succs } = precedence(kernel, events satisfies readonly Event[]);
  const found = new Set<string>();
  for (let i = 0; i < count; i += 1) {
    for (let j = 0; j < count; j += 1) {
      assert.equal(has(preds, j, i), has(succs, i, j));
      if (has(succs, i, j)) found.add(`${i} ${j}`);
    }
  }
  return found;
}
const words = (pairs: readonly (readonly [number, number])[]) => new Set(pairs.map(([i, j]) => `${i} ${j}`));

describe("precedences of pairs", () => {
  it("are what the order says, forwards and backwards", () => {
    const pairs = [
      [0, 1],
      [0, 2],
      [3, 1],
    ] as const;
    assert.deepEqual(known(4, pairs), words(pairs));
    assert.deepEqual(known(0, []), new Set());
  });

  it("in a circle do not count, others of the same events do", () => {
    assert.deepEqual(
      known(5, [
        [0, 1],
        [1, 2],
        [2, 0],
        [3, 0],
        [1, 4],
        [3, 4],
      ]),
      words([
        [3, 0],
        [1, 4],
        [3, 4],
      ]),
    );
  });

  it("between two circles count", () => {
    const first = [
      [0, 1],
      [1, 2],
      [2, 0],
    ] as const;
    const second = [
      [3, 4],
      [4, 5],
      [5, 3],
    ] as const;
    assert.deepEqual(
      known(6, [...first, ...second, [1, 4], [0, 5]]),
      words([
        [1, 4],
        [0, 5],
      ]),
    );
  });

  it("that run backwards without a circle count", () => {
    const pairs = [
      [3, 2],
      [2, 1],
      [1, 0],
      [3, 0],
    ] as const;
    assert.deepEqual(known(4, pairs), words(pairs));
  });

  it("hold for more events than one word has bits", () => {
    const count = 100;
    const chain = Array.from({ length: count - 1 }, (_, i): [number, number] => [i, i + 1]);
    assert.deepEqual(known(count, chain), words(chain));
    // 40 to 70 are on a circle; what leads to it and from it stays.
    const circle = known(count, [...chain, [70, 40]]);
    assert.deepEqual(circle, words(chain.filter(([i]) => i < 40 || i >= 70)));
    const all = known(count, [...chain, [99, 0]]);
    assert.equal(all.size, 0);
    const back = known(count, [...chain.filter(([i]) => i !== 31 && i !== 63), [64, 31], [96, 0]]);
    assert.deepEqual(back, words([...chain.filter(([i]) => i !== 31 && i !== 63), [64, 31], [96, 0]]));
  });
});
