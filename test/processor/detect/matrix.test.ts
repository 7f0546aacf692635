import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createMemoryJournal } from "../../../src/journal/memory.ts";
import type { Entry } from "../../../src/model/entry.ts";
import { hours, seconds } from "../../../src/model/time.ts";
import { step } from "../../../src/processor/pipeline.ts";
import { createState } from "../../../src/processor/state.ts";
import { createCore, type GaugedCore } from "../../../src/service/core.ts";
import type { Exposition } from "../../support/exposition.ts";
import { repositoryRoot } from "../../support/repository.ts";
import { type RunningService, runService } from "../../support/running-service.ts";
import { type Counts, type Disturbed, disturbances, stories, type Told } from "./matrix-stories.ts";
import { requestOf } from "./matrix-wire.ts";

const contract = {
  file: "matrix.yaml",
  text: `
contract: matrix
tools:
  lookup: {effect: read}
  show: {effect: read}
  draft: {effect: none}
  send: {effect: external}
  update_ticket: {effect: write}
rules:
  - {id: stale-result, kind: stale_result, scope: conversation, severity: high}
  - {id: stale-effect, kind: stale_effect, scope: conversation, severity: critical}
  - {id: stale-applied, kind: stale_applied, scope: conversation, severity: critical}
`,
};

/** No rule of the contract is about these. */
const measured: ReadonlySet<string> = new Set([
  "dependency wait",
  "version conflict",
  "reducer rejection",
  "unknown callback",
  "duplicate callback",
]);

/** The rule that is about what a detector finds; none where it only measures. */
const ruleOf = (detector: string): string | null => {
  if (measured.has(detector)) return null;
  return detector === "stale effect" || detector === "stale applied"
    ? detector.replace(" ", "-")
    : "stale-result";
};

/** What a story counts of its own detector. */
const ownKey = (detector: string): string =>
  ({
    "stale effect": "effect turn",
    "stale applied": "applied superseded",
    "dependency wait": "wait",
    "version conflict": "conflict lost_update",
    "reducer rejection": "rejection stale",
    "unknown callback": "callback unknown",
    "duplicate callback": "callback duplicate",
  })[detector] ?? detector;

describe("the reordering matrix, over HTTP", () => {
  for (const [disturbance, disturb] of Object.entries(disturbances)) {
    describe(disturbance, () => {
      for (const [detector, story] of Object.entries(stories)) {
        it(detector, async () => {
          const disturbed = disturb(story);
          const { counts, rules } = await play(disturbed);
          assert.deepEqual(counts, disturbed.counts);
          const rule = ruleOf(detector);
          if (rule === null) return;
          const found = (disturbed.counts[ownKey(detector)] ?? 0) > 0;
          assert.deepEqual(rules[rule], {
            violations: found ? 1 : 0,
            inconclusive: !found && disturbed.undecided ? 1 : 0,
          });
        });
      }
    });
  }

  it("is the table in the documents", () => {
    const page = readFileSync(join(repositoryRoot, "docs/causality.md"), "utf8");
    assert.ok(page.includes(table()), `docs/causality.md should hold\n${table()}`);
  });
});

interface Played {
  readonly counts: Counts;
  readonly rules: Readonly<Record<string, { readonly violations: number; readonly inconclusive: number }>>;
}

async function play({ requests, restart }: Disturbed): Promise<Played> {
  const entries: Entry[] = [];
  const first = await start(recording(entries));
  const scraped: Exposition[] = [];
  const [before = [], ...later] = requests;
  try {
    await post(first, before);
    await first.pass(seconds(1));
    if (!restart) await postAll(first, later);
    if (!restart) await first.pass(hours(3));
    scraped.push(await first.metrics());
  } finally {
    await first.close();
  }
  if (restart) {
    const again = await start(await rebuilt(entries));
    try {
      await postAll(again, later);
      await again.pass(hours(3));
      scraped.push(await again.metrics());
    } finally {
      await again.close();
    }
  }
  return { counts: countsOf(scraped), rules: rulesOf(scraped) };
}

const start = (core: GaugedCore): Promise<RunningService> => runService({ contracts: [contract], core });

function recording(entries: Entry[]): GaugedCore {
  const core = createCore();
  return {
    ...core,
    step(entry) {
      entries.push(entry);
      return core.step(entry);
    },
  };
}

/** What a restarted service knows: the same entries, as a journal gives them back. */
async function rebuilt(entries: readonly Entry[]): Promise<GaugedCore> {
  const journal = createMemoryJournal({ maxFacts: 1_000 });
  await journal.append(entries);
  const state = createState();
  for (const { entry } of await journal.read(1, entries.length)) step(state, entry);
  return createCore(state);
}

async function postAll(service: RunningService, requests: Disturbed["requests"]): Promise<void> {
  for (const spans of requests) await post(service, spans);
}

async function post(service: RunningService, spans: readonly Told[]): Promise<void> {
  const response = await fetch(service.tracesUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(requestOf(spans)),
  });
  assert.equal(response.status, 200, await response.text());
}

/** Metric → the word of the matrix for it, and the label that goes with it. */
const counted = [
  ["toolorder_stale_results_total", "", "reason"],
  ["toolorder_stale_effects_total", "effect ", "reason"],
  ["toolorder_stale_results_applied_total", "applied ", "reason"],
  ["toolorder_version_conflicts_total", "conflict ", "reason"],
  ["toolorder_reducer_rejections_total", "rejection ", "reason"],
  ["toolorder_unknown_callbacks_total", "callback ", "reason"],
  ["toolorder_dependency_wait_seconds_count", "wait", null],
] as const;

function countsOf(scraped: readonly Exposition[]): Counts {
  const counts: Record<string, number> = {};
  for (const metrics of scraped) {
    for (const [metric, word, label] of counted) {
      for (const { labels, value } of metrics.series(metric)) {
        // What becomes of a callback later is counted apart.
        if (labels.disposition !== undefined && labels.disposition !== "quarantined") continue;
        const key = label === null ? word : `${word}${labels[label] ?? ""}`;
        if (value > 0) counts[key] = (counts[key] ?? 0) + value;
      }
    }
  }
  return counts;
}

function rulesOf(scraped: readonly Exposition[]): Played["rules"] {
  const sum = (metric: string, rule: string): number =>
    scraped.reduce((total, metrics) => total + metrics.sum(metric, { rule }), 0);
  return Object.fromEntries(
    ["stale-result", "stale-effect", "stale-applied"].map((rule) => [
      rule,
      {
        violations: sum("toolorder_violations_total", rule),
        inconclusive: sum("toolorder_inconclusive_total", rule),
      },
    ]),
  );
}

/** As the documents show it: what is counted of the detector's own, and what else. */
function table(): string {
  const detectors = Object.keys(stories);
  const rows = Object.entries(disturbances).map(([disturbance, disturb]) => {
    const cells = detectors.map((detector) => {
      const story = stories[detector];
      return story === undefined ? "" : cellOf(detector, disturb(story));
    });
    return `| ${[disturbance, ...cells].join(" | ")} |`;
  });
  return [`| | ${detectors.join(" | ")} |`, `|${"---|".repeat(detectors.length + 1)}`, ...rows].join("\n");
}

function cellOf(detector: string, { counts, undecided }: Disturbed): string {
  const own = ownKey(detector);
  const others = Object.keys(counts).filter((key) => key !== own && key !== "wait");
  const rest = others.length === 0 ? "" : ` (and ${others.join(", ")})`;
  return `${counts[own] ?? (undecided ? "undecided" : 0)}${rest}`;
}
