/**
 * Judges recorded traces with the same core that judges a stream: contracts, then every fact, then the end of
 * input. Recorded traces are complete, so every run is closed at the end, and no clock is asked: the entries'
 * time follows from the newest stamp in the files.
 */
import type { ContractSource } from "../model/entry.ts";
import type { CoreSettings } from "../model/settings.ts";
import type { SpanFact } from "../model/span-fact.ts";
import { later, type UnixNano, unixNano } from "../model/time.ts";
import { plainFact } from "../processor/normalize/dialects/plain.ts";
import { createLogNormalizer } from "../processor/normalize/logs/normalize-log.ts";
import { timeOf } from "../processor/normalize/logs/record-identity.ts";
import { createNormalizer } from "../processor/normalize/normalize.ts";
import { ruleSet, step } from "../processor/pipeline.ts";
import { type JudgedRun, report } from "../processor/report.ts";
import { createState } from "../processor/state.ts";
import type { RuleSet } from "../rules/rule.ts";
import { plainDay } from "./plain-times.ts";
import { type LoadedTraces, refuseUntimedParts } from "./traces.ts";

export interface JudgedTraces {
  readonly set: RuleSet;
  readonly runs: readonly JudgedRun[];
  /** Runs that a plain list without times describes. */
  readonly untimed: ReadonlySet<string>;
  /** Files that hold something of a run, in the order in which they were read. */
  readonly filesOf: (run: string) => readonly string[];
  /** Names of mappings that no span or log record met. */
  readonly idleMappings: readonly string[];
}

/** Facts of one entry: enough to be quick, few enough that an entry stays small. */
const factsPerEntry = 512;
/** Stamps past this are broken clocks; they must not carry the others a century forward. */
const sane = unixNano(BigInt(Date.UTC(2100, 0, 1)) * 1_000_000n);

/**
 * The sources must be known to load: a problem in them is a broken invariant here.
 *
 * @param onProgress told after each entry how many of all facts are judged.
 */
export function judgeTraces(
  sources: readonly ContractSource[],
  settings: CoreSettings,
  traces: readonly LoadedTraces[],
  onProgress: (done: number, of: number) => void = () => undefined,
): JudgedTraces {
  refuseUntimedParts(traces);
  const at = newest(traces);
  const state = createState();
  step(state, { type: "contracts", at, sources, settings });
  const set = ruleSet(state);
  if (set === null) throw new Error("the contracts did not load");

  const met = new Set<string>();
  const reading = {
    onMapped: (mapping: string) => void met.add(mapping),
    projection: set.projection,
    mappings: settings.mappings,
    identity: settings.identity,
    runKey: settings.runKey,
  };
  const normalizer = createNormalizer(reading);
  const logNormalizer = createLogNormalizer(reading);
  const files = new Map<string, Set<string>>();
  const facts: SpanFact[] = traces.flatMap((trace) => {
    const made = [
      ...trace.spans.map((span) => normalizer.normalize(span, at, null)),
      ...trace.records.flatMap((record) => logNormalizer.normalize(record, at, null) ?? []),
      ...trace.events.map(plainFact),
    ];
    for (const { traceId } of made) {
      const known = files.get(traceId);
      if (known === undefined) files.set(traceId, new Set([trace.file]));
      else known.add(trace.file);
    }
    return made;
  });
  for (let from = 0; from < facts.length; from += factsPerEntry) {
    step(state, {
      type: "facts",
      at,
      projection: set.projection.id,
      facts: facts.slice(from, from + factsPerEntry),
    });
    onProgress(Math.min(from + factsPerEntry, facts.length), facts.length);
  }
  step(state, { type: "input_end", at });
  return {
    set,
    runs: report(state),
    untimed: new Set(
      traces.filter((trace) => !trace.timed).flatMap((trace) => trace.events.map((event) => event.run)),
    ),
    filesOf: (run) => [...(files.get(run) ?? [])],
    idleMappings: settings.mappings.map(({ name }) => name).filter((name) => !met.has(name)),
  };
}

function newest(traces: readonly LoadedTraces[]): UnixNano {
  let at: UnixNano = plainDay;
  const see = (stamp: UnixNano | null): void => {
    if (stamp !== null && stamp < sane) at = later(at, stamp);
  };
  for (const trace of traces) {
    for (const span of trace.spans) {
      see(span.start);
      see(span.end);
    }
    for (const record of trace.records) see(timeOf(record));
    for (const event of trace.events) {
      see(event.start);
      see(event.end);
    }
  }
  return unixNano(at + 1n);
}

/**
 * How recorded traces are judged: they are one known workflow, so an ordering without its later side is a
 * violation (docs/semantics.md 8), and reports show what rules do not read too.
 */
export function recordedSettings(core: CoreSettings): CoreSettings {
  return { ...core, missingAfter: "violated", language: { ...core.language, keepEverything: true } };
}
