/** The repository is whole in itself: a clone builds, tests and runs without anything beside it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Files, isTypeScript, readFiles } from "../support/repository.ts";

/** Two parts, so that this file does not find itself. */
const neighbour = ["..", "shared"].join("/");

function reachesOutside(files: Files): readonly string[] {
  const found: string[] = [];
  for (const [path, text] of files) {
    const depth = path.split("/").length - 1;
    for (const [index, line] of text.split("\n").entries()) {
      const climbs = [...line.matchAll(/(?:\.\.\/)*\.\.(?=[/"'`)])/g)].map(([up]) => up.split("/").length);
      const place = `${path}:${index + 1}`;
      if (line.includes(neighbour)) found.push(`${place}: names ${neighbour}`);
      else if (isTypeScript(path) && climbs.some((steps) => steps > depth)) {
        found.push(`${place}: climbs out of the repository: ${line.trim()}`);
      }
      if (/["'`](?:file:\/\/)?\/(?:home|root|work|mnt|tmp|Users)\//.test(line)) {
        found.push(`${place}: an absolute path of one machine: ${line.trim()}`);
      }
    }
  }
  return found;
}

describe("the repository", () => {
  it("reads nothing beside itself", () => {
    const files = readFiles(".", (path) => /\.(?:ts|c?js|md|ya?ml|json)$|^\.ci\//.test(path));
    assert.ok(files.size >= 30, `only ${files.size} files`);
    assert.deepEqual(reachesOutside(files), []);
  });

  const planted = [
    { path: "test/otlp/a.test.ts", line: `const data = readFileSync("${neighbour}/cases.yaml");` },
    { path: "README.md", line: `See ${neighbour}/DESIGN.md.` },
    { path: "src/otlp/a.ts", line: `import { x } from "${"../".repeat(3)}elsewhere/a.ts";` },
    { path: "bench/a.ts", line: 'const root = join(import.meta.dirname, "../..", "data");' },
    { path: "test/a.test.ts", line: `const dir = "${["", "tmp", "x"].join("/")}";` },
    { path: "test/a.test.ts", line: `const dir = "file://${["", "home", "me", "x"].join("/")}";` },
  ];
  for (const { path, line } of planted) {
    it(`is searched for: ${line} in ${path}`, () => {
      assert.equal(reachesOutside(new Map([[path, `${line}\n`]])).length, 1);
    });
  }

  it("may climb inside itself", () => {
    const files = new Map([["test/a/b.test.ts", 'const root = resolve(import.meta.dirname, "../..");\n']]);
    assert.deepEqual(reachesOutside(files), []);
  });
});
