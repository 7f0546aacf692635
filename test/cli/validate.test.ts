import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { main } from "../../src/cli/main.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { loadConfig } from "../../src/config/load.ts";

const folder = mkdtempSync(join(tmpdir(), "toolorder-validate-"));
after(() => rmSync(folder, { recursive: true }));

const good = `contract: access
rules:
  - id: auth
    kind: gate
    require: {tool: check, status: success}
    before: read
  - {id: once, kind: count, of: charge, max: 1, severity: low, stage: trial, since: 2026-11-01}
`;

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const goodFile = file("good.yaml", good);
const badFile = file(
  "bad.yaml",
  "contract: bad\nrules:\n  - {kind: gaet, require: a, before: b}\n  - {kind: absence, of: {}}\n",
);
const warnFile = file("warn.yaml", "contract: warn\nordering:\n  - {before: a, after: b}\n");

const validate = (...args: readonly string[]) => run("validate", ...args);

async function run(...args: readonly string[]): Promise<{ out: string; err: string; code: number }> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    color: false,
    status: () => undefined,
    errColor: false,
    readFile: (path) => readFileSync(path, "utf8"),
    env: {},
  };
  const code = await main(args, terminal);
  return { out: out.join("\n"), err: err.join("\n"), code };
}

describe("toolorder validate", () => {
  it("says what each rule asks, and ends with 0", async () => {
    const { out, err, code } = await validate("--today", "2026-12-01", goodFile);
    assert.equal(code, 0);
    assert.equal(err, "");
    assert.match(out, /good\.yaml: ok\n {2}contract access\n/);
    assert.match(
      out,
      /^ {4}auth {2}gate {3}critical {2,}[0-9a-f]{8} {2}check \(status: success\) before read$/m,
    );
    assert.match(out, /^ {4}once {2}count {2}low trial {2}[0-9a-f]{8} {2}at most 1 charge$/m);
    assert.match(out, /^1 contract, 2 rules, 0 errors, 0 warnings$/m);
  });

  it("warns of a trial that nobody ends, from its 31st day on", async () => {
    const { err, code } = await validate("--today", "2026-12-02", goodFile);
    assert.equal(code, 0);
    assert.match(err, /"once" has been on trial for 31 days, since 2026-11-01 \[long-trial\]/);
    const bad = await validate("--today", "tomorrow", goodFile);
    assert.equal(bad.code, 2);
    assert.match(bad.err, /"tomorrow" is no day/);
  });

  it("asks with --strict for policy, reviewed, and why of critical rules", async () => {
    const { err, code } = await validate("--strict", "--today", "2026-12-01", goodFile);
    assert.equal(code, 2);
    for (const asked of ["no-policy", "not-reviewed", "no-why"]) assert.ok(err.includes(`[${asked}]`), asked);
    const whole = file(
      "whole.yaml",
      "contract: w\npolicy: https://policies.example/w\nreviewed: {by: ana, on: 2026-11-30}\nrules:\n  - {kind: gate, require: {tool: a, status: success}, before: b, why: so}\n",
    );
    assert.equal((await validate("--strict", "--today", "2026-12-01", whole)).code, 0);
  });

  it("reads what a contract includes, and counts it as none", async () => {
    file("library.yaml", "define: {ok: {tool: check, status: success}}\n");
    const includes = file(
      "includes.yaml",
      "contract: i\ninclude: [library.yaml]\nrules: [{kind: gate, require: $ok, before: b}]\n",
    );
    const { out, err, code } = await validate(includes);
    assert.equal(err, "");
    assert.equal(code, 0);
    assert.match(out, /^1 contract, 1 rule, 0 errors, 0 warnings$/m);
  });

  it("says what each rule keeps in memory, in the words of explain", async () => {
    const { out } = await validate(goodFile);
    assert.match(
      out,
      /^ {6}keeps one in a run, until the run is forgotten; of each the earliest end of a witness, for each clock$/m,
    );
    const { out: explained } = await run("explain", "--contracts", goodFile, "access");
    const kept = [...out.matchAll(/^ {6}keeps (.*)$/gm)].map(([, words]) => words ?? "");
    const told = [...explained.matchAll(/^Keeps\n {2}(.*)$/gm)].map(([, words]) => words);
    assert.equal(kept.length, 2);
    assert.deepEqual(kept, told);
  });

  it("says nothing of the configuration unless asked", async () => {
    const { out } = await validate(goodFile);
    assert.doesNotMatch(out, /receivers:/);
    assert.ok(out.startsWith(`${goodFile}: ok\n`));
  });

  it("prints the configuration as it runs, in a form that loads again", async () => {
    const { out } = await validate(
      "--show-config",
      "--set",
      "processors.toolorder.decision_wait=3s",
      goodFile,
    );
    const printed = out.slice(out.indexOf("# configuration"), out.lastIndexOf("\n"));
    const { config, problems } = loadConfig(printed, "printed.yaml", {});
    assert.deepEqual(problems, []);
    assert.equal(config?.toolorder.core.decisionWait, 3_000_000_000n);
  });

  it("shows every problem of every file with its place, and ends with 2", async () => {
    const { out, err, code } = await validate(badFile, goodFile);
    assert.equal(code, 2);
    assert.match(err, /bad\.yaml:3:12: there is no rule kind "gaet" \[unknown-rule-kind\]\n {2}3 \|/);
    assert.match(err, /bad\.yaml:4:25: .*\[empty-map\]/);
    assert.match(out, /bad\.yaml: 2 errors$/m);
    assert.match(out, /good\.yaml: ok$/m);
    assert.match(out, /^2 contracts, 2 errors, 0 warnings$/m);
  });

  it("warns and passes", async () => {
    const { out, err, code } = await validate(warnFile);
    assert.equal(code, 0);
    assert.match(err, /warning: .*\[ordering-everywhere\]/);
    assert.match(out, /^1 contract, 1 rule, 0 errors, 1 warning$/m);
  });

  it("warns of what loads and is suspicious, in place, and passes", async () => {
    const suspicious = file(
      "suspicious.yaml",
      "contract: s\nrules:\n  - {kind: gate, require: final_answer, before: refund}\n  - {kind: sequence, steps: [a, b], mode: exact}\n",
    );
    const { out, err, code } = await validate(suspicious);
    assert.equal(code, 0);
    assert.match(err, /suspicious\.yaml:3:18: warning: .*\[weak-evidence\]\n {2}3 \|.*\n {4}\| {18}\^{7}\n/);
    assert.match(err, /suspicious\.yaml:4:37: warning: .*\[exact-sequence\]/);
    assert.match(out, /suspicious\.yaml: ok, 2 warnings$/m);
    assert.match(out, /^1 contract, 2 rules, 0 errors, 2 warnings$/m);
  });

  it("refuses a file that is not there", async () => {
    const { err, code } = await validate(join(folder, "nowhere.yaml"));
    assert.equal(code, 2);
    assert.match(err, /\[unreadable-file\]/);
  });

  it("takes contracts from the configuration, relative to it", async () => {
    const config = file(
      "config.yaml",
      readFileSync("otel-config.yaml", "utf8").replace(/contracts:\n( +- ).*/, "contracts:\n$1good.yaml"),
    );
    const { out, code } = await validate("--config", config);
    assert.equal(code, 0);
    assert.match(out, /contract access/);
  });

  it("checks contracts even where the configuration is broken", async () => {
    const config = file("broken.yaml", "processors: {toolorder: {decsion_wait: 1s}}\n");
    const { out, err, code } = await validate("--config", config, badFile);
    assert.equal(code, 2);
    assert.match(err, /broken\.yaml:1:26: .*\[unknown-key\]/);
    assert.match(err, /\[unknown-rule-kind\]/);
    assert.match(out, /the configuration has errors$/m);
  });

  it("loads the examples of this repository", async () => {
    const { code, err } = await validate();
    assert.equal(code, 0, err);
  });
});
