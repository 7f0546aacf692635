import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { progressLine } from "../../src/cli/progress.ts";
import { createStatusLine } from "../../src/cli/terminal.ts";
import { runCheck } from "./check-run.ts";

describe("the progress bar", () => {
  it("shows how far it is", () => {
    assert.equal(
      progressLine("reading", 0, 24, "files"),
      "reading  [------------------------]   0 %  0 of 24 files",
    );
    assert.equal(
      progressLine("reading", 12, 24, "files"),
      "reading  [############------------]  50 %  12 of 24 files",
    );
    assert.equal(
      progressLine("judging", 1, 1, "events"),
      "judging  [########################] 100 %  1 of 1 events",
    );
    assert.equal(
      progressLine("judging", 99_999, 100_000, "events"),
      "judging  [#######################-]  99 %  100000 events",
    );
  });

  it("goes over every file of a check, and is taken away at the end", async () => {
    const { status } = await runCheck({ traces: ["examples/customer-access/traces/*.json"] });
    const reading = status.filter((line) => line?.startsWith("reading"));
    assert.ok(reading.length > 5);
    assert.match(reading[0] ?? "", / 0 of \d+ files$/);
    assert.match(status.at(-2) ?? "", /^judging .* 100 % /);
    assert.equal(status.at(-1), null);
  });

  it("is taken away where the check cannot go on", async () => {
    const { status, code } = await runCheck({ traces: ["README.md"] });
    assert.equal(code, 2);
    assert.equal(status.at(-1), null);
  });
});

describe("the status line of a terminal", () => {
  function stream(isTTY: boolean | undefined) {
    const written: string[] = [];
    return {
      written,
      stream: { write: (text: string) => written.push(text), ...(isTTY === undefined ? {} : { isTTY }) },
    };
  }

  it("replaces itself, and writes nothing twice", () => {
    const { written, stream: terminal } = stream(true);
    const status = createStatusLine(terminal, {});
    status(null);
    status("a");
    status("a");
    status("b");
    status(null);
    status(null);
    assert.deepEqual(written, ["\r\u001b[2Ka", "\r\u001b[2Kb", "\r\u001b[2K"]);
  });

  for (const [name, isTTY, env] of [
    ["a pipe", undefined, {}],
    ["a file", false, {}],
    ["a terminal that cannot erase", true, { TERM: "dumb" }],
  ] as const) {
    it(`is never in ${name}`, () => {
      const { written, stream: terminal } = stream(isTTY);
      const status = createStatusLine(terminal, env);
      status("a");
      status(null);
      assert.deepEqual(written, []);
    });
  }
});
