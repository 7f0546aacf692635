import type { Range } from "../model/load-error.ts";
import type { SourceNode } from "../source/yaml-source.ts";
import { type MapReader, readMap, readText } from "./map-reader.ts";
import type { ProblemList } from "./rule-error.ts";

/** Who looked at a contract last, and when. */
export interface Reviewed {
  readonly by: string;
  /** The day as written, `2026-05-31`. */
  readonly on: string;
  readonly range: Range;
}

export function readReviewed(outer: MapReader, problems: ProblemList): Reviewed | null {
  const node = outer.get("reviewed");
  const reader = node === null ? null : readMap(node, '"reviewed"', problems);
  if (reader === null) return null;
  reader.require("by", "Add by: who looked at it.");
  const onNode = reader.require("on", "Add on: the day, such as 2026-05-31.");
  const by = reader.text("by");
  const on = onNode === null ? null : readDay(onNode, '"on"', problems);
  reader.done();
  return by === null || on === null ? null : { by, on, range: reader.node.range };
}

export function readDay(node: SourceNode, what: string, problems: ProblemList): string | null {
  const day = readText(node, what, problems);
  if (day === null || dayNumber(day) !== null) return day;
  problems.error(
    node.range,
    "bad-day",
    `"${day}" is no day`,
    "Write the year, the month and the day: 2026-05-31.",
  );
  return null;
}

/** Days since 1970 of `2026-05-31`; null for any other text, or a day that no calendar has. */
export function dayNumber(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const time = Date.parse(`${text}T00:00:00Z`);
  // `2026-02-30` reads as a day of March.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? null : time / 86_400_000;
}
