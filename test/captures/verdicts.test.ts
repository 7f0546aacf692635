import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jsonRequests, protobufRequests, recordedRuns } from "./runs.ts";
import { planVerdicts, trueVerdicts } from "./verdicts.ts";

/** Runs whose spans do not show the plan call as one that ran: there is nothing to judge, and nothing is claimed. */
const unseen = new Set(["langchain-1.5.14-traceloop/auth_late_bare", "traceloop-0.27.0/unhandled_error"]);

describe("the verdict on authorization before plan equals the truth", () => {
  for (const run of recordedRuns()) {
    const wanted = [...trueVerdicts(run)].sort();
    const check = (found: readonly string[]): void => {
      if (unseen.has(run.name)) assert.deepEqual(found, []);
      else if (run.truth.from_spans === undefined) assert.deepEqual([...found].sort(), wanted);
      else checkFast(run.truth.from_spans.possible_orders, wanted, found);
    };
    it(run.name, () =>
      check(planVerdicts(({ plan }) => jsonRequests(run, plan)).map(({ verdict }) => verdict)),
    );
    it(`${run.name}, one span at a time and the last one first`, () => {
      const reversed = planVerdicts(({ plan }) =>
        jsonRequests(run, plan)
          .flat()
          .reverse()
          .map((span) => [span]),
      );
      check(reversed.map(({ verdict }) => verdict));
    });
    if (run.protobuf.length === 0) continue;
    it(`${run.name}, from the raw protobuf bytes`, () => {
      check(planVerdicts(({ plan }) => protobufRequests(run, plan)).map(({ verdict }) => verdict));
    });
  }
});

/**
 * Calls inside one tick of the clock: a run that held is never violated; one that did not is violated only
 * where the stamps leave no order in which it held, and then it must be.
 */
function checkFast(possible: readonly string[], wanted: readonly string[], found: readonly string[]): void {
  assert.equal(found.length, 1);
  const [verdict = ""] = found;
  if (wanted[0] === "satisfied") assert.notEqual(verdict, "violated");
  else if (!possible.includes("auth_first")) assert.equal(verdict, "violated");
  else assert.ok(["violated", "satisfied", "inconclusive"].includes(verdict), verdict);
}
