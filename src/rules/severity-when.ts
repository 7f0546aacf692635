/**
 * `severity_when`: a rule whose severity depends on the step that it judges (`{refused: medium}`: a refused attempt
 * is not yet an effect). It becomes one rule a case, called `id.refused`, and one for all other steps; each speaks of
 * its own anchors, so that counts, alerts and reports tell them apart.
 */
import { type Severity, severities } from "../model/verdict.ts";
import { didYouMean } from "../source/suggest.ts";
import type { SourceNode } from "../source/yaml-source.ts";
import { type MapReader, readMap, readWord } from "./map-reader.ts";
import { parsePattern } from "./parse-pattern.ts";
import { anyEvent, type Pattern } from "./pattern.ts";
import type { Program } from "./program.ts";
import { without } from "./sugar/evidence.ts";
import type { KindContext } from "./sugar/rule-kind.ts";
import { statusWords } from "./words.ts";

export interface SeverityCase {
  /** Behind the dot of the id. */
  readonly name: string;
  readonly match: Pattern;
  readonly severity: Severity;
}

export function readSeverityWhen(rule: MapReader, context: KindContext): readonly SeverityCase[] {
  const { problems } = rule;
  const node = rule.get("severity_when");
  if (node === null) return [];
  if (node.is === "list") return node.items.flatMap((item, index) => readCase(item, index, context));
  const reader = readMap(node, '"severity_when"', problems);
  return [...(reader?.node.entries.values() ?? [])].flatMap((entry) => {
    const status = statusWords.get(entry.key);
    const severity = readWord(entry.value, `"${entry.key}"`, severities, problems);
    if (status === undefined) {
      problems.error(
        entry.keyRange,
        "unknown-status",
        `there is no status "${entry.key}"`,
        `${didYouMean(entry.key, statusWords.keys())}Write statuses, or a list of {match: pattern, severity: …}.`,
      );
    }
    if (status === undefined || severity === null) return [];
    const test = { path: ["status"], test: { op: "equals", value: status } } as const;
    return [
      { name: entry.key, match: { ...anyEvent, tests: [test], text: `status ${entry.key}` }, severity },
    ];
  });
}

function readCase(item: SourceNode, index: number, context: KindContext): readonly SeverityCase[] {
  const reader = readMap(item, 'an entry of "severity_when"', context.problems);
  const matchNode = reader?.require("match", "Write {match: pattern, severity: medium}.") ?? null;
  reader?.require("severity", "Write {match: pattern, severity: medium}.");
  const severity = reader?.word("severity", severities) ?? null;
  const match = matchNode === null ? null : parsePattern(matchNode, context);
  reader?.done();
  return match === null || severity === null ? [] : [{ name: `${index + 1}`, match, severity }];
}

export interface Split {
  readonly suffix: string;
  readonly severity: Severity | null;
  readonly program: Program;
  readonly words: string;
}

/** One program a case, and one for what no case meets; null where the program has no anchors to tell apart. */
export function splitBySeverity(program: Program, cases: readonly SeverityCase[]): readonly Split[] | null {
  if (!hasAnchors(program)) return null;
  const others = cases.map(({ match }) => match);
  const rest: Split = {
    suffix: "",
    severity: null,
    program: restrict(program, (anchor) => exclude(anchor, others)),
    words: "",
  };
  return [
    rest,
    ...cases.map(({ name, match, severity }, index) => ({
      suffix: `.${name}`,
      severity,
      // Not "not it" rather than "it": a status that is only asked about makes no attempt of what never ran.
      program: restrict(program, (anchor) =>
        exclude(anchor, [...others.slice(0, index), { ...anyEvent, not: match }]),
      ),
      words: `, for ${match.text}`,
    })),
  ];
}

const exclude = (anchor: Pattern, others: readonly Pattern[]): Pattern =>
  others.reduce((pattern, other) => without(pattern, other, anchor.text), anchor);

function hasAnchors(program: Program): boolean {
  switch (program.kernel) {
    case "link":
      return program.need !== "apart";
    case "guard":
    case "stretch":
      return hasAnchors(program.then);
    case "fold":
      return program.parts.every(hasAnchors);
    default:
      return false;
  }
}

function restrict(program: Program, change: (anchor: Pattern) => Pattern): Program {
  switch (program.kernel) {
    case "link":
      return { ...program, anchor: change(program.anchor) };
    case "guard":
    case "stretch":
      // biome-ignore lint/suspicious/noThenProperty: the word of the language; a program is never awaited.
      return { ...program, then: restrict(program.then, change) };
    case "fold":
      return { ...program, parts: program.parts.map((part) => restrict(part, change)) };
    default:
      return program;
  }
}
