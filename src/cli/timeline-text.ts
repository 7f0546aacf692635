/**
 * Prints one timeline: Case, Failure, Severity, then the slice of the run with its markers, what was expected
 * and why it matters. Columns are as wide as their widest cell, so that the eye can go down them; colour only
 * where it tells something.
 */
import type { Action } from "../model/verdict.ts";
import type { EventRow, Timeline, TimelineRow } from "../timeline/view-model.ts";
import { durationWords } from "./duration-words.ts";
import { paintSeverity, paintVerdict, type Style } from "./style.ts";

/** Names past this are cut: a column must not push the markers off the screen. */
const widestName = 48;
const narrowestName = 28;
/** Text blocks are wrapped for an eighty-column screen. */
const textWidth = 78;

const actionWords: Readonly<Record<Action, string>> = {
  block: "block",
  block_or_approve: "block or require approval",
  warn: "warn",
  record: "record only",
  none: "no action",
};

/** `run` and `rule` say where the finding stands: the run's id, and the rule with its place in its file. */
export function timelineText(timeline: Timeline, run: string, rule: string, style: Style): string {
  const undecided = timeline.verdict === "inconclusive";
  const severity = paintSeverity(style, timeline.severity, timeline.severity);
  const head = [
    field(style, "Case", timeline.contract),
    field(
      style,
      undecided ? "Finding" : "Failure",
      paintVerdict(style, timeline.verdict, printable(timeline.failure)),
    ),
    field(style, "Severity", `${severity} (${actionWords[timeline.action]})`),
    field(style, "Run", printable(run)),
    field(style, "Rule", printable(rule)),
  ];
  const blocks = [
    head.join("\n"),
    block(style, "Timeline", rowLines(timeline.rows, style)),
    ...machineBlock(timeline, style),
    block(style, "Expected", wrap(timeline.expected, textWidth - 2)),
    ...(undecided ? [block(style, "Why it is undecided", wrap(timeline.reason, textWidth - 2))] : []),
    ...(timeline.cure === null
      ? []
      : [block(style, "What would decide it", wrap(timeline.cure, textWidth - 2))]),
    block(style, "Why this matters", wrap(timeline.why, textWidth - 2)),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function field(style: Style, name: string, value: string): string {
  return `${style.bold(`${name}:`)} ${value}`;
}

function block(style: Style, name: string, lines: readonly string[]): string {
  return [style.bold(`${name}:`), ...lines.map((line) => `  ${line}`)].join("\n");
}

function machineBlock(timeline: Timeline, style: Style): readonly string[] {
  if (timeline.machine === null) return [];
  const { state, allowed } = timeline.machine;
  const list = allowed.length === 0 ? "nothing further" : allowed.join(", ");
  return [block(style, "State", wrap(`${state} allows ${list}`, textWidth - 2))];
}

/** One row, cut into its cells before any colour, so that widths are those of the letters. */
interface Cells {
  readonly row: TimelineRow;
  readonly number: string;
  readonly name: string;
  readonly offset: string;
  readonly duration: string;
  readonly status: string;
  readonly marker: string;
}

/** The rows of a timeline in columns, without any indent. */
export function rowLines(rows: readonly TimelineRow[], style: Style): readonly string[] {
  if (rows.length === 0) return [style.dim("no event")];
  const digits = Math.max(2, ...rows.map((row) => (row.is === "event" ? String(row.position).length : 0)));
  const cells = rows.map((row) => cellsOf(row, digits));
  const width = (pick: (cell: Cells) => string): number =>
    Math.max(0, ...cells.map((cell) => [...pick(cell)].length));
  const widths = {
    name: Math.max(
      narrowestName,
      width((cell) => cell.name),
    ),
    offset: width((cell) => cell.offset),
    duration: width((cell) => cell.duration),
    status: width((cell) => cell.status),
  };
  return cells.map((cell) => {
    if (cell.row.is === "folded") return style.dim(`${"…".padStart(digits)}  ${cell.name}`);
    const timing =
      widths.offset === 0
        ? []
        : [
            style.dim(cell.offset.padStart(widths.offset)),
            style.dim(cell.duration.padStart(widths.duration)),
          ];
    const parts = [
      `${cell.number} ${paintName(cell, style)}${" ".repeat(widths.name - [...cell.name].length)}`,
      ...timing,
      `${paintStatus(cell, style)}${" ".repeat(widths.status - cell.status.length)}`,
      paintMarker(cell, style),
    ];
    return parts.join("   ").trimEnd();
  });
}

function cellsOf(row: TimelineRow, digits: number): Cells {
  const empty = { row, number: "", name: "", offset: "", duration: "", status: "", marker: "" };
  switch (row.is) {
    case "folded":
      return { ...empty, name: `${row.count} more` };
    case "missing":
      return {
        ...empty,
        number: `${"-".repeat(digits)}.`,
        name: cut(row.name),
        status: "never happened",
        marker: "<-- missing",
      };
    case "event":
      return {
        row,
        number: `${String(row.position).padStart(digits, "0")}.`,
        name: cut(row.name),
        offset: row.offset === null ? "" : `+${durationWords(row.offset)}`,
        duration: row.duration === null ? "" : row.duration === "open" ? "open" : durationWords(row.duration),
        status: row.status,
        marker: markerText(row, digits),
      };
  }
}

function markerText(row: EventRow, digits: number): string {
  const overlap =
    row.during.length === 0
      ? []
      : [`(overlaps ${row.during.map((place) => String(place).padStart(digits, "0")).join(", ")})`];
  const arrow = row.markers.length > 0 ? [`<-- ${printable(row.markers.join(", "))}`] : [];
  return [...arrow, ...overlap].join(" ");
}

function paintName(cell: Cells, style: Style): string {
  if (cell.row.is === "missing") return style.red(cell.name);
  if (cell.row.is !== "event") return cell.name;
  return cell.row.role === "anchor" || cell.row.role === "witness" ? style.bold(cell.name) : cell.name;
}

function paintStatus(cell: Cells, style: Style): string {
  if (cell.row.is === "missing") return style.red(cell.status);
  switch (cell.status) {
    case "success":
      return style.green(cell.status);
    case "error":
    case "timeout":
      return style.red(cell.status);
    default:
      return style.yellow(cell.status);
  }
}

function paintMarker(cell: Cells, style: Style): string {
  if (cell.row.is === "missing") return style.red(cell.marker);
  if (cell.row.is !== "event" || cell.row.markers.length === 0) return style.dim(cell.marker);
  return cell.row.role === "anchor" || cell.row.role === "witness"
    ? style.red(cell.marker)
    : style.yellow(cell.marker);
}

/** Names come from traffic: control and format characters must not reach the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\u{FFFD}");
}

function cut(name: string): string {
  const letters = [...printable(name)];
  return letters.length <= widestName ? letters.join("") : `${letters.slice(0, widestName - 1).join("")}…`;
}

/** Breaks at spaces; a word longer than the line stands alone. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of printable(text.replace(/\s+/g, " "))
    .split(/\s+/)
    .filter((part) => part !== "")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  if (line !== "") lines.push(line);
  return lines;
}
