import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { isDay, plainPath } from "../../src/cli/approvals.ts";
import fc from "../support/properties.ts";
import {
  brokenRun,
  exampleTrace,
  gateContract,
  keptRun,
  runCheck,
  undecidedRun,
  workFolder,
} from "./check-run.ts";

const folder = workFolder();

/** The parts of an approval of the rule `r` of the contract `c`; null takes one out. */
function approval(parts: Readonly<Record<string, string | null>> = {}): string {
  const entry: Readonly<Record<string, string | null>> = {
    contract: "c",
    rule: "r",
    file: "'**'",
    by: "ana@example.com",
    reason: "Our own demo account",
    until: "2026-12-31",
    ...parts,
  };
  const lines = Object.entries(entry).flatMap(([key, value]) => (value === null ? [] : [`${key}: ${value}`]));
  return `  - ${lines.join("\n    ")}\n`;
}

interface Parts {
  readonly contract?: string;
  readonly events?: string;
  readonly approvals: string;
  readonly today?: string | null;
  readonly format?: string;
}

async function judge({ contract, events, approvals, today = "2026-11-30", format = "json" }: Parts) {
  const { code, out, err } = await runCheck({
    contracts: [folder.write("rule.yaml", contract ?? gateContract("high"))],
    traces: [folder.write("events.json", events ?? brokenRun)],
    approvals: folder.write("approvals.yaml", approvals),
    today,
    format,
  });
  return { code, out, err: folder.bare(err) };
}

const list = (...entries: readonly string[]): string => `approvals:\n${entries.join("")}`;

describe("approvals", () => {
  it("keep a finding from failing, and are named with it", async () => {
    const { code, out, err } = await judge({ approvals: list(approval()) });
    assert.equal(err, "");
    assert.equal(code, 0);
    const document = JSON.parse(out);
    assert.equal(document.summary.exit_code, 0);
    assert.equal(document.summary.violations.high, 1, "it stays a violation");
    assert.equal(document.approved, 1);
    assert.deepEqual(document.tiers, { blocking: 0, needs_review: 0, drift: 0 });
    assert.deepEqual(document.runs[0].verdicts[0].instances[0].approved, {
      by: "ana@example.com",
      until: "2026-12-31",
    });
  });

  it("are listed at the end of the text, with their reason", async () => {
    const { out } = await judge({ approvals: list(approval()), format: "text" });
    assert.match(
      out,
      /\n\nApproved: 1\n {2}c\/r {2}events {2}by ana@example\.com until 2026-12-31: Our own demo account\nBlocking: 0\n/,
    );
  });

  it("leave a finding in every other format too, marked as answered", async () => {
    const of = async (format: string) => (await judge({ approvals: list(approval()), format })).out;
    assert.match(await of("junit"), /<skipped message="violated, approved by ana@example\.com until/);
    assert.match(await of("github"), /^::notice .*Not failing: approved by ana@example\.com until/);
    const [result] = JSON.parse(await of("sarif")).runs[0].results;
    assert.equal(result.suppressions[0].status, "accepted");
    assert.match(result.suppressions[0].justification, /^approved by ana@example\.com .*demo account$/);
  });

  it("stand for undecided findings as well", async () => {
    const { code } = await judge({ events: undecidedRun, approvals: list(approval()) });
    assert.equal(code, 0);
  });

  it("hold on their last day", async () => {
    const { code } = await judge({ approvals: list(approval()), today: "2026-12-31" });
    assert.equal(code, 0);
  });

  it("stand for a critical rule where they say so", async () => {
    const { code } = await judge({
      contract: gateContract("critical"),
      approvals: list(approval({ critical: "true" })),
    });
    assert.equal(code, 0);
  });

  const places: readonly {
    readonly name: string;
    readonly parts: Readonly<Record<string, string | null>>;
    readonly meets: boolean;
  }[] = [
    { name: "its own run", parts: { run: "events", file: null }, meets: true },
    { name: "runs by a glob", parts: { run: "ev*", file: null }, meets: true },
    { name: "another run", parts: { run: "incident", file: null }, meets: false },
    { name: "files by a glob", parts: { file: "'**/events.json'" }, meets: true },
    { name: "files of another name", parts: { file: "'**/other.json'" }, meets: false },
    { name: "a glob that stops at folders", parts: { file: "'*.json'" }, meets: false },
    { name: "its run in another file", parts: { run: "events", file: "'**/other.json'" }, meets: false },
  ];
  for (const { name, parts, meets } of places) {
    it(`${meets ? "meet" : "do not meet"} ${name}`, async () => {
      const { code, err } = await judge({ approvals: list(approval(parts)) });
      assert.equal(code, meets ? 0 : 2, err);
    });
  }

  it("approve only what they name, of several runs", async () => {
    const { code, err } = await runCheck({
      approvals: folder.write(
        "approvals.yaml",
        list(
          approval({
            contract: "customer-feature-access",
            rule: "auth-gate",
            file: "./examples/customer-access/traces/incident.json",
            critical: "true",
          }),
        ),
      ),
      today: "2026-11-30",
      traces: [exampleTrace("incident.json"), exampleTrace("denied-then-approved.json")],
    });
    assert.equal(err, "");
    assert.equal(code, 1);
  });
});

describe("approvals that are errors", () => {
  const table: readonly (Parts & {
    readonly name: string;
    readonly says: string;
    readonly judged: boolean;
  })[] = [
    {
      name: "one that ran out",
      approvals: list(approval({ until: "2026-11-29" })),
      judged: true,
      says: `approvals.yaml:7:12: this approval of r by ana@example.com ran out [approval-expired]
  7 |     until: 2026-11-29
    |            ^^^^^^^^^^
  advice: Repair what it approved; or let somebody approve it again, with a new day.`,
    },
    {
      name: "one that approves nothing",
      events: keptRun,
      approvals: list(approval()),
      judged: true,
      says: `approvals.yaml:2:5: nothing is left that this approval of r approves [approval-unused]
  2 |   - contract: c
    |     ^^^^^^^^^^^
  advice: Remove it, or correct its run or file.`,
    },
    {
      name: "one of a critical rule that does not say so",
      contract: gateContract("critical"),
      approvals: list(approval()),
      judged: true,
      says: `approvals.yaml:3:11: the rule r is critical, and this approval does not say so [approval-not-critical]
  3 |     rule: r
    |           ^
  advice: Add critical: true if a breach of a critical rule is really to be approved.`,
    },
    {
      name: "one of a rule that is not there",
      approvals: list(approval({ rule: "rr" })),
      judged: true,
      says: `approvals.yaml:3:11: the contract c has no rule "rr" [unknown-rule]
  3 |     rule: rr
    |           ^^
  advice: Did you mean "r"? Name a rule by its id, or remove the approval.`,
    },
    {
      name: "one of a contract that is not there",
      approvals: list(approval({ contract: "orders" })),
      judged: true,
      says: `approvals.yaml:2:15: no contract named "orders" is loaded [unknown-contract]
  2 |   - contract: orders
    |               ^^^^^^
  advice: Name a contract of this check, or remove the approval.`,
    },
    {
      name: "one without an end",
      approvals: list(approval({ until: null })),
      judged: false,
      says: `approvals.yaml:2:5: an approval needs the key "until" [missing-key]
  2 |   - contract: c
    |     ^^^^^^^^^^^
  advice: Write its last day, such as until: 2026-12-31.`,
    },
    {
      name: "one that ends on no day",
      approvals: list(approval({ until: "2026-02-30" })),
      judged: false,
      says: `approvals.yaml:7:12: "2026-02-30" is not a day [bad-date]
  7 |     until: 2026-02-30
    |            ^^^^^^^^^^
  advice: Write year, month and day, such as 2026-12-31.`,
    },
    {
      name: "one for no run in particular",
      approvals: list(approval({ file: null })),
      judged: false,
      says: `approvals.yaml:2:5: an approval needs the key run or file [missing-key]
  2 |   - contract: c
    |     ^^^^^^^^^^^
  advice: Say which runs it is for: run: or file:, with a glob if need be; file: "**" stands for all.`,
    },
    {
      name: "a key that is none",
      approvals: list(approval({ untill: "2026-12-31" })),
      judged: false,
      says: `approvals.yaml:8:5: an approval has no key "untill" [unknown-key]
  8 |     untill: 2026-12-31
    |     ^^^^^^
  advice: Did you mean "until"? It takes: contract, rule, run, file, by, reason, until, critical.`,
    },
    {
      name: "too many wildcards",
      approvals: list(approval({ run: "'*a*a*a*a*a*a*a*a*a'" })),
      judged: false,
      says: `approvals.yaml:8:10: "run" has more than 8 wildcards [bad-pattern]
  8 |     run: '*a*a*a*a*a*a*a*a*a'
    |          ^^^^^^^^^^^^^^^^^^^^
  advice: Write a shorter pattern, or several approvals.`,
    },
    {
      name: "an empty file",
      approvals: "# later\n",
      judged: false,
      says: `approvals.yaml:1:1: the file holds no approvals [empty-file]
  1 | # later
    | ^
  advice: Write approvals: and a list below it, or leave out --approvals.`,
    },
  ];
  for (const { name, says, judged, ...parts } of table) {
    it(`are ${name}`, async () => {
      const { code, out, err } = await judge(parts);
      assert.equal(err, says);
      assert.equal(code, 2);
      assert.equal(out !== "", judged, "what can be judged is shown all the same");
      if (judged) assert.equal(JSON.parse(out).summary.exit_code, 2);
    });
  }

  it("are all shown at once", async () => {
    const { err } = await judge({
      approvals: list(
        approval({ until: null, by: null }),
        approval({ rule: null }),
        approval({ critical: "1" }),
      ),
    });
    assert.equal(err.match(/advice:/g)?.length, 4);
  });
});

describe("the day of a check", () => {
  it("is needed where there are approvals: no clock is asked", async () => {
    const { code, err } = await judge({ approvals: list(approval()), today: null });
    assert.equal(code, 2);
    assert.match(err, /--approvals: .*no day is given\n {2}advice: Add --today "\$\(date \+%F\)"/);
  });

  it("is refused where it is none", async () => {
    const { code, err } = await judge({ approvals: list(approval()), today: "30.11.2026" });
    assert.equal(code, 2);
    assert.match(err, /--today: "30\.11\.2026" is not a day/);
  });

  it("is a day of the calendar, and days compare as their texts do", () => {
    for (const text of ["2026-12-31", "2028-02-29", "0001-01-01"]) assert.ok(isDay(text), text);
    for (const text of [
      "",
      "2026-2-3",
      "2026-02-29",
      "2026-13-01",
      "2026-00-10",
      "26-01-01",
      "2026-01-01T00:00",
    ])
      assert.ok(!isDay(text), text);
    const day = fc
      .date({ min: new Date("1000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
      .map((at) => at.toISOString().slice(0, 10));
    fc.assert(
      fc.property(day, day, (a, b) => {
        assert.ok(isDay(a));
        assert.equal(a < b, Date.parse(a) < Date.parse(b));
      }),
    );
  });
});

describe("the name of a trace file", () => {
  for (const [given, plain] of [
    ["traces/a.json", "traces/a.json"],
    ["./traces/a.json", "traces/a.json"],
    [resolve("traces/a.json"), "traces/a.json"],
    ["traces\\a.json", "traces/a.json"],
    ["../a.json", "../a.json"],
    ["-", "-"],
  ] as const) {
    it(`is ${plain} for ${given.replace(process.cwd(), "<here>")}`, () =>
      assert.equal(plainPath(given), plain));
  }

  it("stays absolute outside the working directory", () => {
    const outside = resolve("../a.json");
    assert.equal(plainPath(outside), outside.replaceAll("\\", "/"));
  });
});
