import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { main } from "../../src/cli/main.ts";
import { takesColor } from "../../src/cli/terminal.ts";
import { runUnread } from "../support/process.ts";
import { repositoryRoot } from "../support/repository.ts";

async function run(...argv: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await main(argv, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    color: false,
    status: () => undefined,
    errColor: false,
    readFile: () => {
      throw Object.assign(new Error("no"), { code: "ENOENT" });
    },
    env: {},
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("the command line", () => {
  it("shows its version and its commands", async () => {
    const version = await run("--version");
    assert.equal(version.code, 0);
    assert.match(version.out, /^\d+\.\d+\.\d+$/);
    const help = await run("--help");
    assert.equal(help.code, 0);
    for (const command of ["serve", "check", "test", "validate", "demo"]) {
      assert.match(help.out, new RegExp(`^ +${command}\\b`, "m"));
    }
  });

  for (const [argv, says] of [
    [["serv"], /unknown command 'serv'[\s\S]*Did you mean serve/],
    [["serve", "--confg", "x"], /unknown option '--confg'[\s\S]*Did you mean --config/],
    [["serve", "--config"], /argument missing/],
    [["serve", "extra"], /too many arguments/],
    [["check"], /missing required argument 'traces'/],
    [["test"], /missing required argument 'files'/],
  ] as const) {
    it(`answers ${argv.join(" ")} with exit code 2 and what is wrong`, async () => {
      const { code, err, out } = await run(...argv);
      assert.equal(code, 2);
      assert.match(err, says);
      assert.equal(out, "");
    });
  }

  it("shows its help to who asks for nothing", async () => {
    const { code, err } = await run();
    assert.equal(code, 2);
    assert.match(err, /Usage: toolorder/);
  });
});

describe("a pipe whose reader has gone", () => {
  const contract = "examples/customer-access/contract.yaml";
  const traces = "examples/customer-access/traces/incident.json";
  for (const [argv, code] of [
    [["validate", contract, "examples/enrollment/contract.yaml"], 0],
    [["check", "--contracts", contract, traces], 1],
    [["check", "--contracts", contract, "--format", "json", traces], 1],
  ] as const) {
    it(`changes neither the exit code nor what is said of ${argv.join(" ")}`, async () => {
      const ended = await runUnread(argv, { cwd: repositoryRoot });
      assert.equal(ended.err, "");
      assert.equal(ended.code, code);
    });
  }
});

describe("colour", () => {
  for (const [env, isTty, wanted] of [
    [{}, true, true],
    [{}, false, false],
    [{}, undefined, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    [{ TERM: "dumb" }, true, false],
  ] as const) {
    it(`is ${wanted ? "on" : "off"} with ${JSON.stringify(env)} on ${isTty === true ? "a" : "no"} terminal`, () => {
      assert.equal(takesColor(env, isTty), wanted);
    });
  }
});
