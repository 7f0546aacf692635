/**
 * From decoded spans to the journal: what the receiver hands over is normalised in slices, and journaled as
 * entries small enough that no single step of the core takes long.
 */
import { performance } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";
import type { FactsEntry } from "../model/entry.ts";
import type { Span } from "../model/span.ts";
import type { SpanFact } from "../model/span-fact.ts";
import type { UnixNano } from "../model/time.ts";
import type { Accepted, BatchMeta, Refused } from "../receiver/ingest.ts";
import type { Clock } from "./clock.ts";
import type { Loop } from "./loop.ts";

/** Facts of one entry. The core judges what they touched at its end, which stays within a slice. */
const factsPerEntry = 512;

/** Longest uninterrupted normalising. */
const sliceMs = 8;

export interface IntakeOptions {
  readonly normalize: (span: Span, at: UnixNano, source: string | null) => SpanFact;
  /** Names the projection by which the facts are cut. */
  readonly projection: string;
  readonly clock: Clock;
  readonly loop: Loop;
  readonly onTaken: (spans: number) => void;
  readonly onFull: () => void;
}

export function createIntake(options: IntakeOptions) {
  return async function accept(spans: readonly Span[], { source }: BatchMeta): Promise<Accepted | Refused> {
    const facts: SpanFact[] = [];
    const at = options.clock.now();
    let sliceStart = performance.now();
    for (const span of spans) {
      facts.push(options.normalize(span, at, source));
      if (facts.length % 64 !== 0 || performance.now() - sliceStart < sliceMs) continue;
      await turn();
      sliceStart = performance.now();
    }

    const result = await options.loop.append((now) => entriesOf(facts, now, options.projection));
    switch (result.is) {
      case "appended":
        options.onTaken(facts.length);
        return { kind: "accepted" };
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
