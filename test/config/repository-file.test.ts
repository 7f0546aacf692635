import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { defaultConfig } from "../../src/config/config.ts";
import { effectiveTree } from "../../src/config/effective.ts";
import { repositoryRoot } from "../support/repository.ts";
import { load } from "./whole-file.ts";

describe("the repository's otel-config.yaml", () => {
  const text = readFileSync(join(repositoryRoot, "otel-config.yaml"), "utf8");

  it("loads, and changes nothing but the contracts", () => {
    const { config, problems } = load(text);
    assert.deepEqual(problems, []);
    assert.deepEqual(config, {
      ...defaultConfig,
      toolorder: { ...defaultConfig.toolorder, contracts: config?.toolorder.contracts },
    });
  });

  it("shows every key, each with a comment of its own or of its group", () => {
    const keys: string[] = [];
    const visit = (tree: unknown): void => {
      if (typeof tree !== "object" || tree === null || Array.isArray(tree)) return;
      for (const [key, value] of Object.entries(tree)) {
        keys.push(key);
        visit(value);
      }
    };
    visit(effectiveTree(defaultConfig));
    assert.ok(keys.length > 40);
    for (const key of keys) assert.match(text, new RegExp(`^\\s*${key}:`, "m"), `${key} is not shown`);
  });
});
