/** The repository as text, for checks over its own files. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";

export const repositoryRoot = resolve(import.meta.dirname, "../..");

/** Paths below the root, with `/` between their parts, to contents. */
export type Files = ReadonlyMap<string, string>;

const skipped = new Set(["node_modules", ".git", ".tmp", "coverage"]);

/** Every file below `folder` whose path `wanted` accepts. Not in node_modules, nor in folders of test data. */
export function readFiles(folder: string, wanted: (path: string) => boolean): Files {
  const files = new Map<string, string>();
  const visit = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const full = join(directory, entry.name);
      const path = relative(repositoryRoot, full).split(sep).join("/");
      if (entry.isDirectory()) {
        const isData = path === "data" || /^test\/.*\/data$/.test(path);
        if (!skipped.has(entry.name) && !isData) visit(full);
      } else if (entry.isFile() && wanted(path)) {
        files.set(path, readFileSync(full, "utf8"));
      }
    }
  };
  visit(join(repositoryRoot, folder));
  return files;
}

export const isTypeScript = (path: string): boolean => path.endsWith(".ts");

/** Code without its comments. Good for the formatted code of this repository, not for any code. */
export function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1");
}
