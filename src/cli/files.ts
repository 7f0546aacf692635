import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { InputError } from "./input-error.ts";

/** What a file is opened for, in messages. */
export interface FileWish {
  /** `contract`, `trace`, `case file`. */
  readonly what: string;
  /** Endings that count when a folder is named. */
  readonly endings: readonly string[];
}

export const traceFiles: FileWish = {
  what: "trace",
  endings: [".json", ".jsonl", ".ndjson", ".pb", ".bin", ".gz"],
};
export const caseFiles: FileWish = { what: "case file", endings: [".yaml", ".yml"] };

const standardInput = "-";

/**
 * Files for paths, folders and globs, each once, folders and globs in alphabetical order. A path that names
 * nothing is an error: a check that reads nothing must not pass.
 */
export function expandFiles(patterns: readonly string[], wish: FileWish): readonly string[] {
  const found = patterns.flatMap((pattern) => {
    if (pattern === standardInput) return [pattern];
    const kind = kindOf(pattern);
    if (kind === "file") return [pattern];
    const listed =
      kind === "folder"
        ? readdirSync(pattern)
            .filter((name) => wish.endings.some((ending) => name.endsWith(ending)))
            .map((name) => join(pattern, name))
        : globSync(pattern);
    const files = listed.filter((file) => kindOf(file) === "file").sort();
    if (files.length > 0) return files;
    throw kind === "folder"
      ? new InputError(
          pattern,
          `the folder holds no ${wish.what}`,
          `Put files that end in ${wish.endings.join(", ")} there, or name the files.`,
        )
      : new InputError(
          pattern,
          isGlob(pattern) ? `no ${wish.what} matches` : "there is no such file",
          `Give the path of a ${wish.what}, a folder or a glob.`,
        );
  });
  return [...new Set(found)];
}

export async function readBytes(file: string): Promise<Uint8Array> {
  if (file === standardInput) return buffer(process.stdin);
  try {
    return readFileSync(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

export async function readText(file: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(file)).replace(/^\uFEFF/, "");
}

/** `incident` for `traces/incident.json`; `stdin` for `-`. */
export function stem(file: string): string {
  return file === standardInput
    ? "stdin"
    : basename(file).replace(/(?:\.otlp)?\.(?:json|jsonl|ndjson|pb|bin)(?:\.gz)?$/, "");
}

function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

function kindOf(path: string): "file" | "folder" | "nothing" {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return "nothing";
  return stat.isDirectory() ? "folder" : "file";
}

export function writeError(file: string, error: unknown): InputError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  if (code === "ENOENT") return new InputError(file, "its folder is not there", "Make the folder first.");
  if (code === "EISDIR") return new InputError(file, "this is a folder", "Name a file in it.");
  return new InputError(
    file,
    `the file cannot be written (${code})`,
    "Check the path, its permissions and the disk.",
  );
}

function unreadable(file: string, error: unknown): InputError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "EACCES")
    return new InputError(file, "the file may not be read", "Give this user read permission.");
  if (code === "ENOENT") return new InputError(file, "there is no such file", "Check the path.");
  return new InputError(
    file,
    `the file cannot be read (${code || "unknown error"})`,
    "Check the path and the disk.",
  );
}
