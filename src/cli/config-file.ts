/**
 * Finds and reads the configuration of a command: the file that `--config` names, else `./otel-config.yaml`
 * where there is one, else the defaults.
 */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { configWithoutFile, loadConfig } from "../config/load.ts";
import { sourceOf } from "../config/overrides.ts";
import { renderProblem } from "../source/caret.ts";
import type { Terminal } from "./terminal.ts";

export const defaultConfigFile = "otel-config.yaml";

export interface FoundConfig {
  readonly config: Config;
  /** null: no file, the defaults. */
  readonly file: string | null;
  /** The folder that the configuration's paths are relative to. */
  readonly base: string;
}

/** Null after every problem was written to standard error. */
export function findConfig(
  named: string | undefined,
  overrides: readonly string[],
  terminal: Terminal,
): FoundConfig | null {
  const file = named ?? (existsSync(defaultConfigFile) ? defaultConfigFile : null);
  let text = "";
  if (file !== null) {
    try {
      text = terminal.readFile(file);
    } catch (error) {
      terminal.err(unreadable(file, error));
      return null;
    }
  }
  const { config, problems } =
    file === null
      ? configWithoutFile(terminal.env, overrides)
      : loadConfig(text, file, terminal.env, overrides);
  for (const problem of problems) {
    terminal.err(renderProblem(problem, sourceOf(problem.file, text), terminal.errColor));
  }
  if (config === null) return null;
  return { config, file, base: file === null ? process.cwd() : dirname(resolve(file)) };
}

function unreadable(file: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const reason = reasons[code] ?? code;
  return `${file}: the configuration file cannot be read: ${reason}\n  advice: Correct the path behind --config, or the file's permissions.`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
};
