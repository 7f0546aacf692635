/**
 * Finds and reads the contract files that a configuration or a command line names.
 *
 * A folder or a glob may be empty: a service that starts before its contracts come must start, and say so. A
 * file that is named and cannot be read is an error, since somebody relies on it.
 */
import { globSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { extname, isAbsolute, join, relative, resolve } from "node:path";
import type { ContractSource } from "../model/entry.ts";
import type { LoadProblem } from "../model/load-error.ts";
import { includedFile, includesOf } from "../rules/includes.ts";

export interface FoundContracts {
  readonly sources: readonly ContractSource[];
  readonly problems: readonly LoadProblem[];
}

const endings = new Set([".yaml", ".yml"]);

/** `base`: the folder that relative patterns are relative to. */
export function readContracts(patterns: readonly string[], base: string): FoundContracts {
  const sources: ContractSource[] = [];
  const problems: LoadProblem[] = [];
  const seen = new Set<string>();

  for (const pattern of patterns) {
    const files = filesOf(resolve(base, pattern));
    if (files.length === 0) problems.push(nothingFound(pattern, resolve(base, pattern)));
    for (const path of files) {
      const file = shown(path);
      const read = readOne(path);
      if ("error" in read) {
        problems.push(unreadable(file, read.error));
      } else if (!seen.has(read.identity)) {
        seen.add(read.identity);
        sources.push({ file, text: read.text });
      }
    }
  }
  return { sources: withIncluded(sources), problems };
}

/**
 * The sources, and every file that they include, directly or through others. One that cannot be read is left out:
 * the loader says so, at the place that includes it.
 */
export function withIncluded(sources: readonly ContractSource[]): readonly ContractSource[] {
  const known = new Set(sources.map(({ file }) => includedFile("", file)));
  const all = [...sources];
  // The list grows while it is walked.
  for (const { file, text } of all) {
    for (const name of includesOf(file, text)) {
      if (known.has(name)) continue;
      known.add(name);
      const read = readOne(resolve(name));
      if ("text" in read) all.push({ file: name, text: read.text, included: true });
    }
  }
  return all;
}

function filesOf(path: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) {
    return readdirSync(path)
      .filter((name) => endings.has(extname(name)))
      .sort()
      .map((name) => join(path, name));
  }
  // A named file is read even where it is not there, so that the reader gets to know why.
  if (stat !== undefined || (endings.has(extname(path)) && !isGlob(path))) return [path];
  return isGlob(path) ? globSync(path).sort() : [];
}

function readOne(
  path: string,
): { readonly text: string; readonly identity: string } | { readonly error: unknown } {
  try {
    const text = new TextDecoder().decode(readFileSync(path));
    return { text, identity: realpathSync(path) };
  } catch (error) {
    return { error };
  }
}

const isGlob = (path: string): boolean => /[*?[{]/.test(path);

/** As a person in the current folder would write it. */
function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near === "" || near.startsWith("..") || isAbsolute(near) ? path : near;
}

const wholeFile = { line: 1, column: 1, length: 1 };

function nothingFound(pattern: string, path: string): LoadProblem {
  const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return {
    file: pattern,
    range: wholeFile,
    code: "no-contracts",
    message: folder
      ? "the folder holds no contract (*.yaml, *.yml)"
      : isGlob(pattern)
        ? "no contract file matches"
        : "there is no such file or folder",
    advice: "Put contracts there, or name another place under processors.toolorder.contracts or --contracts.",
    level: "warning",
  };
}

function unreadable(file: string, error: unknown): LoadProblem {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return {
    file,
    range: wholeFile,
    code: "unreadable-file",
    message: `the contract file cannot be read: ${reasons[code] ?? code}`,
    advice: "Correct the path or the file's permissions, or take it out of the contracts.",
    level: "error",
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ELOOP: "its link leads back to itself",
};
