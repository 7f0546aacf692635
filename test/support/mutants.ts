/**
 * `npm run mutants -- [--sample N] [--seed N] [--area NAME] [--least PERCENT]` — changes the sources in one small
 * place at a time and sees whether the tests of that folder notice. Prints every mutant that none noticed.
 *
 * The changes are Stryker's (its instrumenter writes all of them into one copy of the sources, switched on by an
 * environment variable); its runner is not used, since that cannot draw a sample, and knows neither node's test
 * runner nor which tests belong to which folder. Without `--sample` every mutant is tried, which takes hours.
 */
import { spawn } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { Random } from "./differential/draw.ts";

interface Area {
  readonly name: string;
  readonly sources: readonly string[];
  /** Tried in turn: what the first notice needs no more. */
  readonly tests: readonly (readonly string[])[];
}

const areas: readonly Area[] = [
  {
    name: "kernels",
    sources: ["src/rules/judge.ts", "src/rules/kernels/*.ts"],
    tests: [
      ["test/rules/kernels/{count,link,machine}.test.ts", "test/rules/judge/{cases,judge}.test.ts"],
      ["test/rules/kernels/oracle.test.ts", "test/rules/judge/{declare,finality}.test.ts"],
    ],
  },
  {
    name: "match",
    sources: ["src/rules/{comparison,match,read,truth,value-test,values}.ts"],
    tests: [["test/rules/match/*.test.ts"], ["test/rules/judge/cases.test.ts"]],
  },
  {
    name: "compile",
    sources: ["src/rules/sugar/*.ts"],
    tests: [
      ["test/rules/{compile,load,kernel-errors,rule-errors}.test.ts"],
      ["test/rules/judge/{cases,declare}.test.ts"],
    ],
  },
  {
    name: "order",
    sources: ["src/processor/order/*.ts"],
    tests: [["test/processor/order/*.test.ts"], ["test/rules/kernels/oracle.test.ts"]],
  },
];

interface Mutant {
  readonly id: string;
  readonly area: Area;
  /** `src/rules/match.ts:12:5` */
  readonly place: string;
  readonly was: string;
  readonly became: string;
}

const root = resolve(import.meta.dirname, "../..");
const atOnce = 2;
/** Far above what any of these tests takes unchanged; a loop that a mutant made endless ends here, and is noticed. */
const timeoutMs = 120_000;

const { values: options } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    area: { type: "string" },
    least: { type: "string", default: "0" },
  },
});

const folder = mkdtempSync(join(tmpdir(), "toolorder-mutants-"));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const chosen = areas.filter(({ name }) => options.area === undefined || options.area === name);
  for (const part of ["src", "test", "docs", "examples", "package.json"]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const all = await mutate(chosen);
  for (const area of chosen) {
    const failing = await noticedBy(area, null);
    if (failing !== null) {
      process.stderr.write(`${area.name}: the tests fail without any mutant: ${failing}\n`);
      return 1;
    }
  }
  const seed = Number(options.seed);
  const wanted = options.sample === undefined ? all.length : Number(options.sample);
  const tried = new Random(seed).shuffled(all).slice(0, wanted);
  process.stdout.write(`${tried.length} of ${all.length} mutants, seed ${seed}\n`);
  const survivors: Mutant[] = [];
  const queue = [...tried];
  const work = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if ((await noticedBy(next.area, next.id)) !== null) continue;
      survivors.push(next);
      process.stdout.write(`survived ${next.place} (${next.area.name}): ${next.was} → ${next.became}\n`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  for (const area of chosen) process.stdout.write(`${scoreLine(area.name, area, tried, survivors)}\n`);
  process.stdout.write(`${scoreLine("all", null, tried, survivors)}\n`);
  const score = (100 * (tried.length - survivors.length)) / Math.max(1, tried.length);
  return score >= Number(options.least) ? 0 : 1;
}

function scoreLine(
  name: string,
  area: Area | null,
  tried: readonly Mutant[],
  left: readonly Mutant[],
): string {
  const count = (list: readonly Mutant[]): number =>
    list.filter((one) => area === null || one.area === area).length;
  const [total, survived] = [count(tried), count(left)];
  const percent = total === 0 ? "no mutants" : `${((100 * (total - survived)) / total).toFixed(1)} %`;
  return `${name}: ${total - survived} of ${total} noticed (${percent})`;
}

/** Writes every mutant into the copy, each behind its own switch. */
async function mutate(chosen: readonly Area[]): Promise<readonly Mutant[]> {
  const areaOf = new Map<string, Area>();
  for (const area of chosen) {
    for (const file of area.sources.flatMap((glob) => globSync(glob, { cwd: root }))) areaOf.set(file, area);
  }
  const sources = new Map(
    [...areaOf.keys()].sort().map((file) => [file, readFileSync(join(root, file), "utf8")]),
  );
  const nothing = (): void => undefined;
  const off = (): boolean => false;
  const instrumenter = new Instrumenter({
    isTraceEnabled: off,
    isDebugEnabled: off,
    isInfoEnabled: off,
    isWarnEnabled: off,
    isErrorEnabled: off,
    isFatalEnabled: off,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    fatal: nothing,
  });
  const { files, mutants } = await instrumenter.instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  for (const { name, content } of files) writeFileSync(join(folder, name), content);
  return mutants.flatMap(({ id, fileName, location, replacement }): Mutant[] => {
    const area = areaOf.get(fileName);
    const { start, end } = location;
    const lines = (sources.get(fileName) ?? "").split("\n").slice(start.line, end.line + 1);
    const text = lines.join("\n").slice(start.column, lines.length === 1 ? end.column : undefined);
    const short = (code: string): string => code.replaceAll(/\s+/g, " ").slice(0, 80);
    const place = `${fileName}:${start.line + 1}:${start.column + 1}`;
    return area === undefined
      ? []
      : [{ id, area, place, was: short(text), became: short(replacement ?? "") }];
  });
}

/** The tests that fail with this mutant switched on; null: none does. */
async function noticedBy(area: Area, mutant: string | null): Promise<string | null> {
  for (const globs of area.tests) {
    const files = globs.flatMap((glob) => globSync(glob, { cwd: folder }));
    if (files.length === 0) throw new Error(`no test matches ${globs.join(" ")}`);
    if (!(await pass(files, mutant))) return files.join(" ");
  }
  return null;
}

function pass(files: readonly string[], mutant: string | null): Promise<boolean> {
  return new Promise((done) => {
    // In one process: one that hangs is then killed with all it started.
    const child = spawn(process.execPath, ["--test", "--test-isolation=none", ...files], {
      cwd: folder,
      stdio: "ignore",
      env: { ...process.env, ...(mutant === null ? {} : { __STRYKER_ACTIVE_MUTANT__: mutant }) },
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    child.on("close", (code) => done(code === 0));
  });
}
