/**
 * `check --format junit`: one suite a contract, one case a rule and run (or wider scope).
 *
 * A violation that fails the check is a `failure`, an undecided verdict that does is an `error`: it was not
 * decided, which is another thing than broken. What does not fail the check and is no pass either (below the
 * threshold, on trial, approved, known, vacuous) is `skipped` and says why, so that no reader takes it for one.
 *
 * No times: the traces are recorded, and how long judging took says nothing about them.
 */
import type { JudgedRule, JudgedRun } from "../processor/report.ts";
import type { Contract } from "../rules/rule.ts";
import { findingLine, findingTimeline, scopeName } from "./finding-timeline.ts";
import type { Finding } from "./findings.ts";
import { findingText, type ReportInput, shownPerRule } from "./report-text.ts";
import { fails, whyMild } from "./summary.ts";
import { printable } from "./timeline-text.ts";
import { xmlDocument, xmlElement } from "./xml-text.ts";

interface Case {
  readonly result: "passed" | "failure" | "error" | "skipped";
  readonly xml: string;
}

export function junitReport(input: ReportInput): string {
  const findings = Map.groupBy(input.findings, ({ judged }) => judged);
  const suites = contractsOf(input.runs).map((contract) => suiteOf(contract, findings, input));
  const all = suites.flatMap(({ cases }) => cases);
  return xmlDocument(
    xmlElement(
      "testsuites",
      { name: "toolorder check", ...countsOf(all) },
      suites.map(({ xml }) => xml),
    ),
  );
}

function contractsOf(runs: readonly JudgedRun[]): readonly Contract[] {
  return [...new Set(runs.flatMap((run) => run.verdicts).map(({ contract }) => contract))];
}

function suiteOf(
  contract: Contract,
  findings: ReadonlyMap<JudgedRule, readonly Finding[]>,
  input: ReportInput,
): { readonly cases: readonly Case[]; readonly xml: string } {
  const names = new Map<string, number>();
  const cases = input.runs.flatMap((run) =>
    run.verdicts
      .filter((judged) => judged.contract === contract)
      .map((judged) => {
        const name = freeName(names, `${judged.rule.id} [${scopeName(run, judged)}]`);
        return caseOf(name, judged, findings.get(judged) ?? [], input);
      }),
  );
  const attributes = { name: contract.name, ...countsOf(cases), file: contract.file };
  return {
    cases,
    xml: xmlElement(
      "testsuite",
      attributes,
      cases.map(({ xml }) => xml),
    ),
  };
}

function countsOf(cases: readonly Case[]) {
  const count = (result: Case["result"]): number => cases.filter((one) => one.result === result).length;
  return {
    tests: cases.length,
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
  };
}

/** A rule over all runs is judged key by key; readers take cases of one name for one case. */
function freeName(taken: Map<string, number>, name: string): string {
  const count = (taken.get(name) ?? 0) + 1;
  taken.set(name, count);
  return count === 1 ? name : `${name} #${count}`;
}

function caseOf(name: string, judged: JudgedRule, findings: readonly Finding[], input: ReportInput): Case {
  const { contract, rule, result } = judged;
  const outcome = outcomeOf(judged, findings, input);
  const attributes = {
    name,
    classname: contract.name,
    file: rule.file,
    line: rule.range.line,
  };
  const about = `${rule.severity} ${rule.kind}: ${rule.expected}\nverdict: ${result.verdict}`;
  const body = [
    ...(outcome.xml === null ? [] : [outcome.xml]),
    xmlElement("system-out", {}, printableLines(about)),
  ];
  return { result: outcome.result, xml: xmlElement("testcase", attributes, body) };
}

function outcomeOf(
  { result }: JudgedRule,
  findings: readonly Finding[],
  input: ReportInput,
): { readonly result: Case["result"]; readonly xml: string | null } {
  const { failOn } = input.summary;
  const failing = findings.filter((finding) => fails(finding, failOn));
  const violated = failing.filter(({ verdict }) => verdict === "violated");
  const [worst] = violated.length > 0 ? violated : failing;
  if (worst !== undefined) {
    const kind = violated.length > 0 ? "failure" : "error";
    const shown = violated.length > 0 ? violated : failing;
    const attributes = {
      type: `${worst.verdict}${worst.instance.code === null ? "" : `: ${worst.instance.code}`}`,
      message: messageOf(worst, shown.length, input),
    };
    const texts = shown.slice(0, shownPerRule).map((finding) => findingText(finding, input));
    return { result: kind, xml: xmlElement(kind, attributes, texts.join("\n")) };
  }
  const [mild] = findings;
  if (mild !== undefined) return skipped(`${mild.verdict}, ${whyMild(mild, input.summary)}`);
  if (result.verdict === "satisfied") return { result: "passed", xml: null };
  return skipped(
    `${result.verdict}: ${result.verdict === "vacuous" ? "the rule had nothing to judge" : "the scope has not ended"}`,
  );
}

const skipped = (message: string) => ({
  result: "skipped" as const,
  xml: xmlElement("skipped", { message: printable(message) }),
});

function messageOf(finding: Finding, of: number, input: ReportInput): string {
  return `${findingLine(findingTimeline(finding, input))}${of > 1 ? ` (and ${of - 1} more)` : ""}`;
}

const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");
