/**
 * `--approvals FILE`: findings that somebody has answered for, each with a name, a reason and an end.
 *
 *   approvals:
 *     - contract: customer-feature-access
 *       rule: auth-gate
 *       file: traces/demo-*.json        # or run: incident; globs
 *       by: ana@example.com
 *       reason: The demo account is our own.
 *       until: 2026-12-31               # its last day
 *       critical: true                  # needed where the rule is critical
 *
 * An approval that has run out, or that approves nothing any more, is an error: a list of exceptions that is
 * never cleaned hides the next finding. The day comes from the caller: `check` asks no clock.
 */
import { isAbsolute, relative } from "node:path";
import picomatch from "picomatch";
import type { LoadProblem, Range } from "../model/load-error.ts";
import { type MapReader, readMap } from "../rules/map-reader.ts";
import { dayNumber } from "../rules/reviewed.ts";
import type { Contract } from "../rules/rule.ts";
import { ProblemList } from "../rules/rule-error.ts";
import { compileGlob } from "../rules/value-test.ts";
import { didYouMean } from "../source/suggest.ts";
import { parseYaml, type SourceNode } from "../source/yaml-source.ts";
import type { Finding } from "./findings.ts";

export interface Approval {
  readonly contract: string;
  readonly rule: string;
  /** Glob over run ids; null: any run. */
  readonly run: string | null;
  /** Glob over the names of trace files as the command was given them; null: any file. */
  readonly file: string | null;
  readonly by: string;
  readonly reason: string;
  /** Its last day, `YYYY-MM-DD`. */
  readonly until: string;
  readonly critical: boolean;
  /** Where its parts stand, for errors. */
  readonly ranges: {
    readonly entry: Range;
    readonly contract: Range;
    readonly rule: Range;
    readonly until: Range;
  };
}

export interface ReadApprovals {
  readonly approvals: readonly Approval[];
  readonly problems: readonly LoadProblem[];
}

export interface AppliedApprovals {
  readonly findings: readonly Finding[];
  /** Approvals that are of no use, each an error at its place. */
  readonly problems: readonly LoadProblem[];
}

/** More make a glob slow, and no path needs them. */
const mostStars = 8;

export function readApprovals(file: string, text: string): ReadApprovals {
  const problems = new ProblemList(file);
  const { root, problems: unreadable } = parseYaml(text);
  for (const { range, code, message, advice } of unreadable) {
    problems.unreadableAt(range, code, message, advice);
  }
  const approvals = root === null ? [] : readFile(root, problems);
  if (root === null && !problems.hasErrors) {
    problems.error(
      { line: 1, column: 1, length: 1 },
      "empty-file",
      "the file holds no approvals",
      "Write approvals: and a list below it, or leave out --approvals.",
    );
  }
  return { approvals, problems: problems.all };
}

function readFile(root: SourceNode, problems: ProblemList): readonly Approval[] {
  const reader = readMap(root, "a file of approvals", problems);
  if (reader === null) return [];
  reader.require("approvals", "Write approvals: and a list below it.");
  const entries = reader.list("approvals") ?? [];
  reader.done();
  return entries.flatMap((node) => {
    const entry = readMap(node, "an approval", problems);
    return entry === null ? [] : readApproval(entry);
  });
}

function readApproval(reader: MapReader): readonly Approval[] {
  const needed = (key: string, advice: string): string | null =>
    reader.require(key, advice) === null ? null : reader.label(key);
  const contract = needed("contract", "Name the contract, as it stands after contract: in its file.");
  const rule = needed("rule", "Name the rule by its id.");
  const run = pattern(reader, "run");
  const file = pattern(reader, "file");
  const by = needed("by", "Say who answers for it, by name or address.");
  const reason = reader.require("reason", "Say why it may stand.") === null ? null : reader.text("reason");
  const until = needed("until", "Write its last day, such as until: 2026-12-31.");
  const critical = reader.boolean("critical") ?? false;
  reader.done();
  const place = reader.rangeOf("until");
  if (until !== null && !isDay(until)) {
    reader.problems.error(
      reader.get("until")?.range ?? place,
      "bad-date",
      `"${until}" is not a day`,
      "Write year, month and day, such as 2026-12-31.",
    );
    return [];
  }
  if (!reader.has("run") && !reader.has("file")) {
    reader.problems.error(
      reader.node.range,
      "missing-key",
      "an approval needs the key run or file",
      'Say which runs it is for: run: or file:, with a glob if need be; file: "**" stands for all.',
    );
    return [];
  }
  if (contract === null || rule === null || by === null || reason === null || until === null) return [];
  const valueRange = (key: string): Range => reader.get(key)?.range ?? reader.node.range;
  return [
    {
      contract,
      rule,
      run,
      file,
      by,
      reason: reason.replace(/\s+/g, " ").trim(),
      until,
      critical,
      ranges: {
        entry: reader.node.range,
        contract: valueRange("contract"),
        rule: valueRange("rule"),
        until: valueRange("until"),
      },
    },
  ];
}

function pattern(reader: MapReader, key: "run" | "file"): string | null {
  const text = reader.text(key);
  if (text === null || [...text].filter((char) => char === "*").length <= mostStars) return text;
  reader.problems.error(
    reader.get(key)?.range ?? reader.node.range,
    "bad-pattern",
    `"${key}" has more than ${mostStars} wildcards`,
    "Write a shorter pattern, or several approvals.",
  );
  return null;
}

/** A day of the calendar, `YYYY-MM-DD`. Such texts compare as days do. */
export const isDay = (text: string): boolean => dayNumber(text) !== null;

/** @param today `YYYY-MM-DD`. @param file the approvals' own file, for errors. */
export function applyApprovals(
  findings: readonly Finding[],
  approvals: readonly Approval[],
  contracts: readonly Contract[],
  today: string,
  file: string,
): AppliedApprovals {
  const problems = new ProblemList(file);
  const usable = approvals
    .filter((approval) => isUsable(approval, contracts, today, problems))
    .map((approval) => ({ approval, covers: compile(approval) }));
  const used = new Set<Approval>();
  const approved = findings.map((finding): Finding => {
    const matching = usable.filter(({ covers }) => covers(finding));
    for (const { approval } of matching) used.add(approval);
    const [first] = matching;
    if (first === undefined) return finding;
    const { by, reason, until } = first.approval;
    return { ...finding, standing: { is: "approved", by, reason, until } };
  });
  for (const { approval } of usable) {
    if (used.has(approval)) continue;
    problems.error(
      approval.ranges.entry,
      "approval-unused",
      `nothing is left that this approval of ${approval.rule} approves`,
      "Remove it, or correct its run or file.",
    );
  }
  return { findings: approved, problems: problems.all };
}

function isUsable(
  approval: Approval,
  contracts: readonly Contract[],
  today: string,
  problems: ProblemList,
): boolean {
  const contract = contracts.find(({ name }) => name === approval.contract);
  if (contract === undefined) {
    problems.error(
      approval.ranges.contract,
      "unknown-contract",
      `no contract named "${approval.contract}" is loaded`,
      `${didYouMean(
        approval.contract,
        contracts.map(({ name }) => name),
      )}Name a contract of this check, or remove the approval.`,
    );
    return false;
  }
  const rule = contract.rules.find(({ id }) => id === approval.rule);
  if (rule === undefined) {
    problems.error(
      approval.ranges.rule,
      "unknown-rule",
      `the contract ${contract.name} has no rule "${approval.rule}"`,
      `${didYouMean(
        approval.rule,
        contract.rules.map(({ id }) => id),
      )}Name a rule by its id, or remove the approval.`,
    );
    return false;
  }
  if (approval.until < today) {
    problems.error(
      approval.ranges.until,
      "approval-expired",
      `this approval of ${rule.id} by ${approval.by} ran out`,
      "Repair what it approved; or let somebody approve it again, with a new day.",
    );
    return false;
  }
  if (rule.severity === "critical" && !approval.critical) {
    problems.error(
      approval.ranges.rule,
      "approval-not-critical",
      `the rule ${rule.id} is critical, and this approval does not say so`,
      "Add critical: true if a breach of a critical rule is really to be approved.",
    );
    return false;
  }
  return true;
}

function compile(approval: Approval): (finding: Finding) => boolean {
  const runs = approval.run === null ? null : compileGlob(approval.run);
  const files =
    approval.file === null
      ? null
      : picomatch(plainPath(approval.file), { dot: true, nonegate: true, noextglob: true });
  return ({ run, judged, files: from }) =>
    judged.contract.name === approval.contract &&
    judged.rule.id === approval.rule &&
    (runs === null || runs(run.run)) &&
    (files === null ||
      from.some((file) => plainPath(file) === plainPath(approval.file ?? "") || files(plainPath(file))));
}

/** `traces/a.json` for `./traces/a.json`, for the same file from the root, and for Windows' `traces\a.json`. */
export function plainPath(path: string): string {
  const inside = isAbsolute(path) ? relative(process.cwd(), path) : path;
  const plain = inside.startsWith("..") ? path : inside;
  return plain.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
}
