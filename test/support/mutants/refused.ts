/**
 * Which mutants the type checker refuses: those never reach a test, as nobody can commit them. Every mutant is a
 * file of its own beside the one that it changes, and one run of the compiler looks at all of them.
 */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./instrument.ts";

/** How many at once: each is a file of some two hundred lines. */
const batch = 1000;

/** `folder`: a copy of the checkout with the sources as they were. */
export function refusedByTypes(folder: string, mutants: readonly Mutant[]): ReadonlySet<string> {
  const refused = new Set<string>();
  for (let from = 0; from < mutants.length; from += batch) {
    for (const id of refusedOf(folder, mutants.slice(from, from + batch))) refused.add(id);
  }
  return refused;
}

function refusedOf(folder: string, mutants: readonly Mutant[]): Set<string> {
  const idOf = new Map<string, string>();
  for (const mutant of mutants) {
    const name = mutant.file.replace(/\.ts$/, `.mutant-${mutant.id}.ts`);
    writeFileSync(join(folder, name), mutant.text());
    idOf.set(name, mutant.id);
  }
  const project = {
    extends: "./tsconfig.json",
    // What a change leaves without a use is no reason to call it refused.
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false, allowUnreachableCode: true },
    include: [],
    files: [...idOf.keys()],
  };
  writeFileSync(join(folder, "tsconfig.mutants.json"), JSON.stringify(project));
  const compiler = join(folder, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(
    process.execPath,
    [compiler, "--noEmit", "--pretty", "false", "-p", "tsconfig.mutants.json"],
    { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 },
  );
  const refused = new Set<string>();
  for (const line of stdout.split("\n")) {
    const name = /^(\S+?)\(\d+,\d+\): error TS/.exec(line)?.[1];
    if (name === undefined) continue;
    const id = idOf.get(name);
    if (id === undefined) throw new Error(`the type checker refuses what no mutant changed: ${line}`);
    refused.add(id);
  }
  for (const name of idOf.keys()) rmSync(join(folder, name));
  return refused;
}
