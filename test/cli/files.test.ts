import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { expandFiles, readBytes, stem, traceFiles } from "../../src/cli/files.ts";
import { InputError } from "../../src/cli/input-error.ts";

let folder = "";
const at = (name: string): string => join(folder, name);
before(() => {
  folder = mkdtempSync(join(tmpdir(), "toolorder-files-"));
  mkdirSync(at("empty"));
  mkdirSync(at("[odd]"));
  for (const name of ["b.json", "a.json", "c.txt", "d.pb", "[odd]/e.json"]) writeFileSync(at(name), name);
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe("files named on the command line", () => {
  it("are those of a folder that can be traces, in alphabetical order", () => {
    assert.deepEqual(expandFiles([folder], traceFiles), [at("a.json"), at("b.json"), at("d.pb")]);
  });

  it("are those that a glob matches, whatever they end in", () => {
    assert.deepEqual(expandFiles([at("*.txt"), at("[ab].json")], traceFiles), [
      at("c.txt"),
      at("a.json"),
      at("b.json"),
    ]);
  });

  it("are taken as they stand where they are there, even with a glob's letters in them", () => {
    assert.deepEqual(expandFiles([at("[odd]")], traceFiles), [at("[odd]/e.json")]);
    assert.deepEqual(expandFiles([at("[odd]/e.json")], traceFiles), [at("[odd]/e.json")]);
  });

  it("are each read once, and standard input is one of them", () => {
    assert.deepEqual(expandFiles([at("a.json"), "-", at("a.json")], traceFiles), [at("a.json"), "-"]);
  });

  const missing: readonly { readonly name: string; readonly pattern: string; readonly says: RegExp }[] = [
    { name: "a folder without any", pattern: "empty", says: /the folder holds no trace/ },
    { name: "a glob without any", pattern: "*.none", says: /no trace matches/ },
    { name: "a path that is not there", pattern: "none.json", says: /there is no such file/ },
  ];
  for (const { name, pattern, says } of missing) {
    it(`refuse ${name}`, () => {
      assert.throws(
        () => expandFiles([at(pattern)], traceFiles),
        (error) => error instanceof InputError && says.test(error.message) && error.place === at(pattern),
      );
    });
  }

  it("say why one cannot be read", async () => {
    await assert.rejects(readBytes(at("none.json")), (error) => error instanceof InputError);
    await assert.rejects(readBytes(folder), /cannot be read \(EISDIR\)/);
  });

  it("give a run its name", () => {
    assert.deepEqual(
      ["traces/incident.json", "x/incident.otlp.json", "run.ndjson.gz", "plain", "-"].map(stem),
      ["incident", "incident", "run", "plain", "stdin"],
    );
  });
});
