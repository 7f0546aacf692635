/** Writes all mutants into one copy of the sources, each behind its own switch, and says what each one is. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import type { Area } from "./areas.ts";

export interface Mutant {
  readonly id: string;
  readonly area: Area;
  readonly file: string;
  /** `src/rules/match.ts:12:5` */
  readonly place: string;
  /** Stryker's name for this kind of change. */
  readonly kind: string;
  readonly was: string;
  readonly became: string;
  /** The whole file with this change alone. */
  readonly text: () => string;
}

/** `root`: the checkout; `folder`: the copy, whose sources are overwritten. */
export async function instrument(
  root: string,
  folder: string,
  chosen: readonly Area[],
): Promise<readonly Mutant[]> {
  const areaOf = new Map<string, Area>();
  for (const area of chosen) {
    for (const file of area.sources.flatMap((glob) => globSync(glob, { cwd: root }))) areaOf.set(file, area);
  }
  const sources = new Map(
    [...areaOf.keys()].sort().map((file) => [file, readFileSync(join(root, file), "utf8")]),
  );
  const { files, mutants } = await new Instrumenter(silent).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  for (const { name, content } of files)
    writeFileSync(join(folder, name), content.replace(counting, quietable));
  return mutants.flatMap(({ id, fileName, location, mutatorName, replacement }): Mutant[] => {
    const area = areaOf.get(fileName);
    const source = sources.get(fileName);
    if (area === undefined || source === undefined || replacement === undefined) return [];
    const { start, end } = location;
    const [from, to] = [offsetOf(source, start), offsetOf(source, end)];
    return [
      {
        id,
        area,
        file: fileName,
        place: `${fileName}:${start.line + 1}:${start.column + 1}`,
        kind: mutatorName,
        was: short(source.slice(from, to)),
        became: short(replacement),
        text: () => source.slice(0, from) + replacement + source.slice(to),
      },
    ];
  });
}

/** Counting which mutants are reached costs more than the tests themselves; it can be switched off once that is known. */
const counting = "var a = arguments;";
const quietable = `if (ns.quiet) return;\n    ${counting}`;

function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  let at = 0;
  for (let passed = 0; passed < line; passed += 1) at = text.indexOf("\n", at) + 1;
  return at + column;
}

function short(code: string): string {
  return code.replaceAll(/\s+/g, " ").slice(0, 80);
}

const nothing = (): void => undefined;
const off = (): boolean => false;
const silent = {
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
};
