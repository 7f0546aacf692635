/** What is published of one id, record after record: each names the one that it replaces. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RecordRef } from "../../src/model/output.ts";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { Driver } from "../support/drive.ts";
import { callFact } from "../support/facts.ts";

const gate = (more = "") => `
contract: access
rules:
  - {id: gate, kind: gate, require: check, before: read, severity: critical${more}}
`;
const root = callFact({ spanId: "root", kind: "agent_run", name: "agent" }, 0);
const call = (name: string, startMs: number, overrides: Partial<SpanFact> = {}): SpanFact =>
  callFact({ spanId: `${name}-${startMs}`, parentId: "root", name, ...overrides }, startMs);

interface Said extends RecordRef {
  readonly what: string;
}

/** Violations, revisions and what could not be decided, in the order in which they came. */
const recordsOf = (driver: Driver): readonly Said[] =>
  driver.outputs.flatMap((output): Said[] => {
    if (output.type === "violation") {
      const { record, supersedes } = output.record;
      return [{ what: "violated", record, supersedes }];
    }
    if (output.type !== "revision" && output.type !== "inconclusive") return [];
    const { record, supersedes } = output;
    return [{ what: output.type === "revision" ? output.change : output.type, record, supersedes }];
  });

describe("the records of a verdict", () => {
  it("name what they replace, from the first violation on", () => {
    const driver = new Driver(gate(", unless_between: [revoke]"))
      .facts(1, call("read", 0), root)
      .facts(100, call("check", -500))
      .facts(200, call("revoke", -200))
      .facts(300, call("check", -100))
      .until(400);
    const id = driver.take("violation")[0]?.record.id;
    assert.deepEqual(recordsOf(driver), [
      { what: "violated", record: `${id}.1`, supersedes: null },
      { what: "withdrawn", record: `${id}.2`, supersedes: `${id}.1` },
      { what: "reinstated", record: `${id}.3`, supersedes: `${id}.2` },
      { what: "withdrawn", record: `${id}.4`, supersedes: `${id}.3` },
    ]);
  });

  it("of a call of two spans name what was said of the one that came first", () => {
    const inner = call("read", 2, { spanId: "inner", parentId: "outer", callId: "c1", scope: "sdk" });
    const outer = call("read", 0, { spanId: "outer", callId: "c1" });
    const driver = new Driver(gate()).facts(1, inner, root).facts(100, outer).until(200);
    const [first, second] = driver.take("violation").map(({ record }) => record.id);
    assert.notEqual(first, second);
    assert.deepEqual(recordsOf(driver), [
      { what: "violated", record: `${first}.1`, supersedes: null },
      { what: "violated", record: `${second}.1`, supersedes: `${first}.1` },
      { what: "merged", record: `${first}.2`, supersedes: `${first}.1` },
    ]);
  });

  it("begin with what could not be told, where that was published first", () => {
    const noArgs = { hidden: new Map([["args", "not_captured" as const]]) };
    const driver = new Driver(gate(", bind: [args.id]"))
      .facts(1, call("read", 0, { args: { id: "a" } }), call("check", -500, noArgs), root)
      .facts(100, call("check", -500, { args: { id: "b" }, end: call("check", -400).start }))
      .until(200);
    const [first] = driver.take("inconclusive");
    assert.deepEqual(recordsOf(driver), [
      { what: "inconclusive", record: `${first?.id}.1`, supersedes: null },
      { what: "violated", record: `${first?.id}.2`, supersedes: `${first?.id}.1` },
    ]);
  });

  it("say what became of it, where that could be told later", () => {
    const noArgs = { hidden: new Map([["args", "not_captured" as const]]) };
    const driver = new Driver(gate(", bind: [args.id], unless_between: [revoke]"))
      .facts(1, call("read", 0, { args: { id: "a" } }), call("check", -500, noArgs), root)
      .facts(100, call("check", -300, { args: { id: "a" } }))
      .facts(200, call("revoke", -100))
      .until(300);
    const [first] = driver.take("inconclusive");
    assert.deepEqual(recordsOf(driver), [
      { what: "inconclusive", record: `${first?.id}.1`, supersedes: null },
      { what: "settled", record: `${first?.id}.2`, supersedes: `${first?.id}.1` },
      { what: "violated", record: `${first?.id}.3`, supersedes: `${first?.id}.2` },
    ]);
    assert.equal(driver.take("revision")[0]?.instance.verdict, "satisfied");
  });

  it("say so too where it is no instance any more", () => {
    const noArgs = { hidden: new Map([["args", "not_captured" as const]]) };
    const args = { id: "a" };
    const inner = call("read", 2, { spanId: "inner", parentId: "outer", callId: "c1", scope: "sdk", args });
    const outer = call("read", 0, { spanId: "outer", callId: "c1", args });
    const driver = new Driver(gate(", bind: [args.id]"))
      .facts(1, inner, call("check", -500, noArgs), root)
      .facts(100, outer)
      .until(200);
    const [first, second] = driver.take("inconclusive").map(({ id }) => id);
    assert.notEqual(first, second);
    assert.deepEqual(recordsOf(driver), [
      { what: "inconclusive", record: `${first}.1`, supersedes: null },
      { what: "inconclusive", record: `${second}.1`, supersedes: `${first}.1` },
      { what: "settled", record: `${first}.2`, supersedes: `${first}.1` },
    ]);
  });

  it("are the same in a replay", () => {
    const play = () =>
      recordsOf(
        new Driver(gate()).facts(1, call("read", 0), root).facts(100, call("check", -500)).until(200),
      );
    assert.equal(play().length, 2);
    assert.deepEqual(play(), play());
  });
});
