import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadContracts } from "../../src/rules/load.ts";
import { errorsOf } from "./marked.ts";

describe("several contracts", () => {
  const two = (first: string, second: string) =>
    loadContracts([
      { file: "a.yaml", text: first },
      { file: "b.yaml", text: second },
    ]);

  it("refuses one name twice, naming both places", () => {
    const { set, problems } = two("contract: c\nrules: []\n", "# second\ncontract: c\nrules: []\n");
    const [error] = errorsOf(problems);
    assert.equal(set, null);
    assert.deepEqual([error?.code, error?.file, error?.range.line], ["duplicate-contract", "b.yaml", 2]);
    assert.match(error?.message ?? "", /a\.yaml:1:11/);
  });

  it("refuses different traits for one tool, naming both places", () => {
    const { problems } = two(
      "contract: a\ntools: {pay: {effect: write}}\nrules: []\n",
      "contract: b\ntools:\n  pay: {effect: external}\nrules: []\n",
    );
    const [error] = errorsOf(problems);
    assert.deepEqual(
      [error?.code, error?.file, error?.range],
      ["conflicting-traits", "b.yaml", { line: 3, column: 3, length: 3 }],
    );
    assert.match(error?.message ?? "", /a\.yaml:2:9/);
  });

  it("lets one file give the traits and the other only the name, in either order", () => {
    const bare = "contract: a\ntools: {pay: }\nrules: []\n";
    const full = "contract: b\ntools: {pay: {effect: external}}\nrules: []\n";
    for (const { set } of [two(bare, full), two(full, bare)])
      assert.equal(set?.tools.get("pay")?.effect, "external");
  });

  it("lets traits of one file decide the category in the other", () => {
    const { set } = two(
      "contract: a\nordering: [{before: {tool: ok, status: success}, after: pay}]\n",
      "contract: b\ntools: {pay: {effect: external}}\nrules: []\n",
    );
    assert.equal(set?.contracts[0]?.rules[0]?.category, "safety_gate");
  });

  it("loads nothing when one of them is wrong, and says all that is wrong", () => {
    const { set, problems } = two(
      "contract: a\nrules: [{kind: gaet}]\n",
      "contract: b\nrules: [{kind: gtae}]\n",
    );
    assert.equal(set, null);
    assert.deepEqual(
      errorsOf(problems).map(({ file }) => file),
      ["a.yaml", "b.yaml"],
    );
  });

  it("loads no contract at all from no file", () => {
    assert.deepEqual(loadContracts([]).set?.contracts, []);
  });
});
