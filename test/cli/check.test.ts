import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type CheckOptions, check } from "../../src/cli/check.ts";
import { fakeTerminal } from "./fake-terminal.ts";

const examples = "examples/customer-access";
const contract = `${examples}/contract.yaml`;
const trace = (name: string): string => `${examples}/traces/${name}`;

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "toolorder-check-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function run(parts: Partial<CheckOptions>, color = false) {
  const fake = fakeTerminal({}, color);
  const options: CheckOptions = {
    contracts: [contract],
    config: null,
    set: [],
    format: "text",
    failOn: "high",
    approvals: null,
    today: null,
    baseline: null,
    writeBaseline: false,
    trace: false,
    traces: [trace("incident.json")],
    ...parts,
  };
  const code = await check(options, fake.terminal);
  return { code, out: fake.out, err: fake.err };
}

describe("check, as text", () => {
  it("shows the incident as a timeline", async () => {
    const { code, out, err } = await run({});
    assert.equal(code, 1);
    assert.equal(err, "");
    assert.ok(
      out.startsWith(`Case: customer-feature-access
Failure: authorization gate violated
Severity: critical (block)
Run: incident
Rule: auth-gate (examples/customer-access/contract.yaml:`),
    );
    assert.ok(
      out.includes(`Timeline:
  01. resolve_customer                  +0ms   210ms   success
  02. get_customer_plan               +1.04s   350ms   success   <-- sensitive access
  03. check_requester_authorization   +2.10s   120ms   success   <-- happened too late
  04. retrieve_entitlement_policy     +3.00s   480ms   success
  05. check_feature_entitlement       +4.30s    70ms   success
  06. final_answer                    +5.90s     0ms   success

Expected:
  check_requester_authorization (result: approved) before get_customer_plan

Why this matters:
  The agent accessed customer plan data before confirming that the requester
  was authorized to view the customer account.

1 run, 5 tool calls: 1 violation (1 critical), 2 satisfied`),
    );
  });

  it("says a run without findings in one line", async () => {
    const { code, out } = await run({ traces: [trace("good.json")] });
    assert.equal(code, 0);
    assert.equal(out, "ok: 1 run, 5 tool calls, 3 verdicts satisfied, 3 rules had nothing to judge");
  });

  it("is coloured on a terminal and plain in a pipe", async () => {
    assert.ok((await run({}, true)).out.includes("\u001b["));
    assert.ok(!(await run({}, false)).out.includes("\u001b["));
  });

  it("reads the same incident as OTLP, with the same rows", async () => {
    const rows = (text: string): readonly string[] =>
      text.split("\n").filter((line) => /^ {2}\d\d\. /.test(line));
    const plain = rows((await run({})).out);
    assert.equal(plain.length, 6);
    assert.deepEqual(rows((await run({ traces: [trace("incident.otlp.json")] })).out), plain);
  });

  it("keeps a failed attempt in the timeline", async () => {
    const { out } = await run({ traces: [trace("retry-too-late.json")] });
    assert.match(out, /02\. retrieve_entitlement_policy +error +<-- failed/);
  });

  it("marks the check that said no, and the one that came late", async () => {
    const { out } = await run({ traces: [trace("denied-then-approved.json")] });
    assert.match(out, /01\. check_requester_authorization +success +<-- denied\n/);
    assert.match(out, /03\. check_requester_authorization +success +<-- happened too late\n/);
  });

  it("draws what never happened where it was needed", async () => {
    const { out } = await run({ traces: [trace("branch-without-context.json")] });
    assert.match(
      out,
      /--\. collect_diagnostic_context +never happened +<-- missing\n {2}02\. create_support_ticket/,
    );
  });

  it("says which calls overlapped", async () => {
    const { out } = await run({ traces: [trace("parallel-too-early.json")] });
    assert.match(out, /02\. retrieve_policy_docs .*<-- still running \(overlaps 01\)/);
  });

  it("names the machine's state and what it allowed", async () => {
    const { out, code } = await run({
      contracts: [`${examples}/workflow.yaml`],
      traces: [trace("machine.json")],
    });
    assert.equal(code, 1);
    assert.match(out, /Failure: workflow rule violated: get_customer_plan in customer_resolved/);
    assert.match(out, /get_customer_plan +success +<-- not allowed in customer_resolved/);
    assert.match(out, /State:\n {2}customer_resolved allows check_requester_authorization/);
  });

  it("judges several files as one stream", async () => {
    const { out } = await run({ traces: [`${examples}/traces/g*.json`, trace("incident.json")] });
    assert.match(out, /^2 runs, 10 tool calls: 1 violation/m);
  });

  it("splits a file into its runs, and joins a run that lies in two files", async () => {
    const event = (name: string, run: string) => ({ name, run, start: 1_000, end: 2_000 });
    const first = file("part-1.json", JSON.stringify([event("a", "r1"), event("a", "r2")]));
    const second = file("part-2.json", JSON.stringify([event("b", "r2"), event("b", "r3")]));
    const { out } = await run({ traces: [first, second], format: "json" });
    const runs: readonly { readonly run: string; readonly events: readonly object[] }[] =
      JSON.parse(out).runs;
    assert.deepEqual(
      runs.map((judged) => [judged.run, judged.events.length]),
      [
        ["r1", 1],
        ["r2", 2],
        ["r3", 1],
      ],
    );
  });

  it("loses no event of a run that lies in two files", async () => {
    const first = file("first.json", '{"run": "r", "events": [{"name": "B", "start": 1000, "end": 2000}]}');
    const second = file("second.json", '[{"name": "A", "run": "r", "start": 3000, "end": 4000}]');
    const contracts = [
      file("rule.yaml", "contract: c\nrules:\n  - {id: r, kind: gate, require: A, before: B}\n"),
    ];
    for (const traces of [
      [first, second],
      [second, first],
    ]) {
      const { out } = await run({ contracts, traces });
      assert.match(out, /01\. B .*\n {2}02\. A .*<-- happened too late\n/);
      assert.match(out, /^1 run, 2 tool calls: 1 violation/m);
    }
  });

  it("says so where no contract took part", async () => {
    const { code, out } = await run({
      traces: [file("other.json", '[{"type": "tool_call", "name": "unrelated"}]')],
    });
    assert.equal(code, 0);
    assert.match(out, /nothing judged/);
  });
});

describe("check, told which day it is,", () => {
  const text =
    "contract: c\nrules:\n  - {id: r, kind: gate, require: {tool: A, status: success}, before: B, severity: low, stage: trial, since: 2026-05-01}\n";

  for (const [today, warns] of [
    ["2026-05-20", false],
    ["2026-07-01", true],
    [null, false],
  ] as const) {
    it(`${warns ? "warns" : "does not warn"} of a trial since the first of May on ${today ?? "no day"}`, async () => {
      const { err, code } = await run({ contracts: [file("trial.yaml", text)], today });
      assert.equal(code, 0);
      assert.equal(err.includes("trial"), warns, err);
    });
  }
});

describe("check, at the end of its text", () => {
  const rules = [
    "{id: blocks, kind: gate, require: A, before: B, severity: critical}",
    "{id: also, kind: gate, require: A, before: B, severity: high}",
    "{id: looks, kind: gate, require: A, before: B, severity: medium}",
    "{id: drifts, kind: gate, require: A, before: B, severity: low}",
    "{id: likes, kind: gate, require: A, before: B, severity: critical, class: preference}",
    "{id: tries, kind: gate, require: A, before: B, severity: critical, stage: trial}",
  ];
  const text = `contract: c\nrules:\n${rules.map((rule) => `  - ${rule}\n`).join("")}`;

  it("says what blocks, what needs review and what is drift", async () => {
    const { out } = await run({
      contracts: [file("tiers.yaml", text)],
      traces: [file("tiers.json", '[{"name": "B"}, {"name": "A"}]')],
    });
    assert.equal(
      out.slice(out.indexOf("\n1 run, ") + 1),
      `1 run, 2 tool calls: 6 violations (3 critical, 1 high, 1 medium, 1 low)

Blocking: 2
  critical  c/blocks  tiers
  high      c/also  tiers
Needs review: 1
  medium    c/looks  tiers
Drift: 3
  critical  c/likes  tiers  (preference)
  critical  c/tries  tiers  (on trial)
  low       c/drifts  tiers`,
    );
  });

  it("counts equal lines, and puts an undecided verdict of a critical rule up for review", async () => {
    const unknown = [
      { name: "A", start: 0, end: 100, host: "h1" },
      { name: "B", start: 130, end: 200, host: "h2" },
      { name: "B", start: 131, end: 200, host: "h2" },
    ];
    const { out } = await run({
      contracts: [file("tiers.yaml", text)],
      traces: [file("tiers.json", JSON.stringify(unknown))],
    });
    assert.match(
      out,
      /Blocking: 0\nNeeds review: 4\n {2}critical {2}c\/blocks {2}tiers {2}\(undecided\) {2}×2\n/,
    );
  });
});

describe("check, as JSON", () => {
  it("is the document that scripts rely on", async () => {
    const { out } = await run({ format: "json" });
    const document = JSON.parse(out);
    assert.equal(document.schema, "toolorder.check/1");
    assert.deepEqual(document.summary, {
      runs: 1,
      tool_calls: 5,
      violations: { critical: 1, high: 0, medium: 0, low: 0 },
      inconclusive: 0,
      stale_results: { superseded: 0, turn: 0, run: 0, version: 0, cancelled: 0 },
      exit_code: 1,
    });
    const [judged] = document.runs;
    assert.deepEqual(Object.keys(judged), [
      "run",
      "conversation",
      "closed_by",
      "events",
      "verdicts",
      "detections",
    ]);
    assert.equal(judged.closed_by, "input_end");
    assert.deepEqual(judged.events[1], {
      id: "incident:2",
      kind: "tool_call",
      conversation: null,
      name: "get_customer_plan",
      call_id: null,
      status: "success",
      start: "978343202040000000",
      end: "978343202390000000",
      dialect: "plain",
      flaws: [],
    });
    const verdict = judged.verdicts.find(
      (candidate: { readonly rule: string }) => candidate.rule === "auth-gate",
    );
    const { reason, ...instance } = verdict.instances[0];
    assert.deepEqual(
      { ...verdict, instances: [instance] },
      {
        contract: "customer-feature-access",
        rule: "auth-gate",
        severity: "critical",
        verdict: "violated",
        action: "block",
        final: true,
        instances: [
          {
            anchor: "incident:2",
            verdict: "violated",
            code: "witness_late",
            witness: null,
            near_misses: [{ event: "incident:3", code: "witness_late" }],
            evidence: "none",
            completeness: "input_end",
          },
        ],
      },
    );
    assert.equal(typeof reason, "string");
  });

  it("says of every verdict what its order rests on, and by what it is complete", async () => {
    const contract = file(
      "order.yaml",
      [
        "contract: order",
        "rules:",
        "  - {id: g, kind: gate, require: check, before: access}",
        "  - {id: n, kind: forbid_before, forbid: check, before: access}",
        "  - {id: few, kind: count, of: access, max: 2}",
        "",
      ].join("\n"),
    );
    const events = file(
      "order.json",
      JSON.stringify([
        { id: "c", name: "check", start: 1_000, end: 2_000 },
        { id: "a", name: "access", start: 3_000, end: 4_000, parents: ["c"] },
        { id: "b", name: "access", start: 5_000, end: 6_000 },
      ]),
    );
    const { out } = await run({ contracts: [contract], traces: [events], format: "json" });
    const said = Object.fromEntries(
      JSON.parse(out).runs[0].verdicts.map(
        ({ rule, instances }: { rule: string; instances: readonly Record<string, unknown>[] }) => [
          rule,
          instances.map(({ anchor, witness, evidence, completeness }) => [
            anchor,
            witness,
            evidence,
            completeness,
          ]),
        ],
      ),
    );
    assert.deepEqual(said, {
      // That a pair is there in this order needs nothing to be complete.
      g: [
        ["a", "c", "causal_parent", null],
        ["b", "c", "clock", null],
      ],
      n: [
        ["a", "c", "causal_parent", null],
        ["b", "c", "clock", null],
      ],
      few: [[null, null, "none", "input_end"]],
    });
  });

  it("counts calls that ran, and names a wider scope once", async () => {
    const wide = file(
      "wide.yaml",
      "contract: wide\nrules:\n  - {id: g, kind: gate, require: check, before: access, scope: conversation, severity: high}\n",
    );
    const events = file(
      "two.json",
      JSON.stringify([
        { name: "check", run: "r1", conversation: "c", start: 1_000, end: 2_000 },
        { name: "access", run: "r2", conversation: "c", start: 3_000, end: 4_000 },
        {
          name: "access",
          run: "r2",
          conversation: "c",
          status: "rejected_invalid",
          start: 5_000,
          end: 6_000,
        },
      ]),
    );
    const { out, code } = await run({ contracts: [wide], traces: [events], format: "json" });
    const document = JSON.parse(out);
    assert.equal(code, 0);
    assert.equal(document.summary.tool_calls, 2);
    const verdicts = document.runs.flatMap(
      (judged: { readonly verdicts: readonly object[] }) => judged.verdicts,
    );
    assert.equal(verdicts.length, 1);
    assert.equal(verdicts[0].scope, "conversation");
    assert.equal(verdicts[0].scope_key, "c");
    assert.equal(verdicts[0].verdict, "satisfied");
    assert.equal(document.runs[1].verdicts.length, 1, "it stands under the run of its first anchor");
  });
});

describe("check's exit code", () => {
  const rule = (severity: string, more = ""): string =>
    `contract: c\nrules:\n  - {id: r, kind: gate, require: A, before: B, severity: ${severity}${more}}\n`;
  const broken = '[{"name": "B"}, {"name": "A"}]';
  const unknown = JSON.stringify([
    { name: "A", start: 0, end: 100, host: "h1" },
    { name: "B", start: 130, end: 200, host: "h2" },
  ]);
  const table: readonly {
    readonly name: string;
    readonly contract: string;
    readonly events?: string;
    readonly failOn?: string;
    readonly want: number;
  }[] = [
    { name: "1 for a violation at the threshold", contract: rule("high"), want: 1 },
    { name: "0 for one below it", contract: rule("medium"), want: 0 },
    { name: "1 where the threshold is lowered", contract: rule("medium"), failOn: "low", want: 1 },
    { name: "0 where nothing may fail", contract: rule("critical"), failOn: "never", want: 0 },
    { name: "0 for a preference", contract: rule("critical", ", class: preference"), want: 0 },
    { name: "0 for a rule on trial", contract: rule("critical", ", stage: trial"), want: 0 },
    {
      name: "3 where only undecided ones are at the threshold",
      contract: rule("high"),
      events: unknown,
      want: 3,
    },
    { name: "0 for an undecided one below it", contract: rule("low"), events: unknown, want: 0 },
  ];
  for (const { name, contract: text, events, failOn, want } of table) {
    it(`is ${name}`, async () => {
      const contracts = [file("rule.yaml", text)];
      const traces = [file("events.json", events ?? broken)];
      const { code, err } = await run({ contracts, traces, failOn: failOn ?? "high" });
      assert.equal(code, want, err);
    });
  }
});

describe("check with mappings", () => {
  it("says which mapping met no span", async () => {
    const set = ['processors.toolorder.mappings=[{name: house, when: {span: "house.*"}, kind: approval}]'];
    const { err, code } = await run({ set, traces: [trace("incident.otlp.json")] });
    assert.equal(code, 1);
    assert.match(err, /warning: mapping house met no span/);
  });
});
