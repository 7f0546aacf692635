/**
 * Runs one contract case through the same `step` that serves: an entry an event in the order of arrival, the
 * watermark of each snapshot, and the end of input where it is closed. Nothing but these makes the past
 * complete: time stands still, so no wait ever runs out.
 */
import type { ContractSource } from "../model/entry.ts";
import type { LoadProblem } from "../model/load-error.ts";
import type { ClockPolicy } from "../model/order.ts";
import type { Output } from "../model/output.ts";
import { type CoreSettings, defaultSettings } from "../model/settings.ts";
import type { SpanFact } from "../model/span-fact.ts";
import { durationNano, hours, milliseconds, plus } from "../model/time.ts";
import { createLogNormalizer } from "../processor/normalize/logs/normalize-log.ts";
import { createNormalizer } from "../processor/normalize/normalize.ts";
import { ruleSet, step } from "../processor/pipeline.ts";
import { type JudgedRun, report } from "../processor/report.ts";
import { createState, type State } from "../processor/state.ts";
import { loadContracts } from "../rules/load.ts";
import type { RuleSet } from "../rules/rule.ts";
import type { ContractCase, Snapshot } from "./case-file.ts";
import type { CaseInput } from "./case-input.ts";
import type { PlainMap } from "./case-nodes.ts";

/** What stood at one snapshot. */
export interface CaseState {
  readonly runs: readonly JudgedRun[];
  /** Outputs since the snapshot before. */
  readonly outputs: readonly Output[];
}

export type PreparedCase =
  | { readonly loaded: false; readonly problems: readonly LoadProblem[] }
  | { readonly loaded: true; readonly set: RuleSet; readonly run: CaseRunner };

export interface CaseRunner {
  /** Every snapshot in turn, on one stream. */
  snapshots(): readonly CaseState[];
  /** The last snapshot alone, with the input's deliveries arranged into entries as given: any order, copies allowed. */
  last(entries: readonly (readonly number[])[]): CaseState;
}

export function prepareCase(
  contractCase: ContractCase,
  sources: readonly ContractSource[],
  input: CaseInput,
): PreparedCase {
  const settings = caseSettings(contractCase, input);
  const { set, problems } = loadContracts(sources, settings.language);
  if (set === null) return { loaded: false, problems: problems.filter(({ level }) => level === "error") };
  const facts = factsOf(input, set, settings);
  const open = (): State => {
    const state = createState();
    step(state, { type: "contracts", at: input.at, sources, settings });
    return state;
  };
  const give = (state: State, places: readonly number[]): readonly Output[] =>
    step(state, {
      type: "facts",
      at: input.at,
      projection: ruleSet(state)?.projection.id ?? set.projection.id,
      facts: places.flatMap((place) => facts[place] ?? []),
    });
  return {
    loaded: true,
    set,
    run: {
      snapshots: () => runSnapshots(contractCase.snapshots, input, open, give),
      last(entries) {
        const state = open();
        const outputs = entries.flatMap((entry) => give(state, entry));
        const last = contractCase.snapshots.at(-1);
        if (last !== undefined) outputs.push(...reach(state, last, input));
        return { runs: report(state), outputs };
      },
    },
  };
}

function runSnapshots(
  snapshots: readonly Snapshot[],
  input: CaseInput,
  open: () => State,
  give: (state: State, places: readonly number[]) => readonly Output[],
): readonly CaseState[] {
  let state = open();
  let given = new Set<number>();
  return snapshots.map((snapshot) => {
    const due = input.arrivals.flatMap((arrival, place) =>
      snapshot.upto === null || arrival <= snapshot.upto ? [place] : [],
    );
    // A snapshot of an earlier moment than the one before is a stream of its own.
    if ([...given].some((place) => !due.includes(place))) {
      state = open();
      given = new Set();
    }
    const fresh = due
      .filter((place) => !given.has(place))
      .sort((a, b) => (input.arrivals[a] ?? 0) - (input.arrivals[b] ?? 0) || a - b);
    const outputs = fresh.flatMap((place) => give(state, [place]));
    given = new Set(due);
    outputs.push(...reach(state, snapshot, input));
    return { runs: report(state), outputs };
  });
}

function reach(state: State, snapshot: Snapshot, input: CaseInput): readonly Output[] {
  const outputs: Output[] = [];
  if (snapshot.watermark !== null) {
    const complete = plus(input.base, milliseconds(snapshot.watermark));
    outputs.push(...step(state, { type: "watermark", at: input.at, complete }));
  }
  if (snapshot.closed) outputs.push(...step(state, { type: "input_end", at: input.at }));
  return outputs;
}

function factsOf(input: CaseInput, set: RuleSet, settings: CoreSettings): readonly (SpanFact | null)[] {
  const reading = {
    projection: set.projection,
    mappings: settings.mappings,
    identity: settings.identity,
    runKey: settings.runKey,
  };
  const normalizer = createNormalizer(reading);
  const logNormalizer = createLogNormalizer(reading);
  return input.facts({
    span: (span) => normalizer.normalize(span, input.at, null),
    record: (record) => logNormalizer.normalize(record, input.at, null),
  });
}

export function caseSettings(contractCase: ContractCase, input: CaseInput): CoreSettings {
  return {
    ...defaultSettings,
    // Longer than any case: only watermarks and the end make the past complete.
    decisionWait: hours(24 * 365),
    missingAfter: "violated",
    everyContractTakesPart: true,
    clock: clockOf(contractCase.clock, input.plainNumbers),
    language: {
      plainNumbersAreMilliseconds: true,
      declaredKinds: input.kinds,
      declaredFields: input.fields,
      keepEverything: true,
    },
  };
}

/** Plain numbers are stamps without width: the narrowest there is, so that only equal ones tie. */
function clockOf(written: PlainMap, plainNumbers: boolean): ClockPolicy {
  const base = defaultSettings.clock;
  const { skew_ms: skew, tie, evidence, infer_offset: inferOffset } = written;
  return {
    ...base,
    resolution: plainNumbers ? durationNano(1n) : null,
    skew: typeof skew === "number" ? milliseconds(skew) : skew === undefined ? base.skew : null,
    tie: tie === "before" || tie === "unknown" ? tie : base.tie,
    evidence: evidence === "causal" ? "causal" : base.evidence,
    inferOffset: typeof inferOffset === "boolean" ? inferOffset : base.inferOffset,
  };
}
