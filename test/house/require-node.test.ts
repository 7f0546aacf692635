import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, describe, it } from "node:test";
import { repositoryRoot } from "../support/repository.ts";

interface Answer {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

function run(node: string, args: readonly string[], env: Record<string, string> = {}): Answer {
  const { npm_lifecycle_event: _, ...outside } = process.env;
  const done = spawnSync(node, args, {
    cwd: repositoryRoot,
    env: { ...outside, ...env },
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status: done.status, out: done.stdout, err: done.stderr };
}

const folder = mkdtempSync(join(tmpdir(), "toolorder-node-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** This Node, but it says that it is another. */
function pretending(version: string, args: readonly string[], env: Record<string, string> = {}): Answer {
  const lie = join(folder, `${version}.cjs`);
  const versions = `{ ...process.versions, node: "${version}" }`;
  writeFileSync(lie, `Object.defineProperty(process, "versions", { value: ${versions} });\n`);
  return run(process.execPath, ["-r", lie, ...args], env);
}

/** The first Node on the machine that is too old, if there is one. */
function oldNode(): { readonly path: string; readonly version: string } | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/bin", "/usr/bin"];
  for (const folder of folders) {
    const path = join(folder, "node");
    if (folder === "" || !existsSync(path)) continue;
    const version = run(path, ["--version"]).out.trim().replace(/^v/, "");
    const [major = 0, minor = 0] = version.split(".").map(Number);
    // Older than 18.19 the options below do not exist, and nobody should still run it.
    if (major >= 20 && (major < 24 || (major === 24 && minor < 6))) return { path, version };
  }
  return undefined;
}

const says = (version: string): RegExp =>
  new RegExp(
    `^toolorder needs Node\\.js 24\\.6 or newer, this is ${version.replaceAll(".", "\\.")}: [^\n]+\n$`,
  );

describe("the check for an old Node", () => {
  for (const version of ["20.20.2", "22.99.0", "24.0.0", "24.5.9"]) {
    it(`refuses ${version} in one line, with exit 2`, () => {
      const { status, out, err } = pretending(version, ["bin/toolorder.js", "--version"]);
      assert.match(err, says(version));
      assert.equal(out, "");
      assert.equal(status, 2);
    });
  }

  for (const version of ["24.6.0", "24.10.0", "25.0.0", "100.1.0"]) {
    it(`lets ${version} pass`, () => {
      const { status, err } = pretending(version, ["bin/require-node.cjs"]);
      assert.equal(err, "");
      assert.equal(status, 0);
    });
  }

  it("names npm's own cure where npm ran it", () => {
    const { err } = pretending("20.1.0", ["bin/toolorder.js"], { npm_lifecycle_event: "start" });
    assert.match(err, /npm rebuild node/);
  });

  it("stands before everything that npm scripts run as TypeScript", () => {
    const { status, err } = pretending("20.1.0", ["-r", "./bin/require-node.cjs", "test/support/run.ts"]);
    assert.match(err, says("20.1.0"));
    assert.equal(status, 2);
  });

  const old = oldNode();
  const skip = old === undefined ? "no older Node on this machine; the pretended ones above ran" : false;
  it("holds on a real old Node", { skip }, () => {
    assert.ok(old !== undefined);
    for (const args of [
      ["bin/toolorder.js", "serve"],
      ["-r", "./bin/require-node.cjs", "test/support/run.ts"],
    ]) {
      const { status, err } = run(old.path, args);
      assert.match(err, says(old.version));
      assert.equal(status, 2);
    }
  });
});
