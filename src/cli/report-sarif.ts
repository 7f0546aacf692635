/**
 * `check --format sarif`: SARIF 2.1.0, for code scanning and for viewers in editors.
 *
 * A result stands at the rule that was broken, in its contract's file: that is what a reader of the repository
 * can act on. The trace is a related location. The fingerprint is the id under which a service publishes the
 * same verdict, so that one finding of one recorded trace is one alert, however often it is checked.
 *
 * Violations are of kind `fail`. Undecided verdicts are of kind `open`, SARIF's word for "not enough
 * information to decide", and by the standard carry no level. Approved and known findings are suppressed.
 */
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { Severity } from "../model/verdict.ts";
import type { Contract, Rule } from "../rules/rule.ts";
import { version } from "../service/version.ts";
import { whyOf } from "../timeline/words.ts";
import { plainPath } from "./approvals.ts";
import { findingLine, findingTimeline, scopeName } from "./finding-timeline.ts";
import { type Finding, standIn } from "./findings.ts";
import { leftOut, type ReportInput } from "./report-text.ts";
import { plain } from "./style.ts";
import { whyMild } from "./summary.ts";
import { timelineRule } from "./timeline-rule.ts";
import { printable, rowLines } from "./timeline-text.ts";

const schemaUri = "https://json.schemastore.org/sarif-2.1.0.json";

type Level = "error" | "warning" | "note" | "none";

const levels: Readonly<Record<Severity, Level>> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "note",
};

export interface SarifInput extends ReportInput {
  /** Every contract that was loaded: their rules are listed, broken or not. */
  readonly contracts: readonly Contract[];
}

export function sarifReport(input: SarifInput): string {
  return `${JSON.stringify(sarifLog(input), null, 2)}\n`;
}

export function sarifLog(input: SarifInput) {
  const rules = input.contracts.flatMap((contract) => contract.rules.map((rule) => ({ contract, rule })));
  const place = new Map(rules.map(({ rule }, index) => [ruleId(rule), index]));
  const shown = leftOut(input.findings);
  return {
    $schema: schemaUri,
    version: "2.1.0" as const,
    runs: [
      {
        tool: {
          driver: {
            name: "toolorder",
            version,
            rules: rules.map(({ contract, rule }) => ruleDescriptor(contract, rule)),
          },
        },
        // Columns of contract files count as JavaScript counts.
        columnKind: "utf16CodeUnits" as const,
        invocations: [{ executionSuccessful: true, exitCode: input.summary.exitCode }],
        results: input.findings.map((finding) => result(finding, shown.has(finding), place, input)),
      },
    ],
  };
}

/** Contracts may name their rules alike. */
const ruleId = (rule: Rule): string => `${rule.contract}/${rule.id}`;

function ruleDescriptor(contract: Contract, rule: Rule) {
  const why = whyText(contract, rule);
  const expected = printable(rule.expected);
  const runbook = contract.runbook === null ? null : printable(contract.runbook);
  const help = [why, `Expected: ${expected}`, ...(runbook === null ? [] : [`Runbook: ${runbook}`])];
  return {
    id: ruleId(rule),
    name: printable(rule.id),
    shortDescription: message(expected),
    fullDescription: message(why),
    help: message(help.join("\n")),
    ...(runbook !== null && isUrl(runbook) ? { helpUri: runbook } : {}),
    defaultConfiguration: { level: levelOf(rule) },
    properties: {
      tags: [rule.category],
      severity: rule.severity,
      kind: rule.kind,
      class: rule.class,
      stage: rule.stage,
    },
  };
}

function levelOf(rule: Rule): Level {
  return rule.class === "preference" || rule.stage === "trial" ? "note" : levels[rule.severity];
}

/** The rule's own words, else what such a rule protects. */
function whyText(contract: Contract, rule: Rule): string {
  const nothing = standIn({ verdict: "vacuous", final: true, code: null });
  return printable(whyOf(timelineRule(contract, rule, "none", nothing, [])));
}

/** @param whole with its timeline. */
function result(finding: Finding, whole: boolean, place: ReadonlyMap<string, number>, input: SarifInput) {
  const { run, judged, verdict, id, files, instance } = finding;
  const { rule } = judged;
  const scope = scopeName(run, judged);
  const undecided = verdict === "inconclusive";
  const index = place.get(ruleId(rule));
  const suppressions = suppressionsOf(finding, input);
  const baselineState = baselineStateOf(finding);
  return {
    ruleId: ruleId(rule),
    ...(index === undefined ? {} : { ruleIndex: index }),
    kind: undecided ? ("open" as const) : ("fail" as const),
    level: undecided ? ("none" as const) : levelOf(rule),
    message: message(whole ? wholeText(finding, input) : `${printable(instance.reason)} (run ${scope})`),
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(rule.file) },
          region: { startLine: rule.range.line, startColumn: rule.range.column },
        },
        logicalLocations: [{ name: rule.id, fullyQualifiedName: ruleId(rule), kind: "object" }],
      },
    ],
    // Standard input has no place that a viewer could open.
    relatedLocations: files
      .filter((file) => file !== "-")
      .map((file, at) => ({
        id: at + 1,
        message: message(`run ${scope}`),
        physicalLocation: { artifactLocation: { uri: uriOf(file) } },
      })),
    partialFingerprints: { "toolorderVerdict/v1": id },
    ...(suppressions.length === 0 ? {} : { suppressions }),
    ...(baselineState === null ? {} : { baselineState }),
    properties: { severity: rule.severity, tier: finding.tier, code: instance.code, run: run.run },
  };
}

/**
 * With its timeline. A loop that breaks a rule a thousand times makes a thousand results, of which only the
 * first few say something new: a timeline each would cost more than all the rest.
 */
function wholeText(finding: Finding, input: SarifInput): string {
  const timeline = findingTimeline(finding, input);
  const head = `${findingLine(timeline)} (run ${scopeName(finding.run, finding.judged)})`;
  return [head, "", ...rowLines(timeline.rows, plain)].join("\n");
}

function suppressionsOf(finding: Finding, { summary }: SarifInput) {
  const { standing } = finding;
  if (standing.is !== "approved" && standing.is !== "known") return [];
  return [
    {
      kind: "external" as const,
      status: "accepted" as const,
      justification: printable(whyMild(finding, summary)),
    },
  ];
}

function baselineStateOf({ standing }: Finding): "new" | "unchanged" | null {
  if (standing.is === "new") return "new";
  return standing.is === "known" ? "unchanged" : null;
}

/**
 * A message string that shows this text. Braces are doubled, since single ones are placeholders (SARIF 3.11.5),
 * and nothing from traffic becomes a link (3.11.6).
 */
function message(text: string) {
  return { text: text.replace(/[{}]/g, "$&$&").replaceAll("](", "] (") };
}

/** Relative as given, so that a viewer finds it in the repository; each part escaped for a URI. */
export function uriOf(file: string): string {
  const path = plainPath(file);
  if (isAbsolute(path)) return pathToFileURL(path).href;
  return path.split("/").map(encodeURIComponent).join("/");
}

function isUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text);
}
