import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Writable } from "node:stream";
import { describe, it } from "node:test";
import { differences } from "../../src/cli/case-compare.ts";
import { caseSources } from "../../src/cli/case-contract.ts";
import { type ContractCase, readCaseFile, type Snapshot } from "../../src/cli/case-file.ts";
import { type CaseInput, caseInput } from "../../src/cli/case-input.ts";
import { caseSettings, prepareCase } from "../../src/cli/case-run.ts";
import { defaultConfig } from "../../src/config/config.ts";
import type { ContractSource } from "../../src/model/entry.ts";
import type { Span } from "../../src/model/span.ts";
import { milliseconds, plus, type UnixNano, unixNano } from "../../src/model/time.ts";
import { encodeTraces } from "../../src/otlp/encode-trace.ts";
import { gauges, nextDue, step } from "../../src/processor/pipeline.ts";
import { type JudgedRun, report } from "../../src/processor/report.ts";
import { createState, type State } from "../../src/processor/state.ts";
import { startService } from "../../src/service/service.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { arrangements, verdictsOf } from "./arrange.ts";
import { spansOf } from "./wire.ts";

const file = "test/cases/semantics-cases.yaml";
const { cases } = readCaseFile(file, readFileSync(file, "utf8"));
/** S1-07 names an absolute time inside a result, which cannot follow its events to another day. */
const absolute: ReadonlySet<string> = new Set(["S1-07"]);
const sent = cases.filter(({ id }) => !absolute.has(id));

const base = unixNano(1_772_359_200_000_000_000n);
/** Nothing in a case is longer than a few hours: what comes, comes after all of it. */
const now = plus(base, milliseconds(12 * 3_600_000));
const encodings = ["json", "protobuf"] as const;
/** Shuffled, every event twice, in several requests: every case comes this way, and in one way more. */
const hardest = arrangements.find(({ name }) => name.includes("twice")) ?? assert.fail();

describe("the same cases through the receiver, as plain events over OTLP/HTTP:", () => {
  it("there are some", () => {
    assert.equal(sent.length, cases.length - absolute.size);
  });

  for (const [index, contractCase] of sent.entries()) {
    it(contractCase.id, async () => {
      const input = await caseInput(contractCase);
      const sources = await caseSources(contractCase);
      const ready = prepareCase(contractCase, sources, input);
      assert.ok(ready.loaded);
      const straight = verdictsOf(ready.run.last([input.arrivals.map((_, place) => place)]));
      const last = contractCase.snapshots.at(-1);
      assert.ok(last !== undefined);

      const spans = spansOf(input, base);
      for (const { name, arrange } of [hardest, arrangements[index % arrangements.length] ?? hardest]) {
        const batches = arrange(spans.length).map((entry) => entry.flatMap((place) => spans[place] ?? []));
        const runs = await throughService(contractCase, input, sources, batches, last);
        assert.deepEqual(verdictsOf({ runs }), straight, name);
        const found = differences(last.expect, { runs, outputs: [] }, ready.set, { revisions: false });
        assert.deepEqual(found, [], name);
      }
    });
  }
});

async function throughService(
  contractCase: ContractCase,
  input: CaseInput,
  contracts: readonly ContractSource[],
  batches: readonly (readonly Span[])[],
  last: Snapshot,
): Promise<readonly JudgedRun[]> {
  const state = createState();
  const free = { host: "127.0.0.1", port: 0 };
  const service = await startService({
    config: {
      ...defaultConfig,
      http: { ...defaultConfig.http, endpoint: free },
      prometheus: { ...defaultConfig.prometheus, endpoint: free },
      toolorder: { ...defaultConfig.toolorder, core: caseSettings(contractCase, input) },
    },
    contracts,
    log: createLog(new Writable({ write: (_chunk, _encoding, done) => done() })),
    // Time stands still: only the watermark and the end make the past complete.
    clock: { now: () => now, wakeAt: () => () => undefined },
    core: { step: (entry) => step(state, entry), nextDue: () => nextDue(state), gauges: () => gauges(state) },
    processMetrics: false,
  });
  try {
    for (const [index, batch] of batches.entries()) await post(service.urls.traces, batch, index);
    await service.idle();
    return reach(state, last);
  } finally {
    await service.close();
  }
}

async function post(url: string, spans: readonly Span[], index: number): Promise<void> {
  const encoding = encodings[index % encodings.length] ?? "json";
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": encoding === "json" ? "application/json" : "application/x-protobuf" },
    body: encodeTraces(encoding, spans) as Uint8Array<ArrayBuffer>,
  });
  assert.equal(response.status, 200, await response.clone().text());
  await response.arrayBuffer();
}

function reach(state: State, { watermark, closed }: Snapshot): readonly JudgedRun[] {
  if (watermark !== null) {
    const complete: UnixNano = plus(base, milliseconds(watermark));
    step(state, { type: "watermark", at: now, complete });
  }
  if (closed) step(state, { type: "input_end", at: now });
  return report(state);
}
