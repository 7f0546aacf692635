/** Tries mutants of one area in a few processes at a time, and replaces those that hang or are spoilt. */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { Area } from "./areas.ts";
import type { Mutant } from "./instrument.ts";
import type { Message } from "./worker.ts";

export interface Outcome {
  readonly mutant: Mutant;
  /** The test that failed, or what else ended it; null: nothing noticed. */
  readonly noticedBy: string | null;
  readonly reached: boolean;
}

/** Far above what the tests of an area take together, on a busy machine too: to begin with, counting what they reach. */
const patienceMs = 600_000;
/** The same for one mutant, by the few tests that reach it. */
const mutantPatienceMs = 90_000;
/** Sizes of random tests: a mutant that shows at all mostly shows early. */
const sizes = { PROPERTY_RUNS: "40", DIFFERENTIAL_TRIALS: "1000", TRACES_SHORTER_BY: "1" };

/** Errors: an `Error` when the tests fail without any mutant. */
export async function tryAll(
  folder: string,
  area: Area,
  mutants: readonly Mutant[],
  atOnce: number,
  told: (outcome: Outcome) => void,
): Promise<void> {
  const queue = [...mutants];
  await Promise.all(
    Array.from({ length: Math.min(atOnce, queue.length) }, () => work(folder, area, queue, told)),
  );
}

async function work(
  folder: string,
  area: Area,
  queue: Mutant[],
  told: (outcome: Outcome) => void,
): Promise<void> {
  let process: Process | null = null;
  let onLoad = new Set<string>();
  let reached = new Set<string>();
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    if (process === null) {
      process = start(folder, area, null);
      const first = await process.next();
      if (first?.type === "failing") {
        throw new Error(`${area.name}: a test fails without any mutant: ${first.test}\n${first.error}`);
      }
      if (first?.type !== "ready") {
        throw new Error(`${area.name}: the tests did not come to an end\n${process.complaint()}`);
      }
      onLoad = new Set(first.onLoad);
      reached = new Set(first.reached);
    }
    if (!reached.has(mutant.id)) {
      const noticedBy = onLoad.has(mutant.id) ? await alone(folder, area, mutant) : null;
      told({ mutant, noticedBy, reached: onLoad.has(mutant.id) });
      continue;
    }
    process.send(mutant.id);
    const message = await process.next(mutantPatienceMs);
    if (message?.type === "answer") {
      // What a test does not notice may have shown while modules load.
      const late = message.answer.by === null && onLoad.has(mutant.id);
      const noticedBy = late ? await alone(folder, area, mutant) : message.answer.by;
      told({ mutant, noticedBy, reached: true });
      continue;
    }
    process.kill();
    process = null;
    // A process that is spoilt proves nothing: a fresh one with this mutant alone does.
    const noticedBy = message === null ? "it never came to an end" : await alone(folder, area, mutant);
    told({ mutant, noticedBy, reached: true });
  }
  process?.kill();
}

/** In a process that starts with it. */
async function alone(folder: string, area: Area, mutant: Mutant): Promise<string | null> {
  const process = start(folder, area, mutant.id);
  const message = await process.next();
  process.kill();
  return message?.type === "answer" ? message.answer.by : "it never came to an end";
}

interface Process {
  readonly send: (mutant: string) => void;
  /** null: it ended, or said nothing for too long. */
  readonly next: (patience?: number) => Promise<Message | null>;
  readonly kill: () => void;
  /** The end of what it wrote to standard error. */
  readonly complaint: () => string;
}

function start(folder: string, area: Area, mutant: string | null): Process {
  const child: ChildProcess = fork(join(folder, "test/support/mutants/worker.ts"), [...area.tests], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: {
      ...globalThis.process.env,
      ...sizes,
      ...(mutant === null ? {} : { __STRYKER_ACTIVE_MUTANT__: mutant }),
    },
  });
  let complaint = "";
  child.stderr?.on("data", (text: Buffer) => {
    complaint = (complaint + String(text)).slice(-2000);
  });
  let waiting: ((message: Message | null) => void) | null = null;
  const said: (Message | null)[] = [];
  const tell = (message: Message | null): void => {
    if (waiting === null) said.push(message);
    else waiting(message);
    waiting = null;
  };
  child.on("message", (message) => tell(message as Message));
  child.on("exit", () => tell(null));
  return {
    complaint: () => complaint,
    send: (id) => child.send(id),
    kill: () => child.kill("SIGKILL"),
    next: (patience = patienceMs) => {
      if (said.length > 0) return Promise.resolve(said.shift() ?? null);
      return new Promise((done) => {
        const timer = setTimeout(() => child.kill("SIGKILL"), patience);
        waiting = (message) => {
          clearTimeout(timer);
          done(message);
        };
      });
    },
  };
}
