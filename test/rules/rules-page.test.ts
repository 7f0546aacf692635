/** Every example of `docs/rules.md` and `docs/causality.md` loads, and the page names every kind of rule and every key that all share. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { categories, severities } from "../../src/model/verdict.ts";
import { guardedKinds, ruleKinds } from "../../src/rules/sugar/kinds.ts";
import { statusWords } from "../../src/rules/words.ts";
import { errorsOf, load } from "./marked.ts";

const page = readFileSync("docs/rules.md", "utf8");
const others = ["docs/causality.md"].map((file) => readFileSync(file, "utf8"));
const examples = [...[page, ...others].join("\n").matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(
  ([, text = ""]) => text,
);

describe("the page of contracts", () => {
  it("has examples", () => assert.ok(examples.length >= 5));

  for (const text of examples) {
    it(`shows a contract that loads: ${text.split("\n")[0]}`, () => {
      const { set, problems } = load(text);
      assert.deepEqual(errorsOf(problems), []);
      assert.notEqual(set?.contracts[0]?.rules.length ?? 0, 0);
    });
  }

  it("names what there is", () => {
    const words = [
      ...ruleKinds.keys(),
      ...guardedKinds,
      ...severities,
      ...categories,
      ...statusWords.values(),
    ];
    assert.ok(words.length > 50);
    const named = new Set(page.match(/\w+/g));
    assert.deepEqual(
      words.filter((word) => !named.has(word)),
      [],
    );
  });
});
