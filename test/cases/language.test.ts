/** The cases of the language: approvals, evidence, owners, conditions; as `toolorder test` runs them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { differences } from "../../src/cli/case-compare.ts";
import { caseSources } from "../../src/cli/case-contract.ts";
import { readCaseFile } from "../../src/cli/case-file.ts";
import { caseInput } from "../../src/cli/case-input.ts";
import { prepareCase } from "../../src/cli/case-run.ts";
import { runCase } from "../../src/cli/test.ts";
import { arrangements, verdictsOf } from "./arrange.ts";

const cases = ["language", "sharing", "causality", "causality-tools", "ledger"].flatMap((name) => {
  const file = `test/cases/${name}-cases.yaml`;
  return readCaseFile(file, readFileSync(file, "utf8")).cases;
});

describe("the language cases", () => {
  it("are here", () => assert.ok(cases.length >= 40, `${cases.length} cases`));

  for (const contractCase of cases) {
    it(`${contractCase.id} ${contractCase.title ?? ""}`, async () => {
      assert.deepEqual((await runCase(contractCase)).failures, []);
    });
  }
});

describe("the last verdicts of a language case do not depend on arrival:", () => {
  for (const contractCase of cases) {
    it(contractCase.id, async () => {
      const input = await caseInput(contractCase);
      const ready = prepareCase(contractCase, await caseSources(contractCase), input);
      assert.ok(ready.loaded);
      const count = input.arrivals.length;
      const straight = verdictsOf(ready.run.last([Array.from({ length: count }, (_, place) => place)]));
      assert.ok(straight.length > 0);
      const expected = contractCase.snapshots.at(-1)?.expect ?? [];
      for (const { name, arrange } of arrangements) {
        const state = ready.run.last(arrange(count));
        assert.deepEqual(verdictsOf(state), straight, name);
        assert.deepEqual(differences(expected, state, ready.set, { revisions: false }), [], name);
      }
    });
  }
});
