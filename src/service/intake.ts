/**
 * From decoded spans and log records to the journal: what the receiver hands over is normalised in slices, and journaled as
 * entries small enough that no single step of the core takes long.
 */
import { performance } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";
import type { FactsEntry } from "../model/entry.ts";
import type { SpanFact } from "../model/span-fact.ts";
import type { UnixNano } from "../model/time.ts";
import type { Accepted, BatchMeta, Refused } from "../receiver/ingest.ts";
import type { Clock } from "./clock.ts";
import type { Loop } from "./loop.ts";

/** Facts of one entry. The core judges what they touched at its end, which stays within a slice. */
const factsPerEntry = 512;

/** Longest uninterrupted normalising. */
const sliceMs = 8;

export interface IntakeOptions<Item> {
  /** Null for a log record that is no event. */
  readonly normalize: (item: Item, at: UnixNano, source: string | null) => SpanFact | null;
  /** Names the projection by which the facts are cut. */
  readonly projection: string;
  readonly clock: Clock;
  readonly loop: Loop;
  readonly onTaken: (items: number) => void;
  readonly onFull: () => void;
}

export function createIntake<Item>(options: IntakeOptions<Item>) {
  return async function accept(items: readonly Item[], { source }: BatchMeta): Promise<Accepted | Refused> {
    const facts: SpanFact[] = [];
    const at = options.clock.now();
    let sliceStart = performance.now();
    for (const [index, item] of items.entries()) {
      const fact = options.normalize(item, at, source);
      if (fact !== null) facts.push(fact);
      if (index % 64 !== 63 || performance.now() - sliceStart < sliceMs) continue;
      await turn();
      sliceStart = performance.now();
    }

    // Ordinary log lines: nothing to keep, so nothing to wait for.
    if (facts.length === 0) return { kind: "accepted", passedOver: items.length };
    const result = await options.loop.append((now) => entriesOf(facts, now, options.projection));
    switch (result.is) {
      case "appended":
        options.onTaken(items.length);
        return { kind: "accepted", passedOver: items.length - facts.length };
      case "full":
        options.onFull();
        return { kind: "refused", reason: `the pipeline's queue is full: ${result.reason}` };
      case "closed":
        return { kind: "refused", reason: "the service is shutting down" };
    }
  };
}

function entriesOf(facts: readonly SpanFact[], at: UnixNano, projection: string): readonly FactsEntry[] {
  const entries: FactsEntry[] = [];
  for (let from = 0; from < facts.length; from += factsPerEntry) {
    entries.push({ type: "facts", at, projection, facts: facts.slice(from, from + factsPerEntry) });
  }
  return entries;
}
