import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { check } from "../../src/cli/check.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import { loadContracts } from "../../src/rules/load.ts";
import { fakeTerminal } from "./fake-terminal.ts";

const readme = readFileSync("README.md", "utf8");
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(readme)?.[1] ?? "";

describe("the README", () => {
  it("shows what check prints", async () => {
    const fake = fakeTerminal();
    await check(
      {
        contracts: ["examples/customer-access/contract.yaml"],
        config: null,
        set: [],
        format: "text",
        failOn: "high",
        approvals: null,
        today: null,
        baseline: null,
        writeBaseline: false,
        trace: false,
        traces: ["examples/customer-access/traces/incident.json"],
      },
      fake.terminal,
    );
    assert.ok(block("").length > 500);
    assert.ok(fake.out.startsWith(block("").trimEnd()), fake.out);
  });

  it("shows a contract of some ten lines that loads without a word", () => {
    const text = block("yaml");
    assert.ok(text.split("\n").length <= 12);
    const { set, problems } = loadContracts([{ file: "README.md", text }], defaultSettings.language);
    assert.deepEqual(problems, []);
    assert.equal(set?.contracts[0]?.rules.length, 1);
  });

  it("names files that are there", () => {
    const named = [...readme.matchAll(/(?:\]\(|@|[ (])((?:docs|examples)\/[\w./-]+)/g)].map(
      ([, path]) => path ?? "",
    );
    assert.ok(named.length > 5);
    assert.deepEqual(
      named.filter((path) => !existsSync(path)),
      [],
    );
  });
});
