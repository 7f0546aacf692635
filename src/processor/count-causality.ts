import type { Event } from "../model/event.ts";
import type { Output } from "../model/output.ts";
import { durationNano, toSeconds } from "../model/time.ts";
import { currencyOf, finished, hasRun, started } from "./detect/currency.ts";
import { decisionKey } from "./detect/decisions.ts";
import type { DetectInput } from "./detect/detector.ts";
import { indexReferences, type References, referenceTexts } from "./order/references.ts";
import { waited } from "./run/waits.ts";
import type { JudgedScope } from "./scopes.ts";
import type { Loaded, State } from "./state.ts";

/** How long calls waited for what they were built on, and how many calls a decision asked for; each once. */
export function countCausality(
  state: State,
  scope: JudgedScope,
  loaded: Loaded,
  { input }: { readonly input: DetectInput },
): Output[] {
  const outputs: Output[] = [];
  const runs = new Map(scope.runs.map((run) => [run.traceId, run]));
  let references: References | null = null;
  for (const event of input.events) {
    if (!event.fields.has("parents") || !hasRun(event)) continue;
    const run = runs.get(event.run);
    const id = `wait ${event.id}`;
    if (run === undefined || run.detected.has(id)) continue;
    const waitedLongEnough = waited(event.arrivedAt, state.now, state.deaf) >= loaded.settings.decisionWait;
    if (run.closed === null && !waitedLongEnough) continue;
    references ??= indexReferences(input.events);
    const seconds = waitOf(input, references, event);
    if (seconds === null) continue;
    run.detected.add(id);
    outputs.push({ type: "duration", of: "dependency_wait", tool: event.name ?? "unknown", seconds });
  }
  outputs.push(...countDecisions(scope, input));
  return outputs;
}

/**
 * From the last finish among the causal parents that are here to the start; null where a parent is missing, has
 * not finished, or no clock can tell. A wait that clocks show as less than nothing was none.
 */
export function waitOf(
  { order }: Pick<DetectInput, "order">,
  references: References,
  event: Event,
): number | null {
  let least: bigint | null = null;
  for (const text of referenceTexts(event.fields.get("parents"))) {
    const parent = references.named(text, event);
    const apart = parent === null ? null : order.distance(finished(parent), started(event));
    if (apart === null) return null;
    const middle = (apart.least + apart.most) / 2n;
    if (least === null || middle < least) least = middle;
  }
  return least === null ? null : toSeconds(durationNano(least < 0n ? 0n : least));
}

function countDecisions(scope: JudgedScope, input: DetectInput): Output[] {
  const open = scope.runs.filter((run) => run.closed !== null && !run.detected.has(decisionsCounted));
  if (open.length === 0) return [];
  const currency = currencyOf(input);
  const outputs: Output[] = [];
  for (const run of open) {
    run.detected.add(decisionsCounted);
    const calls = new Map<string, number>();
    for (const call of currency.calls) {
      if (call.run !== run.traceId) continue;
      const key = decisionKey(currency, call);
      if (key !== null) calls.set(key, (calls.get(key) ?? 0) + 1);
    }
    for (const count of calls.values()) {
      outputs.push({ type: "count", of: "calls_per_decision", calls: count });
    }
  }
  return outputs;
}

const decisionsCounted = "decisions";
