/**
 * Every kernel against the plain meaning of docs/semantics.md, on random scopes, closed, in two orders of the
 * same events.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import type { Boundary, ClockPolicy } from "../../../src/model/order.ts";
import { milliseconds } from "../../../src/model/time.ts";
import type { InstanceVerdict, RuleVerdict } from "../../../src/model/verdict.ts";
import { createOrder } from "../../../src/processor/order/happened-before.ts";
import { judge } from "../../../src/rules/judge.ts";
import type { Bind, Comparison, Pattern } from "../../../src/rules/pattern.ts";
import type { Link, Program, Stretch } from "../../../src/rules/program.ts";
import { permuted, policies, scopes } from "../../support/arbitrary-scope.ts";
import { OracleOrder, oracleApart, oracleLink, oracleMember } from "../../support/oracle.ts";
import { oracleCount, oracleMachine } from "../../support/oracle-count-machine.ts";
import {
  blocker,
  compared,
  count,
  everyEvent,
  link,
  machine,
  named,
  ruleOf,
  transition,
} from "../../support/programs.ts";
import fc, { propertyRuns } from "../../support/properties.ts";
import { closedBy } from "../../support/scope.ts";

const runs = propertyRuns(400);

function judged(program: Program, events: readonly Event[], policy: ClockPolicy): RuleVerdict {
  return judge(ruleOf(program), {
    events,
    order: createOrder(events, policy, { closed: () => true }),
    completeness: closedBy("input_end"),
    missingAfter: "vacuous",
    nearMisses: true,
  });
}

const byId = (found: RuleVerdict, id: (one: InstanceVerdict) => string): Record<string, string> =>
  Object.fromEntries(found.instances.map((one): [string, string] => [id(one), one.verdict]).sort());
const sorted = (verdicts: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...verdicts].sort());

const approved: Pattern = named("A", {
  tests: [{ path: ["result"], test: { op: "equals", value: "ok" } }],
  text: "approved A",
});
const patterns = fc.constantFrom(named("A"), named("B"), named("C"), approved);
const bind: Bind = { anchor: ["args", "k"], witness: ["args", "k"] };
const boundaries = fc.constantFrom<Boundary>("started_at", "finished_at");
const blockers = fc.constantFrom(
  blocker(named("C")),
  blocker(named("B"), { bound: true, code: "blocked" }),
  blocker(everyEvent),
  blocker(approved),
  blocker(named("A"), { where: [compared("b.result", "!=", "w.result")] }),
);
const wheres = fc.constantFrom<Comparison>(
  compared("w.seq", "<", "a.seq"),
  compared("w.result", "==", "a.result"),
  compared("w.seq", "!=", "a.seq"),
);

const links: fc.Arbitrary<Link> = fc
  .record({
    anchor: patterns,
    witness: patterns,
    need: fc.constantFrom<Link["need"]>("past", "future", "any"),
    quant: fc.constantFrom<Link["quant"]>("some", "some", "none"),
    bind: fc.constantFrom<readonly Bind[]>([], [], [bind]),
    where: fc.oneof(
      fc.constant([]),
      fc.constant([]),
      wheres.map((one) => [one]),
    ),
    within: fc.constantFrom(null, null, milliseconds(3)),
    noSooner: fc.constantFrom(null, null, null, milliseconds(1)),
    also: fc.constantFrom<NonNullable<Link["also"]>>(
      [],
      [],
      [
        {
          first: { of: "w", boundary: "finished_at" },
          second: { of: "a", boundary: "started_at" },
          holds: false,
        },
      ],
      [
        {
          first: { of: "a", boundary: "finished_at" },
          second: { of: "w", boundary: "finished_at" },
          holds: true,
        },
      ],
    ),
    unlessBetween: fc.oneof(
      fc.constant([]),
      blockers.map((one) => [one]),
      fc.array(blockers, { maxLength: 2 }),
    ),
    boundary: fc.option(fc.tuple(boundaries, boundaries), { nil: null }),
    atLeast: fc.constantFrom(1, 1, 1, 2),
  })
  .map(({ anchor, witness, boundary, ...rest }) => {
    const free = rest.need === "any" ? { within: null, noSooner: null, also: [], unlessBetween: [] } : {};
    const made = link(anchor, witness, { ...rest, ...free });
    if (boundary === null) return made;
    return { ...made, anchorBoundary: boundary[0], witnessBoundary: boundary[1] };
  });

/** Where a rule speaks: everywhere half of the time. */
const stretches: fc.Arbitrary<Omit<Stretch, "kernel" | "then"> | null> = fc.option(
  fc.record({
    after: fc.constantFrom(named("C"), approved, null),
    before: fc.constantFrom(named("C"), named("B"), null),
    bind: fc.constantFrom<readonly Bind[]>([], [], [bind]),
  }),
  { nil: null },
);

const inStretch = (head: Omit<Stretch, "kernel" | "then"> | null, then: Program): Program =>
  head === null ? then : { kernel: "stretch", ...head, then };

describe("kernels against the oracle", () => {
  it("order: before, for every two points, in both orders of the events", () => {
    fc.assert(
      fc.property(scopes(6), policies, (events, policy) => {
        const slow = new OracleOrder(events, policy);
        const quick = createOrder(permuted(events, 5), policy, { closed: () => true });
        for (const p of events) {
          for (const q of events) {
            if (p === q) continue;
            for (const [x, y] of [
              [true, false],
              [false, false],
              [true, true],
              [false, true],
            ] as const) {
              for (const use of ["required", "forbidden", "blocker"] as const) {
                const relation = quick.before(
                  { event: p, boundary: x ? "finished_at" : "started_at" },
                  { event: q, boundary: y ? "finished_at" : "started_at" },
                  use,
                );
                assert.equal(
                  relation.truth,
                  slow.before(p, x, q, y, use),
                  `${p.id} ${x} ${q.id} ${y} ${use}`,
                );
                assert.equal(relation.truth === "unknown", relation.code !== undefined);
              }
            }
          }
        }
      }),
      { numRuns: runs },
    );
  });

  it("link", () => {
    fc.assert(
      fc.property(scopes(7), policies, links, stretches, fc.nat(1000), (events, policy, only, head, seed) => {
        const member = head === null ? undefined : oracleMember(head, events, policy);
        const program = inStretch(head, only);
        const want = sorted(oracleLink(only, events, policy, member));
        const got = judged(program, events, policy);
        assert.deepEqual(
          byId(got, (one) => one.anchor ?? ""),
          want,
        );
        assert.deepEqual(judged(program, permuted(events, seed), policy), got);
        assert.ok(got.final && got.instances.every((one) => one.final));
      }),
      { numRuns: propertyRuns(1200) },
    );
  });

  it("apart", () => {
    const aparts = fc
      .tuple(patterns, fc.constantFrom<readonly Bind[]>([], [bind]), fc.constantFrom(1, 1, 2, 3))
      .map(([of, keys, limit]) => link(of, of, { need: "apart", bind: keys, limit }));
    fc.assert(
      fc.property(
        scopes(7),
        policies,
        aparts,
        stretches,
        fc.nat(1000),
        (events, policy, only, head, seed) => {
          const member = head === null ? undefined : oracleMember(head, events, policy);
          const program = inStretch(head, only);
          const got = judged(program, events, policy);
          assert.deepEqual(
            byId(got, (one) => one.anchor ?? ""),
            sorted(oracleApart(only, events, policy, member)),
          );
          assert.deepEqual(judged(program, permuted(events, seed), policy), got);
        },
      ),
      { numRuns: runs },
    );
  });

  it("count", () => {
    const counts = fc
      .record({
        of: fc.constantFrom(named("A"), approved, everyEvent),
        min: fc.option(fc.nat(3), { nil: null }),
        max: fc.option(fc.nat(3), { nil: null }),
        distinct: fc.constantFrom<readonly (readonly string[])[]>([], [["result"]], [["args", "k"]]),
        bind: fc.constantFrom<readonly (readonly string[])[]>([], [["seq"]]),
      })
      .filter(({ min, max }) => min === null || max === null || min <= max)
      .map(({ of, ...rest }) => count(of, rest));
    fc.assert(
      fc.property(
        scopes(6),
        policies,
        counts,
        stretches,
        fc.nat(1000),
        (events, policy, only, head, seed) => {
          const member = head === null ? undefined : oracleMember(head, events, policy);
          const program = inStretch(head, only);
          const got = judged(program, events, policy);
          assert.deepEqual(
            byId(got, (one) => one.key),
            sorted(oracleCount(only, events, member)),
          );
          assert.deepEqual(
            byId(judged(program, permuted(events, seed), policy), (one) => one.key),
            byId(got, (one) => one.key),
          );
        },
      ),
      { numRuns: runs },
    );
  });

  it("machine", () => {
    const states = fc.constantFrom("s0", "s1", "s2");
    const machines = fc
      .record({
        transitions: fc.uniqueArray(fc.tuple(states, fc.constantFrom("A", "B", "C"), states), {
          minLength: 1,
          maxLength: 6,
          selector: ([from, on]) => from + on,
        }),
        unlisted: fc.constantFrom<"ignore" | "violate">("ignore", "violate"),
        onIllegal: fc.constantFrom<"violate" | "stay">("violate", "stay"),
        final: fc.option(fc.uniqueArray(states, { minLength: 1 }), { nil: null }),
      })
      .map(({ transitions, final, ...rest }) =>
        machine(
          transitions.map(([from, on, to]) => transition(from, named(on), to)),
          { ...rest, initial: "s0", final: final === null ? null : new Set(final) },
        ),
      );
    fc.assert(
      fc.property(
        scopes(6),
        policies,
        machines,
        stretches,
        fc.nat(1000),
        (events, policy, only, head, seed) => {
          const member = head === null ? undefined : oracleMember(head, events, policy);
          const program = inStretch(head, only);
          const want = oracleMachine(only, events, policy, member);
          const got = judged(program, events, policy);
          assert.equal(got.verdict, want ?? "vacuous");
          assert.equal(judged(program, permuted(events, seed), policy).verdict, got.verdict);
        },
      ),
      { numRuns: runs },
    );
  });
});
