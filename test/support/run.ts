/**
 * `run.ts [GLOB…]` — runs test files (every `*.test.ts` under test/ when none is named) with node's own
 * runner, one process a file, two at a time. Prints a line a file, every failure in full, and closes with the
 * plain line `N passed, N failed`.
 *
 * Counts tests, not suites. What else can go wrong counts as a failure too, since a run that quietly tested
 * less must not look like a pass: a file that crashes, does not parse or holds no test; a hook that throws; a
 * glob that matches nothing; a run in which nothing passed. Skipped and todo tests count as neither.
 */
import { globSync } from "node:fs";
import { relative, resolve } from "node:path";
import { type EventData, run } from "node:test";
import { inspect } from "node:util";

type Finished = EventData.TestPass | EventData.TestFail;

interface FileTally {
  readonly output: string[];
  readonly failures: string[];
  readonly names: Map<number, { readonly name: string; readonly parent: number }>;
  passed: number;
  failed: number;
  idle: number;
}

const everyTest = "test/**/*.test.ts";
/** A file that takes longer hangs: the slowest one here needs a tenth of it. */
const fileTimeoutMs = 600_000;

const globs = process.argv.slice(2);
const files = (globs.length > 0 ? globs : [everyTest]).flatMap((glob) => {
  const found = globSync(glob, { exclude: (path) => path.includes("node_modules") });
  if (found.length === 0) {
    process.stderr.write(`no test file matches ${glob}\n`);
    process.exitCode = 1;
  }
  return found;
});
const tallies = new Map<string, FileTally>();
const total = { passed: 0, failed: process.exitCode === 1 ? 1 : 0 };

if (files.length === 0) {
  finish();
} else {
  const stream = run({
    files: [...new Set(files.map((file) => resolve(file)))].sort(),
    concurrency: 2,
    timeout: fileTimeoutMs,
  });
  stream.on("test:start", (event) => {
    const { testId, parentId } = event as { testId?: number; parentId?: number };
    if (testId !== undefined) tallyOf(event).names.set(testId, { name: event.name, parent: parentId ?? 0 });
  });
  stream.on("test:pass", passed);
  stream.on("test:fail", failed);
  stream.on("test:stdout", ({ file, message }) => tallyOf({ file }).output.push(message));
  stream.on("test:stderr", ({ file, message }) => tallyOf({ file }).output.push(message));
  stream.on("test:summary", ({ file, success, duration_ms: took }) => {
    if (file !== undefined) close(file, took);
    else settle(success);
  });
  stream.on("end", finish);
  stream.resume();
}

function passed(event: EventData.TestPass): void {
  if (event.details.type === "suite") return;
  const tally = tallyOf(event);
  if (isWholeFile(event)) {
    tally.failed += 1;
    tally.failures.push("holds no test");
    close(event.file ?? event.name, event.details.duration_ms);
  } else if (event.skip !== undefined || event.todo !== undefined) {
    tally.idle += 1;
  } else {
    tally.passed += 1;
  }
}

function failed(event: EventData.TestFail): void {
  const tally = tallyOf(event);
  const { error, type } = event.details;
  // A suite fails because its tests did, which are counted, unless a hook of its own threw.
  if (type === "suite" && (error as { failureType?: string }).failureType === "subtestsFailed") return;
  if (event.todo !== undefined) {
    tally.idle += 1;
    return;
  }
  tally.failed += 1;
  tally.failures.push(`${pathOf(tally, event)}\n${indent(describe(error))}`);
  if (isWholeFile(event)) close(event.file ?? event.name, event.details.duration_ms);
}

/** Prints a file's line and what failed in it. A file that crashes after its tests is closed twice. */
function close(file: string, tookMs: number): void {
  const tally = tallies.get(file);
  if (tally === undefined) return;
  tallies.delete(file);
  total.passed += tally.passed;
  total.failed += tally.failed;

  const idle = tally.idle > 0 ? `, ${tally.idle} skipped or todo` : "";
  const counts = tally.failed > 0 ? `${tally.passed} passed, ${tally.failed} FAILED` : `${tally.passed}`;
  process.stdout.write(
    `${tally.failed > 0 ? "FAIL" : "ok  "} ${relative(".", file)}  ${counts}${idle}  (${(tookMs / 1000).toFixed(1)} s)\n`,
  );
  for (const failure of tally.failures) process.stdout.write(`${indent(`✗ ${failure}`)}\n`);
  if (tally.failed > 0 && tally.output.length > 0) {
    process.stdout.write(`${indent(`output:\n${indent(tally.output.join("").trimEnd())}`)}\n`);
  }
}

/** The runner's own word over ours: what it calls a failure is never reported as a pass. */
function settle(success: boolean): void {
  for (const file of [...tallies.keys()]) close(file, 0);
  if (!success && total.failed === 0) {
    process.stdout.write("FAIL the runner reports a failure that belongs to no test\n");
    total.failed += 1;
  }
}

function finish(): void {
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
  process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
}

function tallyOf(event: { readonly file?: string | undefined; readonly entryFile?: string }): FileTally {
  const file = event.entryFile ?? event.file ?? "";
  let tally = tallies.get(file);
  if (tally === undefined) {
    tally = { output: [], failures: [], names: new Map(), passed: 0, failed: 0, idle: 0 };
    tallies.set(file, tally);
  }
  return tally;
}

/** The runner reports a file itself as a test when it crashed or held none. */
function isWholeFile(event: Finished): boolean {
  return event.nesting === 0 && event.file !== undefined && event.name === event.file;
}

function pathOf(tally: FileTally, event: EventData.TestFail): string {
  if (isWholeFile(event)) return "the file itself";
  const names = [event.name];
  let id = (event as { parentId?: number }).parentId ?? 0;
  for (let up = tally.names.get(id); up !== undefined; up = tally.names.get(id)) {
    names.unshift(up.name);
    id = up.parent;
  }
  return `${names.join(" › ")}  (${relative(".", event.file ?? "")}:${event.line ?? "?"})`;
}

function describe(error: Error): string {
  const cause = error.cause ?? error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause);
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "     ");
}
