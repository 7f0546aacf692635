/** `docs/check.md` against the code: every command on it that shows what it prints is run, and prints that. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { formats } from "../../src/cli/formats.ts";
import { main } from "../../src/cli/main.ts";
import { runCheck, workFolder } from "./check-run.ts";
import { fakeTerminal } from "./fake-terminal.ts";

const page = readFileSync("docs/check.md", "utf8");
const folder = workFolder();

interface Example {
  readonly args: readonly string[];
  readonly exitCode: number;
  readonly output: readonly string[];
}

const examples: readonly Example[] = [
  ...page.matchAll(/```sh\ntoolorder ([^`]*?) {2}# exit code (\d)\n```\n\n```\w*\n([^`]*?)\n```/g),
].map(([, command = "", code = "", output = ""]) => ({
  args: command
    .replaceAll("\\\n", " ")
    .replace('"$(date +%F)"', "2026-11-30")
    .split(" ")
    .filter((arg) => arg !== ""),
  exitCode: Number(code),
  output: output.split("\n"),
}));

/** A line of nothing but an ellipsis stands for any lines. */
function meets(lines: readonly string[], shown: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return lines.length === 0;
  if (first !== "…") return lines[0] === first && meets(lines.slice(1), rest);
  return lines.some((_, from) => meets(lines.slice(from), rest)) || meets([], rest);
}

describe("the page about checks", () => {
  it("has an example of every format, and of approvals and baselines", () => {
    const all = examples.map(({ args }) => args.join(" "));
    for (const format of formats.filter((format) => format !== "text")) {
      assert.ok(
        all.some((args) => args.includes(`--format ${format}`)),
        format,
      );
    }
    for (const option of ["--approvals", "--baseline"]) assert.ok(all.some((args) => args.includes(option)));
    assert.deepEqual([...new Set(examples.map(({ exitCode }) => exitCode))].sort(), [0, 1, 2]);
  });

  for (const { args, exitCode, output } of examples) {
    it(`shows what comes of ${args.join(" ")}`, async () => {
      const fake = fakeTerminal();
      assert.equal(await main(args, fake.terminal), exitCode);
      const printed = [fake.err, fake.out].filter((text) => text !== "").join("\n");
      if (!meets(printed.split("\n"), output)) assert.equal(printed, output.join("\n"));
    });
  }

  it("compares, and does not pass everything", () => {
    assert.ok(meets(["a", "b", "c"], ["…", "c"]));
    assert.ok(meets(["a", "b"], ["a", "b", "…"]));
    assert.ok(!meets(["a", "b", "c"], ["…", "b"]));
    assert.ok(!meets(["a"], ["b"]));
    assert.ok(!meets([], ["a"]));
  });

  it("shows the approvals of the examples", () => {
    const file = readFileSync("examples/ci/approvals.yaml", "utf8");
    assert.ok(page.includes(`\`\`\`yaml\n${file}\`\`\``));
  });

  it("shows a baseline that is still what the command writes", async () => {
    const written = await runCheck({
      contracts: ["examples/ci/drift.yaml"],
      traces: ["examples/customer-access/traces/parallel.json"],
      baseline: folder.path("baseline.json"),
      writeBaseline: true,
    });
    assert.equal(written.code, 0);
    assert.equal(folder.read("baseline.json"), readFileSync("examples/ci/baseline.json", "utf8"));
  });

  it("names every option of the command", async () => {
    const fake = fakeTerminal();
    await main(["check", "--help"], fake.terminal);
    const options = [...fake.out.matchAll(/--[a-z-]+/g)].map(([option]) => option);
    assert.ok(options.length >= 9);
    assert.deepEqual(
      options.filter((option) => option !== "--help" && !page.includes(option)),
      [],
    );
  });

  it("explains every code that an approval can have", () => {
    const source = readFileSync("src/cli/approvals.ts", "utf8");
    const codes = [...source.matchAll(/"((?:approval|unknown|bad)-[a-z-]+)"/g)].map(([, code]) => code);
    assert.ok(codes.length >= 6);
    const errors = readFileSync("docs/rule-errors.md", "utf8");
    assert.deepEqual(
      codes.filter((code) => !page.includes(`\`${code}\``) && !errors.includes(`### ${code}\n`)),
      [],
    );
  });
});
