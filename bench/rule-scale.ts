/**
 * What rules cost as they grow in number, and what an open run holds for them: the core alone, driven by hand.
 *
 *   events   CPU time an event with 10 to 10,000 rules, one in ten of them about the event, and with the same
 *            rules of which two are about each event however many there are
 *   memory   bytes of heap an open run with ten calls, by the kernel form of the one rule that judges it,
 *            against no rule at all
 *
 * Sizes take turns within each round, and a first round is thrown away, so that a busy machine and a cold
 * compiler fall out of the ratios.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Entry } from "../src/model/entry.ts";
import { defaultSettings } from "../src/model/settings.ts";
import type { SpanFact } from "../src/model/span-fact.ts";
import { type UnixNano, unixNano } from "../src/model/time.ts";
import { plainFact } from "../src/processor/normalize/dialects/plain.ts";
import { nextDue, step } from "../src/processor/pipeline.ts";
import { createState, type State } from "../src/processor/state.ts";
import { type Spread, spread } from "./spread.ts";

export interface RuleScale {
  readonly rows: readonly {
    readonly rules: number;
    /** Microseconds of CPU an event, one rule in ten about it. */
    readonly tenth: Spread;
    /** Microseconds of CPU an event, two rules about it. */
    readonly two: Spread;
  }[];
  /** Bytes a run, above what it holds without a rule. */
  readonly bytes: readonly { readonly form: string; readonly aRun: number }[];
  /** Bytes a run with ten calls and no rule. */
  readonly bare: number;
}

const base = 1_800_000_000_000_000_000n;
const at = (milliseconds: number): UnixNano => unixNano(base + BigInt(milliseconds) * 1_000_000n);
const callsARun = 10;
const names = Array.from({ length: callsARun }, (_, index) => `tool_${index}`);

export function benchRules(size: {
  readonly rounds: number;
  readonly runs: number;
  readonly rules: readonly number[];
}): RuleScale {
  const measured = size.rules.map((rules) => ({ rules, tenth: [] as number[], two: [] as number[] }));
  for (let round = 0; round <= size.rounds; round += 1) {
    for (const row of measured) {
      // Fewer runs where each is dear: the time of a measurement stays about the same.
      const runs = Math.max(4, Math.round(size.runs / Math.max(1, row.rules / 100)));
      const tenth = microsecondsAnEvent(contractOf(row.rules, row.rules / 10), runs, round);
      const two = microsecondsAnEvent(contractOf(row.rules, 2), Math.max(runs, size.runs / 4), round);
      if (round === 0) continue;
      row.tenth.push(tenth);
      row.two.push(two);
    }
  }
  // What the first run of some code leaves on the heap (bytecode, feedback) is nobody's state.
  for (const [, contract] of forms) bytesARun(contract, size.runs);
  const bare = bytesARun(unrelated, size.runs);
  return {
    rows: measured.map(({ rules, tenth, two }) => ({ rules, tenth: spread(tenth), two: spread(two) })),
    bytes: forms.map(([form, contract]) => ({ form, aRun: bytesARun(contract, size.runs) - bare })),
    bare,
  };
}

/** `about` rules about every event of a run, the rest about tools that nobody calls. */
function contractOf(rules: number, about: number): string {
  const lines = Array.from({ length: rules }, (_, index) => {
    const related = index < about;
    // Pairs of tools of the run, so that a rule is about two of its events.
    const [first, second] = related
      ? [names[index % callsARun], names[(index * 7 + 1) % callsARun]]
      : [`other_${index}`, `other_${index + 1}`];
    const anchor = first === second ? names[(index * 7 + 2) % callsARun] : second;
    return `  - {id: r${index}, kind: gate, require: ${first}, before: ${anchor}}`;
  });
  return `contract: scale\nrules:\n${lines.join("\n")}\n`;
}

const unrelated = "contract: none\nrules:\n  - {id: r, kind: gate, require: other_a, before: other_b}\n";

const forms: readonly (readonly [string, string])[] = [
  ["link, past", rule("{id: r, kind: gate, require: tool_0, before: tool_5}")],
  ["link, future", rule("{id: r, kind: response, trigger: tool_0, expect: tool_5, within: 1m}")],
  ["link, none", rule("{id: r, kind: forbid_after, after: tool_9, forbid: tool_0}")],
  ["apart", rule("{id: r, kind: apart, of: {tool: 'tool_*'}}")],
  ["count", rule("{id: r, kind: count, of: tool_0, max: 3}")],
  ["count, distinct", rule("{id: r, kind: count, of: {tool: 'tool_*'}, distinct: args.order, max: 30}")],
  ["machine", rule("{id: r, kind: machine, initial: s, transitions: [[s, tool_0, t], [t, tool_5, u]]}")],
];

function rule(text: string): string {
  return `contract: one\nrules:\n  - ${text}\n`;
}

function microsecondsAnEvent(contract: string, runs: number, round: number): number {
  const state = start(contract);
  const entries = Array.from({ length: runs }, (_, run) => factsOf(`${round}-${run}`, run));
  const before = process.cpuUsage();
  for (const entry of entries) step(state, entry);
  for (let due = nextDue(state); due !== null && due < at(3_600_000); due = nextDue(state)) {
    step(state, { type: "tick", at: due });
  }
  const used = process.cpuUsage(before);
  return (used.user + used.system) / (runs * callsARun);
}

function bytesARun(contract: string, runs: number): number {
  const state = start(contract);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let run = 0; run < runs; run += 1) step(state, factsOf(`m-${run}`, run, "open"));
  // Long after decision_wait: what rules wait for has been looked at, and the runs are still open.
  step(state, { type: "tick", at: at(60_000) });
  for (let due = nextDue(state); due !== null && due <= at(60_000); due = nextDue(state)) {
    step(state, { type: "tick", at: at(60_000) });
  }
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / runs;
  // Read after the measurement, or the state could be collected before it.
  if (state.table.open !== runs) throw new Error(`${state.table.open} runs are open, ${runs} were sent`);
  return bytes;
}

function start(contract: string): State {
  const state = createState();
  step(state, {
    type: "contracts",
    at: at(0),
    sources: [{ file: "scale.yaml", text: contract }],
    settings: defaultSettings,
  });
  return state;
}

/** Ten calls, one after the other. `open`: under a parent that has not come, so that the run does not close. */
function factsOf(run: string, index: number, how: "whole" | "open" = "whole"): Entry {
  const facts = names.map((name, place): SpanFact => {
    const fact = plainFact({
      id: `${run}-${place}`,
      run,
      fields: new Map<string, string | { readonly order: string }>([
        ["kind", "tool_call"],
        ["name", name],
        ["args", { order: `o${place}` }],
      ]),
      start: at(index + place * 20),
      end: at(index + place * 20 + 10),
    });
    return how === "open" ? { ...fact, parentId: "ffffffffffffffff" } : fact;
  });
  return { type: "facts", at: at(index + 300), projection: "bench", facts };
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
