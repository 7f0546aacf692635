/** The enrollment example: a good run, and one for each way in which it must not happen. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { readCaseFile } from "../../src/cli/case-file.ts";
import { runCase } from "../../src/cli/test.ts";

const file = "examples/enrollment/cases/contract.yaml";
const { cases } = readCaseFile(file, readFileSync(file, "utf8"));

describe("the enrollment example", () => {
  it("has a run for each refusal", () => {
    const ids = new Set(cases.map(({ id }) => id));
    for (const id of [
      "good",
      "not-authorized",
      "no-plan",
      "no-evidence",
      "another-plan",
      "another-user",
      "catalog-changed",
      "not-acknowledged",
      "approval-expired",
      "not-authenticated",
      "already-enrolled",
    ]) {
      assert.ok(ids.has(id), id);
    }
  });

  for (const contractCase of cases) {
    it(`${contractCase.id}: ${contractCase.title ?? ""}`, async () => {
      assert.deepEqual((await runCase(contractCase)).failures, []);
    });
  }
});
