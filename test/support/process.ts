/** The real command in a process of its own, as its users start it. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repositoryRoot } from "./repository.ts";

const command = join(repositoryRoot, "bin/toolorder.js");

/** Nothing here takes longer; a process that hangs is ended, so that the test fails and does not wait. */
const longestMs = 30_000;

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  /** The fields of the log line `serving`. */
  readonly serving: Readonly<Record<string, unknown>>;
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  /** Sends the signal and waits for the end. */
  end(signal: "SIGTERM" | "SIGINT"): Promise<Ended>;
}

export interface Where {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function runToEnd(args: readonly string[], where: Where): Promise<Ended> {
  return launch(args, where).ended;
}

/** With nobody who reads its standard output, as behind `| head -1` once that has its line. */
export async function runUnread(args: readonly string[], where: Where): Promise<Ended> {
  const { child, ended } = launch(args, where);
  child.stdout.destroy();
  return ended;
}

/** Rejects with what the process wrote when it ends before it serves. */
export async function start(args: readonly string[], where: Where): Promise<Started> {
  const { child, ended, out, err } = launch(args, where);
  const log = () =>
    out()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const serving = new Promise<Record<string, unknown>>((resolve, reject) => {
    child.stdout.on("data", () => {
      if (!out().includes('"msg":"serving"}\n')) return;
      resolve(log().find(({ msg }) => msg === "serving") ?? {});
    });
    void ended.then(({ code }) => reject(new Error(`ended with ${code} before it served: ${err()}${out()}`)));
  });
  return {
    serving: await serving,
    log,
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

function launch(args: readonly string[], { cwd, env }: Where) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [command, ...args], {
    cwd,
    env: { PATH: process.env.PATH, NO_COLOR: "1", ...env },
  });
  child.stdin.end();
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    err += chunk;
  });
  const hung = setTimeout(() => child.kill("SIGKILL"), longestMs);
  const ended = once(child, "close").then(([code]): Ended => {
    clearTimeout(hung);
    return { code: code as number | null, out, err };
  });
  return { child, ended, out: () => out, err: () => err };
}
