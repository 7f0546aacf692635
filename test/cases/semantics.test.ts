import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { differences } from "../../src/cli/case-compare.ts";
import { caseSources } from "../../src/cli/case-contract.ts";
import { type ContractCase, readCaseFile } from "../../src/cli/case-file.ts";
import { caseInput } from "../../src/cli/case-input.ts";
import { prepareCase } from "../../src/cli/case-run.ts";
import { runCase } from "../../src/cli/test.ts";
import { arrangements, verdictsOf } from "./arrange.ts";

const file = "test/cases/semantics-cases.yaml";
const { cases } = readCaseFile(file, readFileSync(file, "utf8"));

describe("the semantics cases", () => {
  it("are all here", () => {
    assert.equal(cases.length, 75);
    for (const id of ["S0-01", "S0-18", "T-01", "T-25", "D-05"]) {
      assert.ok(cases.some((contractCase) => contractCase.id === id));
    }
  });

  for (const contractCase of cases) {
    it(`${contractCase.id} ${contractCase.title ?? ""}`, async () => {
      assert.deepEqual((await runCase(contractCase)).failures, []);
    });
  }
});

describe("the last verdicts of a case do not depend on arrival:", () => {
  for (const contractCase of cases) {
    it(contractCase.id, async () => {
      const { run, set, count } = await prepared(contractCase);
      const straight = verdictsOf(run.last([Array.from({ length: count }, (_, place) => place)]));
      assert.ok(straight.length > 0);
      const last = contractCase.snapshots.at(-1);
      for (const { name, arrange } of arrangements) {
        const state = run.last(arrange(count));
        assert.deepEqual(verdictsOf(state), straight, name);
        assert.deepEqual(differences(last?.expect ?? [], state, set, { revisions: false }), [], name);
      }
    });
  }
});

async function prepared(contractCase: ContractCase) {
  const input = await caseInput(contractCase);
  const ready = prepareCase(contractCase, await caseSources(contractCase), input);
  assert.ok(ready.loaded);
  return { ...ready, count: input.arrivals.length };
}
