/**
 * Bad contracts and what is said of them, word for word. `bad/CODE.yaml` is a contract with that fault, `bad/CODE.2.yaml`
 * a second file beside it, `bad/CODE.txt` every problem as `validate` shows it. With WRITE_BAD=1 the texts are written
 * anew: read them before they are kept.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { ContractSource } from "../../src/model/entry.ts";
import { loadContracts } from "../../src/rules/load.ts";
import { renderProblem } from "../../src/source/caret.ts";
import { isTypeScript, readFiles } from "../support/repository.ts";

const folder = "test/rules/bad";
const names = readdirSync(folder)
  .filter((file) => /^[a-z-]+\.yaml$/.test(file))
  .map((file) => file.slice(0, -".yaml".length));

/** Texts that nobody would want to keep as files. */
const made: Readonly<Record<string, string>> = {
  "file-too-large": `contract: c\n${"#".repeat(2_000_001)}\n`,
};

function sourcesOf(name: string): readonly ContractSource[] {
  const text = made[name];
  if (text !== undefined) return [{ file: `${name}.yaml`, text }];
  return [`${name}.yaml`, `${name}.2.yaml`]
    .filter((file) => existsSync(`${folder}/${file}`))
    .map((file) => ({ file, text: readFileSync(`${folder}/${file}`, "utf8") }));
}

function shown(name: string): { readonly text: string; readonly codes: readonly string[] } {
  const sources = sourcesOf(name);
  const { problems } = loadContracts(sources);
  const textOf = (file: string): string => sources.find((source) => source.file === file)?.text ?? "";
  return {
    text: problems
      .map((problem) => `${renderProblem(problem, textOf(problem.file), false).trimEnd()}\n`)
      .join("\n"),
    codes: problems.map(({ code }) => code),
  };
}

/** Codes of the loader: words of small letters joined by hyphens are nothing else in these files. */
function loaderCodes(): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const part of ["src/source", "src/rules"]) {
    for (const [file, code] of readFiles(part, isTypeScript)) {
      // What these say of contracts that load is shown by `validate` alone, and tested with it.
      if (/\/(?:lint[\w-]*|trials|strict)\.ts$/.test(file)) continue;
      for (const [, found = ""] of code.matchAll(/"([a-z]+(?:-[a-z]+)+)"/g)) codes.add(found);
    }
  }
  return codes;
}

describe("bad contracts", () => {
  it("have one for every code of the loader", () => {
    const codes = loaderCodes();
    assert.ok(codes.size > 50, `${codes.size} codes`);
    const missing = [...codes].filter((code) => !names.includes(code) && made[code] === undefined);
    assert.deepEqual(missing, []);
  });

  for (const name of [...names, ...Object.keys(made)]) {
    it(name, () => {
      const { text, codes } = shown(name);
      if (process.env.WRITE_BAD === "1") writeFileSync(`${folder}/${name}.txt`, text);
      assert.equal(text, readFileSync(`${folder}/${name}.txt`, "utf8"));
      if (name === "five-faults") {
        assert.equal(codes.length, 5);
        assert.equal(new Set(codes).size, 5);
      } else assert.ok(codes.includes(name), codes.join());
    });
  }
});
