import { readFileSync } from "node:fs";

/** What a command needs of the world: where it writes, what it reads. Only `bin/toolorder.js` ends the process. */
export interface Terminal {
  /** Writes a line to standard output. */
  out(text: string): void;
  /** Writes a line to standard error. */
  err(text: string): void;
  /**
   * Shows a line on standard error that the next one replaces; null takes it away. Shows nothing where standard
   * error is no terminal, so that no pipe and no log ever holds one.
   */
  status(line: string | null): void;
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
  const status = createStatusLine(process.stderr, env);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", unlessGone);
  return {
    out: (text) => {
      status(null);
      process.stdout.write(`${text}\n`);
    },
    err: (text) => {
      status(null);
      process.stderr.write(`${text}\n`);
    },
    status,
    color: takesColor(env, process.stdout.isTTY),
    errColor: takesColor(env, process.stderr.isTTY),
    readFile: (path) => new TextDecoder().decode(readFileSync(path)),
    env,
  };
}

/**
 * A reader that has seen enough (`| head -1`) closes the pipe. What was asked for is done all the same, since the
 * exit code still says something; there is only nobody left to print it to.
 */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") throw error;
}

/** The part of a stream that a status line needs. */
export interface StatusStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Writes only what changed; a terminal that cannot erase a line gets none. */
export function createStatusLine(
  stream: StatusStream,
  env: Readonly<Record<string, string | undefined>>,
): (line: string | null) => void {
  if (stream.isTTY !== true || env.TERM === "dumb") return () => undefined;
  let shown: string | null = null;
  return (line) => {
    if (line === shown) return;
    shown = line;
    stream.write(`\r\u001b[2K${line ?? ""}`);
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
