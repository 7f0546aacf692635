import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../src/model/event.ts";
import type { Assembly } from "../../src/processor/assemble/assemble.ts";
import { captureExceptions } from "./exceptions.ts";
import { assembleClosed, callsOf, differences, everything, factsOf } from "./judge-run.ts";
import { jsonRequests, protobufRequests, type RecordedRun, recordedRuns } from "./runs.ts";

const runs = recordedRuns();

it("holds all the recorded runs, and protobuf bodies among them", () => {
  assert.equal(runs.length, 166);
  assert.ok(runs.filter((run) => run.protobuf.length > 0).length >= 15);
});

describe("calls found in recorded runs equal what the tools recorded", () => {
  for (const run of runs) {
    it(run.name, () => check(run, assembleClosed(factsOf(jsonRequests(run, everything.plan)))));
    if (run.protobuf.length === 0) continue;
    it(`${run.name}, from the raw protobuf bytes`, () => {
      check(run, assembleClosed(factsOf(protobufRequests(run, everything.plan))));
    });
  }
});

it("names no exception that is none", () => {
  for (const name of captureExceptions.keys())
    assert.ok(
      runs.some((run) => run.name === name),
      name,
    );
});

function check(run: RecordedRun, assembly: Assembly): void {
  const found = differences(run, assembly);
  const exception = captureExceptions.get(run.name);
  if (exception === undefined) {
    assert.deepEqual(found, []);
    return;
  }
  assert.ok(found.length > 0, "listed as an exception, and nothing differs");
  assert.deepEqual(
    found.filter((line) => !exception.differs.some((kind) => line.includes(kind))),
    [],
  );
  assert.deepEqual(
    callsOf(assembly).map((call) => call.status),
    exception.calls,
  );
  checkHonesty(run, assembly);
}

/** What the spans do not say must show as not known, never as something else. */
function checkHonesty(run: RecordedRun, { events }: Assembly): void {
  const calls = events.filter((event: Event) => event.kind === "tool_call");
  switch (run.name) {
    case "langchain-1.5.14-traceloop/auth_late_bare":
      assert.ok(calls.every((call) => call.name === null && call.conversation === null));
      break;
    case "traceloop-0.27.0/retry": {
      const lost = calls.filter((call) => call.callId === "call_00m_rep");
      assert.deepEqual(
        lost.map((call) => [call.name, call.status, call.start, call.end]),
        [["retrieve_entitlement_policy", "requested", "none", "none"]],
      );
      break;
    }
    case "traceloop-0.27.0/unhandled_error":
      assert.deepEqual(
        calls.filter((call) => call.name === "get_customer_plan").map((call) => call.status),
        ["requested"],
      );
      break;
    default:
      break;
  }
}
