/**
 * What is declared to commute may happen in any order: the state that it comes to, what is counted and what is judged
 * are the same. One pair that nobody declared, swapped, shows in all three.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { canonicalText } from "../../src/model/value.ts";
import { report } from "../../src/processor/report.ts";
import { Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";
import fc, { propertyRuns } from "../support/properties.ts";

const contract = `
contract: desk
tools:
  bump: {effect: write, resource: args.ticket}
  tag: {effect: write, resource: args.ticket}
  set_field: {effect: write, resource: args.ticket}
  close: {effect: write, resource: args.ticket}
  escalate: {effect: write, resource: args.ticket}
commutes:
  - {tools: bump, as: increment}
  - {tools: tag, as: union}
  - {tools: [bump, tag, set_field], by: args.field}
rules:
  - {id: alone, kind: single_writer}
  - {id: current, kind: stale_result}
  - {id: conflicts, kind: version_conflict}
  - {id: same-state, kind: replay}
`;

/** One write, as the agent's own reducer understands it. */
type Write =
  | { readonly tool: "bump"; readonly by: number }
  | { readonly tool: "tag"; readonly tag: string }
  | { readonly tool: "set_field"; readonly field: string; readonly value: number }
  | { readonly tool: "close" | "escalate" };

interface Ticket {
  readonly count: number;
  readonly tags: readonly string[];
  readonly fields: Readonly<Record<string, number>>;
  readonly status: string;
  readonly urgent: boolean;
}

const fresh: Ticket = { count: 0, tags: [], fields: {}, status: "open", urgent: false };

/** Closing and escalating do not commute: what is closed cannot become urgent. */
function reduce(ticket: Ticket, write: Write): Ticket {
  switch (write.tool) {
    case "bump":
      return { ...ticket, count: ticket.count + write.by };
    case "tag":
      return { ...ticket, tags: [...new Set([...ticket.tags, write.tag])].sort() };
    case "set_field":
      return { ...ticket, fields: { ...ticket.fields, [write.field]: write.value } };
    case "close":
      return { ...ticket, status: "closed" };
    case "escalate":
      return ticket.status === "open" ? { ...ticket, urgent: true } : ticket;
  }
}

const fieldOf = (write: Write): string =>
  write.tool === "bump"
    ? "count"
    : write.tool === "tag"
      ? "tags"
      : write.tool === "set_field"
        ? write.field
        : "";

/** The writes in this order, each begun by a later decision while the ones before it still run, and what came of it. */
function facts(run: string, writes: readonly Write[]): readonly SpanFact[] {
  const state = writes.reduce(reduce, fresh);
  const calls = writes.map((write, i) => {
    const call = callFact(
      {
        traceId: run,
        spanId: `w${i}`,
        name: write.tool,
        args: { ticket: "T", ...(fieldOf(write) !== "" && { field: fieldOf(write) }) },
        fields: new Map<string, string | number>([
          ["seq", i + 1],
          ["agent", write.tool],
        ]),
      },
      i * 100,
    );
    return { ...call, end: ((call.start ?? 0n) + 1_000_000_000n) as NonNullable<SpanFact["end"]> };
  });
  const reduced = callFact(
    {
      traceId: run,
      spanId: "reduced",
      kind: "reduced",
      name: null,
      fields: new Map([
        ["journal_hash", canonicalText([...writes].map((write) => canonicalText({ ...write })).sort())],
        ["state_hash", canonicalText({ ...state, tags: [...state.tags] })],
      ]),
    },
    3000,
  );
  return [...calls, reduced];
}

interface Seen {
  readonly counters: Readonly<Record<string, number>>;
  readonly verdicts: Readonly<Record<string, string>>;
}

/** What is counted and judged of runs, each the same writes in an order of its own. */
function judged(orders: readonly (readonly Write[])[]): Seen {
  const driver = new Driver(contract);
  orders.forEach((writes, i) => {
    driver.facts(5 + i, ...facts(`run-${i}`, writes));
  });
  driver.end();
  const counters: Record<string, number> = {};
  const count = (name: string): void => {
    counters[name] = (counters[name] ?? 0) + 1;
  };
  for (const output of driver.outputs) {
    if (output.type === "violation") count(`violation ${output.record.rule}`);
    if (output.type === "inconclusive") count(`inconclusive ${output.rule.rule}`);
    if (output.type === "detection") count(`${output.detector} ${output.reason}`);
    if (output.type === "count" && output.of === "tool_calls") count(`call ${output.tool}`);
  }
  const verdicts = report(driver.state).flatMap(({ verdicts: found }) =>
    found.map(({ rule, result }) => [rule.id, result.verdict] as const),
  );
  return { counters, verdicts: Object.fromEntries(verdicts) };
}

const declared: fc.Arbitrary<readonly Write[]> = fc
  .record({
    bumps: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }),
    tags: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
    fields: fc.uniqueArray(fc.constantFrom("status", "owner", "title"), { maxLength: 3 }),
  })
  .map(({ bumps, tags, fields }): readonly Write[] => [
    ...bumps.map((by) => ({ tool: "bump", by }) as const),
    ...tags.map((tag) => ({ tool: "tag", tag }) as const),
    ...fields.map((field, value) => ({ tool: "set_field", field, value }) as const),
  ])
  .filter((writes) => writes.length > 1);

const withOrders = declared.chain((writes) =>
  fc.record({
    first: fc.shuffledSubarray([...writes], { minLength: writes.length }),
    second: fc.shuffledSubarray([...writes], { minLength: writes.length }),
  }),
);

const found = ({ counters }: Seen): Record<string, number> =>
  Object.fromEntries(Object.entries(counters).filter(([name]) => !name.startsWith("call ")));

describe("declared to commute", () => {
  it("come to one state, one set of counters and one set of verdicts in every order", () => {
    fc.assert(
      fc.property(withOrders, ({ first, second }) => {
        const [one, other] = [judged([first]), judged([second])];
        assert.deepEqual(other, one);
        const both = judged([first, second]);
        assert.deepEqual(found(both), {}, "nothing is found, also where calls of later decisions overlap");
        assert.equal(both.verdicts["same-state"], "satisfied");
        assert.equal(both.verdicts.alone, "satisfied");
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("does nothing for a pair that nobody declared: swapped, it shows", () => {
    fc.assert(
      fc.property(withOrders, ({ first, second }) => {
        const pair = [{ tool: "close" }, { tool: "escalate" }] as const;
        const seen = judged([
          [...pair, ...first],
          [...pair.toReversed(), ...second],
        ]);
        assert.equal(seen.verdicts["same-state"], "violated", "two states of one journal");
        assert.equal(seen.verdicts.alone, "violated");
        assert.ok((seen.counters["version_conflict several_owners"] ?? 0) > 0, "two owners at once");
      }),
      { numRuns: propertyRuns(15) },
    );
  });

  it("is what makes the difference: of the same writes without it, later ones supersede and collide", () => {
    const writes: readonly Write[] = [
      { tool: "bump", by: 1 },
      { tool: "bump", by: 2 },
    ];
    const driver = new Driver(contract.replace(/commutes:\n(?: {2}- .*\n)+/, ""));
    driver.facts(5, ...facts("r", writes)).end();
    const verdicts = Object.fromEntries(
      report(driver.state).flatMap(({ verdicts: all }) =>
        all.map(({ rule, result }) => [rule.id, result.verdict]),
      ),
    );
    assert.equal(verdicts.alone, "violated");
    assert.equal(verdicts.current, "violated");
  });
});
