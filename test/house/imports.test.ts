import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { isTypeScript, readFiles, repositoryRoot } from "../support/repository.ts";
import { breachesOfTable, importsOf, importTable, packagesNotInstalled } from "./import-table.ts";

const source = readFiles("src", isTypeScript);

describe("imports of src", () => {
  it("reads files, and reads imports in them", () => {
    assert.ok(source.size >= 15, `only ${source.size} files under src`);
    const count = [...source.values()].flatMap(importsOf).length;
    assert.ok(count >= 20, `only ${count} imports under src`);
  });

  it("knows every folder", () => {
    const folders = readdirSync(join(repositoryRoot, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    assert.deepEqual(
      folders.filter((folder) => !Object.hasOwn(importTable, folder)),
      [],
    );
  });

  it("go one way", () => {
    assert.deepEqual(breachesOfTable(source), []);
  });

  it("need no package that is only there for development", () => {
    assert.deepEqual(packagesNotInstalled(source, Object.keys(manifest.dependencies)), []);
  });
});

describe("the import table's own check", () => {
  const cases = [
    { name: "model imports nothing", path: "src/model/a.ts", code: 'import { x } from "../rules/b.ts";' },
    { name: "nor a type", path: "src/model/a.ts", code: 'import type { X } from "../otlp/b.ts";' },
    {
      name: "over several lines",
      path: "src/otlp/a.ts",
      code: 'import {\n  x,\n  y,\n} from "../rules/b.ts";',
    },
    { name: "a re-export", path: "src/rules/a.ts", code: 'export { x } from "../processor/b.ts";' },
    { name: "for its effect", path: "src/processor/run/a.ts", code: 'import "../../journal/memory.ts";' },
    { name: "dynamic", path: "src/cli/a.ts", code: 'const a = await import("../receiver/b.ts");' },
    { name: "computed", path: "src/cli/a.ts", code: "const a = await import(name);" },
    { name: "from the tests", path: "src/cli/a.ts", code: 'import { x } from "../../test/support/run.ts";' },
    { name: "an unknown folder", path: "src/utils/a.ts", code: "export const x = 1;" },
    { name: "a file outside folders", path: "src/a.ts", code: "export const x = 1;" },
    { name: "agent, all but one", path: "src/agent/a.ts", code: 'import { x } from "../model/value.ts";' },
    {
      name: "memory, as sqlite may",
      path: "src/journal/memory.ts",
      code: 'import { x } from "../otlp/b.ts";',
    },
  ];
  for (const { name, path, code } of cases) {
    it(`finds: ${name}`, () => {
      assert.equal(breachesOfTable(new Map([[path, code]])).length, 1);
    });
  }

  it("lets pass what the table allows", () => {
    const files = new Map([
      ["src/processor/run/a.ts", 'import { x } from "../../model/value.ts";\nimport { y } from "./b.ts";'],
      ["src/agent/a.ts", 'import { x } from "../model/attribute-names.ts";'],
      [
        "src/journal/sqlite.ts",
        'import { x } from "../otlp/b.ts";\nimport { DatabaseSync } from "node:sqlite";',
      ],
      [
        "src/model/a.ts",
        '/** import { x } from "../rules/b.ts" would be wrong */\n// import("../otlp/b.ts")',
      ],
    ]);
    assert.deepEqual(breachesOfTable(files), []);
  });

  it("finds a package that is no dependency", () => {
    const files = new Map([
      ["src/otlp/a.ts", 'import protobuf from "protobufjs/light.js";\nimport { z } from "zod";'],
    ]);
    assert.equal(packagesNotInstalled(files, ["zod"]).length, 1);
  });
});
