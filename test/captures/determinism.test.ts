import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { member } from "../../src/model/value.ts";
import { createNormalizer } from "../../src/processor/normalize/normalize.ts";
import { assembleClosed, everything, factsOf, keepAll } from "./judge-run.ts";
import { jsonRequests, recordedRuns } from "./runs.ts";

/** Whole arguments and results, read through the plan that a decoder gets when not everything is kept. */
const planned = createNormalizer({
  projection: { ...keepAll, id: "whole", all: false, args: [[]], result: [[]] },
  mappings: [],
});

describe("events are a function of the set of facts", () => {
  for (const run of recordedRuns()) {
    it(run.name, () => {
      const facts = factsOf(jsonRequests(run, everything.plan));
      const expected = assembleClosed(facts);
      for (const seed of [1, 2, 3]) {
        const shuffled = shuffle([...facts, ...facts.slice(0, 5)], seed);
        assert.deepEqual(assembleClosed(shuffled), expected);
      }
    });
  }
});

describe("the attribute plan names every attribute that a dialect reads", () => {
  for (const run of recordedRuns()) {
    it(run.name, () => {
      const whole = factsOf(jsonRequests(run, everything.plan));
      const cut = factsOf(jsonRequests(run, planned.plan), planned);
      assert.deepEqual(cut.map(withoutAttributes), whole.map(withoutAttributes));
    });
  }
});

/** What a rule on one argument and one member of a result needs. */
const narrow = createNormalizer({
  projection: {
    ...keepAll,
    id: "narrow",
    all: false,
    args: [["customer_id"]],
    result: [["decision"]],
    steps: false,
  },
  mappings: [],
});

describe("what rules do not name is cut, and nothing else changes", () => {
  for (const run of recordedRuns()) {
    it(run.name, () => {
      const calls = (facts: readonly SpanFact[]): readonly unknown[] =>
        assembleClosed(facts)
          .events.filter((event) => event.kind === "tool_call")
          .map((event) => ({
            ...event,
            args: member(event.args, "customer_id"),
            result: member(event.result, "decision"),
            attr: null,
          }));
      assert.deepEqual(
        calls(factsOf(jsonRequests(run, narrow.plan), narrow)),
        calls(factsOf(jsonRequests(run, everything.plan))),
      );
    });
  }
});

function withoutAttributes(fact: SpanFact): SpanFact {
  return { ...fact, attr: new Map() };
}

/** A small linear congruential generator: the same order in every run of the suite. */
function shuffle<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  let state = seed * 7919;
  for (let index = result.length - 1; index > 0; index -= 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const other = state % (index + 1);
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
}
