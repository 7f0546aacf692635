/** What a test draws is the same in every run: all of them take fast-check from the place that sets its seed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isTypeScript, readFiles, repositoryRoot } from "../support/repository.ts";

const place = "test/support/properties.ts";
const drawn = `import fc from ${JSON.stringify(join(repositoryRoot, place))};
process.stdout.write(JSON.stringify(fc.sample(fc.nat())) + fc.readConfigureGlobal().numRuns);`;

function draw(env: NodeJS.ProcessEnv): string {
  const { PROPERTY_SEED: _, PROPERTY_RUNS: __, ...rest } = process.env;
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", drawn], {
    env: { ...rest, ...env },
    encoding: "utf8",
    timeout: 30_000,
  });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

describe("properties", () => {
  it("draw the same values in every run, and others for another seed", () => {
    const usual = draw({});
    assert.match(usual, /^\[\d+,.*\]undefined$/);
    assert.equal(draw({}), usual);
    assert.notEqual(draw({ PROPERTY_SEED: "2" }), usual);
    assert.match(draw({ PROPERTY_RUNS: "7" }), /\]7$/);
  });

  it("come from one place", () => {
    const files = readFiles("test", isTypeScript);
    const direct = [...files]
      .filter(([, text]) => /^import .* from "fast-check";$/m.test(text))
      .map(([path]) => path);
    assert.deepEqual(
      direct,
      [place],
      `import fc from ${place}: fast-check itself draws a new seed each time`,
    );
  });
});
