import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseYaml, plainValue, type SourceNode } from "../../src/source/yaml-source.ts";
import fc from "../support/properties.ts";

function plain(text: string): unknown {
  const { root, problems } = parseYaml(text);
  assert.deepEqual(problems, []);
  return root === null ? null : JSON.parse(JSON.stringify(plainValue(root)));
}

const problemsOf = (text: string) =>
  parseYaml(text).problems.map(({ code, range }) => `${range.line}:${range.column}+${range.length} ${code}`);

function at(text: string, ...path: readonly (string | number)[]): SourceNode {
  let node = parseYaml(text).root;
  for (const step of path) {
    if (node?.is === "map") node = node.entries.get(String(step))?.value ?? null;
    else node = node?.is === "list" ? (node.items[Number(step)] ?? null) : null;
  }
  assert.ok(node !== null);
  return node;
}

describe("YAML with places", () => {
  it("reads YAML 1.2: on, yes and no are words", () => {
    assert.deepEqual(plain("on: yes\noff: no\ny: n\n"), { on: "yes", off: "no", y: "n" });
  });

  it("keeps keys as written, also those that look like numbers", () => {
    assert.deepEqual(plain("007: a\n1.0: b\n'x': c\n"), { "007": "a", "1.0": "b", x: "c" });
  });

  it("keeps integers to the last digit", () => {
    const node = at("a: 12345678901234567890\n", "a");
    assert.equal(node.is === "scalar" ? node.value : null, 12345678901234567890n);
    assert.deepEqual(plain("a: 9007199254740991\n"), { a: 9007199254740991 });
  });

  it("tells the place of keys and values", () => {
    const text = "rules:\n  - {kind: gate, before: 'b c'}\n";
    assert.deepEqual(at(text, "rules", 0, "kind").range, { line: 2, column: 12, length: 4 });
    assert.deepEqual(at(text, "rules", 0, "before").range, { line: 2, column: 26, length: 5 });
    const rule = at(text, "rules", 0);
    assert.ok(rule.is === "map");
    assert.deepEqual(rule.entries.get("before")?.keyRange, { line: 2, column: 18, length: 6 });
  });

  it("counts lines that end in CR LF, and a byte order mark as nothing", () => {
    assert.deepEqual(at("\ufeffa: 1\r\nb: x\r\n", "b").range, { line: 2, column: 4, length: 1 });
  });

  it("gives an alias its own place and its anchor's value", () => {
    const text = "a: &x {k: v}\nb: *x\n";
    assert.deepEqual(plain(text), { a: { k: "v" }, b: { k: "v" } });
    assert.deepEqual(at(text, "b").range, { line: 2, column: 4, length: 2 });
  });

  it("treats __proto__ as a key like any other", () => {
    const { root } = parseYaml("__proto__: {polluted: true}\n");
    assert.ok(root !== null);
    const value = plainValue(root);
    assert.ok(typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"));
    assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
  });

  const broken = [
    { name: "a second key of one name", text: "a: 1\nb: 2\na: 3\n", problems: ["3:1+1 duplicate-key"] },
    { name: "1 and '1' are one key", text: "1: a\n'1': b\n", problems: ["2:1+3 duplicate-key"] },
    {
      name: "a third one too",
      text: "{a: 1, a: 2, a: 3}",
      problems: ["1:8+1 duplicate-key", "1:14+1 duplicate-key"],
    },
    { name: "a list as key", text: "? [a]\n: b\n", problems: ["1:3+3 key-not-text"] },
    { name: "an alias of nothing", text: "a: *b\n", problems: ["1:4+2 unknown-alias"] },
    { name: "an alias of its own node", text: "a: &a [*a]\n", problems: ["1:8+2 alias-cycle"] },
    { name: "a tab as indent", text: "a:\n\tb: 1\n", problems: ["2:1+1 yaml-syntax"] },
    { name: "an unknown tag", text: "a: !secret x\n", problems: ["1:4+7 yaml-syntax"] },
    { name: "an open quote", text: "a: 'b\n", problems: ["2:1+1 yaml-syntax"] },
    { name: "two documents", text: "a: 1\n---\nb: 2\n", problems: ["2:1+3 yaml-syntax"] },
  ];
  for (const { name, text, problems } of broken) {
    it(`reports ${name}`, () => assert.deepEqual(problemsOf(text), problems));
  }

  it("reports several problems at once, in order of place", () => {
    assert.deepEqual(problemsOf("a: *x\nb: 1\nb: 2\n? [c]\n: d\n"), [
      "1:4+2 unknown-alias",
      "3:1+1 duplicate-key",
      "4:3+3 key-not-text",
    ]);
  });

  it("refuses aliases that multiply, and stays small", () => {
    const levels = ["a: &a0 [x,x,x,x,x,x,x,x,x]"];
    for (let level = 1; level < 12; level += 1) {
      levels.push(
        `k${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(",")}]`,
      );
    }
    const { problems } = parseYaml(levels.join("\n"));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["alias-limit"],
    );
  });

  it("lets ordinary reuse pass", () => {
    const text = `a: &a {k: [1, 2, 3]}\nb: [${Array(200).fill("*a").join(", ")}]\n`;
    assert.deepEqual(parseYaml(text).problems, []);
  });

  it("refuses depth without end", () => {
    for (const text of [
      "[".repeat(100_000),
      "- ".repeat(3_000),
      `${"{a: ".repeat(100)}1${"}".repeat(100)}`,
    ]) {
      assert.ok(problemsOf(text).some((problem) => problem.endsWith("nested-too-deep")));
    }
  });

  it("refuses a file of megabytes", () => {
    assert.deepEqual(problemsOf("#".repeat(1_048_577)), ["1:1+1 file-too-large"]);
  });

  it("never throws, and every place lies in the text", () => {
    const piece = fc.constantFrom(
      "a",
      ": ",
      "\n",
      "- ",
      "[",
      "]",
      "{",
      "}",
      "&x ",
      "*x",
      "'",
      '"',
      "\t",
      "  ",
      "|",
      ">",
      "!t ",
      "? ",
      "#",
      "---",
      "\r\n",
      "0",
      ",",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
          fc.string({ unit: "binary" }),
        ),
        (text) => {
          const lines = text.split("\n").length;
          for (const { range, message, advice } of parseYaml(text).problems) {
            assert.ok(range.line >= 1 && range.line <= lines && range.column >= 1 && range.length >= 1);
            assert.ok(message !== "" && advice !== "");
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
