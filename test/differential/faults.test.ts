/**
 * That the trials can fail: each planted fault is put into a copy of the sources, alone, and has to be caught within
 * a bounded number of trials.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { type Fault, faults } from "./faults.ts";

const root = resolve(import.meta.dirname, "../..");
const seed = 7;
/** Some need a rare meeting of rule, trace and arrival. */
const mostTrials = 20_000;
const timeoutMs = 300_000;

const folders: string[] = [];

function copyOf(fault: Fault | null): string {
  const folder = mkdtempSync(join(tmpdir(), "toolorder-fault-"));
  folders.push(folder);
  for (const part of ["src", "test/support/differential", "package.json"]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  if (fault !== null) {
    const file = join(folder, fault.file);
    const parts = readFileSync(file, "utf8").split(fault.find);
    assert.equal(
      parts.length,
      2,
      `${fault.file} holds \`${fault.find}\` ${parts.length - 1} times, not once`,
    );
    writeFileSync(file, parts.join(fault.put));
  }
  return folder;
}

async function find(fault: Fault | null, trials: number): Promise<string> {
  const folder = copyOf(fault);
  const script = join(folder, "test/support/differential/find.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(seed), String(trials)], {
    timeout: timeoutMs,
  });
  return stdout.trim();
}

describe("planted faults", { concurrency: 2 }, () => {
  before(() => assert.ok(faults.length >= 12));
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it("are told from the copy that they are made in, which agrees", async () => {
    assert.match(await find(null, 1_000), /^agreed /);
  });

  for (const fault of faults) {
    it(`${fault.name}: caught`, async (t) => {
      const found = await find(fault, mostTrials);
      t.diagnostic(found);
      // A copy that no longer runs would prove nothing.
      assert.match(found, /^differed /);
    });
  }
});
