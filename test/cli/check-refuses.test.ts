import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CheckOptions } from "../../src/cli/check.ts";
import { exampleContract, runCheck, workFolder } from "./check-run.ts";

const folder = workFolder();

describe("check refuses, with exit code 2 and the cure,", () => {
  const table: readonly {
    readonly name: string;
    readonly parts: () => Partial<CheckOptions>;
    readonly says: RegExp;
  }[] = [
    { name: "a format that is none", parts: () => ({ format: "xml" }), says: /no format named "xml"/ },
    {
      name: "a severity that is none",
      parts: () => ({ failOn: "fatal" }),
      says: /no severity named "fatal"/,
    },
    { name: "no contract", parts: () => ({ contracts: [] }), says: /no contract is named/ },
    {
      name: "a contract that is not there",
      parts: () => ({ contracts: ["nowhere.yaml"] }),
      says: /nowhere\.yaml/,
    },
    {
      name: "a glob without contracts",
      parts: () => ({ contracts: [folder.path("*.nothing")] }),
      says: /no contract file matches/,
    },
    {
      name: "a contract with a mistake",
      parts: () => ({
        contracts: [
          folder.write("typo.yaml", "contract: c\nrules:\n  - {kind: gaet, require: A, before: B}\n"),
        ],
      }),
      says: /typo\.yaml:3:.*\n.*gaet(?:.|\n)*advice:.*gate/,
    },
    {
      name: "a trace that is not there",
      parts: () => ({ traces: ["nowhere.json"] }),
      says: /nowhere\.json: there is no such file/,
    },
    {
      name: "a glob without traces",
      parts: () => ({ traces: [folder.path("*.nothing")] }),
      says: /no trace matches/,
    },
    {
      name: "a run in two lists of which one has no times",
      parts: () => ({
        traces: [
          folder.write("untimed.json", '[{"name": "A", "run": "r"}]'),
          folder.write("timed.json", '[{"name": "B", "run": "r", "start": 1000}]'),
        ],
      }),
      says: /timed\.json: the run "r" is in .*untimed\.json too, and one of the lists has no times/,
    },
    { name: "a trace that is none", parts: () => ({ traces: [exampleContract] }), says: /neither JSON nor/ },
    {
      name: "an empty list",
      parts: () => ({ traces: [folder.write("empty.json", "[]")] }),
      says: /no span, no log record and no event/,
    },
    {
      name: "a configuration that is not there",
      parts: () => ({ config: "nowhere.yaml" }),
      says: /nowhere\.yaml/,
    },
  ];
  for (const { name, parts, says } of table) {
    it(name, async () => {
      const { code, out, err } = await runCheck(parts());
      assert.equal(code, 2);
      assert.equal(out, "");
      assert.match(err, says);
      assert.match(err, /advice:/);
    });
  }
});
