/**
 * `npm run test:interop` — real agent frameworks with the agent's processor added, against the real service: are the
 * decision numbers in the events that it assembles? Installs the frameworks first (test/interop/package-lock.json);
 * they are large, so `npm test` does without them.
 *
 * Prints a table a framework and closes with the plain line `N passed, N failed`, which counts calls: of each
 * framework those of the scripted model. Ends with 0 only if every framework ran and every call has its number.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defaultConfig } from "../../src/config/config.ts";
import type { Event } from "../../src/model/event.ts";
import { seconds } from "../../src/model/time.ts";
import { report } from "../../src/processor/report.ts";
import { createState, type State } from "../../src/processor/state.ts";
import { createCore } from "../../src/service/core.ts";
import { startService } from "../../src/service/service.ts";
import { createLog } from "../../src/telemetry/log.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const frameworks = ["vercel-ai", "langchain", "openai"];
/** What the scripted model decides: test/interop/frameworks/script.mjs. */
const wanted = new Map([
  ["resolve_customer", 1],
  ["check_requester_authorization", 2],
  ["retrieve_policy", 2],
  ["get_customer_plan", 3],
]);
/** A framework that hangs is ended. */
const longestMs = 60_000;

const contract = `
contract: interop
rules:
  - {id: authorized, kind: gate, require: check_requester_authorization, before: get_customer_plan}
`;

const missing = install();
const failures = [...missing];
if (missing.length === 0) {
  for (const framework of frameworks) failures.push(...(await tryOut(framework).catch(crash(framework))));
}
for (const failure of failures) process.stderr.write(`FAILED ${failure}\n`);
// A framework that did not run has a failure for each of its calls, so that the two always add up to all of them.
process.stdout.write(
  `\n${frameworks.length * wanted.size - failures.length} passed, ${failures.length} failed\n`,
);
process.exitCode = failures.length === 0 ? 0 : 1;

/** The same failure for every call of it. */
function unseen(framework: string, why: string): readonly string[] {
  return [...wanted.keys()].map((name) => `${framework}: ${name} was not tested: ${why}`);
}

function crash(framework: string): (error: unknown) => readonly string[] {
  return (error) =>
    unseen(framework, error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** Brings what the lockfile names, unless it is here. Gives what could not be tested for want of it. */
function install(): readonly string[] {
  const needed = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const isHere = ([name, version]: [string, string]): boolean => {
    const manifest = `${folder}node_modules/${name}/package.json`;
    if (!existsSync(manifest)) return false;
    return (JSON.parse(readFileSync(manifest, "utf8")) as { version?: string }).version === version;
  };
  if (!Object.entries(needed.dependencies).every(isHere)) {
    process.stdout.write("installing the frameworks into test/interop/node_modules\n");
    const done = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: folder,
      stdio: "inherit",
    });
    const absent = Object.entries(needed.dependencies).filter((entry) => !isHere(entry));
    if (done.status !== 0 || absent.length > 0) {
      const names = absent.map(([name, version]) => `${name}@${version}`).join(", ");
      const why = `npm ci in test/interop ended with ${String(done.status ?? done.error)}; missing: ${names}`;
      return frameworks.flatMap((framework) => unseen(framework, why));
    }
  }
  // As an installation would have it; a link, so that Node runs the source (docs/decisions/08-node-runs-typescript.md).
  const own = `${folder}node_modules/toolorder`;
  if (readdirSync(`${folder}node_modules`).includes("toolorder")) unlinkSync(own);
  symlinkSync(fileURLToPath(new URL("../..", import.meta.url)), own, "dir");
  return [];
}

async function tryOut(framework: string): Promise<readonly string[]> {
  const state = createState();
  const service = await serviceFor(state);
  try {
    const { code, complaints } = await runProgram(framework, service.urls.traces);
    process.stdout.write(`\n${framework}\n`);
    if (code !== 0) return unseen(framework, `it ended with ${String(code)}: ${complaints}`);
    const events = report(state).flatMap((run) => run.events);
    const facts = [...state.table.runs.values()].flatMap((run) => [...run.facts.values()]);
    const stamped = new Map(facts.map(({ fact }) => [fact.spanId, fact.fields.get("seq")]));
    return check(
      framework,
      events.filter(({ kind }) => kind === "tool_call"),
      stamped,
    );
  } finally {
    await service.close();
  }
}

function serviceFor(state: State): ReturnType<typeof startService> {
  const free = { host: "127.0.0.1", port: 0 };
  const { core } = defaultConfig.toolorder;
  return startService({
    config: {
      ...defaultConfig,
      http: { ...defaultConfig.http, endpoint: free },
      prometheus: { ...defaultConfig.prometheus, endpoint: free },
      toolorder: { ...defaultConfig.toolorder, core: { ...core, decisionWait: seconds(1) } },
    },
    contracts: [{ file: "interop.yaml", text: contract }],
    log: createLog({ write: () => undefined }),
    core: createCore(state),
    processMetrics: false,
  });
}

async function runProgram(
  framework: string,
  url: string,
): Promise<{ readonly code: number | null; readonly complaints: string }> {
  const program = spawn(process.execPath, [`${folder}frameworks/${framework}.mjs`, url], {
    stdio: ["ignore", "inherit", "pipe"],
    timeout: longestMs,
    // Nothing here may ask a model or a tracing service anywhere.
    env: { ...process.env, LANGCHAIN_TRACING_V2: "false", LANGSMITH_TRACING: "false" },
  });
  let complaints = "";
  program.stderr.on("data", (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    program.once("error", reject);
    program.once("close", resolve);
  });
  return { code, complaints: complaints.trim() };
}

/** `stamped`: decision numbers as the spans came with them, so that none is one that the service derived. */
function check(
  framework: string,
  calls: readonly Event[],
  stamped: ReadonlyMap<string, unknown>,
): readonly string[] {
  const failed: string[] = [];
  for (const { name, status, fields, callId } of calls) {
    const cells = [name ?? "?", status, `decision ${String(fields.get("seq") ?? "none")}`, callId ?? ""];
    process.stdout.write(`  ${cells.map((cell) => cell.padEnd(32)).join("")}\n`);
  }
  for (const [name, decision] of wanted) {
    const [call, ...more] = calls.filter((each) => each.name === name);
    if (call === undefined || more.length > 0) {
      failed.push(
        `${framework}: ${name} is ${calls.filter((each) => each.name === name).length} events, not 1`,
      );
    } else if (stamped.get(call.spans[0]?.spanId ?? "") !== decision) {
      failed.push(`${framework}: the span of ${name} came without its decision's number`);
    } else if (call.fields.get("seq") !== decision) {
      failed.push(`${framework}: ${name} has decision ${String(call.fields.get("seq"))}, not ${decision}`);
    }
  }
  return failed;
}
