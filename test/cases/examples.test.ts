import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { readCaseFile } from "../../src/cli/case-file.ts";
import { runCase } from "../../src/cli/test.ts";

const files = [
  "examples/patterns.yaml",
  ...globSync("examples/{causal,customer-access}/cases/*.yaml").sort(),
];

describe("the examples", () => {
  it("are all here", () => {
    assert.deepEqual(files, [
      "examples/patterns.yaml",
      "examples/causal/cases/contract.yaml",
      "examples/customer-access/cases/contract.yaml",
      "examples/customer-access/cases/workflow.yaml",
    ]);
  });

  for (const file of files) {
    const { cases } = readCaseFile(file, readFileSync(file, "utf8"));
    for (const contractCase of cases) {
      it(`${file}: ${contractCase.id}`, async () => {
        assert.deepEqual((await runCase(contractCase)).failures, []);
      });
    }
  }

  it("use every recorded trace", () => {
    const used = files.flatMap((file) => readFileSync(file, "utf8").match(/traces\/[\w.-]+\.json/g) ?? []);
    const recorded = globSync("examples/customer-access/traces/*.json").map((path) =>
      path.replace(/^.*\/traces/, "traces"),
    );
    assert.deepEqual([...new Set(used)].sort(), recorded.sort());
  });
});
