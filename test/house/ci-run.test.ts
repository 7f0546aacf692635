/** `.ci/run` on steps that are made up: it must add up what they counted, go on after a failure, and fail for it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { accessSync, constants, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { repositoryRoot } from "../support/repository.ts";

const script = join(repositoryRoot, ".ci/run");
const folder = mkdtempSync(join(tmpdir(), "toolorder-ci-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Made {
  /** Beginning of npm's arguments → what that step prints last, and its exit code; others print nothing and pass. */
  readonly steps: Readonly<Record<string, readonly [string, number]>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Runs a copy of the script where `npm` is one that prints what the case says. */
function run({ steps, scripts = {} }: Made): {
  readonly status: number | null;
  readonly out: string;
  readonly last: string;
} {
  const place = mkdtempSync(join(folder, "case-"));
  mkdirSync(join(place, ".ci"));
  mkdirSync(join(place, "bin"));
  copyFileSync(script, join(place, ".ci/run"));
  writeFileSync(join(place, "package.json"), JSON.stringify({ scripts }));
  const cases = Object.entries(steps).map(
    ([args, [line, code]]) => `  "${args}"*) echo "${line}"; exit ${code} ;;`,
  );
  writeFileSync(
    join(place, "bin/npm"),
    `#!/usr/bin/env bash\necho "ran: $*"\ncase "$*" in\n${cases.join("\n")}\nesac\n`,
    {
      mode: 0o755,
    },
  );
  const path = [join(place, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
  const done = spawnSync("bash", [join(place, ".ci/run")], {
    env: { ...process.env, PATH: path },
    encoding: "utf8",
    timeout: 60_000,
  });
  const out = done.stdout + done.stderr;
  return { status: done.status, out, last: done.stdout.trimEnd().split("\n").at(-1) ?? "" };
}

const noBash = spawnSync("bash", ["--version"]).status === 0 ? false : "no bash on this machine";

describe(".ci/run", { skip: noBash }, () => {
  it("may be run", () => accessSync(script, constants.X_OK));

  it("counts a step without tests of its own as one", () => {
    const { status, last, out } = run({ steps: {} });
    const steps = [...out.matchAll(/^== /gm)].length;
    assert.ok(steps >= 6, out);
    assert.equal(last, `${steps} passed, 0 failed`);
    assert.equal(status, 0);
  });

  it("adds up what steps counted", () => {
    const none = run({ steps: {} });
    const { last, status } = run({ steps: { test: ["120 passed, 0 failed", 0] } });
    assert.equal(last, `${Number.parseInt(none.last, 10) - 1 + 120} passed, 0 failed`);
    assert.equal(status, 0);
  });

  it("adds up what `toolorder test` counted", () => {
    const none = run({ steps: {} });
    const { last } = run({ steps: { "run --silent toolorder -- test": ["24 ok, 2 failed", 1] } });
    assert.equal(last, `${Number.parseInt(none.last, 10) - 1 + 24} passed, 2 failed`);
  });

  const failing: readonly {
    readonly name: string;
    readonly step: readonly [string, number];
    readonly failed: number;
  }[] = [
    { name: "tests that failed", step: ["120 passed, 3 failed", 1], failed: 3 },
    {
      name: "a step that ends badly after counting no failure",
      step: ["120 passed, 0 failed", 1],
      failed: 1,
    },
    { name: "a step that counts nothing and fails", step: ["crashed", 2], failed: 1 },
    { name: "a count that is not on the last line", step: ["120 passed, 3 failed, or so", 1], failed: 1 },
  ];
  for (const { name, step, failed } of failing) {
    it(`fails for ${name}, and runs what comes after`, () => {
      const { status, last, out } = run({ steps: { test: step } });
      assert.match(last, new RegExp(`^\\d+ passed, ${failed} failed$`));
      assert.match(out, /ran: run --silent bench/);
      assert.match(out, /failed steps:\n {2}tests: npm test \(exit \d\)/);
      assert.equal(status, 1);
    });
  }

  it("fails for tests that failed, whatever their exit code", () => {
    const { status, last } = run({ steps: { test: ["120 passed, 3 failed", 0] } });
    assert.match(last, / passed, 3 failed$/);
    assert.equal(status, 1);
  });

  it("stops at once when nothing could be installed", () => {
    const { status, last, out } = run({ steps: { ci: ["no network", 1] } });
    assert.equal(last, "0 passed, 1 failed");
    assert.doesNotMatch(out, /npm test/);
    assert.equal(status, 1);
  });

  it("runs what needs other tools where there is such a script, and only there", () => {
    assert.doesNotMatch(run({ steps: {} }).out, /test:interop|test:ops/);
    assert.match(run({ steps: {}, scripts: { "test:ops": "x" } }).out, /ran: run --silent test:ops/);
  });
});
