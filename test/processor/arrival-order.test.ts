/**
 * The promise that everything else serves: the last revision of a verdict is a function of the set of spans,
 * the contracts and the clock policy, never of how they arrived.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { report } from "../../src/processor/report.ts";
import { Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";
import fc from "../support/properties.ts";

const contract = `
contract: everything
rules:
  - {id: gate-run, kind: gate, require: A, before: B}
  - {id: gate-conversation, kind: gate, require: A, before: B, scope: conversation}
  - {id: pair, kind: ordering, before: A, after: C}
  - {id: frozen, kind: forbid_after, after: A, forbid: C, scope: conversation}
  - {id: answered, kind: response, trigger: B, expect: C, within: 10s}
  - {id: few, kind: count, of: A, max: 1}
  - {id: enough, kind: count, of: C, min: 1, scope: conversation}
  - id: steps
    kind: machine
    initial: s0
    transitions: [[s0, A, s1], [s1, B, s2], [s2, C, s0]]
`;

const span = fc.record({
  trace: fc.constantFrom("t1", "t2"),
  name: fc.constantFrom("A", "B", "C"),
  start: fc.nat(8),
  length: fc.constantFrom(0, 1, 3),
  under: fc.constantFrom("root", "missing", "nothing"),
  conversation: fc.constantFrom(null, null, "c1"),
  outcome: fc.constantFrom("success", "error", "awaiting"),
  ended: fc.constantFrom(true, true, true, false),
} as const);

interface Drawn {
  readonly trace: string;
  readonly name: string;
  readonly start: number;
  readonly length: number;
  readonly under: "root" | "missing" | "nothing";
  readonly conversation: string | null;
  readonly outcome: "success" | "error" | "awaiting";
  readonly ended: boolean;
}

function factOf(drawn: Drawn, index: number): SpanFact {
  const parents = { root: `root-${drawn.trace}`, missing: "nowhere", nothing: null };
  const fact = callFact(
    {
      spanId: `s${index}`,
      traceId: drawn.trace,
      name: drawn.name,
      parentId: parents[drawn.under],
      conversation: drawn.conversation,
      outcome: drawn.outcome,
      ended: drawn.ended,
    },
    drawn.start * 1000,
  );
  const end = drawn.ended && fact.start !== null ? fact.start + BigInt(drawn.length) * 1_000_000_000n : null;
  return { ...fact, end: end as SpanFact["end"] };
}

const roots = (conversation: string | null): SpanFact[] => [
  callFact({ spanId: "root-t1", kind: "agent_run", name: "agent", conversation }),
  callFact({ spanId: "root-t2", traceId: "t2", kind: "agent_run", name: "agent" }),
];

/** Arrival: facts in this order, a new entry after each pause. */
function drive(facts: readonly SpanFact[], pauses: readonly number[]): Driver {
  const driver = new Driver(contract);
  let second = 60;
  facts.forEach((fact, i) => {
    second += pauses[i % pauses.length] ?? 0;
    driver.facts(second, fact);
  });
  return driver.until(second + 2000);
}

/** What stands at the end: verdicts by rule and scope, and the violations that were not taken back. */
function standing(driver: Driver): { verdicts: string[]; violations: string[] } {
  const verdicts = report(driver.state).flatMap(({ verdicts: judged }) =>
    judged.flatMap(({ rule, scopeKey, result }) => [
      `${rule.id} ${scopeKey} ${result.verdict} ${result.final}`,
      ...result.instances.map(
        ({ anchor, verdict, code }) => `${rule.id} ${scopeKey} ${anchor} ${verdict} ${code}`,
      ),
    ]),
  );
  const violations = new Set<string>();
  for (const output of driver.outputs) {
    if (output.type === "violation") {
      assert.ok(!violations.has(output.record.id), "one id was counted twice");
      violations.add(output.record.id);
    }
    if (output.type !== "revision" || output.change === "settled") continue;
    if (output.change === "reinstated") violations.add(output.id);
    else assert.ok(violations.delete(output.id), "withdrawn without standing");
  }
  return { verdicts: verdicts.sort(), violations: [...violations].sort() };
}

describe("the last verdicts", () => {
  it("do not hang on the order, the pauses or the repetition of arrivals", () => {
    const scenario = fc.record({
      drawn: fc.array(span, { minLength: 1, maxLength: 7 }),
      rootConversation: fc.constantFrom(null, "c1"),
      withRoots: fc.constantFrom([], [0], [0, 1]),
      seed: fc.array(fc.nat(1000), { minLength: 24, maxLength: 24 }),
      pauses: fc.array(fc.constantFrom(0, 0, 1, 9, 15, 40), { minLength: 1, maxLength: 6 }),
      repeat: fc.nat(5),
    });
    fc.assert(
      fc.property(scenario, ({ drawn, rootConversation, withRoots, seed, pauses, repeat }) => {
        const facts = [
          ...drawn.map(factOf),
          ...roots(rootConversation).filter((_, i) => withRoots.some((wanted) => wanted === i)),
        ];
        const shuffled = [...facts, ...facts.slice(0, repeat)]
          .map((fact, i) => ({ fact, key: seed[i] ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ fact }) => fact);
        const inOrder = standing(drive(facts, [0]));
        assert.deepEqual(standing(drive(shuffled, pauses)), inOrder);
      }),
      { numRuns: 300 },
    );
  });
});
