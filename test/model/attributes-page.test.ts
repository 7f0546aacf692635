import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import * as names from "../../src/model/attribute-names.ts";
import { signalAttributes } from "../../src/model/attribute-table.ts";
import { builtInFields, builtInKinds } from "../../src/rules/words.ts";
import { attributesPage } from "../support/attributes-page.ts";
import { repositoryRoot } from "../support/repository.ts";

const rows = [...names.fieldAttributes, ...signalAttributes];

describe("docs/attributes.md", () => {
  it("is in step with the tables", () => {
    const page = readFileSync(join(repositoryRoot, "docs/attributes.md"), "utf8");
    assert.equal(page, attributesPage(), "run npm run docs:attributes");
  });

  it("has a line for every attribute", () => {
    const page = attributesPage();
    assert.ok(rows.length > 40);
    for (const row of rows) for (const name of row.names) assert.ok(page.includes(`\`${name}\``), name);
  });
});

describe("the attributes", () => {
  it("fill fields, and make kinds, that rules can name", () => {
    for (const { is } of names.fieldAttributes) assert.ok(builtInFields.has(is), is);
    for (const { is, gives } of signalAttributes) {
      assert.ok(builtInKinds.has(is), is);
      if (gives !== null) assert.ok(builtInFields.has(gives), gives);
    }
  });

  it("say one thing each", () => {
    const all = rows.flatMap((row) => row.names);
    assert.equal(new Set(all).size, all.length);
    assert.equal(new Set(rows.map(({ is }) => is)).size, rows.length);
  });

  it("have the names that the agent's processor writes first among theirs", () => {
    const first = new Set(rows.map((row) => row.names[0]));
    const written = Object.entries(names).filter(
      ([key, value]) =>
        typeof value === "string" && /^agent[A-Z]/.test(key) && !key.startsWith("agentEventKind"),
    );
    assert.ok(written.length >= 10);
    for (const [key, value] of written) {
      if (key !== "agentEventName") assert.ok(first.has(value as string), key);
    }
  });
});
