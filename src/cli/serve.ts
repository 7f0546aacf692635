/**
 * `serve` — takes OTLP spans, judges them, and shows verdicts as metrics, until SIGTERM or SIGINT.
 *
 * What is wrong at the start goes to standard error, all of it, and ends the command with exit code 2. Once it
 * serves, it logs JSON lines to standard output.
 */
import { readContracts } from "../service/contract-files.ts";
import { type Service, startService } from "../service/service.ts";
import { StartError } from "../service/start-error.ts";
import { createLog } from "../telemetry/log.ts";
import { findConfig } from "./config-file.ts";
import { ExitCode } from "./exit-code.ts";
import { showProblems } from "./show-problems.ts";
import type { Terminal } from "./terminal.ts";

export interface ServeOptions {
  readonly config: string | undefined;
  /** Override the configuration's contracts; relative to the current folder. */
  readonly contracts: readonly string[];
  readonly set: readonly string[];
}

/** Resolves when the service has stopped. `stop`: what ends it; default the process's signals. */
export async function serve(
  options: ServeOptions,
  terminal: Terminal,
  stop: () => Promise<string> = untilSignal,
): Promise<ExitCode> {
  const found = findConfig(options.config, options.set, terminal);
  if (found === null) return ExitCode.badInput;
  const { config, base } = found;

  const { sources, problems } =
    options.contracts.length > 0
      ? readContracts(options.contracts, process.cwd())
      : readContracts(config.toolorder.contracts, base);
  showProblems(problems, sources, terminal);
  if (problems.some(({ level }) => level === "error")) return ExitCode.badInput;

  const log = createLog();
  // From here on a signal is heard: one that comes while the service starts ends it once it has started.
  const stopped = stop();
  let service: Service;
  try {
    service = await startService({ config, contracts: sources, log });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    showProblems(error.problems, sources, terminal);
    terminal.err(`toolorder did not start: ${error.message}`);
    return ExitCode.badInput;
  }
  showProblems(service.problems, sources, terminal);
  if (service.contracts === 0) {
    terminal.err(
      "warning: contracts 0: spans are taken, and none is judged, until contracts are named in the configuration or with --contracts",
    );
  }
  log.info(
    {
      ...service.urls,
      contracts: service.contracts,
      rules: service.rules,
      journal: config.journal.mode,
      config: found.file,
    },
    "serving",
  );

  const signal = await stopped;
  log.info({ signal }, "draining: no new spans are taken, those that wait are judged");
  await service.close();
  log.info("stopped");
  return ExitCode.ok;
}

/** A second signal finds no handler any more and ends the process the hard way, for who cannot wait. */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    const heard = (signal: string): void => {
      process.off("SIGTERM", heard);
      process.off("SIGINT", heard);
      resolve(signal);
    };
    process.on("SIGTERM", heard);
    process.on("SIGINT", heard);
  });
}
