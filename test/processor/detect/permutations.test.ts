/**
 * The order of arrival is nobody's intent: what is independent gives the same in every order, and what depends on
 * each other and happened in a wrong one shows.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import type { Value } from "../../../src/model/value.ts";
import { report } from "../../../src/processor/report.ts";
import { Driver } from "../../support/drive.ts";
import { callFact } from "../../support/facts.ts";
import fc, { propertyRuns } from "../../support/properties.ts";

const contract = `
contract: order
tools:
  A: {effect: read}
  B: {effect: write}
rules:
  - {id: results, kind: stale_result, scope: conversation}
  - {id: effects, kind: stale_effect, scope: conversation}
  - {id: used, kind: stale_applied, scope: conversation}
  - {id: each, kind: gate, require: {tool: A, stale: {exists: false}}, before: B, scope: conversation}
`;

const drawn = fc.record({
  trace: fc.constantFrom("t1", "t2"),
  name: fc.constantFrom("A", "B"),
  start: fc.nat(8),
  length: fc.nat(4),
  seq: fc.option(fc.nat(3)),
  turn: fc.option(fc.nat(2)),
  run: fc.option(fc.constantFrom("R1", "R2")),
  base: fc.option(fc.nat(2)),
  version: fc.option(fc.nat(2)),
  parent: fc.option(fc.nat(5)),
  kind: fc.constantFrom("tool_call", "tool_call", "tool_call", "cancel_requested", "user_turn"),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

function factOf(one: Drawn, i: number): SpanFact {
  const fields = new Map<string, Value>();
  if (one.seq !== null) fields.set("seq", one.seq);
  if (one.turn !== null) fields.set("turn", one.turn);
  if (one.run !== null) fields.set("run_id", one.run);
  if (one.base !== null) fields.set("base_version", one.base);
  if (one.version !== null) fields.set("state_version", one.version);
  if (one.parent !== null && one.parent < i) fields.set("parents", [`s${one.parent}`]);
  const fact = callFact(
    { spanId: `s${i}`, traceId: one.trace, name: one.name, kind: one.kind, conversation: "c1", fields },
    one.start * 1_000,
  );
  const end = (fact.start ?? 0n) + BigInt(one.kind === "tool_call" ? one.length : 0) * 1_000_000_000n;
  return { ...fact, end: end as SpanFact["end"] };
}

/** Everything arrives before anything is decided, one entry a fact, some of them twice. */
function deliver(facts: readonly SpanFact[], again: readonly number[]): Driver {
  const driver = new Driver(contract);
  for (const fact of facts) driver.facts(60, fact);
  for (const i of again) {
    const fact = facts[i % facts.length];
    if (fact !== undefined) driver.facts(61, fact);
  }
  return driver.until(120).end();
}

/** What was counted and recorded, and how it stands at the end. */
function outcome(driver: Driver): { readonly told: readonly string[]; readonly stands: readonly string[] } {
  const told = driver.outputs.flatMap((output) => {
    if (output.type === "detection") {
      return [[output.detector, output.reason, output.event, output.by, output.applied].join(" ")];
    }
    if (output.type === "duration" && output.of === "dependency_wait") return [`wait ${output.seconds}`];
    return output.type === "count" && output.of === "calls_per_decision" ? [`calls ${output.calls}`] : [];
  });
  const stands = report(driver.state).flatMap(({ run, verdicts, detections }) => [
    ...verdicts.map(({ rule, result }) => `${run} ${rule.id} ${result.verdict} ${result.code}`),
    ...detections.map(({ detector, reason, event, by, applied }) =>
      [run, detector, reason, event, by, applied].join(" "),
    ),
  ]);
  return { told: told.sort(), stands: stands.sort() };
}

describe("the order of arrival", () => {
  it("changes no detection, no count, no verdict and no state", () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(drawn, { minLength: 2, maxLength: 6 }),
        fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
        fc.array(fc.nat(5), { maxLength: 3 }),
        (shapes, keys, again) => {
          const facts = shapes.map(factOf);
          const wanted = outcome(deliver(facts, []));
          const shuffled = facts
            .map((fact, i) => ({ fact, key: keys[i] ?? 0 }))
            .sort((a, b) => a.key - b.key)
            .map(({ fact }) => fact);
          assert.deepEqual(outcome(deliver(shuffled, again)), wanted);
          found += wanted.told.filter((text) => text.startsWith("stale")).length;
        },
      ),
      { numRuns: propertyRuns(60) },
    );
    assert.ok(found > 20, `only ${found} found`);
  });
});

const chain = `
contract: chain
rules:
  - id: reducer
    kind: machine
    initial: asked
    transitions: [[asked, fetch, fetched], [fetched, decide, decided], [decided, apply, applied]]
    unlisted: violate
    scope: conversation
  - {id: needs-fetch, kind: gate, require: fetch, before: decide, scope: conversation}
  - {id: needs-decision, kind: gate, require: decide, before: apply, scope: conversation}
`;
const steps = ["fetch", "decide", "apply"];
const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

describe("events that depend on each other", () => {
  for (const happened of orders) {
    const inOrder = happened.join() === "0,1,2";
    const names = happened.map((step) => steps[step]).join(", ");
    it(`${names}: ${inOrder ? "nothing is rejected" : "rejected, with the reason"}, however they arrive`, () => {
      for (const arrival of orders) {
        const driver = new Driver(chain);
        for (const step of arrival) {
          const at = happened.indexOf(step) * 1_000;
          driver.facts(60, callFact({ spanId: `s${step}`, name: steps[step] ?? "", conversation: "c1" }, at));
        }
        driver.until(9_000).end();
        const broken = driver.take("violation").map(({ record }) => record.instance);
        const rejected = driver.outputs.filter(
          (output) => output.type === "count" && output.of === "reducer_rejection",
        );
        assert.equal(broken.length > 0, !inOrder, `arrived ${arrival.join()}`);
        assert.equal(rejected.length, inOrder ? 0 : 1);
        for (const { reason, code } of broken) assert.ok(reason !== "" && code !== null);
      }
    });
  }
});
