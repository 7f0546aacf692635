import { readFileSync } from "node:fs";

/** What a command needs of the world: where it writes, what it reads. Only `bin/toolorder.js` ends the process. */
export interface Terminal {
  /** Writes a line to standard output. */
  out(text: string): void;
  /** Writes a line to standard error. */
  err(text: string): void;
  /** Whether standard output takes colour. */
  readonly color: boolean;
  /** Whether standard error takes colour. */
  readonly errColor: boolean;
  /** The text of a file; throws what the system says. */
  readFile(path: string): string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createTerminal(): Terminal {
  const { env } = process;
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    color: takesColor(env, process.stdout.isTTY),
    errColor: takesColor(env, process.stderr.isTTY),
    readFile: (path) => new TextDecoder().decode(readFileSync(path)),
    env,
  };
}

/** NO_COLOR and FORCE_COLOR as most tools read them: set and not empty. */
export function takesColor(
  env: Readonly<Record<string, string | undefined>>,
  isTty: boolean | undefined,
): boolean {
  const set = (name: string): boolean => env[name] !== undefined && env[name] !== "";
  if (set("NO_COLOR")) return false;
  if (set("FORCE_COLOR")) return env.FORCE_COLOR !== "0";
  return isTty === true && env.TERM !== "dumb";
}
