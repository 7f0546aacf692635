/**
 * The command line: one command a file, each loaded only when it is asked for, so that `check` in a pipeline
 * does not pay for the server.
 */
import { Command, CommanderError } from "commander";
import { version } from "../service/version.ts";
import { ExitCode } from "./exit-code.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

interface CommonOptions {
  readonly config?: string;
  readonly contracts: readonly string[];
  readonly set: readonly string[];
}

interface ValidateFlags {
  readonly strict: boolean;
  readonly showConfig: boolean;
  readonly today?: string;
}

interface CheckFlags {
  readonly format: string;
  readonly failOn: string;
  readonly trace: boolean;
  readonly approvals?: string;
  readonly today?: string;
  readonly baseline?: string;
  readonly writeBaseline: boolean;
}

interface ExplainCommand extends CommonOptions {
  readonly review?: true;
  readonly format: string;
}

/** Resolves with the exit code; never exits itself. */
export async function main(argv: readonly string[], terminal: Terminal = createTerminal()): Promise<number> {
  let code: number = ExitCode.ok;
  const program = createProgram(terminal, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version leave this way too, with 0; every mistake in the usage is 2.
    return error.exitCode === 0 ? ExitCode.ok : ExitCode.badInput;
  }
  return code;
}

function createProgram(terminal: Terminal, end: (code: number) => void): Command {
  const program = new Command("toolorder")
    .description("Judges the order of AI agents' tool calls from OpenTelemetry spans.")
    .version(version)
    .exitOverride()
    .showHelpAfterError("(--help shows what there is)")
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    });

  common(program.command("serve"))
    .description("take spans over OTLP, judge them, show verdicts as Prometheus metrics")
    .action(async ({ config, contracts, set }: CommonOptions) => {
      const { serve } = await import("./serve.ts");
      end(await serve({ config, contracts, set }, terminal));
    });

  common(program.command("check"))
    .description("judge recorded traces, and show what broke as timelines")
    .argument("<traces...>", "files, folders or globs of recorded traces; - reads standard input")
    .option("--format <format>", "text, json, junit, sarif or github", "text")
    .option(
      "--fail-on <severity>",
      "critical, high, medium, low or never: from where on to exit with 1",
      "high",
    )
    .option("--trace", "also print what was decided about each event, and by what (text and json)", false)
    .option("--approvals <file>", "findings that somebody has answered for; needs --today")
    .option("--today <YYYY-MM-DD>", "the day that approvals and trials are compared with")
    .option("--baseline <file>", "drift that is known: what it does not list fails")
    .option("--write-baseline", "write the baseline from what is found", false)
    .action(async (traces: readonly string[], options: CommonOptions & CheckFlags) => {
      const { check } = await import("./check.ts");
      const { config = null, approvals = null, today = null, baseline = null } = options;
      end(await check({ ...options, traces, config, approvals, today, baseline }, terminal));
    });

  common(program.command("validate"))
    .description("say whether the configuration and the contracts would load, and what each rule asks")
    .argument("[files...]", "contract files, folders or globs (default: those that the configuration names)")
    .option("--strict", "also ask for policy and reviewed, and for why of critical rules", false)
    .option("--show-config", "also print the configuration as it runs, every default filled in", false)
    .option("--today <YYYY-MM-DD>", "the day that trials are counted to (default: the system's)")
    .action(async (files: readonly string[], options: CommonOptions & ValidateFlags) => {
      const { validate } = await import("./validate.ts");
      const { today = new Date().toISOString().slice(0, 10) } = options;
      end(validate({ ...options, files, config: options.config, today }, terminal));
    });

  common(program.command("explain"))
    .description("say what a rule asks, when it can be decided and what it reads; or review a contract")
    .argument("<rule>", "a rule's id, contract/rule, a contract's name, or a contract file")
    .argument("[traces...]", "with --review: files, folders or globs of recorded traces")
    .option("--review", "answer the ten questions of a review of a contract instead")
    .option("--format <format>", "text or json; with --review also markdown", "text")
    .action(async (what: string, traces: readonly string[], options: ExplainCommand) => {
      if (options.review === true) {
        const { review } = await import("./review-command.ts");
        end(await review({ ...options, config: options.config, what, traces }, terminal));
      } else {
        const { explain } = await import("./explain.ts");
        end(explain({ ...options, config: options.config, what, traces }, terminal));
      }
    });

  program
    .command("test")
    .description("run contract cases, one line a case")
    .argument("<files...>", "case files, folders or globs")
    .option("--junit <file>", "write the results as JUnit XML, too")
    .option("--coverage", "say which rules the cases exercise", false)
    .action(async (files: readonly string[], options: { junit?: string; coverage: boolean }) => {
      const { test } = await import("./test.ts");
      end(await test(files, terminal, { junit: options.junit ?? null, coverage: options.coverage }));
    });

  program
    .command("demo")
    .argument(
      "[name]",
      "order: calls at the wrong time (default); stale: results that came too late",
      "order",
    )
    .description("start the service with the examples and an agent that breaks a contract, and show both")
    .action(async (name: string) => {
      const { demo } = await import("./demo.ts");
      end(await demo(terminal, name));
    });

  return program;
}

/** The options that every command has. */
function common(command: Command): Command {
  const collect = (value: string, all: readonly string[]): readonly string[] => [...all, value];
  return command
    .option("--config <file>", "configuration file (default for serve: ./otel-config.yaml)")
    .option(
      "--contracts <path>",
      "contract file, folder or glob; repeatable; instead of the configuration's",
      collect,
      [] as readonly string[],
    )
    .option(
      "--set <path=value>",
      "lay one value over the configuration, such as processors.toolorder.decision_wait=1s; repeatable",
      collect,
      [] as readonly string[],
    );
}
