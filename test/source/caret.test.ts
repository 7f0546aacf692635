import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderProblem, type ShownProblem } from "../../src/source/caret.ts";

const problem: ShownProblem = {
  file: "payments.yaml",
  range: { line: 3, column: 28, length: 6 },
  code: "unknown-tool",
  message: 'no tool named "aprove" is declared in this file',
  advice: 'Did you mean "approve"? Otherwise add it under tools.',
  level: "error",
};
const source = "contract: payments\nrules:\n  - { kind: gate, require:   aprove, before: refund }\n";

describe("a problem, rendered", () => {
  it("shows place, line, carets and cure", () => {
    assert.equal(
      renderProblem(problem, source, false),
      [
        'payments.yaml:3:28: no tool named "aprove" is declared in this file [unknown-tool]',
        "  3 |   - { kind: gate, require:   aprove, before: refund }",
        "    |                            ^^^^^^",
        '  advice: Did you mean "approve"? Otherwise add it under tools.',
      ].join("\n"),
    );
  });

  it("says that a warning is one", () => {
    assert.match(
      renderProblem({ ...problem, level: "warning" }, source, false),
      /^payments\.yaml:3:28: warning: no/,
    );
  });

  it("is the same text in colour, with escapes around", () => {
    const escapes = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");
    const coloured = renderProblem(problem, source, true);
    assert.notEqual(coloured, renderProblem(problem, source, false));
    assert.equal(coloured.replace(escapes, ""), renderProblem(problem, source, false));
  });

  it("keeps tabs, so that the caret stands right at any width", () => {
    const shown = renderProblem({ ...problem, range: { line: 1, column: 3, length: 1 } }, "\t\tx: 1", false);
    assert.equal(shown.split("\n")[2], "    | \t\t^");
  });

  it("cuts a line of a megabyte around the caret", () => {
    const long = `${"a".repeat(500_000)}X${"b".repeat(500_000)}`;
    const lines = renderProblem(
      { ...problem, range: { line: 1, column: 500_001, length: 1 } },
      long,
      false,
    ).split("\n");
    assert.ok(lines.every((line) => line.length < 250));
    assert.equal(lines[1]?.[lines[2]?.indexOf("^") ?? -1], "X");
  });

  it("does without the line where the file is shorter or empty there", () => {
    assert.equal(
      renderProblem({ ...problem, range: { line: 9, column: 1, length: 1 } }, "", false).split("\n").length,
      2,
    );
  });

  it("lets no control character of a file reach the terminal", () => {
    const esc = String.fromCharCode(27);
    const shown = renderProblem(
      { ...problem, message: `x${esc}[2J`, range: { line: 1, column: 1, length: 1 } },
      `${esc}]0;title\u202ehidden`,
      false,
    );
    assert.ok(!shown.includes(esc) && !shown.includes("\u202e"));
  });
});
