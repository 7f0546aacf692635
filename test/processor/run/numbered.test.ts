import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import type { Value } from "../../../src/model/value.ts";
import { Driver } from "../../support/drive.ts";
import { callFact } from "../../support/facts.ts";

const gate = (witness: string, extra = ""): string => `
contract: c
rules:
  - {id: gate, kind: gate, require: ${witness}, before: {tool: mail}${extra}}
`;
const ours = "{tool: check, service: agent}";

interface Sent {
  readonly span: string;
  readonly name?: string;
  readonly at?: number;
  readonly seq?: Value;
  readonly children?: number;
  readonly parent?: string;
  readonly fact?: Partial<SpanFact>;
}

function sent({ span, name = "other", at = 0, seq, children, parent, fact = {} }: Sent): SpanFact {
  const fields = new Map<string, Value>([["service", "agent"]]);
  if (seq !== undefined) fields.set("event_seq", seq);
  if (children !== undefined) fields.set("child_count", children);
  return callFact({ spanId: span, name, parentId: parent ?? null, fields, ...fact }, at);
}

/** What is final the moment the facts are here. */
function atOnce(contract: string, facts: readonly Sent[]): string | null {
  const driver = new Driver(contract);
  driver.facts(1, ...facts.map(sent));
  const [violation] = driver.take("violation");
  return violation?.record.instance.completeness ?? null;
}

const inRun = (fields: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map<string, Value>([["service", "agent"], ["run", "r-1"], ...Object.entries(fields)]);

describe("numbers of one sender", () => {
  const root: Partial<SpanFact> = { kind: "agent_run", name: "a" };
  const cases: readonly { name: string; facts: readonly Sent[]; want: string | null; contract?: string }[] = [
    {
      name: "without a gap: at once",
      facts: [
        { span: "1", seq: 1 },
        { span: "2", seq: 2 },
        { span: "3", seq: 3, name: "mail", at: 20 },
      ],
      want: "sequence",
    },
    { name: "from 1 to its own", facts: [{ span: "3", seq: 1, name: "mail" }], want: "sequence" },
    {
      name: "one missing below",
      facts: [
        { span: "1", seq: 1 },
        { span: "3", seq: 3, name: "mail" },
      ],
      want: null,
    },
    { name: "none", facts: [{ span: "3", name: "mail" }], want: null },
    { name: "not from 1", facts: [{ span: "3", seq: 0, name: "mail" }], want: null },
    {
      name: "one missing above",
      facts: [
        { span: "1", seq: 1, name: "mail" },
        { span: "3", seq: 3 },
      ],
      want: "sequence",
    },
    {
      name: "one number twice",
      facts: [
        { span: "1", seq: 1 },
        { span: "2", seq: 1 },
        { span: "3", seq: 2, name: "mail" },
      ],
      want: null,
    },
    {
      name: "a span of the sender without a number",
      facts: [{ span: "1" }, { span: "3", seq: 1, name: "mail" }],
      want: null,
    },
    {
      name: "a second process of the service",
      facts: [
        { span: "1", seq: 2, fact: { clock: "host-2" } },
        { span: "3", seq: 1, name: "mail" },
      ],
      want: null,
    },
    {
      name: "another service beside it",
      facts: [
        { span: "1", fact: { clock: "host-2", fields: new Map([["service", "gateway"]]) } },
        { span: "3", seq: 1, name: "mail" },
      ],
      want: "sequence",
    },
    {
      name: "an open parent has no number yet",
      facts: [
        { span: "1", seq: 1 },
        { span: "3", seq: 2, name: "mail", parent: "9", at: 20 },
        { span: "9", fact: { ...root, ended: false, end: null } },
      ],
      want: "sequence",
    },
    {
      name: "a witness that could come from elsewhere",
      facts: [{ span: "3", seq: 1, name: "mail" }],
      contract: gate("{tool: check}"),
      want: null,
    },
    {
      name: "a witness that only another service sends",
      facts: [{ span: "3", seq: 1, name: "mail" }],
      contract: gate("{tool: check, service: other}"),
      want: null,
    },
    {
      name: "a witness that comes with another span",
      facts: [{ span: "3", seq: 1, name: "mail" }],
      contract: gate("{kind: approval, service: agent}"),
      want: null,
    },
    {
      name: "a wider scope",
      facts: [{ span: "3", seq: 1, name: "mail" }],
      contract: gate(ours, ", scope: conversation"),
      want: null,
    },
    {
      name: "a witness that counts from its start",
      facts: [{ span: "3", seq: 1, name: "mail" }],
      contract: gate("{tool: check, service: agent, boundary: started_at}"),
      want: null,
    },
    {
      name: "children: as many as the parent had",
      facts: [
        { span: "9", children: 2, fact: root },
        { span: "1", parent: "9" },
        { span: "3", parent: "9", name: "mail", at: 20 },
      ],
      want: "children",
    },
    {
      name: "children: one is missing",
      facts: [
        { span: "9", children: 3, fact: root },
        { span: "1", parent: "9" },
        { span: "3", parent: "9", name: "mail", at: 20 },
      ],
      want: null,
    },
    {
      name: "children: the parent has not ended",
      facts: [
        { span: "9", children: 1, fact: { ...root, ended: false, end: null } },
        { span: "3", parent: "9", name: "mail" },
      ],
      want: null,
    },
    {
      name: "children: one that runs",
      facts: [
        { span: "9", children: 2, fact: root },
        { span: "1", parent: "9", fact: { ended: false, end: null } },
        { span: "3", parent: "9", name: "mail", at: 20 },
      ],
      want: null,
    },
    {
      name: "children: a step between that says nothing of its own",
      facts: [
        { span: "9", children: 1, fact: root },
        { span: "8", parent: "9", fact: { kind: null, name: null } },
        { span: "3", parent: "8", name: "mail" },
      ],
      want: null,
    },
    {
      name: "children: a step between that counts too",
      facts: [
        { span: "9", children: 1, fact: root },
        { span: "8", parent: "9", children: 1, fact: { kind: null, name: null } },
        { span: "3", parent: "8", name: "mail", children: 0 },
      ],
      want: "children",
    },
    {
      name: "children: two trees",
      facts: [
        { span: "9", children: 1, fact: root },
        { span: "3", parent: "9", name: "mail" },
        { span: "8", children: 0, fact: root },
      ],
      want: null,
    },
    {
      name: "a run of several traces, of which another may come",
      facts: [
        { span: "3", seq: 1, name: "mail", fact: { fields: inRun({ event_seq: 1 }) } },
        { span: "4", fact: { traceId: "t2", fields: inRun({ event_seq: 1 }) } },
      ],
      want: null,
    },
    {
      name: "children: under a caller elsewhere, who may call again",
      facts: [
        { span: "9", children: 1, parent: "far", fact: root },
        { span: "3", parent: "9", name: "mail" },
      ],
      want: null,
    },
  ];

  for (const { name, facts, want, contract = gate(ours) } of cases) {
    it(`${name}: ${want ?? "waits"}`, () => {
      assert.equal(atOnce(contract, facts), want);
      assert.equal(atOnce(contract, facts.toReversed()), want);
    });
  }

  it("become final with the span that fills the gap", () => {
    const driver = new Driver(gate(ours));
    driver.facts(1, sent({ span: "3", seq: 2, name: "mail", at: 20 }));
    assert.equal(driver.take("violation").length, 0);
    driver.facts(2, sent({ span: "1", seq: 1 }));
    assert.equal(driver.take("violation").length, 1);
  });

  it("let a witness that comes behind the number still count, as the numbers said", () => {
    const driver = new Driver(gate(ours));
    driver.facts(1, sent({ span: "3", seq: 2, name: "mail", at: 20 }));
    driver.facts(2, sent({ span: "1", seq: 1, name: "check" }));
    driver.until(60);
    assert.equal(driver.take("violation").length, 0);
  });
});
