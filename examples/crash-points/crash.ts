/** Kills the agent at a point, lets it resume in one of two ways, and keeps every span that was sent. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Enrollment, startCollector, startProvider } from "./provider.ts";

export const points = ["before_call", "accepted", "before_checkpoint", "approval_pending"] as const;
export type Point = (typeof points)[number];
export const ways = ["careful", "careless"] as const;
export type Way = (typeof ways)[number];

export interface Crashed {
  readonly point: Point;
  readonly way: Way;
  /** OTLP JSON, one request a line, of the killed process alone. */
  readonly before: string;
  /** The same with those of the process that resumed. */
  readonly after: string;
  /** What the provider really made. */
  readonly enrollments: readonly Enrollment[];
}

const agent = fileURLToPath(new URL("agent.ts", import.meta.url));
/** Far more than the agent needs; past it something is broken and the run fails. */
const longestMs = 60_000;

export async function crashAndResume(point: Point, way: Way, folder: string): Promise<Crashed> {
  const provider = await startProvider();
  const lines: string[] = [];
  const collector = await startCollector((line) => lines.push(line));
  const checkpoint = join(folder, `${point}-${way}.json`);
  const start = (...more: readonly string[]) =>
    runAgent(["--checkpoint", checkpoint, "--otlp", collector.url, "--provider", provider.url, ...more]);
  try {
    const first = start("--stop", point);
    provider.onAccepted = () => {
      if (point === "accepted") first.kill();
      return point === "accepted";
    };
    await first.killed;
    provider.onAccepted = () => false;
    const before = lines.join("\n");
    await start("--resume", way).ended;
    const after = lines.join("\n");
    writeFileSync(join(folder, `${point}-${way}.before.jsonl`), before);
    writeFileSync(join(folder, `${point}-${way}.jsonl`), after);
    return { point, way, before, after, enrollments: provider.enrollments };
  } finally {
    await collector.close();
    await provider.close();
  }
}

interface RunningAgent {
  kill(): void;
  /** Resolves once it was killed, at its own word or ours; rejects where it ended otherwise. */
  readonly killed: Promise<void>;
  /** Resolves once it has ended well. */
  readonly ended: Promise<void>;
}

function runAgent(args: readonly string[]): RunningAgent {
  const child = spawn(process.execPath, [agent, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  let complained = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    // It stands still there, so nothing of what comes next can have happened.
    if (/^stopped at \S+$/m.test(said)) child.kill("SIGKILL");
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complained += text;
  });
  const limit = setTimeout(() => child.kill("SIGTERM"), longestMs);
  const closed = new Promise<{ code: number | null; by: string | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, by) => {
      clearTimeout(limit);
      resolve({ code, by });
    });
  });
  const expect = async (good: (end: { code: number | null; by: string | null }) => boolean) => {
    const end = await closed;
    if (!good(end)) throw new Error(`the agent ended with ${end.by ?? end.code}: ${complained}`);
  };
  return {
    kill: () => void child.kill("SIGKILL"),
    get killed() {
      return expect(({ by }) => by === "SIGKILL");
    },
    get ended() {
      return expect(({ code }) => code === 0);
    },
  };
}
