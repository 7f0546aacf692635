/**
 * What is cited by section is here to be read: code says `docs/semantics.md 7`, and that document has a section 7.
 * A document by a bare name in capitals is one that stood beside the repository while it was written.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Files, readFiles } from "../support/repository.ts";

/** In parts, so that this file does not find itself. */
const strangers = [
  "RUL|ES",
  "DES|IGN",
  "CONVEN|TIONS",
  "STY|LE",
  "CHECK|LIST",
  "FIELD-REP|ORTS",
  "LIBRA|RIES",
];
const stranger = new RegExp(
  `\\b(${strangers.map((word) => word.replace("|", "")).join("|")})(\\.md)?[ ,:§]+(?:section )?(\\d+|"[A-Z])`,
  "g",
);

/** A line that ends in a citation goes on in the next line of its comment. */
const joined = (text: string): string => text.replaceAll(/\n[ \t]*(?:\*|\/\/|#)?[ \t]+(?=\d|")/g, " ");

const byNumber = /(?<![\w./-])(docs\/[\w./-]+\.md) (\d+(?:\.\d+)?(?:(?:, | and | to |–)\d+(?:\.\d+)?)*)/g;

/** Numbers of the document's sections, and those of the lists in them as `10.2`. */
function sectionsOf(markdown: string): ReadonlySet<string> {
  const found = new Set<string>();
  let section = "";
  for (const line of markdown.split("\n")) {
    section = /^## (\d+)\. /.exec(line)?.[1] ?? (line.startsWith("## ") ? "" : section);
    const item = /^(\d+)\. /.exec(line)?.[1];
    if (section !== "") found.add(item === undefined ? section : `${section}.${item}`);
  }
  return found;
}

function badCitations(files: Files, documents: Files): readonly string[] {
  const bad: string[] = [];
  for (const [path, text] of files) {
    const flat = joined(text);
    for (const [whole, name = ""] of flat.matchAll(stranger)) {
      const isHere = [...documents.keys()].some((document) => document.endsWith(`${name}.md`));
      if (!isHere) bad.push(`${path}: ${whole}: no such document here`);
    }
    for (const [, document = "", numbers = ""] of flat.matchAll(byNumber)) {
      const sections = sectionsOf(documents.get(document) ?? "");
      for (const [number] of numbers.matchAll(/\d+(?:\.\d+)?/g)) {
        if (!sections.has(number)) bad.push(`${path}: ${document} ${number}: no such section`);
      }
    }
  }
  return bad;
}

describe("citations", () => {
  const files = readFiles(".", (path) => /\.(?:ts|c?js|md|ya?ml|sh|json)$|^\.ci\//.test(path));
  const documents = new Map([...files].filter(([path]) => path.endsWith(".md")));

  it("lead to a section of a document that is here", () => {
    assert.ok(files.size >= 100, `only ${files.size} files`);
    assert.deepEqual(badCitations(files, documents), []);
  });

  it("are found", () => {
    const cited = [...files.values()].flatMap((text) => [...joined(text).matchAll(byNumber)]);
    assert.ok(cited.length > 30, `only ${cited.length} citations`);
  });

  const [a, b] = ["a", "b"].map((name) => `docs${"/"}${name}.md`);
  const here = new Map([
    [a ?? "", "# A\n\n## 1. One\n\n## 10. Ten\n\n1. First\n2. Second\n\n## Last\n\n3. No.\n"],
  ]);
  const planted = [
    { line: `/** The order in which they fold (${"RUL"}${"ES"} 3). */`, bad: 1 },
    { line: `// Source: ${"DES"}${"IGN"} 9, "Violation record".`, bad: 1 },
    { line: ` * as ${"CONVEN"}${"TIONS"}.md 5.1 has it`, bad: 1 },
    { line: ` * so says ${"STY"}${"LE"}\n * 4, in the end`, bad: 1 },
    { line: `/** Reads patterns (${"RUL"}${"ES"} "Patterns"). */`, bad: 1 },
    { line: `/** Why (${a} 2). */`, bad: 1 },
    { line: `/** Why (${a} 10.3). */`, bad: 1 },
    { line: `/** Why (${a} 1, 11). */`, bad: 1 },
    { line: `/** Why (${b} 1). */`, bad: 1 },
    { line: ` * Why (${a}\n * 12). More.`, bad: 1 },
    { line: `/** Why (${a} 1, 10 and 10.2). */`, bad: 0 },
    { line: `/** Why (${a} 10.1 to 10.2). And ${a}, or ${a}#last. */`, bad: 0 },
    { line: "The RULES of a house, in STYLE.", bad: 0 },
  ];
  for (const { line, bad } of planted) {
    it(`${bad === 0 ? "pass" : "fail"}: ${JSON.stringify(line)}`, () => {
      assert.equal(badCitations(new Map([["src/x.ts", line]]), here).length, bad);
    });
  }
});
