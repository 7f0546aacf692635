import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../src/model/span-fact.ts";
import type { Transition } from "../../src/model/transition.ts";
import type { Value } from "../../src/model/value.ts";
import { decisionGaps } from "../../src/processor/decision-gaps.ts";
import { report } from "../../src/processor/report.ts";
import { transitionsOf } from "../../src/processor/transitions.ts";
import { Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";
import { event } from "../support/scope.ts";

const contract = `
contract: tickets
tools:
  read: {effect: read, resource: args.ticket}
  write: {effect: write, resource: args.ticket, reads: read}
rules:
  - {id: approved, kind: gate, require: {tool: approve, status: success}, before: write}
  - {id: few, kind: max_calls, of: search, max: 1}
state_machines:
  - {id: flow, transitions: [[start, read, seen], [seen, write, done]]}
`;

type Spec = Partial<SpanFact> & { readonly spanId: string; readonly said?: Readonly<Record<string, Value>> };

function transitions(...specs: readonly Spec[]): ReadonlyMap<string, Transition> {
  const driver = new Driver(contract);
  const facts = specs.map(({ said = {}, ...spec }, i) =>
    callFact({ ...spec, fields: new Map(Object.entries(said)) }, i * 100),
  );
  driver.facts(1, ...facts).end();
  const runs = report(driver.state);
  return new Map([...transitionsOf(runs).values()].flat().map((one) => [one.event.replace("t1:", ""), one]));
}

const ticket = { args: { ticket: "T" } };
const read: Spec = { spanId: "r", name: "read", ...ticket };
const approve: Spec = { spanId: "p", name: "approve" };
const write: Spec = { spanId: "w", name: "write", ...ticket };

const decisions = (found: ReadonlyMap<string, Transition>): Record<string, string> =>
  Object.fromEntries([...found].map(([id, { decision }]) => [id, decision]));

describe("transitions", () => {
  it("are one for each judged anchor and each step of a machine, and none for what nothing speaks of", () => {
    const found = transitions(read, approve, write, { spanId: "x", name: "other" });
    assert.deepEqual(decisions(found), { r: "allowed", w: "allowed" });
    const done = found.get("w");
    assert.deepEqual(
      done?.rules.map(({ rule, verdict }) => `${rule} ${verdict}`),
      ["tickets/approved satisfied", "tickets/flow satisfied"],
    );
    assert.deepEqual(done?.evidence, ["t1:p"]);
    assert.match(done?.reason ?? "", /^allowed by tickets\/approved, tickets\/flow$/);
  });

  it("say why a call was refused, from the call and from every rule that it broke", () => {
    const found = transitions(
      read,
      { ...approve, outcome: "refused" },
      { ...write, outcome: "refused", errorClass: "PolicyDenied", said: { rejection_reason: "no approval" } },
    );
    assert.equal(found.get("p")?.decision, "refused");
    const refused = found.get("w");
    assert.equal(refused?.decision, "refused");
    assert.equal(refused?.errorClass, "PolicyDenied");
    assert.match(
      refused?.reason ?? "",
      /refused it: no approval; tickets\/approved \(wrong_status\): approve .* before write: broken/,
    );
    assert.deepEqual(refused?.evidence, ["t1:p"]);
  });

  it("say why a write was refused for its version, and with whom it was in conflict", () => {
    const found = transitions(
      read,
      approve,
      { ...write, spanId: "w1", said: { if_match: 1, version: 2, agent: "human" } },
      { ...write, spanId: "w2", said: { if_match: 1, outcome: "conflict", agent: "bot" } },
    );
    const refused = found.get("w2");
    assert.deepEqual([refused?.decision, refused?.code], ["refused", "conflict"]);
    assert.deepEqual(refused?.detections, ["version_conflict refused"]);
    assert.deepEqual(
      refused?.conflicts[0]?.sides.map(({ agent }) => agent),
      ["bot", "human"],
    );
    assert.ok(refused?.evidence.includes("t1:w1"));
  });

  it("name the state that a step was not allowed in, and judge the steps before it by themselves", () => {
    const found = transitions(approve, read, write, { ...write, spanId: "again" });
    assert.deepEqual(decisions(found), { r: "allowed", w: "allowed", again: "violated" });
    const step = found.get("again")?.rules[0];
    assert.deepEqual([step?.rule, step?.code], ["tickets/flow", "illegal_transition"]);
    assert.deepEqual(step?.state, { was: "done", allowed: [] });
  });

  it("stand with what was counted once too often", () => {
    const found = transitions({ spanId: "s1", name: "search" }, { spanId: "s2", name: "search" });
    assert.ok([...found.values()].every(({ decision }) => decision === "violated"));
    assert.ok(found.size >= 1);
  });

  it("hold references to keys and never a key, and count attempts where nobody says which it is", () => {
    const found = transitions(
      approve,
      { ...write, spanId: "w1", said: { key: "key-of-the-payment" } },
      { ...write, spanId: "w2", said: { key: "key-of-the-payment" } },
      { ...write, spanId: "w3", said: { key: "another", attempt: 7 } },
    );
    const [first, second, third] = ["w1", "w2", "w3"].map((id) => found.get(id));
    assert.deepEqual([first?.attempt, second?.attempt, third?.attempt], [1, 2, 7]);
    assert.match(first?.keyRef ?? "", /^[0-9a-f]{12}$/);
    assert.equal(first?.keyRef, second?.keyRef);
    assert.notEqual(first?.keyRef, third?.keyRef);
    const text = JSON.stringify([...found.values()], (_, value: unknown) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    assert.doesNotMatch(text, /key-of-the-payment|another/);
  });

  it("tell a reducer's own rejection with its reason", () => {
    const found = transitions({
      spanId: "j",
      name: "late",
      kind: "reducer_rejected",
      said: { rejection_reason: "stale", state_version: 4, node: "apply", effect: "charge" },
    });
    const { decision, code, stateVersion, node, effect } = found.get("j") ?? {};
    assert.deepEqual(
      { decision, code, stateVersion, node, effect },
      { decision: "refused", code: "stale", stateVersion: "4", node: "apply", effect: "charge" },
    );
  });

  it("are the same in whatever order the run came", () => {
    const specs: Spec[] = [read, { ...write, outcome: "refused" }, approve, { ...write, spanId: "w2" }];
    const facts = specs.map((spec, i) => callFact(spec, i * 100));
    const told = (list: readonly SpanFact[]) => {
      const driver = new Driver(contract);
      for (const fact of list) driver.facts(1, fact);
      return transitionsOf(report(driver.end().state));
    };
    assert.deepEqual(told(facts.toReversed()), told(facts));
  });
});

describe("decision numbers that never came", () => {
  const decided = (seq: Value, run = "r1", agent?: string) =>
    event({ id: `${run}-${String(seq)}`, run, fields: { seq, ...(agent !== undefined && { agent }) } });
  const rows: readonly {
    readonly name: string;
    readonly seen: ReturnType<typeof decided>[];
    readonly want: string[];
  }[] = [
    { name: "none", seen: [decided(1), decided(2), decided(2), decided(3)], want: [] },
    { name: "one, and several", seen: [decided(7), decided(1), decided(3)], want: ["r1: 2–2 4–6"] },
    { name: "nothing before the first", seen: [decided(5)], want: [] },
    { name: "what is no number", seen: [decided("a"), decided(1), decided(3)], want: ["r1: 2–2"] },
    {
      name: "each agent and run for itself",
      seen: [decided(1), decided(3, "r2"), decided(2, "r1", "sub"), decided(4, "r1", "sub")],
      want: ["r1 (sub): 3–3"],
    },
  ];
  for (const { name, seen, want } of rows) {
    it(name, () => {
      const words = decisionGaps(seen).map(
        ({ of, missing }) => `${of}: ${missing.map(({ from, to }) => `${from}–${to}`).join(" ")}`,
      );
      assert.deepEqual(words, want);
    });
  }
});
