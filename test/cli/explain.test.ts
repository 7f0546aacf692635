/**
 * `explain` as a person sees it. The texts are kept under `test/cli/explained`; after an intended change, write
 * them anew with `node --test --test-update-snapshots test/cli/explain.test.ts` and read the difference.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { main } from "../../src/cli/main.ts";
import { ruleSamples } from "../rules/rule-samples.ts";
import { fakeTerminal } from "./fake-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "toolorder-explain-"));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function explain(...args: readonly string[]): Promise<{ out: string; err: string; code: number }> {
  const seen = fakeTerminal();
  const code = await main(["explain", ...args], {
    ...seen.terminal,
    readFile: (path) => readFileSync(path, "utf8"),
  });
  return { out: seen.out, err: seen.err, code };
}

const plainText = { serializers: [(text: string): string => `${text}\n`] };
const contract = "examples/customer-access/contract.yaml";

describe("explain", () => {
  for (const name of ["contract", "workflow"]) {
    it(`tells of every rule of the example ${name}`, async (t) => {
      const { out, err, code } = await explain(`examples/customer-access/${name}.yaml`);
      assert.equal(code, 0, err);
      t.assert.fileSnapshot(out, `test/cli/explained/${name}.txt`, plainText);
    });
  }

  it("tells of every kind of rule", async (t) => {
    const rules = [...ruleSamples].map(([kind, rule]) => `  - ${rule.replace("{", `{id: the-${kind}, `)}`);
    const all = file("kinds.yaml", `contract: kinds\nrules:\n${rules.join("\n")}\n`);
    const { out, err, code } = await explain(all);
    assert.equal(code, 0, err);
    t.assert.fileSnapshot(
      out.replaceAll(/ {2}\S*kinds\.yaml:\d+$/gm, ""),
      "test/cli/explained/kinds.txt",
      plainText,
    );
  });

  const ways = ["auth-gate", "customer-feature-access/auth-gate"];
  for (const name of ways) {
    it(`finds one rule by ${name}`, async () => {
      const { out, code } = await explain(name, "--contracts", contract);
      assert.equal(code, 0);
      assert.match(out, /^customer-feature-access\/auth-gate {2}gate, critical, safety_gate/);
      assert.doesNotMatch(out, /plan-first/);
    });
  }

  it("finds a contract by its name, and its rules in the order of the file", async () => {
    const { out, code } = await explain(
      "customer-feature-access",
      "--contracts",
      contract,
      "--format",
      "json",
    );
    const found = JSON.parse(out) as { schema: string; rules: { rule: string; line: number }[] };
    assert.equal(code, 0);
    assert.equal(found.schema, "toolorder.explain/1");
    assert.deepEqual(
      found.rules.map(({ rule }) => rule),
      [
        "auth-gate",
        "plan-first",
        "policy-first",
        "policy-docs-first",
        "product-docs-first",
        "ticket-context",
      ],
    );
  });

  it("suggests the rule that was meant", async () => {
    const { err, code } = await explain("auth-gat", "--contracts", contract);
    assert.equal(code, 2);
    assert.equal(err, 'auth-gat: no rule and no contract has this name\n  advice: Did you mean "auth-gate"?');
  });

  it("lists what there is where nothing is like it", async () => {
    const { err } = await explain("zzzzzz", "--contracts", contract);
    assert.match(err, /There are: customer-feature-access, /);
  });

  it("refuses a format it does not have", async () => {
    const { err, code } = await explain("auth-gate", "--contracts", contract, "--format", "xml");
    assert.equal(code, 2);
    assert.match(err, /--format: there is no format named "xml"/);
  });

  it("shows what is wrong in a contract that does not load", async () => {
    const bad = file("bad.yaml", "contract: bad\nrules:\n  - {kind: gaet}\n");
    const { out, err, code } = await explain(bad);
    assert.deepEqual([out, code], ["", 2]);
    assert.match(err, /\[unknown-rule-kind\]/);
  });

  it("shows a file that is not there", async () => {
    const { err, code } = await explain(join(folder, "nowhere.yaml"));
    assert.equal(code, 2);
    assert.match(err, /\[unreadable-file\]/);
  });
});
