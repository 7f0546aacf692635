/**
 * How far a refutation of two clocks reaches: over the scope that a rule is judged over, and no further
 * (docs/semantics.md 10, "Refutation").
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";

const gate = (scope: string) => `
contract: access
rules:
  - {id: gate, kind: gate, require: check, before: read, scope: ${scope}}
`;

const on = (run: string, name: string, clock: string, startMs: number, more: Partial<SpanFact> = {}) =>
  callFact(
    {
      traceId: run,
      spanId: `${run}-${name}`,
      parentId: `${run}-root`,
      name,
      clock,
      conversation: "c1",
      ...more,
    },
    startMs,
  );

/** A check on one clock and, two seconds later by another, the read that it allows. */
const run = (id: string, more: readonly SpanFact[] = []): readonly SpanFact[] => [
  on(id, "root", "h1", 0, { kind: "agent_run", parentId: null }),
  on(id, "check", "h1", 1000),
  on(id, "read", "h2", 3000),
  ...more,
];
/** It started, by its own clock, a second before the event around it did. */
const impossible = (id: string): readonly SpanFact[] => [
  on(id, "outer", "h1", 5000),
  on(id, "inner", "h2", 4000, { parentId: `${id}-outer` }),
];

function verdictsIn(scope: string, facts: readonly SpanFact[]): readonly string[] {
  const driver = new Driver(gate(scope)).facts(1, ...facts).until(4000);
  assert.deepEqual(driver.take("violation"), []);
  return driver
    .take("inconclusive")
    .map(({ instance }) => `${instance.anchor} ${instance.code}`)
    .sort();
}

describe("two clocks that an edge contradicts", () => {
  const facts = [...run("a", impossible("a")), ...run("b")];

  it("are believed where nothing contradicts them", () => {
    for (const scope of ["run", "conversation"]) {
      assert.deepEqual(verdictsIn(scope, [...run("a"), ...run("b")]), []);
    }
  });

  it("are believed no more in that run, and go on to be believed in another", () => {
    assert.deepEqual(verdictsIn("run", facts), ["a:a-read clock_contradiction"]);
  });

  it("are believed no more by a rule over the whole conversation, whichever of its runs shows it", () => {
    assert.deepEqual(verdictsIn("conversation", facts), [
      "a:a-read clock_contradiction",
      "b:b-read clock_contradiction",
    ]);
  });
});
