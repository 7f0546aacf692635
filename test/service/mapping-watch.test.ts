import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMappingWatch } from "../../src/service/mapping-watch.ts";
import { createLog } from "../../src/telemetry/log.ts";

function setUp(names: readonly string[]) {
  const lines: Record<string, unknown>[] = [];
  const matched: string[] = [];
  const log = createLog({ write: (line: string) => lines.push(JSON.parse(line)) });
  return { watch: createMappingWatch(names, log, (name) => matched.push(name)), lines, matched };
}

describe("mappings", () => {
  it("that met no span are named once, after some traffic", () => {
    const { watch, lines } = setUp(["approvals", "typo"]);
    watch.matched("approvals");
    watch.see(999);
    assert.deepEqual(lines, []);
    watch.see(1);
    assert.deepEqual(
      lines.map(({ mapping, level }) => [mapping, level]),
      [["typo", "warn"]],
    );
    watch.see(5_000);
    watch.finish();
    assert.equal(lines.length, 1);
  });

  it("that met no span are named at the end, when there was little traffic", () => {
    const { watch, lines } = setUp(["typo"]);
    watch.see(3);
    watch.finish();
    assert.deepEqual(
      lines.map(({ mapping, spans }) => [mapping, spans]),
      [["typo", 3]],
    );
  });

  it("are counted", () => {
    const { watch, matched, lines } = setUp(["a"]);
    watch.matched("a");
    watch.matched("a");
    watch.finish();
    assert.deepEqual(matched, ["a", "a"]);
    assert.deepEqual(lines, []);
  });
});
