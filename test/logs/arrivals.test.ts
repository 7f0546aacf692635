/** A stream of log records that comes in any pieces, in any order, gives the verdicts that it gives whole. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recordedSettings } from "../../src/cli/judge-traces.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import type { SpanFact } from "../../src/model/span-fact.ts";
import { plus, seconds, type UnixNano, unixNano } from "../../src/model/time.ts";
import { createLogNormalizer } from "../../src/processor/normalize/logs/normalize-log.ts";
import { step } from "../../src/processor/pipeline.ts";
import { report } from "../../src/processor/report.ts";
import { createState } from "../../src/processor/state.ts";
import { keepAll } from "../captures/judge-run.ts";
import fc from "../support/properties.ts";
import { contractSource, type Story, stories } from "./stories.ts";

const begun: UnixNano = unixNano(1_796_040_060_000_000_000n);
const normalizer = createLogNormalizer({ projection: keepAll, mappings: [] });

/** Verdicts after the last piece, one entry a piece, a second between two. */
function verdictsOf(pieces: readonly (readonly SpanFact[])[]): Record<string, string> {
  const state = createState();
  const settings = recordedSettings(defaultSettings);
  step(state, { type: "contracts", at: begun, sources: [contractSource], settings });
  pieces.forEach((facts, index) => {
    step(state, { type: "facts", at: plus(begun, seconds(index)), projection: "all", facts });
  });
  step(state, { type: "input_end", at: plus(begun, seconds(pieces.length)) });
  return Object.fromEntries(
    report(state).flatMap((run) => run.verdicts.map(({ rule, result }) => [rule.id, result.verdict])),
  );
}

function factsOf(story: Story): readonly SpanFact[] {
  return story.records.flatMap((record) => normalizer.normalize(record, begun, null) ?? []);
}

describe("log records that arrive as they like", () => {
  for (const story of stories()) {
    it(story.name, () => {
      const facts = [...factsOf(story)];
      assert.ok(facts.length > story.truth.calls.length);
      fc.assert(
        fc.property(
          fc.shuffledSubarray(facts, { minLength: facts.length }),
          fc.integer({ min: 1, max: 5 }),
          (shuffled, size) => {
            const pieces: SpanFact[][] = [];
            for (let from = 0; from < shuffled.length; from += size)
              pieces.push(shuffled.slice(from, from + size));
            assert.deepEqual(verdictsOf(pieces), story.truth.verdicts);
          },
        ),
        { numRuns: 15 },
      );
    });
  }
});
