/**
 * `explore.ts [--rounds N] [--runs N] [GLOB…]` — runs the tests that draw their values (all of them when none is
 * named) with new seeds, round after round, and stops at the first round that fails. `npm test` draws the same
 * values every time; this looks for what those miss. Each round prints the line that repeats it.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { rounds: { type: "string", default: "10" }, runs: { type: "string", default: "2000" } },
  allowPositionals: true,
});

const draws = (path: string): boolean =>
  /support\/(?:properties|arbitrary-scope|differential\/agree)\.ts"/.test(readFileSync(path, "utf8"));
const files = (positionals.length > 0 ? positionals : ["test/**/*.test.ts"])
  .flatMap((glob) => globSync(glob))
  .filter(draws);
if (files.length === 0) throw new Error("none of these files draws its values");

const mostSeed = 100_000_000;
for (let round = 1; round <= Number(values.rounds); round += 1) {
  const seeds = {
    PROPERTY_SEED: String(randomInt(mostSeed)),
    PROPERTY_RUNS: values.runs,
    DIFFERENTIAL_SEED: String(randomInt(mostSeed)),
  };
  const words = Object.entries(seeds).map(([name, value]) => `${name}=${value}`);
  process.stdout.write(`round ${round}: ${words.join(" ")} npm test -- ${positionals.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "run.ts"), ...files], {
    env: { ...process.env, ...seeds },
    stdio: "inherit",
  });
  if (status !== 0) {
    process.exitCode = 1;
    break;
  }
}
