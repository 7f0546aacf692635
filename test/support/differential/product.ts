/** The product's answer: contracts as YAML through the loader, events as facts through `step`, in any arrival. */

import { type CoreSettings, defaultSettings } from "../../../src/model/settings.ts";
import type { SpanFact } from "../../../src/model/span-fact.ts";
import type { UnixNano } from "../../../src/model/time.ts";
import { hours, milliseconds, minutes, seconds, unixNano } from "../../../src/model/time.ts";
import type { Value } from "../../../src/model/value.ts";
import { plainFact } from "../../../src/processor/normalize/dialects/plain.ts";
import { nextDue, step } from "../../../src/processor/pipeline.ts";
import { report } from "../../../src/processor/report.ts";
import { createState, type Loaded, type State } from "../../../src/processor/state.ts";
import type { Random } from "./draw.ts";
import { contractYaml, type EventSpec, type PolicySpec, type RuleSpec, type TraceSpec } from "./language.ts";

const base = 1_800_000_000_000_000_000n;
const at = (second: number): UnixNano => unixNano(base + BigInt(Math.round(second * 1000)) * 1_000_000n);

export interface ProductInstance {
  readonly verdict: string;
  readonly code: string | null;
}

/** By rule, then by scope key, then by anchor or `key <text>`. */
export type ProductVerdicts = ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, ProductInstance>>>;

/** Facts that arrive together at one second. */
export interface Delivery {
  readonly second: number;
  readonly facts: readonly SpanFact[];
}

export interface Product {
  judge(trace: TraceSpec, deliveries: readonly Delivery[]): ProductVerdicts;
}

/** Loads the rules once; every trace is judged in a state of its own. */
export function createProduct(rules: readonly RuleSpec[]): Product {
  const loaded = loadOnce(contractYaml(rules));
  return {
    judge({ policy }, deliveries) {
      const state = createState();
      state.loaded = { ...loaded, settings: { ...loaded.settings, clock: clockOf(policy) } };
      for (const { second, facts } of deliveries) {
        tickUntil(state, at(second));
        step(state, { type: "facts", at: at(second), projection: loaded.set.projection.id, facts });
      }
      step(state, { type: "input_end", at: at((deliveries.at(-1)?.second ?? 0) + 1) });
      return verdictsOf(state);
    },
  };
}

const settings: CoreSettings = {
  ...defaultSettings,
  decisionWait: seconds(10),
  idleTimeout: minutes(5),
  lateWindow: hours(1),
  conversationIdle: minutes(3),
  everyContractTakesPart: true,
  language: { ...defaultSettings.language, declaredFields: ["sync"], keepEverything: true },
};

function loadOnce(text: string): Loaded {
  const state = createState();
  step(state, { type: "contracts", at: at(0), sources: [{ file: "random.yaml", text }], settings });
  const { loaded } = state;
  if (loaded === null) throw new Error("the contract did not load");
  return loaded;
}

function tickUntil(state: State, until: UnixNano): void {
  for (let due = nextDue(state); due !== null && due <= until; due = nextDue(state)) {
    step(state, { type: "tick", at: due });
  }
}

function clockOf({ skew, tie, resolution, inferOffset, evidence }: PolicySpec): CoreSettings["clock"] {
  return {
    skew: skew === null ? null : milliseconds(skew / 1e6),
    tie,
    resolution: resolution === null ? null : (BigInt(resolution) as CoreSettings["clock"]["resolution"]),
    inferOffset,
    evidence,
    assumeClock: true,
  };
}

function verdictsOf(state: State): ProductVerdicts {
  const found = new Map<string, Map<string, Map<string, ProductInstance>>>();
  for (const { verdicts } of report(state)) {
    for (const { rule, scopeKey, result } of verdicts) {
      const scopes = found.get(rule.id) ?? new Map<string, Map<string, ProductInstance>>();
      found.set(rule.id, scopes);
      const instances = scopes.get(scopeKey) ?? new Map<string, ProductInstance>();
      scopes.set(scopeKey, instances);
      for (const { anchor, key, verdict, code } of result.instances) {
        instances.set(anchor ?? (code === "anchor_missing" ? "none" : `key ${key}`), { verdict, code });
      }
    }
  }
  return found;
}

export function factOf(event: EventSpec): SpanFact {
  const fields = new Map<string, Value>([
    ["kind", event.kind],
    ["status", event.status],
    ["host", event.host],
  ]);
  const put = (name: string, value: Value | undefined): void => {
    if (value !== undefined && value !== null) fields.set(name, value);
  };
  put("name", event.name);
  put("conversation", event.conversation);
  put("seq", event.seq);
  put("parent", event.parent);
  put("args", event.args);
  put("result", event.result);
  if (event.sync) fields.set("sync", true);
  for (const [name, list] of [
    ["parents", event.parents],
    ["links", event.links],
    ["dropped", event.dropped],
  ] as const) {
    if (list.length > 0) fields.set(name, list);
  }
  const stamp = (ns: number): UnixNano => unixNano(base + BigInt(ns));
  return plainFact({
    id: event.id,
    run: event.run,
    fields,
    start: stamp(event.start),
    end: event.end === null ? null : stamp(event.end),
  });
}

/** Any order, in any portions, with pauses, copies, and copies that were sent before the event was over. */
export function drawDeliveries(random: Random, events: readonly EventSpec[]): readonly Delivery[] {
  const facts = events.flatMap((event) => {
    const fact = factOf(event);
    const copies = random.chance(0.15) ? [fact, fact] : [fact];
    if (event.end === null || event.end < event.start || !random.chance(0.15)) return copies;
    const open = random.chance(0.5) || event.end === event.start;
    const early: EventSpec = {
      ...event,
      end: open ? null : event.start,
      result: undefined,
      status: open ? "running" : "error",
    };
    return [...copies, factOf(early)];
  });
  const deliveries: { second: number; facts: SpanFact[] }[] = [{ second: 60, facts: [] }];
  let second = 60;
  for (const fact of random.shuffled(facts)) {
    const last = deliveries.at(-1);
    if (random.chance(0.4) || last === undefined) {
      // Waits run out, runs close, conversations close; all of it before a run is forgotten.
      second += random.pick([0, 0, 1, 11, 40, 320, 700]);
      deliveries.push({ second, facts: [fact] });
    } else last.facts.push(fact);
  }
  return deliveries.filter((delivery) => delivery.facts.length > 0);
}
