/**
 * `npm run smoke` — the real thing once, as README.md tells a newcomer: `npm start`, the README's first `curl`, and
 * the violation on `/metrics`. On ports of its own, since the usual ones may be taken. Ends by SIGTERM, which the
 * service must obey with exit 0.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Exposition } from "./exposition.ts";

/** A fresh machine may need this long to start; a verdict takes `decision_wait`, 10 s. */
const startMs = 60_000;
const verdictMs = 30_000;
const stopMs = 15_000;

interface Example {
  readonly path: string;
  readonly contentType: string;
  readonly file: string;
}

/** The first `curl` of the README that sends a file to the receiver. */
function exampleOf(readme: string): Example {
  const commands = readme.match(/\bcurl\b(?:[^\n]*\\\n)*[^\n]*/g) ?? [];
  for (const command of commands) {
    const path = /https?:\/\/[\w.]+:4318(\/[\w/]*)/.exec(command)?.[1];
    const file = /--data(?:-binary)?[ =]@([\w./-]+)|-d @([\w./-]+)/.exec(command)?.slice(1).find(Boolean);
    const contentType = /content-type: *([\w/+.-]+)/i.exec(command)?.[1];
    if (path !== undefined && file !== undefined && contentType !== undefined)
      return { path, contentType, file };
  }
  throw new Error("README.md has no curl that sends a file to port 4318 with a content type");
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

async function until<T>(what: string, withinMs: number, look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1_000} s`);
    await pause(200);
  }
}

const get = (url: string): Promise<Response | null> => fetch(url).catch(() => null);

async function smoke(): Promise<void> {
  const example = exampleOf(readFileSync("README.md", "utf8"));
  const [traces, metrics] = [await freePort(), await freePort()];
  // A group of its own: npm, its shell and the service, so that nothing of them can stay behind.
  const started = spawn("npm", ["start"], {
    detached: true,
    stdio: "inherit",
    env: {
      ...process.env,
      TOOLORDER_OTLP_ENDPOINT: `127.0.0.1:${traces}`,
      TOOLORDER_METRICS_ENDPOINT: `127.0.0.1:${metrics}`,
    },
  });
  try {
    await until("npm start: ready", startMs, async () => {
      if (started.exitCode !== null) throw new Error(`npm start ended with exit ${started.exitCode}`);
      return (await get(`http://127.0.0.1:${metrics}/readyz`))?.status === 200 ? true : null;
    });
    const violations = async (): Promise<number> => {
      const response = await get(`http://127.0.0.1:${metrics}/metrics`);
      return new Exposition((await response?.text()) ?? "").sum("toolorder_violations_total");
    };
    const before = await violations();
    if (before !== 0) throw new Error(`${before} violations before anything was sent`);

    const sent = await fetch(`http://127.0.0.1:${traces}${example.path}`, {
      method: "POST",
      headers: { "content-type": example.contentType },
      body: readFileSync(example.file),
    });
    if (sent.status !== 200)
      throw new Error(`${example.file} was answered ${sent.status}: ${await sent.text()}`);
    await until("a violation on /metrics", verdictMs, async () => ((await violations()) > 0 ? true : null));
    if ((await violations()) !== 1) throw new Error(`${await violations()} violations, the README says 1`);
    await stop(started);
    process.stdout.write(
      `\nsmoke: ${example.file} came to 1 violation, and the service stopped with exit 0\n`,
    );
  } finally {
    kill(started, "SIGKILL");
  }
}

async function stop(started: ChildProcess): Promise<void> {
  const ended = once(started, "exit");
  kill(started, "SIGTERM");
  const [code, signal] = await Promise.race([
    ended,
    pause(stopMs, null, { ref: false }).then(() => {
      throw new Error(`not stopped ${stopMs / 1_000} s after SIGTERM`);
    }),
  ]);
  // npm itself may be ended by the signal that the whole group got.
  if (code !== 0 && signal !== "SIGTERM") throw new Error(`stopped with exit ${code}, signal ${signal}`);
}

function kill(started: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (started.pid === undefined) return;
  try {
    process.kill(-started.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

await smoke();
