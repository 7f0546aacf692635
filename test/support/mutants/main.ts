/**
 * `npm run mutants -- [--sample N] [--seed N] [--area NAME] [--least PERCENT] [--report FILE]` — changes the
 * sources in one small place at a time and sees whether the tests of that folder notice. Prints every mutant that
 * none noticed. A mutant that does not pass the type checker counts for nothing.
 *
 * The changes are Stryker's (its instrumenter writes all of them into one copy of the sources, each behind a
 * switch); its runner is not used, since that cannot draw a sample, and does not know node's test runner.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "../differential/draw.ts";
import { type Area, areas } from "./areas.ts";
import { instrument, type Mutant } from "./instrument.ts";
import { type Outcome, tryAll } from "./pool.ts";
import { refusedByTypes } from "./refused.ts";
import { report, scoreLine, scoreOf } from "./report.ts";

const root = resolve(import.meta.dirname, "../../..");
const atOnce = 2;

const { values: options } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    area: { type: "string" },
    least: { type: "string", default: "0" },
    report: { type: "string" },
  },
});

const folder = mkdtempSync(join(tmpdir(), "toolorder-mutants-"));
try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const chosen = areas.filter(({ name }) => options.area === undefined || options.area === name);
  if (chosen.length === 0) {
    process.stderr.write(
      `--area ${options.area}: there is no such area; it is one of ${areas.map(({ name }) => name).join(", ")}\n`,
    );
    return 2;
  }
  for (const part of readdirSync(root)) {
    if (part !== "node_modules" && part !== ".git") {
      cpSync(join(root, part), join(folder, part), { recursive: true });
    }
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const plain = join(folder, "plain");
  cpSync(join(root, "src"), join(plain, "src"), { recursive: true });
  cpSync(join(root, "tsconfig.json"), join(plain, "tsconfig.json"));
  symlinkSync(join(root, "node_modules"), join(plain, "node_modules"));
  cpSync(join(root, "package.json"), join(plain, "package.json"));

  const all = await instrument(root, folder, chosen);
  const seed = Number(options.seed);
  const wanted = options.sample === undefined ? all.length : Number(options.sample);
  const { drawn, tried } = draw(plain, new Random(seed).shuffled(all), wanted);
  process.stdout.write(
    `${tried.length} mutants, drawn from ${all.length} with seed ${seed}; ` +
      `the type checker refused ${drawn.length - tried.length} others\n`,
  );
  const outcomes: Outcome[] = [];
  const told = (outcome: Outcome): void => {
    outcomes.push(outcome);
    if (outcome.noticedBy === null) process.stdout.write(`${survivorLine(outcome)}\n`);
    if (outcomes.length % 100 === 0) process.stderr.write(`${outcomes.length} of ${tried.length}\n`);
  };
  for (const area of chosen) {
    const mutants = tried.filter((one: Mutant) => one.area === area);
    await tryAll(folder, area, mutants, atOnce, told);
    process.stdout.write(`${scoreLine(area.name, ofArea(outcomes, area))}\n`);
  }
  process.stdout.write(`${scoreLine("all", outcomes)}\n`);
  if (options.report !== undefined) {
    writeFileSync(resolve(root, options.report), report({ chosen, drawn, tried, outcomes }));
  }
  return scoreOf(outcomes) >= Number(options.least) ? 0 : 1;
}

/** The first `wanted` of them that pass the type checker, and all that were looked at for that. */
function draw(
  plain: string,
  all: readonly Mutant[],
  wanted: number,
): { readonly drawn: readonly Mutant[]; readonly tried: readonly Mutant[] } {
  const drawn: Mutant[] = [];
  const tried: Mutant[] = [];
  while (tried.length < wanted && drawn.length < all.length) {
    const next = all.slice(drawn.length, drawn.length + 2 * (wanted - tried.length) + 20);
    const refused = refusedByTypes(plain, next);
    for (const mutant of next) {
      if (tried.length === wanted) break;
      drawn.push(mutant);
      if (!refused.has(mutant.id)) tried.push(mutant);
    }
  }
  return { drawn, tried };
}

function ofArea(outcomes: readonly Outcome[], area: Area): Outcome[] {
  return outcomes.filter(({ mutant }) => mutant.area === area);
}

function survivorLine({ mutant, reached }: Outcome): string {
  const how = reached ? "" : ", which no test reaches";
  return `survived ${mutant.place} (${mutant.area.name}${how}): ${mutant.was} → ${mutant.became}`;
}
