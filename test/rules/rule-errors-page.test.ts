/** `docs/rule-errors.md` and the code agree: every code is there, none is made up, and each example shows its own. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import type { LoadProblem } from "../../src/model/load-error.ts";
import { lintContracts } from "../../src/rules/lint.ts";
import { isTypeScript, readFiles } from "../support/repository.ts";
import { load } from "./marked.ts";

const page = readFileSync("docs/rule-errors.md", "utf8");

/** Codes are the only texts of this shape in these folders: words of small letters, joined by hyphens. */
function codesInSource(): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const folder of ["src/source", "src/rules", "src/config"]) {
    for (const code of readFiles(folder, isTypeScript).values()) {
      for (const [, found = ""] of code.matchAll(/"([a-z]+(?:-[a-z]+)+)"/g)) codes.add(found);
    }
  }
  for (const [, found = ""] of readFileSync("src/service/contract-files.ts", "utf8").matchAll(
    /code: "([a-z-]+)"/g,
  )) {
    codes.add(found);
  }
  return codes;
}

interface Entry {
  readonly code: string;
  readonly text: string;
  /** `yaml` or `yaml config`, and the example. */
  readonly examples: readonly { readonly kind: string; readonly text: string }[];
}

const entries: readonly Entry[] = page
  .split(/^### /m)
  .slice(1)
  .map((text) => ({
    code: text.slice(0, text.indexOf("\n")).trim(),
    text,
    examples: [...text.matchAll(/^```(yaml[^\n]*)\n([\s\S]*?)^```/gm)].map(([, kind = "", example = ""]) => ({
      kind,
      text: example,
    })),
  }));

/** What `validate` shows of a contract: what the loader says, then what is suspicious in a set that loads. */
function validated(text: string): { readonly problems: readonly LoadProblem[] } {
  const { set, problems } = load(text);
  const suspicious = set === null ? [] : lintContracts([{ file: "test.yaml", text }], set);
  return { problems: [...problems, ...suspicious] };
}

describe("the page of errors", () => {
  const codes = codesInSource();

  it("has read the source", () => assert.ok(codes.size > 45, `${codes.size} codes`));

  it("names every code, each once, and no other", () => {
    assert.deepEqual(entries.map(({ code }) => code).sort(), [...codes].sort());
  });

  it("gives a cure for each, and an example for most", () => {
    for (const { code, text } of entries) assert.match(text, /^Cure: \S/m, code);
    assert.ok(entries.filter(({ examples }) => examples.length > 0).length > 40);
  });

  for (const { code, examples } of entries) {
    for (const { kind, text } of examples) {
      it(`shows ${code} by an example that is one`, () => {
        const { problems } = kind === "yaml" ? validated(text) : loadConfig(text, "otel-config.yaml", {});
        // Examples of the configuration show the part that matters; the rest of the file is missing.
        const errors = problems.filter(
          ({ level, code: other }) => level === "error" && (kind === "yaml" || other !== "missing-key"),
        );
        const found = (errors.length > 0 ? errors : problems).map((problem) => problem.code);
        assert.ok(found.includes(code), found.join());
        assert.ok(errors.length <= 1 || new Set(found).size === 1, `also shows ${found.join()}`);
      });
    }
  }
});
