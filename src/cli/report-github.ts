/**
 * `check --format github`: annotations for a workflow of GitHub Actions, at the contract's line. What blocks is
 * an error, what needs review a warning, the rest a notice. GitHub shows ten of each a step, so that the worst
 * come first, and of one rule in one run only a few.
 *
 * Every line that begins with `::` is a command to the runner, and names come from traffic: whatever is written
 * is escaped as the runner's own toolkit does, and no other line begins with text from outside.
 */
import { findingLine, findingTimeline, scopeName } from "./finding-timeline.ts";
import type { Finding, Tier } from "./findings.ts";
import { conclusion, leftOut, type ReportInput } from "./report-text.ts";
import { plain } from "./style.ts";
import { isAnswered, whyMild } from "./summary.ts";
import { printable, rowLines } from "./timeline-text.ts";

const commands: Readonly<Record<Tier, string>> = { blocking: "error", review: "warning", drift: "notice" };

export function githubReport(input: ReportInput): string {
  const shown = leftOut(input.findings);
  const annotations = input.findings.flatMap((finding) => {
    const more = shown.get(finding);
    return more === undefined ? [] : [annotation(finding, more, input)];
  });
  return [...annotations, conclusion(input)].join("\n");
}

function annotation(finding: Finding, more: number, input: ReportInput): string {
  const { run, judged, tier } = finding;
  const { rule } = judged;
  const timeline = findingTimeline(finding, input);
  const answered = isAnswered(finding);
  const properties: Readonly<Record<string, string | number>> = {
    file: rule.file,
    line: rule.range.line,
    col: rule.range.column,
    title: printable(`${rule.severity}: ${rule.id}`),
  };
  const message = [
    findingLine(timeline),
    `Run: ${scopeName(run, judged)}`,
    ...rowLines(timeline.rows, plain),
    `Expected: ${printable(timeline.expected)}`,
    printable(timeline.why),
    ...(more > 0 ? [`and ${more} more in this run`] : []),
    ...(answered ? [printable(`Not failing: ${whyMild(finding, input.summary)}`)] : []),
  ].join("\n");
  const written = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::${answered ? "notice" : commands[tier]} ${written.join(",")}::${escapeData(message)}`;
}

/** Source: `escapeData` of the runner's toolkit. */
export function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Source: `escapeProperty` of the runner's toolkit. */
export function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
