/** One recorded run through `normalize` and `assemble`, and how what they found compares with the truth. */
import { isDeepStrictEqual } from "node:util";
import type { Event } from "../../src/model/event.ts";
import type { Span } from "../../src/model/span.ts";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { type UnixNano, unixNano } from "../../src/model/time.ts";
import type { Value } from "../../src/model/value.ts";
import { type Assembly, assemble, type StoredFact } from "../../src/processor/assemble/assemble.ts";
import { preferred } from "../../src/processor/assemble/copies.ts";
import { createNormalizer, type Normalizer } from "../../src/processor/normalize/normalize.ts";
import type { Projection } from "../../src/rules/rule.ts";
import type { RecordedRun, TruthCall } from "./runs.ts";

export const keepAll: Projection = {
  id: "all",
  all: true,
  args: [],
  result: [],
  attr: new Set(),
  spanNames: [],
  steps: true,
};

export const everything: Normalizer = createNormalizer({ projection: keepAll, mappings: [] });

/** Later than every recorded span, and less than a day so. */
export const arrival: UnixNano = unixNano(1_796_060_000_000_000_000n);

export function factsOf(
  requests: readonly (readonly Span[])[],
  normalizer: Normalizer = everything,
): SpanFact[] {
  return requests.flat().map((span) => normalizer.normalize(span, arrival, null));
}

/** As the run table keeps them: of the copies of a span the better one. */
export function storeFacts(facts: readonly SpanFact[]): readonly StoredFact[] {
  const stored = new Map<string, StoredFact>();
  for (const fact of facts) {
    const key = `${fact.traceId}:${fact.spanId}`;
    const known = stored.get(key);
    stored.set(key, {
      fact: known === undefined ? fact : preferred(known.fact, fact).keep,
      arrivedAt: arrival,
    });
  }
  return [...stored.values()];
}

export function assembleClosed(facts: readonly SpanFact[]): Assembly {
  return assemble({ facts: storeFacts(facts), tools: new Map(), closed: () => "input_end" });
}

/** Statuses of calls whose body ran. */
const ran = new Set(["success", "error", "cancelled", "timeout", "unknown", "running"]);

/** Calls that ran, in the order in which `assemble` lists them: by start, deciding turn, place in it, span. */
export function callsOf(assembly: Assembly): readonly Event[] {
  return assembly.events.filter((event) => event.kind === "tool_call" && ran.has(event.status));
}

const statusWord: Readonly<Record<string, TruthCall["status"]>> = {
  success: "ok",
  error: "error",
  cancelled: "aborted",
  timeout: "aborted",
};

/** Everything that differs from the truth, one line each, of the calls of one run. */
export function differences(run: RecordedRun, assembly: Assembly): readonly string[] {
  const found: string[] = [];
  const calls = callsOf(assembly);
  const { calls_in_start_order: truth } = run.truth;
  if (calls.length !== truth.length) found.push(`number: ${calls.length} calls, truth has ${truth.length}`);
  for (const [session, wanted] of Map.groupBy(truth, (call) => call.session)) {
    const one = new Set(truth.map((call) => call.session)).size === 1;
    const mine = one ? calls : calls.filter((call) => call.conversation === session);
    wanted.forEach((expected, index) => {
      const call = mine[index];
      if (call === undefined) found.push(`call ${index} (${expected.tool}) of ${session}: missing`);
      else found.push(...differ(run, expected, call, `call ${index} (${expected.tool})`));
    });
  }
  for (const { call_id: id, tool } of run.truth.requested_but_never_executed) {
    if (!run.json.includes(id)) continue;
    const life = assembly.events.find((event) => event.callId === id);
    if (life === undefined) found.push(`requested ${tool}: not found`);
    else if (ran.has(life.status)) found.push(`requested ${tool}: ${life.status}`);
    else if (life.name !== tool) found.push(`requested ${tool}: named ${life.name}`);
  }
  return found;
}

function differ(run: RecordedRun, expected: TruthCall, call: Event, label: string): readonly string[] {
  const found: string[] = [];
  const add = (what: string, got: unknown, want: unknown): void => {
    found.push(`${label}: ${what} ${JSON.stringify(got)}, truth ${JSON.stringify(want)}`);
  };
  if (call.name !== expected.tool) add("name", call.name, expected.tool);
  const idIsThere = run.json.includes(expected.call_id);
  if (idIsThere && call.callId !== expected.call_id) add("id", call.callId, expected.call_id);
  if ((statusWord[call.status] ?? call.status) !== expected.status)
    add("status", call.status, expected.status);
  if (call.conversation !== expected.session) add("session", call.conversation, expected.session);
  if (call.args === undefined && !isOff(run)) add("args", "not captured", expected.args);
  if (call.args !== undefined && !same(call.args, expected.args)) add("args", call.args, expected.args);
  if (expected.result === undefined) return found;
  if (call.result === undefined && !isOff(run)) add("result", "not captured", expected.result);
  if (call.result !== undefined && !same(call.result, expected.result))
    add("result", call.result, expected.result);
  return found;
}

/** Recorded with the framework's switch for content off. */
function isOff(run: RecordedRun): boolean {
  return /content_off|_bare$/.test(run.scenario);
}

function same(a: Value, b: Value): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
}
