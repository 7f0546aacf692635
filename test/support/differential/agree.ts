import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caseFile, reduced } from "./reduce.ts";
import { runTrials } from "./trials.ts";

/**
 * A part of the trials; parts run at the same time, a file each. `DIFFERENTIAL_SEED` draws others,
 * `DIFFERENTIAL_TRIALS` says how many instead.
 */
export function describeAgreement(part: number, usual: number): void {
  const trials = Number(process.env.DIFFERENTIAL_TRIALS ?? usual);
  const seed = Number(process.env.DIFFERENTIAL_SEED ?? 1) * 10 + part;

  describe("the product and the slow evaluator", () => {
    it(`agree on ${trials} random rules and traces, seed ${seed}`, (t) => {
      t.diagnostic(`seed ${seed}`);
      const { trials: tried, failure } = runTrials(seed, trials);
      if (failure !== null) {
        assert.fail(`they differ after ${tried} trials of seed ${seed}:\n${caseFile(reduced(failure))}`);
      }
      assert.ok(tried >= trials);
    });
  });
}
