import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event, Status } from "../../../src/model/event.ts";
import fc, { propertyRuns } from "../../support/properties.ts";
import { event } from "../../support/scope.ts";
import { findings } from "./ask.ts";
import { slowlyFound } from "./oracle.ts";

const perhaps = <T>(value: fc.Arbitrary<T>, often: number): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: often, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });

const shape = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant("tool_call") },
    { weight: 2, arbitrary: fc.constant("model_turn") },
    { weight: 1, arbitrary: fc.constant("cancel_requested") },
  ),
  name: fc.constantFrom("A", "B"),
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Status>("success") },
    { weight: 1, arbitrary: fc.constantFrom<Status>("error", "cancelled", "requested") },
  ),
  start: fc.nat(12),
  length: perhaps(fc.nat(8), 9),
  seq: perhaps(fc.nat(3), 2),
  turn: perhaps(fc.nat(2), 1),
  base: perhaps(fc.nat(2), 1),
  version: perhaps(fc.nat(2), 1),
  decision: fc.constantFrom("d1", "d2"),
  decidedBy: perhaps(fc.nat(9), 1),
  invocation: fc.constantFrom("i", "j"),
});
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

function build(shapes: readonly Shape[]): Event[] {
  return shapes.map((one, i): Event => {
    const isCall = one.kind === "tool_call";
    const fields = {
      decision: one.decision,
      ...(isCall && one.seq !== null ? { seq: one.seq } : {}),
      ...(isCall && one.turn !== null ? { turn: one.turn } : {}),
      ...(isCall && one.base !== null ? { base_version: one.base } : {}),
      // What a call that has not ended will have brought about shows in no stamp.
      ...(isCall && one.length !== null && one.version !== null ? { state_version: one.version } : {}),
    };
    const made = event({
      id: `e${i}`,
      kind: one.kind,
      name: one.name,
      status: one.status,
      start: one.start,
      end: one.length === null ? "open" : one.start + (isCall ? one.length : 0),
      fields,
      ...(one.kind === "model_turn" ? { invocation: one.invocation } : {}),
    });
    const asked = one.decidedBy === null ? undefined : shapes[one.decidedBy];
    return {
      ...made,
      orchestrator: null,
      decidedBy: isCall && asked?.kind === "model_turn" ? `e${one.decidedBy}` : null,
    };
  });
}

const writes = new Set(["B"]);
const tools = { A: { effect: "read" }, B: { effect: "write" } } as const;
const reasons: ReadonlySet<string> = new Set(["superseded", "version", "turn", "cancelled"]);

const quickly = (events: readonly Event[]): string[] =>
  [
    ...new Set(
      findings(events, { tools })
        .filter(({ detector, reason }) => /^stale_(?:result|effect)$/.test(detector) && reasons.has(reason))
        // Traces that stand for turns are a case of their own.
        .filter(({ identity }) => identity !== "trace")
        .map(
          ({ detector, reason, event: own, truth }) =>
            `${detector} ${reason} ${own.id}${truth === "true" ? "" : "?"}`,
        ),
    ),
  ].sort();

describe("stale results in random conversations", () => {
  it("are those that a look at every pair finds, and in any order of the events", () => {
    let stale = 0;
    let perhapsStale = 0;
    fc.assert(
      fc.property(
        fc.array(shape, { minLength: 2, maxLength: 9 }),
        fc.infiniteStream(fc.nat()),
        (shapes, swaps) => {
          const events = build(shapes);
          const wanted = slowlyFound(events, writes);
          assert.deepEqual(quickly(events), wanted);
          const shuffled = events
            .map((one) => ({ one, at: swaps.next().value ?? 0 }))
            .sort((a, b) => a.at - b.at)
            .map(({ one }) => one);
          assert.deepEqual(quickly(shuffled), wanted);
          stale += wanted.filter((text) => !text.endsWith("?")).length;
          perhapsStale += wanted.filter((text) => text.endsWith("?")).length;
        },
      ),
      { numRuns: propertyRuns(800) },
    );
    assert.ok(stale > 250 && perhapsStale > 50, `only ${stale} and ${perhapsStale} found`);
  });
});
