/**
 * Puts the parts together: contracts → normalizer → receiver → journal → loop → telemetry → operators' port.
 *
 * Starting is all or nothing: what was opened is closed again before the error leaves. Stopping drains: first
 * readiness falls, then nothing new is taken, then what was acknowledged is judged as far as it can be.
 */
import { createOperatorsApp, type Readiness } from "../api/operators.ts";
import type { Config } from "../config/config.ts";
import { formatEndpoint } from "../config/kinds.ts";
import { createMemoryJournal } from "../journal/memory.ts";
import type { ContractSource } from "../model/entry.ts";
import type { LoadProblem } from "../model/load-error.ts";
import { defaultDecodeLimits } from "../otlp/decode-limits.ts";
import { measuredBy } from "../processor/contract-metrics.ts";
import { createLogNormalizer } from "../processor/normalize/logs/normalize-log.ts";
import { createNormalizer } from "../processor/normalize/normalize.ts";
import { createAdmission } from "../receiver/admission.ts";
import { createDecode, createDecodeLogs } from "../receiver/decode.ts";
import { createHttpServer } from "../receiver/http-server.ts";
import { ListenError } from "../receiver/listen-error.ts";
import { loadContracts } from "../rules/load.ts";
import type { RuleSet } from "../rules/rule.ts";
import { rejectingKinds } from "../rules/sugar/machine.ts";
import { longTrials } from "../rules/trials.ts";
import { createOutputSink } from "../telemetry/apply-outputs.ts";
import { effectNumbers } from "../telemetry/effect-numbers.ts";
import { expose } from "../telemetry/exposition.ts";
import type { Log } from "../telemetry/log.ts";
import { createReceiverCounts } from "../telemetry/receiver-counts.ts";
import { createTelemetry, type RuleSeries } from "../telemetry/registry.ts";
import { type Clock, createSystemClock } from "./clock.ts";
import { createCore, type GaugedCore } from "./core.ts";
import { createIntake } from "./intake.ts";
import { createLoop } from "./loop.ts";
import { createMappingWatch } from "./mapping-watch.ts";
import { createOperatorsServer } from "./operators-server.ts";
import { StartError } from "./start-error.ts";
import { version } from "./version.ts";

export interface ServiceOptions {
  readonly config: Config;
  /** The contracts' texts; `contract-files` reads them. */
  readonly contracts: readonly ContractSource[];
  readonly log: Log;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Default: the processor. */
  readonly core?: GaugedCore;
  /** Metrics of the process; they keep timers, so tests leave them out. Default true. */
  readonly processMetrics?: boolean;
}

export interface Service {
  /** Where it listens, with the ports that the system chose. */
  readonly urls: {
    readonly traces: string;
    /** null where no pipeline takes log records. */
    readonly logs: string | null;
    readonly metrics: string;
    readonly ready: string;
  };
  readonly contracts: number;
  readonly rules: number;
  /** Warnings of the contracts that did load. */
  readonly problems: readonly LoadProblem[];
  /** Resolves when everything taken so far was judged as far as it can be now. */
  idle(): Promise<void>;
  /** Drains and stops. Further calls wait for the first. */
  close(): Promise<void>;
}

/** Rejects with a `StartError` for what its user can mend; anything else is a fault of ours. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log } = options;
  // The journal in memory begins with us: what was delivered before is gone.
  const settings = { ...config.toolorder.core, joinsLate: true };
  const { set, problems } = loadContracts(options.contracts, settings.language);
  if (set === null) throw new StartError("the contracts do not load", problems);

  const clock = options.clock ?? createSystemClock();
  const day = new Date(Number(clock.now() / 1_000_000n)).toISOString().slice(0, 10);
  const core = options.core ?? createCore();
  const journal = createMemoryJournal({ maxFacts: config.journal.maxWaiting });
  const mappings = createMappingWatch(
    settings.mappings.map(({ name }) => name),
    log,
    (mapping) => telemetry.series.mappingMatches.add({ mapping }),
  );
  const telemetry = createTelemetry({
    labelValues: settings.limits.labelValues,
    version,
    journalKind: journal.kind,
    mappings: mappings.names,
    processMetrics: options.processMetrics ?? true,
    live: () => {
      const { runsOpen, runsClosed, tombstones, facts, stateBytes } = core.gauges();
      return {
        runsOpen,
        runsReopenable: runsClosed,
        runsForgotten: tombstones,
        facts,
        stateBytes,
        waiting: journal.usage().facts,
        inFlightBytes: admission.inFlightBytes,
        effects: effectNumbers(core.effectsOpen?.() ?? [], clock.now()),
      };
    },
  });
  const { series } = telemetry;
  const sink = createOutputSink(telemetry, log);
  const admission = createAdmission({
    maxInFlightBytes: config.http.maxInFlightBytes,
    maxWaitingSpans: config.journal.maxWaiting,
    waitingSpans: () => journal.usage().facts,
    now: () => clock.now(),
  });
  const loop = createLoop({
    journal,
    core,
    clock,
    onOutputs: (outputs) => sink.applyOutputs(outputs),
    onAppended: ({ type }) => series.journalAppended.add({ type }),
    onFault: (error, entry) => {
      series.stepFailures.add({});
      log.error({ err: error, entry: entry.type }, "judging an entry failed; its verdicts are missing");
    },
    takeDeaf: () => admission.takeDeaf(),
  });

  await loop.append((at) => [{ type: "contracts", at, sources: options.contracts, settings }]);
  telemetry.declareRules(set.contracts.length, seriesOf(set), Number(clock.now() / 1_000_000n) / 1e3);
  sink.startRules(seriesOf(set));

  const reading = {
    projection: set.projection,
    mappings: settings.mappings,
    identity: settings.identity,
    runKey: settings.runKey,
    onMapped: (mapping: string) => mappings.matched(mapping),
  };
  const normalizer = createNormalizer(reading);
  const logNormalizer = createLogNormalizer(reading);
  const shared = {
    admission,
    telemetry: createReceiverCounts(telemetry),
    onFault: (error: unknown) => log.error({ err: error }, "a request failed by a fault of ours"),
  };
  const intake = {
    projection: set.projection.id,
    clock,
    loop,
    onTaken: (items: number) => mappings.see(items),
    onFull: () => series.journalRefused.add({}),
  };
  const receiver = createHttpServer({
    config: config.http,
    traces: {
      ...shared,
      decode: createDecode(() => normalizer.plan, defaultDecodeLimits),
      accept: createIntake({ ...intake, normalize: normalizer.normalize }),
    },
    ...(config.pipelines.logs !== null && {
      logs: {
        ...shared,
        decode: createDecodeLogs(
          () => ({ ...normalizer.plan, log: logNormalizer.marks }),
          defaultDecodeLimits,
        ),
        accept: createIntake({ ...intake, normalize: logNormalizer.normalize }),
      },
    }),
  });

  const rules = seriesOf(set).length;
  let state: "starting" | "ready" | "draining" = "starting";
  const readiness = (): Readiness => ({
    ready: state === "ready",
    state,
    journal: journal.kind,
    durability: journal.durability,
    contracts: set.contracts.length,
    rules,
    warnings: set.contracts.length === 0 ? [noContracts] : [],
  });
  const operators = createOperatorsServer(
    config.prometheus.endpoint,
    createOperatorsApp({
      metrics: () => {
        sink.derive();
        return expose(telemetry.registry);
      },
      readiness,
      allowedHosts: config.prometheus.allowedHosts,
      onFault: (error) => log.error({ err: error }, "a request to the operators' port failed"),
    }),
  );

  const [operatorsAt, receiverAt] = await openBoth(
    () => operators.listen(),
    () => receiver.listen(),
    () => operators.close(),
  ).catch(async (error: unknown) => {
    await loop.close();
    throw error instanceof ListenError ? new StartError(error.message, []) : error;
  });
  await loop.idle();
  state = "ready";
  if (set.contracts.length === 0) log.warn({ contracts: 0 }, noContracts);

  let closing: Promise<void> | null = null;
  const receiverUrl = `http://${formatEndpoint(receiverAt)}`;
  const metricsAt = `http://${formatEndpoint(operatorsAt)}`;
  return {
    urls: {
      traces: `${receiverUrl}${config.http.tracesUrlPath}`,
      logs: config.pipelines.logs === null ? null : `${receiverUrl}${config.http.logsUrlPath}`,
      metrics: `${metricsAt}/metrics`,
      ready: `${metricsAt}/readyz`,
    },
    contracts: set.contracts.length,
    rules,
    problems: [...problems, ...longTrials(set, day)],
    idle: () => loop.idle(),
    close() {
      closing ??= drain();
      return closing;
    },
  };

  async function drain(): Promise<void> {
    state = "draining";
    await receiver.close();
    await loop.close();
    mappings.finish();
    const { runsOpen } = core.gauges();
    if (runsOpen > 0) {
      log.warn({ runs_open: runsOpen }, "open runs end unjudged: the journal is in memory");
    }
    await operators.close();
  }
}

const noContracts = "contracts 0: nothing is judged until contracts are loaded";

async function openBoth<A, B>(
  first: () => Promise<A>,
  second: () => Promise<B>,
  undoFirst: () => Promise<void>,
): Promise<readonly [A, B]> {
  const opened = await first();
  try {
    return [opened, await second()];
  } catch (error) {
    await undoFirst();
    throw error;
  }
}

function seriesOf(set: RuleSet): readonly RuleSeries[] {
  return set.contracts.flatMap((contract) =>
    contract.rules.map(({ id, kind, severity, category, scope, revision, stage, program }) => ({
      contract: contract.name,
      rule: id,
      severity,
      category,
      scope: scope.is,
      revision,
      owner: contract.owner,
      stage,
      runbook: contract.runbook,
      rejects: rejectingKinds.has(kind),
      measures: measuredBy(program),
    })),
  );
}
