import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { SaxesParser } from "saxes";
import { test } from "../../src/cli/test.ts";
import { workFolder } from "./check-run.ts";
import { fakeTerminal } from "./fake-terminal.ts";

const folder = workFolder();

async function run(text: string, { junit = false, coverage = true } = {}) {
  const fake = fakeTerminal();
  const options = { junit: junit ? folder.path("junit.xml") : null, coverage };
  const code = await test([folder.write("cases.yaml", text)], fake.terminal, options);
  return { code, lines: folder.bare(fake.out).split("\n"), err: folder.bare(fake.err) };
}

const rules = [
  "{id: both, kind: gate, require: {tool: A, status: success}, before: B}",
  "{id: kept, kind: gate, require: {tool: A, status: success}, before: C}",
  "{id: broken, kind: gate, require: {tool: X, status: success}, before: B}",
  "{id: unclear, kind: gate, require: {tool: Y, status: success}, before: Z, clock: {skew_ms: 50}}",
  "{id: idle, kind: gate, require: {tool: A, status: success}, before: Never}",
];
const contract = `contract: {contract: c, rules: [${rules.join(", ")}]}\n`;
const expect = "[{rule: both}]";
const oneCase = (id: string, events: string, more = ""): string =>
  `  - {id: ${id}, events: ${events}, expect: ${expect}${more}}\n`;

const good = oneCase("good", "[{id: a, name: A}, {id: b, name: B}, {id: c, name: C}]");
const bad = oneCase("bad", "[{id: b, name: B}, {id: a, name: A}]");
const unclear = oneCase(
  "unclear",
  "[{id: y, name: Y, start: 0, end: 100, host: h1}, {id: z, name: Z, start: 110, end: 200, host: h2}]",
);

describe("toolorder test --coverage", () => {
  it("says of each rule in how many cases it was kept and broken, or that none exercised it", async () => {
    const { code, lines } = await run(`${contract}cases:\n${good}${bad}${unclear}`);
    assert.equal(code, 0);
    assert.deepEqual(lines.slice(lines.indexOf("3 ok, 0 failed")), [
      "3 ok, 0 failed",
      "",
      "coverage of c (cases.yaml):",
      "  both     satisfied in 1, violated in 1",
      "  kept     satisfied in 1, never violated",
      "  broken   never satisfied, violated in 2",
      "  unclear  never satisfied, never violated, undecided in 1",
      "  idle     never exercised",
      "4 of 5 rules exercised, 1 both ways",
    ]);
  });

  it("counts both ways within one case", async () => {
    const { lines } = await run(
      `${contract}cases:\n${oneCase("mixed", "[{id: b1, name: B}, {id: a, name: A}, {id: b2, name: B}]")}`,
    );
    assert.ok(lines.includes("  both     satisfied in 1, violated in 1"), lines.join("\n"));
  });

  it("does not count the rules that a case brings itself", async () => {
    const { lines } = await run(
      "cases:\n  - {id: own, events: [{name: A}], rules: [{id: r, kind: gate, require: A, before: B}], expect: [{rule: r}]}\n",
    );
    assert.equal(lines.at(-1), "coverage: no case is judged by a contract, only by rules of its own");
  });

  it("prints what its page shows", async () => {
    const page = readFileSync("docs/contract-tests.md", "utf8");
    const shown = /```sh\ntoolorder test --coverage (\S+)\n```\n\n```text\n…\n([^`]*?)\n```/.exec(page);
    const fake = fakeTerminal();
    await test([shown?.[1] ?? ""], fake.terminal, { junit: null, coverage: true });
    assert.ok(fake.out.endsWith(`\n${shown?.[2]}`), fake.out);
  });

  it("is only said when it is asked for", async () => {
    const { lines } = await run(`${contract}cases:\n${good}`, { coverage: false });
    assert.equal(lines.at(-1), "1 ok, 0 failed");
  });
});

interface Found {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Every element, by a strict parser that shares nothing with the writer. */
function elements(xml: string): readonly Found[] {
  const found: Found[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => void found.push({ name, attributes: { ...attributes } }));
  parser.write(xml).close();
  return found;
}

describe("toolorder test --junit", () => {
  it("writes one case a contract case, with its line and what differed", async () => {
    const failing = `  - {id: "<&>", events: [{name: B}], expect: [{rule: both, verdict: satisfied}]}\n`;
    const { code, lines } = await run(`${contract}cases:\n${good}${failing}`, {
      junit: true,
      coverage: false,
    });
    assert.equal(code, 1);
    assert.equal(lines.at(-1), "1 ok, 1 failed");
    const found = elements(folder.bare(folder.read("junit.xml")));
    assert.deepEqual(
      found.map(({ name }) => name),
      ["testsuites", "testsuite", "testcase", "testcase", "failure"],
    );
    for (const { attributes } of found.slice(0, 2)) {
      assert.equal(attributes.tests, "2");
      assert.equal(attributes.failures, "1");
    }
    assert.deepEqual(found[2]?.attributes, {
      name: "good",
      classname: "cases.yaml",
      file: "cases.yaml",
      line: "3",
    });
    assert.equal(found[3]?.attributes.name, "<&>");
    assert.deepEqual(found[4]?.attributes, {
      type: "differs",
      message: "both: verdict violated (witness_missing), expected satisfied",
    });
  });

  it("is refused where it cannot be written", async () => {
    const fake = fakeTerminal();
    const file = folder.write("cases.yaml", `${contract}cases:\n${good}`);
    const code = await test([file], fake.terminal, { junit: folder.path("no/where.xml"), coverage: false });
    assert.equal(code, 2);
    assert.match(fake.err, /where\.xml: its folder is not there\n {2}advice:/);
  });
});
