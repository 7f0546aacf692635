/** The cases of the language: approvals, evidence, owners, conditions; as `toolorder test` runs them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { readCaseFile } from "../../src/cli/case-file.ts";
import { runCase } from "../../src/cli/test.ts";

const cases = ["language", "sharing"].flatMap((name) => {
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
