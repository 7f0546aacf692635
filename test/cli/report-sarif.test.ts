/**
 * The document against the standard: its types are those of the community's definition, checked by the
 * compiler; the rules that types cannot say are checked here, in the words of SARIF 2.1.0.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import type { Log, ReportingDescriptor, Result, Run } from "sarif";
import { type SarifInput, sarifLog, uriOf } from "../../src/cli/report-sarif.ts";
import {
  brokenRun,
  exampleContract,
  exampleLine,
  exampleTrace,
  gateContract,
  keptRun,
  runCheck,
  undecidedRun,
  workFolder,
} from "./check-run.ts";

/** Does not compile where our document is not one of the standard's. */
const typed: (input: SarifInput) => Log = sarifLog;

const folder = workFolder();

function parse(out: string): {
  readonly run: Run;
  readonly rules: readonly ReportingDescriptor[];
  readonly results: readonly Result[];
} {
  const log = JSON.parse(out) as Log;
  const [run, ...more] = log.runs;
  assert.ok(run);
  assert.equal(more.length, 0);
  holdsTheStandard(log, run);
  return { run, rules: run.tool.driver.rules ?? [], results: run.results ?? [] };
}

/** What the schema and the text of the standard ask of the parts that are used here. */
function holdsTheStandard(log: Log, run: Run): void {
  assert.equal(log.version, "2.1.0");
  assert.match(log.$schema ?? "", /^https:\/\/.*sarif-2\.1\.0\.json$/);
  assert.deepEqual(Object.keys(log).sort(), ["$schema", "runs", "version"]);
  assert.deepEqual(Object.keys(run).sort(), ["columnKind", "invocations", "results", "tool"]);
  assert.ok(["utf16CodeUnits", "unicodeCodePoints"].includes(run.columnKind ?? ""));
  assert.match(run.tool.driver.version ?? "", /^\d+\.\d+\.\d+/);
  const rules = run.tool.driver.rules ?? [];
  const ids = rules.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, "an id stands once");
  for (const rule of rules) {
    for (const message of [rule.shortDescription, rule.fullDescription, rule.help]) {
      assert.ok((message?.text ?? "").length > 0, `${rule.id} has all its texts`);
    }
    if (rule.helpUri !== undefined) assert.ok(URL.canParse(rule.helpUri));
    assert.ok(["error", "warning", "note", "none"].includes(rule.defaultConfiguration?.level ?? ""));
  }
  for (const result of run.results ?? []) {
    assert.ok((result.message.text ?? "").length > 0, "3.11.2: a message has text");
    assert.equal(rules[result.ruleIndex ?? -1]?.id, result.ruleId, "3.27.6: index and id agree");
    assert.ok(["fail", "open"].includes(result.kind ?? ""));
    if (result.kind !== "fail") assert.equal(result.level, "none", "3.27.10: only a failure has a level");
    const related = (result.relatedLocations ?? []).map(({ id }) => id);
    assert.equal(new Set(related).size, related.length, "3.28.2: ids of locations are their own");
    for (const { physicalLocation } of [...(result.locations ?? []), ...(result.relatedLocations ?? [])]) {
      if (physicalLocation === undefined) continue;
      const uri = physicalLocation.artifactLocation?.uri ?? "";
      assert.ok(URL.canParse(uri, "file:///repository/"), `a URI reference: ${uri}`);
      assert.doesNotMatch(uri, /[\s\\"<>|^`{}]/);
      const { startLine = 1, startColumn = 1 } = physicalLocation.region ?? {};
      assert.ok(startLine >= 1 && startColumn >= 1);
    }
    for (const suppression of result.suppressions ?? []) {
      assert.ok(["inSource", "external"].includes(suppression.kind));
      assert.ok(["accepted", "underReview", "rejected"].includes(suppression.status ?? ""));
    }
    const { baselineState } = result;
    if (baselineState !== undefined) {
      assert.ok(["new", "unchanged", "updated", "absent"].includes(baselineState));
    }
  }
}

async function judge(contract: string, events: string, name = "events.json") {
  const { out, code } = await runCheck({
    contracts: [folder.write("rule.yaml", contract)],
    traces: [folder.write(name, events)],
    format: "sarif",
  });
  return { code, ...parse(out) };
}

describe("check, as SARIF", () => {
  it("is typed as the standard", () => assert.equal(typed, sarifLog));

  it("places a result at the rule in its contract, beside its trace", async () => {
    const { out, code } = await runCheck({ format: "sarif" });
    assert.equal(code, 1);
    const { run, results } = parse(out);
    assert.deepEqual(run.invocations, [{ executionSuccessful: true, exitCode: 1 }]);
    const [result, ...more] = results;
    assert.equal(more.length, 0);
    assert.equal(result?.ruleId, "customer-feature-access/auth-gate");
    assert.equal(result?.level, "error");
    const place = result?.locations?.[0]?.physicalLocation;
    assert.equal(place?.artifactLocation?.uri, exampleContract);
    assert.deepEqual(place?.region, { startLine: exampleLine("auth-gate"), startColumn: 5 });
    const trace = result?.relatedLocations?.[0]?.physicalLocation?.artifactLocation?.uri ?? "";
    assert.ok(existsSync(trace), trace);
    assert.match(result?.message.text ?? "", /^authorization gate violated \(run incident\)\n\n01\. /);
  });

  it("describes every loaded rule, broken or not, with its why and its runbook", async () => {
    const { out } = await runCheck({ format: "sarif" });
    const { rules } = parse(out);
    assert.equal(rules.length, 6);
    const gate = rules.find(({ id }) => id.endsWith("/auth-gate"));
    assert.match(gate?.help?.text ?? "", /^The agent accessed customer plan data before/);
    assert.match(gate?.help?.text ?? "", /\nExpected: check_requester_authorization .*\nRunbook: https:/);
    assert.equal(gate?.helpUri, "https://runbooks.example/feature-access");
    const gateWithoutWhy = rules.find(({ id }) => id.endsWith("/plan-first"));
    assert.match(gateWithoutWhy?.help?.text ?? "", /check_feature_entitlement needs what get_customer_plan/);
  });

  it("has a fingerprint that is the same for the same trace, and another for another run", async () => {
    const print = async (...names: readonly string[]) => {
      const { out } = await runCheck({ format: "sarif", traces: names.map(exampleTrace) });
      return parse(out).results.map(
        ({ partialFingerprints }) => partialFingerprints?.["toolorderVerdict/v1"],
      );
    };
    const [alone] = await print("incident.json");
    assert.match(alone ?? "", /^[0-9a-f]{32}$/);
    const both = await print("denied-then-approved.json", "incident.json");
    assert.ok(both.includes(alone));
    assert.equal(new Set(both).size, 2);
  });

  const kinds = [
    { severity: "critical", events: brokenRun, kind: "fail", level: "error" },
    { severity: "medium", events: brokenRun, kind: "fail", level: "warning" },
    { severity: "low", events: brokenRun, kind: "fail", level: "note" },
    { severity: "critical, stage: trial", events: brokenRun, kind: "fail", level: "note" },
    { severity: "critical", events: undecidedRun, kind: "open", level: "none" },
    { severity: "critical", events: keptRun, kind: undefined, level: undefined },
  ];
  for (const { severity, events, kind, level } of kinds) {
    it(`says ${kind ?? "nothing"} ${level ?? ""} of a rule that is ${severity}, in ${events.slice(2, 22)}`, async () => {
      const { results } = await judge(gateContract(severity), events);
      assert.equal(results[0]?.kind, kind);
      assert.equal(results[0]?.level, level);
    });
  }

  it("shows names from traffic as they are: no placeholder, no link, no control", async () => {
    const name = "{0} a}b{{ [here](https://elsewhere.example) \u0007";
    const events = [
      { name: "B", run: name },
      { name: "A", run: name },
    ];
    const { results } = await judge(gateContract("high"), JSON.stringify(events));
    const { text = "" } = results[0]?.message ?? {};
    assert.doesNotMatch(text, /\]\(/);
    // As a reader does it: what is doubled is one character, and what is single a placeholder.
    const shown = text.replace(/\{\{|\}\}|[{}]/g, (found) =>
      found.length === 2 ? found.charAt(0) : "PLACEHOLDER",
    );
    assert.ok(shown.includes("(run {0} a}b{{ [here] (https://elsewhere.example) \ufffd)"), shown);
  });

  it("escapes file names, and leaves standard input without a place", async () => {
    const { results } = await judge(gateContract("high"), brokenRun, "run #1 ä%.json");
    const uri = results[0]?.relatedLocations?.[0]?.physicalLocation?.artifactLocation?.uri ?? "";
    assert.match(uri, /^file:\/\/\/.*\/run%20%231%20%C3%A4%25\.json$/);
  });

  it("stands beside every file that its run was read from", async () => {
    const first = folder.write("half-1.json", '[{"name": "B", "run": "r", "start": 1000, "end": 2000}]');
    const second = folder.write("half-2.json", '[{"name": "A", "run": "r", "start": 3000, "end": 4000}]');
    const { out } = await runCheck({
      contracts: [folder.write("rule.yaml", gateContract("high"))],
      traces: [first, second],
      format: "sarif",
    });
    const related = parse(out).results[0]?.relatedLocations ?? [];
    assert.deepEqual(
      related.map(({ id, physicalLocation }) => [id, physicalLocation?.artifactLocation?.uri]),
      [first, second].map((file, at) => [at + 1, uriOf(file)]),
    );
  });
});

describe("the URI of a file", () => {
  for (const [file, uri] of [
    ["traces/a.json", "traces/a.json"],
    ["./traces/a b#1?.json", "traces/a%20b%231%3F.json"],
    [resolve("traces/ä%.json"), "traces/%C3%A4%25.json"],
  ] as const) {
    it(`is ${uri}`, () => assert.equal(uriOf(file), uri));
  }
});
