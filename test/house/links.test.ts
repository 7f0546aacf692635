/** A link in the documents leads to a file that is there, and to a heading in it. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, it } from "node:test";
import { type Files, isTypeScript, readFiles, repositoryRoot } from "../support/repository.ts";

interface Repository {
  has(path: string): boolean;
  /** Text of a Markdown file. */
  text(path: string): string;
}

const onDisk: Repository = {
  has: (path) => existsSync(join(repositoryRoot, path)),
  text: (path) => readFileSync(join(repositoryRoot, path), "utf8"),
};

/** Anchors as GitHub makes them from headings. */
function anchors(markdown: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, heading = ""] of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    let free = slug;
    for (let again = 1; found.has(free); again += 1) free = `${slug}-${again}`;
    found.add(free);
  }
  for (const [, id = ""] of markdown.matchAll(/<a (?:id|name)="([^"]+)"/g)) found.add(id);
  return found;
}

const withoutFences = (markdown: string): string => markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, "");

function brokenLinks(files: Files, repository: Repository): readonly string[] {
  const broken: string[] = [];
  for (const [path, text] of files) {
    const isMarkdown = path.endsWith(".md");
    const links = isMarkdown
      ? [...withoutFences(text).matchAll(/\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g)].map(([, link = ""]) => link)
      : // Code cites documents by their path from the root.
        [...text.matchAll(/(?<![\w./-])docs\/[\w./-]+\.md(?:#[\w-]+)?/g)].map(([link]) => `/${link}`);
    for (const link of links) {
      if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(link)) continue;
      const [file = "", anchor] = link.split("#");
      const target =
        file === ""
          ? path
          : posix
              .normalize(posix.join(file.startsWith("/") ? "" : posix.dirname(path), file))
              .replace(/^\//, "");
      if (!repository.has(target)) broken.push(`${path}: ${link}: no such file`);
      else if (
        anchor !== undefined &&
        target.endsWith(".md") &&
        !anchors(repository.text(target)).has(anchor)
      ) {
        broken.push(`${path}: ${link}: no such heading`);
      }
    }
  }
  return broken;
}

describe("links", () => {
  const documents = readFiles(".", (path) => path.endsWith(".md"));

  it("of documents lead somewhere", () => {
    assert.ok(documents.size >= 5, `only ${documents.size} documents`);
    assert.deepEqual(brokenLinks(documents, onDisk), []);
  });

  it("of code to documents lead somewhere", () => {
    const code = readFiles("src", (path) => path.endsWith(".ts"));
    assert.deepEqual(brokenLinks(code, onDisk), []);
  });

  it("reach every decision from the list of decisions", () => {
    const list = documents.get("docs/decisions/README.md") ?? "";
    for (const path of documents.keys()) {
      const name = /^docs\/decisions\/(.+)$/.exec(path)?.[1];
      if (name !== undefined && name !== "README.md")
        assert.ok(list.includes(`](${name})`), `${name} is not listed`);
    }
  });

  it("of the map of the source name every folder, and nothing that is gone", () => {
    const map = documents.get("docs/architecture.md") ?? "";
    const paths = [...readFiles("src", isTypeScript).keys()];
    const folders = new Set(paths.map((path) => path.split("/").slice(0, 2).join("/")));
    assert.ok(folders.size > 5, `only ${folders.size} folders`);
    for (const folder of folders) assert.ok(map.includes(folder), `${folder} is not on the map`);
    const named = [...map.matchAll(/`([\w./-]+\.(?:ts|js|yaml)|(?:src|test)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    assert.ok(named.length > 50, `only ${named.length} paths on the map`);
    // Within a section a file goes by its name alone.
    const known = (path: string): boolean =>
      onDisk.has(path) || paths.some((full) => full.endsWith(`/${path}`));
    assert.deepEqual(
      named.filter((path) => !known(path)),
      [],
    );
  });

  const repository: Repository = {
    has: (path) => ["docs/a.md", "docs/b.md", "src/x.ts"].includes(path),
    text: () => "# One thing\n\n## `serve` — how, when?\n\n## Same\n\n## Same\n\n```\n# not a heading\n```\n",
  };
  const cases = [
    { text: "[b](b.md)", broken: 0 },
    { text: "[b](./b.md#one-thing)", broken: 0 },
    { text: "[b](b.md#serve--how-when)", broken: 0 },
    { text: "[b](b.md#same-1)", broken: 0 },
    { text: "[here](#one-thing)", broken: 0 },
    { text: "[x](../src/x.ts)", broken: 0 },
    { text: "[out](https://example.com/c.md#x)", broken: 0 },
    { text: "```\n[c](c.md)\n```", broken: 0 },
    { text: "[c](c.md)", broken: 1 },
    { text: "[b](b.md#two-things)", broken: 1 },
    { text: "[b](b.md#not-a-heading)", broken: 1 },
    { text: "[here](#nowhere)", broken: 1 },
    { text: "![picture](c.svg)", broken: 1 },
  ];
  for (const { text, broken } of cases) {
    it(`${broken === 0 ? "pass" : "break"}: ${JSON.stringify(text)}`, () => {
      assert.equal(brokenLinks(new Map([["docs/a.md", text]]), repository).length, broken);
    });
  }

  it("break in code too", () => {
    const files = new Map([["src/x.ts", "/** Why: docs/c.md. And docs/b.md#one-thing. */"]]);
    assert.deepEqual(brokenLinks(files, repository), ["src/x.ts: /docs/c.md: no such file"]);
  });
});
