import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import { hours, minutes, seconds, type UnixNano, unixNano } from "../../../src/model/time.ts";
import { closing } from "../../../src/processor/run/closing.ts";
import { createRunTable, type Run, touchRun } from "../../../src/processor/run/run-table.ts";
import { callFact } from "../../support/facts.ts";

const policy = { decisionWait: seconds(10), idleTimeout: minutes(30), maxAge: hours(24) };
const at = (second: number): UnixNano => unixNano(BigInt(second) * 1_000_000_000n);

function runOf(facts: readonly SpanFact[], lastArrival = 0): Run {
  const run = touchRun(createRunTable(), "t1", at(0));
  for (const fact of facts) run.facts.set(fact.spanId, { fact, arrivedAt: at(0) });
  run.lastArrival = at(lastArrival);
  return run;
}

const root = callFact({ spanId: "r", kind: "agent_run" });
const child = callFact({ spanId: "c", parentId: "r" });

describe("when a run closes", () => {
  const cases = [
    { name: "root here and ended, waited long enough", facts: [root, child], now: 10, want: "root_ended" },
    { name: "one nanosecond too early", facts: [root, child], now: 9.999, want: null },
    { name: "the wait counts from the last arrival", facts: [root, child], last: 5, now: 14, want: null },
    { name: "root still open", facts: [callFact({ ...root, ended: false, end: null })], now: 60, want: null },
    {
      name: "a call known to be open",
      facts: [root, callFact({ ...child, ended: false })],
      now: 60,
      want: null,
    },
    { name: "a child whose parent has not come is no root", facts: [child], now: 60, want: null },
    {
      name: "a child of another process is one",
      facts: [callFact({ ...child, parentRemote: true })],
      now: 10,
      want: "root_ended",
    },
    { name: "silent for the idle timeout", facts: [child], now: 1800, want: "idle" },
    { name: "never silent, but old", facts: [child], last: 86_399, now: 86_400, want: "max_age" },
  ] as const;
  for (const { name, facts, now, want, ...rest } of cases) {
    it(name, () => {
      const run = runOf(facts, "last" in rest ? rest.last : 0);
      const time = unixNano(BigInt(Math.round(now * 1000)) * 1_000_000n);
      const result = closing(run, time, policy, []);
      assert.equal("close" in result ? result.close : null, want);
      if ("look" in result) assert.ok(result.look > time, "asks for a look in the past");
    });
  }

  it("stands still while we are deaf", () => {
    const run = runOf([root, child]);
    const deaf = [{ from: at(1), until: at(100) }];
    assert.deepEqual(closing(run, at(105), policy, deaf), { look: at(109) });
    assert.deepEqual(closing(run, at(109), policy, deaf), { close: "root_ended" });
  });
});
