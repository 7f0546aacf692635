import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, unmark } from "./marked.ts";

const rows: readonly { name: string; file: string; codes: readonly string[] }[] = [
  {
    name: "a contract without a name",
    file: "«rules:»\n  - {kind: absence, of: a}\n",
    codes: ["contract-unnamed"],
  },
  { name: "a contract without rules", file: "«contract: c»\n", codes: ["no-rules"] },
  { name: "a contract with none in its lists", file: "«{contract: c, rules: []}»\n", codes: ["no-rules"] },
  {
    name: "an ordering that fails every other run",
    file: "contract: c\nordering:\n  - «{before: a, after: b}»\n",
    codes: ["ordering-everywhere"],
  },
  {
    name: "not where applies_to says which runs",
    file: "contract: c\napplies_to: {service: s}\nordering:\n  - {before: a, after: b}\n",
    codes: [],
  },
  {
    name: "not where the missing side is vacuous",
    file: "contract: c\nordering:\n  - {before: a, after: b, missing_after: vacuous}\n",
    codes: [],
  },
  {
    name: "an agent whose span comes last",
    file: "contract: c\napplies_to: {«agent»: a}\nrules:\n  - {kind: absence, of: a}\n",
    codes: ["applies-to-agent"],
  },
  {
    name: "a gate that a failed call would open",
    file: "contract: c\nrules:\n  - «{kind: gate, require: a, before: b}»\n",
    codes: ["proof-without-status"],
  },
  {
    name: "not where the status is named",
    file: "contract: c\nrules:\n  - {kind: gate, require: {tool: a, status: success}, before: b}\n",
    codes: [],
  },
  {
    name: "not where the result is named",
    file: "contract: c\nrules:\n  - {kind: gate, require: {tool: a, result: ok}, before: b}\n",
    codes: [],
  },
  {
    name: "not for signals, which have no outcome",
    file: "contract: c\nrules:\n  - {kind: gate, require: {kind: approval}, before: b}\n",
    codes: [],
  },
  {
    name: "a tool that is not declared",
    file: "contract: c\ntools: {approve: , refund: }\nrules:\n  - {kind: absence, of: «aprove»}\n  - {kind: absence, of: refund}\n",
    codes: ["unknown-tool"],
  },
  {
    name: "not where no tools are declared",
    file: "contract: c\nrules:\n  - {kind: absence, of: aprove}\n",
    codes: [],
  },
  {
    name: "not for a glob or another kind",
    file: "contract: c\ntools: {a: }\nrules:\n  - {kind: absence, of: x_*}\n  - {kind: absence, of: {kind: phase, name: x}}\n",
    codes: [],
  },
  {
    name: "a state that nothing leads to",
    file: "contract: c\nrules:\n  - {kind: machine, transitions: [[s, a, t], «[tt, b, u]»]}\n",
    codes: ["unreachable-state"],
  },
  {
    name: "a span's delivery identity",
    file: "contract: c\nrules:\n  - {kind: absence, of: {«span»: guard}}\n",
    codes: ["delivery-identity"],
  },
];

describe("warnings", () => {
  for (const { name, file, codes } of rows) {
    it(name, () => {
      const { text, ranges } = unmark(file);
      const { set, problems } = load(text);
      assert.notEqual(set, null);
      assert.deepEqual(
        problems.map(({ code, level }) => `${level} ${code}`),
        codes.map((code) => `warning ${code}`),
      );
      assert.deepEqual(
        problems.map(({ range }) => range),
        ranges,
      );
    });
  }

  it("suggests the tool that was meant", () => {
    const { problems } = load("contract: c\ntools: {approve: }\nrules:\n  - {kind: absence, of: aprove}\n");
    assert.match(problems[0]?.advice ?? "", /^Did you mean "approve"\?/);
  });
});
