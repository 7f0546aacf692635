import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { repositoryRoot } from "../support/repository.ts";

const folder = mkdtempSync(join(tmpdir(), "toolorder-runner-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the runner over one test file of the given code, or over a glob that matches nothing. */
function runner(
  name: string,
  code: string | null,
): { readonly status: number | null; readonly last: string; readonly out: string } {
  const path = join(folder, `${name.replaceAll(/\W+/g, "-")}.test.ts`);
  if (code !== null) writeFileSync(path, `import { after, describe, it } from "node:test";\n${code}\n`);
  // The outer runner marks its children by this variable, and node refuses to run tests inside tests.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const done = spawnSync(process.execPath, ["test/support/run.ts", path], {
    cwd: repositoryRoot,
    env,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status: done.status, last: done.stdout.trimEnd().split("\n").at(-1) ?? "", out: done.stdout };
}

describe("the test runner", () => {
  const cases: readonly {
    name: string;
    code: string | null;
    last: string;
    status: number;
    shows?: RegExp;
  }[] = [
    {
      name: "counts tests, not suites",
      code: 'describe("s", () => { it("a", () => {}); it("b", () => {}); }); it("c", () => {});',
      last: "3 passed, 0 failed",
      status: 0,
    },
    {
      name: "counts a failure, and shows where",
      code: 'describe("s", () => { it("a", () => {}); it("b", () => { throw new Error("so it is"); }); });',
      last: "1 passed, 1 failed",
      status: 1,
      shows: /s › b.*\n.*so it is/,
    },
    {
      name: "counts neither skipped nor todo",
      code: 'it("a", () => {}); it.skip("b", () => {}); it.todo("c");',
      last: "1 passed, 0 failed",
      status: 0,
      shows: /2 skipped or todo/,
    },
    {
      name: "a run in which nothing passed fails",
      code: 'it.skip("a", () => {});',
      last: "0 passed, 0 failed",
      status: 1,
    },
    {
      name: "a file without a test fails",
      code: "",
      last: "0 passed, 1 failed",
      status: 1,
      shows: /holds no test/,
    },
    { name: "a file that does not parse fails", code: "const = 3;", last: "0 passed, 1 failed", status: 1 },
    {
      name: "a file that exits early fails",
      code: 'it("a", () => {}); process.exit(0);',
      last: "0 passed, 1 failed",
      status: 1,
    },
    {
      name: "a file that throws after its tests fails",
      code: 'it("a", () => {}); setImmediate(() => setImmediate(() => { throw new Error("late"); }));',
      last: "1 passed, 1 failed",
      status: 1,
    },
    {
      name: "a hook that throws fails",
      code: 'describe("s", () => { after(() => { throw new Error("hook"); }); it("a", () => {}); });',
      last: "1 passed, 1 failed",
      status: 1,
      shows: /hook/,
    },
    { name: "a glob that matches nothing fails", code: null, last: "0 passed, 1 failed", status: 1 },
  ];

  for (const { name, code, last, status, shows } of cases) {
    it(name, () => {
      const ran = runner(name, code);
      assert.equal(ran.last, last, ran.out);
      assert.equal(ran.status, status);
      if (shows !== undefined) assert.match(ran.out, shows);
    });
  }
});
