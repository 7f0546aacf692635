// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a reference to the environment looks like that
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultConfig } from "../../src/config/config.ts";
import { configWithoutFile } from "../../src/config/load.ts";
import { load, whole } from "./whole-file.ts";

describe("the environment", () => {
  /** In the block style, where braces of a reference mean nothing else. */
  const block = (key: string, text: string): string =>
    whole().replace("processors: {toolorder: {}}", `processors:\n  toolorder:\n    ${key}: ${text}`);
  const wait = (text: string, env: Record<string, string>) => {
    const { config, problems } = load(block("decision_wait", text), env);
    return config?.toolorder.core.decisionWait ?? problems[0]?.code;
  };

  it("fills references, in whole and in part", () => {
    assert.equal(wait("${env:WAIT}", { WAIT: "3s" }), 3_000_000_000n);
    assert.equal(wait('"${env:N}s"', { N: "4" }), 4_000_000_000n);
    assert.equal(wait("${env:WAIT:-5s}", {}), 5_000_000_000n);
    assert.equal(wait("${env:WAIT:-5s}", { WAIT: "" }), 5_000_000_000n);
    assert.equal(wait("${env:WAIT:-5s}", { WAIT: "6s" }), 6_000_000_000n);
  });

  it("gives a whole reference the type that its text has", () => {
    const { config } = load(block("limits", "\n      open_runs: ${env:RUNS}"), { RUNS: "7" });
    assert.equal(config?.toolorder.core.limits.openRuns, 7);
  });

  it("must have what is referred to", () => {
    assert.equal(wait("${env:WAIT}", {}), "env-not-set");
    assert.equal(wait("${WAIT}", { WAIT: "3s" }), "unknown-reference");
  });

  it("is named once where it is missing, without what follows from that", () => {
    const { problems } = load(block("decision_wait", '"${env:WAIT}"'));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["env-not-set"],
    );
  });

  it("leaves a doubled dollar sign alone", () => {
    const { config } = load(whole({ toolorder: "{contracts: ['a$${env:B}.yaml']}" }));
    assert.deepEqual(config?.toolorder.contracts, ["a${env:B}.yaml"]);
  });
});

describe("--set", () => {
  it("lays a value over the file, the last one winning", () => {
    const { config } = load(whole({ toolorder: "{decision_wait: 9s}" }), {}, [
      "processors.toolorder.decision_wait=1s",
      "processors.toolorder.decision_wait=2s",
      "processors.toolorder.limits.open_runs=5",
      "processors.toolorder.contracts=[a.yaml, b.yaml]",
    ]);
    assert.equal(config?.toolorder.core.decisionWait, 2_000_000_000n);
    assert.equal(config?.toolorder.core.limits.openRuns, 5);
    assert.deepEqual(config?.toolorder.contracts, ["a.yaml", "b.yaml"]);
  });

  it("works without a file", () => {
    const { config } = configWithoutFile({}, ["processors.toolorder.max_age=1h"]);
    assert.equal(config?.toolorder.core.maxAge, 3_600_000_000_000n);
    assert.deepEqual(configWithoutFile({}, []).config, defaultConfig);
  });

  it("is checked like the file, and named as where the problem is", () => {
    for (const [override, code, column] of [
      ["processors.toolorder.max_age=old", "bad-value", 30],
      ["processors.toolorder.max_aeg=1h", "unknown-key", 1],
      ["processors.toolorder.max_age", "bad-override", 1],
    ] as const) {
      const [problem] = load(whole(), {}, [override]).problems;
      assert.equal(problem?.code, code);
      assert.equal(problem?.file, `--set ${override}`);
      assert.equal(problem?.range.column, column);
    }
  });
});
