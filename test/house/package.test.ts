/** What an installation gets: which Node, which command, which packages under which licences. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { repositoryRoot } from "../support/repository.ts";

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const read = (path: string): string => readFileSync(join(repositoryRoot, path), "utf8");
const manifest = JSON.parse(read("package.json")) as Manifest;
const lock = JSON.parse(read("package-lock.json")) as { readonly packages: Readonly<Record<string, Locked>> };
const installed = Object.entries(lock.packages).filter(([path]) => path !== "");

/** Permissive ones only, by SPDX id: nobody who ships this has to publish anything. */
const permissive = new Set([
  ...["Apache-2.0", "MIT", "MIT-0", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause"],
  ...["BlueOak-1.0.0", "Unlicense", "CC0-1.0", "Python-2.0"],
]);

/** Whether an SPDX expression leaves a permissive choice: any side of OR, every side of AND. */
function isPermissive(expression: string): boolean {
  const bare = expression.replaceAll(/[()]/g, " ").trim();
  if (/\bOR\b/.test(bare)) return bare.split(/\bOR\b/).some(isPermissive);
  if (/\bAND\b/.test(bare)) return bare.split(/\bAND\b/).every(isPermissive);
  return permissive.has(bare);
}

const isExact = (version: string): boolean => /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version);

describe("package.json", () => {
  it("is what users install", () => {
    assert.equal(manifest.name, "toolorder");
    assert.equal(manifest.license, "Apache-2.0");
    assert.equal(manifest.type, "module");
    assert.deepEqual(manifest.engines, { node: ">=24.6" });
    assert.deepEqual(manifest.bin, { toolorder: "bin/toolorder.js" });
    assert.deepEqual(manifest.allowScripts, { node: true });
    for (const script of ["start", "test", "demo", "bench", "typecheck", "lint"]) {
      assert.ok(Object.hasOwn(manifest.scripts, script), `no script ${script}`);
    }
  });

  it("names only files that are there", () => {
    const named = [...manifest.files, ...Object.values(manifest.bin), "LICENSE", "README.md"];
    assert.deepEqual(
      named.filter((path) => !existsSync(join(repositoryRoot, path))),
      [],
    );
  });

  it("pins every dependency exactly, as the lockfile has it", () => {
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      assert.ok(isExact(version), `${name} ${version} is a range`);
      assert.equal(lock.packages[`node_modules/${name}`]?.version, version, `${name} in package-lock.json`);
    }
    for (const range of [
      "^1.2.3",
      "~1.2.3",
      ">=1.2.3",
      "1.2",
      "1.x",
      "*",
      "latest",
      "github:a/b",
      "file:../a",
    ]) {
      assert.equal(isExact(range), false, range);
    }
  });

  it("brings its own Node as a development dependency, which npm scripts then find first", () => {
    assert.ok(isExact(manifest.devDependencies.node ?? ""));
    for (const [name, script] of Object.entries(manifest.scripts)) {
      assert.match(script, /^(?:node|tsc|biome) /, `script ${name}: a command that npm's PATH gives`);
    }
  });
});

describe("package-lock.json", () => {
  it("locks packages", () => assert.ok(installed.length > 50, `only ${installed.length}`));

  it("names no registry, so that any mirror serves it, and pins every content", () => {
    for (const [path, { resolved, integrity }] of installed) {
      assert.equal(resolved, undefined, path);
      assert.match(integrity ?? "", /^sha512-/, path);
    }
  });

  it("holds only permissive licences in production", () => {
    const production = installed.filter(([, entry]) => entry.dev !== true);
    assert.ok(production.length > 30, `only ${production.length} production packages`);
    for (const [path, entry] of production) {
      const file = join(path, "package.json");
      const own = existsSync(join(repositoryRoot, file))
        ? (JSON.parse(read(file)) as { license?: unknown })
        : null;
      assert.ok(own !== null || entry.optional === true, `${path} is not installed: run npm ci`);
      for (const license of [entry.license, own?.license ?? entry.license]) {
        assert.ok(typeof license === "string" && isPermissive(license), `${path}: ${String(license)}`);
      }
    }
  });

  it("runs no install script in production", () => {
    const scripted = installed.filter(([, entry]) => entry.hasInstallScript === true && entry.dev !== true);
    assert.deepEqual(scripted, []);
  });

  it("tells permissive licences from others", () => {
    for (const good of ["MIT", "(MIT OR GPL-3.0-only)", "Apache-2.0 AND MIT", "(MIT AND BSD-3-Clause)"]) {
      assert.equal(isPermissive(good), true, good);
    }
    for (const bad of [
      "GPL-3.0-only",
      "AGPL-3.0",
      "SEE LICENSE IN LICENSE",
      "UNLICENSED",
      "",
      "MIT AND GPL-2.0-only",
      "SSPL-1.0",
    ]) {
      assert.equal(isPermissive(bad), false, bad);
    }
  });
});
