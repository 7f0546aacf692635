/** HTTP client spans are read where a rule needs what they say, and cost nothing elsewhere. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import { httpKeys } from "../../../src/processor/normalize/http.ts";
import { createNormalizer } from "../../../src/processor/normalize/normalize.ts";
import { loadContracts } from "../../../src/rules/load.ts";
import { at, makeSpan, type SpanSketch } from "./make-span.ts";

const post: SpanSketch = {
  name: "POST",
  kind: 3,
  attributes: { "http.request.method": "POST", "http.response.status_code": 409 },
};

function read(rule: string, sketch = post): { fact: SpanFact; reads: boolean } {
  const { set, problems } = loadContracts([{ file: "c.yaml", text: `contract: c\nrules:\n  - ${rule}\n` }]);
  assert.deepEqual(
    problems.filter(({ level }) => level === "error"),
    [],
  );
  assert.ok(set);
  const normalizer = createNormalizer({ projection: set.projection, mappings: [] });
  return {
    fact: normalizer.normalize(makeSpan(sketch), at(60_000), null),
    reads: httpKeys.every((key) => normalizer.plan.span.exact.has(key)),
  };
}

describe("HTTP client spans", () => {
  const reading: readonly string[] = [
    "{kind: count, of: {tool: a, outcome: conflict}, max: 0}",
    "{kind: gate, require: a, before: b, bind: [key]}",
    "{kind: gate, require: a, before: b, where: [w.version == a.if_match]}",
    "{kind: count, of: {tool: a, where: [e.attempt > 3]}, max: 0}",
  ];
  for (const rule of reading) {
    it(`are read for ${rule}`, () => {
      const { fact, reads } = read(rule);
      assert.equal(reads, true);
      assert.deepEqual([fact.kind, fact.http?.status, fact.http?.method], [null, 409, "POST"]);
    });
  }

  it("are skeletons, and none of their attributes wanted, where no rule reads what they could say", () => {
    const { fact, reads } = read("{kind: gate, require: a, before: b, bind: [args.id]}");
    assert.equal(reads, false);
    assert.equal(fact.http, undefined);
  });

  const rule = reading[0] ?? "";
  it("are none on the server's side, and none without a method", () => {
    assert.equal(read(rule, { ...post, kind: 2 }).fact.http, undefined);
    assert.equal(
      read(rule, { name: "SELECT", kind: 3, attributes: { "db.system": "x" } }).fact.http,
      undefined,
    );
  });

  it("are tool calls where they are tool calls", () => {
    const call = { ...post.attributes, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "a" };
    const { fact } = read(rule, { ...post, attributes: call });
    assert.deepEqual([fact.kind, fact.http], ["tool_call", undefined]);
  });
});
