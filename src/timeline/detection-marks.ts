/** What detectors found, as words beside the rows that it is about: the late result, and what had overtaken it. */
import type { Event } from "../model/event.ts";
import type { DetectionOutput } from "../model/output.ts";
import type { TimelineRow } from "./view-model.ts";

export function markDetections(
  rows: readonly TimelineRow[],
  detections: readonly DetectionOutput[],
  events: readonly Event[],
): readonly TimelineRow[] {
  if (detections.length === 0) return rows;
  const marks = new Map<string, string[]>();
  const mark = (event: string, words: string): void => {
    const known = marks.get(event);
    if (known === undefined) marks.set(event, [words]);
    else if (!known.includes(words)) known.push(words);
  };
  for (const { detector, reason, event, by } of detections) {
    mark(event, aboutWords(detector, reason));
    const overtaking = overtakingWords[reason];
    const overtaker = events.find(({ id }) => id === by);
    if (by === null || overtaking === undefined) continue;
    mark(by, reason === "superseded" ? `${overtaking}${numberOf(overtaker)}` : overtaking);
  }
  return rows.map((row) => {
    const own = row.is === "event" ? marks.get(row.event) : undefined;
    return row.is !== "event" || own === undefined ? row : { ...row, markers: [...row.markers, ...own] };
  });
}

function aboutWords(detector: DetectionOutput["detector"], reason: string): string {
  const why = reason.replaceAll("_", " ");
  switch (detector) {
    case "stale_result":
      return `late result (${why})`;
    case "stale_effect":
      return `begun too late (${why})`;
    default:
      return `${detector.replaceAll("_", " ")} (${why})`;
  }
}

const overtakingWords: Readonly<Record<string, string>> = {
  superseded: "newer decision",
  turn: "newer turn",
  run: "newer run",
  version: "newer version",
  cancelled: "cancel",
};

function numberOf(event: Event | undefined): string {
  const seq = event?.fields.get("seq");
  return seq === undefined || seq === null ? "" : ` ${String(seq)}`;
}
