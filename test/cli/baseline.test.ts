import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { baselineSchema } from "../../src/cli/baseline.ts";
import { brokenRun, gateContract, keptRun, runCheck, undecidedRun, workFolder } from "./check-run.ts";

const folder = workFolder();
const baseline = folder.path("baseline.json");

async function judge(
  severity: string,
  events: string,
  {
    write = false,
    format = "json",
    failOn = "high",
  }: { write?: boolean; format?: string; failOn?: string } = {},
) {
  const { code, out, err } = await runCheck({
    contracts: [folder.write("rule.yaml", gateContract(severity))],
    traces: [folder.write("events.json", events)],
    baseline,
    writeBaseline: write,
    format,
    failOn,
  });
  return { code, out, err: folder.bare(err) };
}

const written = () => JSON.parse(folder.read("baseline.json"));
/** The same break, in a run that was recorded anew: other ids, other times. */
const brokenAnew = JSON.stringify([
  { id: "x1", run: "another", name: "B", start: 5_000, end: 6_000 },
  { id: "x2", run: "another", name: "A", start: 7_000, end: 8_000 },
]);
const brokenTwice = '[{"name": "B"}, {"name": "B"}, {"name": "A"}]';

describe("a baseline", () => {
  it("is written with what is found, sorted, and then all of it is known", async () => {
    const { code, err } = await judge("low", brokenRun, { write: true });
    assert.equal(code, 0);
    assert.equal(err, "baseline.json: 1 finding written");
    assert.deepEqual(written(), {
      schema: baselineSchema,
      findings: [
        {
          contract: "c",
          rule: "r",
          file: folder.path("events.json"),
          verdict: "violated",
          code: "witness_late",
          event: "B",
          count: 1,
        },
      ],
    });
    const again = await judge("low", brokenRun);
    assert.equal(again.code, 0);
    assert.equal(again.err, "");
    assert.deepEqual(JSON.parse(again.out).baseline, { known: 1, new: 0, gone: [] });
  });

  it("is the same bytes when it is written again", async () => {
    await judge("low", brokenTwice, { write: true });
    const first = folder.read("baseline.json");
    await judge("low", brokenTwice, { write: true });
    assert.equal(folder.read("baseline.json"), first);
  });

  it("knows a finding of a run that was recorded anew", async () => {
    await judge("low", brokenRun, { write: true });
    assert.equal((await judge("low", brokenAnew)).code, 0);
  });

  it("fails for what it does not list, whatever the severity", async () => {
    await judge("low", keptRun, { write: true });
    const { code, out } = await judge("low", brokenRun);
    assert.equal(code, 1);
    const document = JSON.parse(out);
    assert.equal(document.baseline.new, 1);
    assert.equal(document.runs[0].verdicts[0].instances[0].baseline, "new");
    assert.equal((await judge("low", brokenRun, { failOn: "never" })).code, 0);
  });

  it("fails for one more of the same", async () => {
    await judge("low", brokenRun, { write: true });
    assert.equal((await judge("low", brokenTwice)).code, 1);
  });

  it("ends with 3 where only undecided ones are new", async () => {
    await judge("low", keptRun, { write: true });
    assert.equal((await judge("low", undecidedRun)).code, 3);
  });

  it("says what is gone, and does not fail for it", async () => {
    await judge("low", brokenTwice, { write: true });
    const { code, err, out } = await judge("low", keptRun);
    assert.equal(code, 0);
    assert.equal(
      err,
      "note: known and gone: c/r at B in events.json (2 times); --write-baseline takes it out",
    );
    assert.equal(JSON.parse(out).baseline.gone[0].count, 2);
    assert.match((await judge("low", brokenRun)).err, /at B in events\.json; --write/);
  });

  it("never holds what blocks", async () => {
    const { code, err } = await judge("high", brokenRun, { write: true });
    assert.equal(code, 1);
    assert.deepEqual(written().findings, []);
    assert.match(err, /note: 1 blocking left out: what blocks needs a repair or an approval/);
    assert.equal((await judge("high", brokenRun)).code, 1);
  });

  it("is not concerned with rules on trial", async () => {
    await judge("low, stage: trial", brokenRun, { write: true });
    assert.deepEqual(written().findings, []);
    assert.equal((await judge("low, stage: trial", brokenRun)).code, 0);
  });

  it("holds preferences: they are drift", async () => {
    await judge("critical, class: preference", keptRun, { write: true });
    assert.equal((await judge("critical, class: preference", brokenRun)).code, 1);
  });

  it("shows in every format", async () => {
    await judge("low", brokenRun, { write: true });
    const of = async (format: string, events = brokenTwice) => (await judge("low", events, { format })).out;
    assert.match(
      await of("text"),
      /Known from the baseline: 1\n(?:.|\n)*c\/r {2}events {2}\(not in the baseline\)/,
    );
    assert.match(await of("junit"), /<failure type="violated: witness_late"/);
    assert.match(await of("junit", brokenRun), /<skipped message="violated, known from the baseline"/);
    assert.match(await of("github", brokenRun), /Not failing: known from the baseline/);
    const { results } = JSON.parse(await of("sarif")).runs[0];
    assert.deepEqual(
      results.map(({ baselineState }: { readonly baselineState: string }) => baselineState),
      ["unchanged", "new"],
    );
  });
});

describe("a baseline that cannot be used is refused, with exit code 2:", () => {
  const table: readonly { readonly name: string; readonly text: string; readonly says: RegExp }[] = [
    { name: "no JSON", text: "{", says: /^baseline\.json: the baseline is not JSON/ },
    {
      name: "another document",
      text: '{"schema": "x/1"}',
      says: /no baseline of toolorder\.baseline\/1 at schema/,
    },
    {
      name: "a count of nothing",
      text: JSON.stringify({
        schema: baselineSchema,
        findings: [
          { contract: "c", rule: "r", file: "f", verdict: "violated", code: null, event: null, count: 0 },
        ],
      }),
      says: /at findings\.0\.count/,
    },
  ];
  for (const { name, text, says } of table) {
    it(name, async () => {
      folder.write("baseline.json", text);
      const { code, out, err } = await judge("low", brokenRun);
      assert.equal(code, 2);
      assert.equal(out, "");
      assert.match(err, says);
      assert.match(err, /advice: Write it anew with --write-baseline/);
    });
  }

  it("one that is not there", async () => {
    const { code, err } = await runCheck({ baseline: folder.path("nowhere.json") });
    assert.equal(code, 2);
    assert.match(err, /nowhere\.json: there is no such file/);
  });

  it("one in a folder that is not there", async () => {
    const { code, err } = await runCheck({ baseline: folder.path("no/where.json"), writeBaseline: true });
    assert.equal(code, 2);
    assert.match(err, /where\.json: its folder is not there/);
  });

  it("none, where one is to be written", async () => {
    const { code, err } = await runCheck({ writeBaseline: true });
    assert.equal(code, 2);
    assert.match(err, /--write-baseline: no baseline is named/);
  });
});
