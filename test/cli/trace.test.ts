import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exampleTrace, runCheck, workFolder } from "./check-run.ts";

const folder = workFolder();

describe("check --trace", () => {
  it("answers why a call was refused, in text", async () => {
    const contract = folder.write(
      "tickets.yaml",
      "contract: tickets\ntools: {write: {effect: write, resource: args.ticket}}\nrules:\n  - {id: approved, kind: gate, require: {tool: approve, status: success}, before: write}\n",
    );
    const trace = folder.write(
      "run.json",
      JSON.stringify([
        {
          id: "w1",
          name: "write",
          args: { ticket: "T", text: "secret" },
          if_match: 1,
          version: 2,
          seq: 1,
          actor: "human",
        },
        {
          id: "w2",
          name: "write",
          args: { ticket: "T", text: "hidden" },
          if_match: 1,
          outcome: "conflict",
          key: "k-1",
          seq: 4,
        },
      ]),
    );
    const { out } = await runCheck({ contracts: [contract], traces: [trace], trace: true });
    const text = out;
    const [, told = ""] = /(Trace of [\s\S]*?)\n\n/.exec(text) ?? [];
    assert.match(told, /refused +write \(w2\)/);
    assert.match(told, /its resource had moved on .* tickets\/approved \(witness_missing\)/);
    assert.match(
      told,
      /conflict over T, common base 1; w2 in decision 4, version 1 to \?, wrote text; w1 by human in decision 1, version 1 to 2, wrote text; disputed: text \(different\)/,
    );
    assert.match(told, /key [0-9a-f]{12}, attempt 1/);
    assert.match(told, /evidence: w1/);
    assert.match(told, /decision numbers of \S+ that never came: 2–3/);
    assert.doesNotMatch(told, /secret|hidden|k-1/);
  });

  it("gives the same as data", async () => {
    const { out } = await runCheck({ format: "json", trace: true });
    const { runs } = JSON.parse(out) as {
      readonly runs: readonly {
        readonly transitions: readonly Record<string, unknown>[];
        readonly decision_gaps: unknown;
      }[];
    };
    const [run] = runs;
    const violated = run?.transitions.filter(({ decision }) => decision === "violated") ?? [];
    assert.ok(violated.length > 0);
    assert.deepEqual(run?.decision_gaps, []);
    for (const key of [
      "event",
      "reason",
      "rules",
      "evidence",
      "state_version",
      "node",
      "effect",
      "key_ref",
      "attempt",
      "error_class",
    ])
      assert.ok(violated[0] !== undefined && key in violated[0], key);
  });

  it("is not there unless it is asked for, and nothing else differs", async () => {
    const [plain, traced] = [await runCheck(), await runCheck({ trace: true })];
    assert.equal(plain.code, traced.code);
    assert.doesNotMatch(plain.out, /Trace of/);
    const without = traced.out.replace(/Trace of [\s\S]*?\n\n/, "");
    assert.equal(without, plain.out);
  });

  it("says of a run that nothing judged that it has nothing to tell", async () => {
    const contract = folder.write(
      "idle.yaml",
      "contract: idle\nrules:\n  - {kind: gate, require: never, before: nothing}\n",
    );
    const { out } = await runCheck({
      contracts: [contract],
      traces: [exampleTrace("good.json")],
      trace: true,
    });
    assert.match(out, /Trace of [^\n]+\n {2}nothing of it was judged or refused/);
  });

  it("is refused where a format has no place for it", async () => {
    const { code, err } = await runCheck({ format: "junit", trace: true });
    assert.equal(code, 2);
    assert.match(err, /--trace.*junit[\s\S]*--format text or json/);
  });
});
