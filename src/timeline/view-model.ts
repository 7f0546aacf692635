/**
 * The timeline of one judged instance, as data: what a reader must see to understand a verdict without
 * rebuilding the run in their head. The command line prints it, the page draws it.
 *
 * It shows the anchor, the witness, the near misses, everything between them and two events on each side; the
 * rest is folded into a count. What never happened has a row of its own, where it was needed. Failed and
 * refused attempts stay, since they are usually the reason.
 *
 * Model turns, agent runs and steps are no rows unless the rule speaks of them or the verdict names them: they
 * enclose or precede every call and would say nothing.
 *
 * Pure. Cost: one sort of the scope's events, O(n log n), plus O(rows²) for overlaps.
 */
import type { Event, Status } from "../model/event.ts";
import type { DurationNano } from "../model/time.ts";
import type { Action, Category, Code, InstanceVerdict, Severity, Verdict } from "../model/verdict.ts";
import { markersOf } from "./markers.ts";
import { inOrder, missingPlace, overlaps, placeOf, slice } from "./slice.ts";
import { cureOf, failureOf, headersCure, whyOf } from "./words.ts";

export interface TimelineInput {
  /** Every event of the verdict's scope, in any order. */
  readonly events: readonly Event[];
  readonly instance: InstanceVerdict;
  readonly rule: TimelineRule;
  /** Traits by tool name. */
  readonly tools: ReadonlyMap<string, TimelineTool>;
  /** False where positions in a list stand in for times: then no row shows one. */
  readonly timed: boolean;
}

/** What the timeline needs to know of a rule, in plain words: `rules` makes it, and is not imported here. */
export interface TimelineRule {
  readonly contract: string;
  readonly id: string;
  readonly title: string | null;
  readonly severity: Severity;
  readonly action: Action;
  readonly category: Category;
  /** `check_requester_authorization before get_customer_plan`. */
  readonly expected: string;
  readonly why: string | null;
  /** Event kinds the rule speaks of; null: every kind. */
  readonly kinds: ReadonlySet<string> | null;
  /** The two sides of a link, in the user's words; null for a count or a machine. */
  readonly link: TimelineLink | null;
}

export interface TimelineLink {
  readonly anchor: string;
  readonly witness: string;
  readonly need: "past" | "future" | "any" | "apart";
  readonly quant: "some" | "none";
  readonly bind: readonly { readonly anchor: readonly string[]; readonly witness: readonly string[] }[];
  /** Paths that the witness's pattern tests: `result`, `result.status`, … */
  readonly witnessPaths: readonly (readonly string[])[];
  readonly within: boolean;
  /** Ids of the events that came between this anchor and its nearest miss and broke the line. */
  readonly blockers: ReadonlySet<string>;
}

export interface TimelineTool {
  readonly note: string | null;
  readonly access: "plain" | "sensitive" | null;
  readonly effect: "none" | "read" | "write" | "external" | "unknown";
}

export interface Timeline {
  readonly contract: string;
  readonly rule: string;
  readonly verdict: Verdict;
  readonly code: Code | null;
  /** `authorization gate violated`: the rule's title, else its category and names. */
  readonly failure: string;
  readonly severity: Severity;
  readonly action: Action;
  readonly rows: readonly TimelineRow[];
  readonly expected: string;
  readonly why: string;
  /** The verdict's own reason; the only explanation an undecided one has. */
  readonly reason: string;
  /** What would decide an undecided verdict, or show what a decided one lacked; null where nothing can be said. */
  readonly cure: string | null;
  readonly machine: { readonly state: string; readonly allowed: readonly string[] } | null;
}

export type TimelineRole = "anchor" | "witness" | "near_miss" | "involved" | "other";

export type TimelineRow = EventRow | MissingRow | FoldedRow;

export interface EventRow {
  readonly is: "event";
  /** 1-based place among the events that can be rows, so that folded ones leave a gap in the numbers. */
  readonly position: number;
  readonly event: string;
  readonly name: string;
  readonly kind: string;
  readonly status: Status;
  readonly role: TimelineRole;
  /** In words, most telling first. */
  readonly markers: readonly string[];
  /** From the start of the first row's event; null when not timed or not known. */
  readonly offset: DurationNano | null;
  readonly duration: DurationNano | "open" | null;
  /** Positions of shown events that were running when this one started. */
  readonly during: readonly number[];
}

/** Something the rule needed and the run does not have. */
export interface MissingRow {
  readonly is: "missing";
  readonly name: string;
}

export interface FoldedRow {
  readonly is: "folded";
  readonly count: number;
}

export function timelineOf(input: TimelineInput): Timeline {
  const { rule, instance } = input;
  const shown = inOrder(input);
  const rows = withMissing(input, slice(input, shown).map(toRow(input, shown)));
  return {
    contract: rule.contract,
    rule: rule.id,
    verdict: instance.verdict,
    code: instance.code,
    failure: failureOf(input),
    severity: rule.severity,
    action: rule.action,
    rows,
    expected: rule.expected,
    why: whyOf(rule),
    reason: instance.reason,
    cure: headersCure(input) ?? (instance.verdict === "inconclusive" ? cureOf(instance.code) : null),
    machine: instance.machine ?? null,
  };
}

/** The rows of a run of which nothing is to be said: its beginning, with the tools' own markers. */
export function overviewOf(
  events: readonly Event[],
  tools: TimelineInput["tools"],
  timed: boolean,
): readonly TimelineRow[] {
  const input: TimelineInput = { events, instance: noInstance, rule: noRule, tools, timed };
  const shown = inOrder(input);
  return slice(input, shown).map(toRow(input, shown));
}

const noInstance: InstanceVerdict = {
  anchor: null,
  key: "",
  verdict: "satisfied",
  final: true,
  code: null,
  witness: null,
  nearMisses: [],
  evidence: "none",
  completeness: null,
  reason: "",
  involved: [],
};

const noRule: TimelineRule = {
  contract: "",
  id: "",
  title: null,
  severity: "low",
  action: "none",
  category: "workflow",
  expected: "",
  why: null,
  kinds: new Set(),
  link: null,
};

function toRow(input: TimelineInput, shown: readonly Event[]): (part: number | FoldedRow) => TimelineRow {
  const first = shown.map((event) => placeOf(event)).find((place) => place !== null) ?? null;
  return (part) => {
    if (typeof part !== "number") return part;
    const event = shown[part] as Event;
    const role = roleOf(event, input.instance);
    const start = input.timed ? placeOf(event) : null;
    return {
      is: "event",
      position: part + 1,
      event: event.id,
      name: event.name ?? event.kind,
      kind: event.kind,
      status: event.status,
      role,
      markers: markersOf(event, role, input),
      offset: start === null || first === null ? null : ((start - first) as DurationNano),
      duration: input.timed ? durationOf(event) : null,
      during: input.timed ? overlaps(shown, part).map((place) => place + 1) : [],
    };
  };
}

function durationOf(event: Event): DurationNano | "open" | null {
  if (event.end === "open") return "open";
  if (typeof event.start !== "object" || typeof event.end !== "object") return null;
  if (!("at" in event.start) || !("at" in event.end)) return null;
  return (event.end.at - event.start.at) as DurationNano;
}

function roleOf(event: Event, instance: InstanceVerdict): TimelineRole {
  if (event.id === instance.anchor) return "anchor";
  if (event.id === instance.witness) return "witness";
  if (instance.nearMisses.some((miss) => miss.event === event.id)) return "near_miss";
  return instance.involved.includes(event.id) ? "involved" : "other";
}

/** Puts a row for what never happened where the rule needed it: before the anchor, or after everything. */
function withMissing(input: TimelineInput, rows: readonly TimelineRow[]): readonly TimelineRow[] {
  const missing = missingPlace(input);
  if (missing === null) return rows;
  const row: MissingRow = { is: "missing", name: missing.name };
  const anchor = rows.findIndex((candidate) => candidate.is === "event" && candidate.role === "anchor");
  if (missing.where === "end" || anchor === -1) return [...rows, row];
  return [...rows.slice(0, anchor), row, ...rows.slice(anchor)];
}
