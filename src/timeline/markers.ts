import { type Event, readField, type Status } from "../model/event.ts";
import { canonicalText } from "../model/value.ts";
import type { Code, InstanceVerdict } from "../model/verdict.ts";
import type { TimelineInput, TimelineLink, TimelineRole } from "./view-model.ts";

/** What stands behind the arrow of a row, most telling first. */
export function markersOf(event: Event, role: TimelineRole, input: TimelineInput): readonly string[] {
  const words = [traitWords(event, input), codeWords(event, role, input)];
  return [...new Set(words.filter((word) => word !== null))];
}

function traitWords(event: Event, { tools }: TimelineInput): string | null {
  const tool = event.name === null ? undefined : tools.get(event.name);
  if (tool === undefined || event.kind !== "tool_call") return null;
  if (tool.note !== null) return tool.note;
  if (tool.access === "sensitive") return "sensitive access";
  if (tool.effect === "external") return "external effect";
  return tool.effect === "write" ? "write" : null;
}

function codeWords(event: Event, role: TimelineRole, input: TimelineInput): string | null {
  const { instance, rule } = input;
  const { link } = rule;
  switch (role) {
    case "anchor":
      return link === null ? outsideLink(event, instance) : anchorWords(event, link, input);
    case "witness":
      if (link === null) return outsideLink(event, instance);
      return link.quant === "none" || link.need === "apart"
        ? brokenBy(link, instance)
        : missWords(event, codeOf(event, instance), link, input);
    case "near_miss":
      return link === null ? null : missWords(event, codeOf(event, instance), link, input);
    case "involved":
      return link === null ? outsideLink(event, instance) : blockerWords(event, link, instance.code);
    case "other":
      return link?.blockers.has(event.id) === true ? blockerWords(event, link, instance.code) : null;
  }
}

function codeOf(event: Event, instance: InstanceVerdict): Code | null {
  return instance.nearMisses.find((miss) => miss.event === event.id)?.code ?? instance.code;
}

/** A machine's illegal step, and what a count counted beyond its limit. */
function outsideLink(event: Event, instance: InstanceVerdict): string | null {
  const last = event.id === instance.anchor || event.id === instance.witness;
  const isLast = last || event.id === instance.involved.at(-1);
  switch (instance.code) {
    case "illegal_transition":
    case "unlisted_event":
      return isLast ? `not allowed in ${instance.machine?.state ?? "this state"}` : null;
    case "count_exceeded":
    case "duplicate_effect":
    case "identity_reuse":
      return "one too many";
    case "not_final":
      return isLast ? "the last step taken" : null;
    case "sequence_differs":
      return isLast ? "not the next step" : null;
    case "order_unknown":
      return isLast ? "order unknown" : null;
    case "missing_attribute":
      return isLast ? "lacks a field" : null;
    case "wrong_owner":
      return isLast ? "wrong owner" : null;
    default:
      return null;
  }
}

/** The anchor needs words of its own only where no other row explains it. */
function anchorWords(event: Event, link: TimelineLink, input: TimelineInput): string | null {
  const { instance } = input;
  const explained = instance.verdict === "violated" && instance.code !== "unbound_key";
  if (explained && traitWords(event, input) !== null) return null;
  if (instance.verdict === "violated") {
    if (link.need === "apart") return "started meanwhile";
    if (link.quant === "none") return link.need === "future" ? `no ${link.witness} from here on` : null;
  }
  switch (instance.code) {
    case "witness_late":
      return link.need === "past" ? `before ${link.witness}` : null;
    case "overlap":
      return link.need === "past" ? `before ${link.witness} finished` : null;
    case "witness_missing":
      return link.need === "future" ? `never followed by ${link.witness}` : `without ${link.witness}`;
    case "wrong_entity":
    case "wrong_status":
    case "missing_attribute":
      return link.need === "past" ? `without its ${link.witness}` : null;
    case "unbound_key":
      return carriesNo(event, link, "anchor");
    case "deadline_missed":
      return `no ${link.witness} in time`;
    case "blocked":
      return `needs its own ${link.witness}`;
    case "expired":
    case "invalidated":
    case "same_decision":
    case "unenforced_order":
      return `relied on ${link.witness}`;
    case "order_unknown":
    case "causal_cycle":
      return "order unknown";
    case "clock_contradiction":
      return "clocks disagree";
    case "not_captured":
      return "content not captured";
    case "data_incomplete":
      return "data incomplete";
    default:
      return null;
  }
}

function brokenBy(link: TimelineLink, instance: InstanceVerdict): string | null {
  if (instance.verdict === "inconclusive") return "order unknown";
  if (link.need === "apart") return "still running";
  return link.need === "future" ? `forbidden after ${link.anchor}` : `forbidden beside ${link.anchor}`;
}

function blockerWords(event: Event, link: TimelineLink, code: Code | null): string | null {
  if (code === "invalidated") return "made it void";
  if (code !== "blocked") return null;
  return event.name === link.anchor ? "used it up" : "came in between";
}

function missWords(event: Event, code: Code | null, link: TimelineLink, input: TimelineInput): string | null {
  switch (code) {
    case "witness_late":
      return link.need === "past" ? "happened too late" : "happened too early";
    case "overlap":
      return "still running";
    case "witness_never_finished":
      return "never finished";
    case "wrong_entity":
      return `other ${otherKeys(event, link, input) ?? "entity"}`;
    case "unbound_key":
      return carriesNo(event, link, "witness");
    case "wrong_status":
    case "missing_attribute":
      return (
        resultWord(event, link) ??
        statusWords(event.status) ??
        (code === "wrong_status" ? "other outcome" : "lacks a field")
      );
    case "expired":
      return link.within ? "too old" : "expired";
    case "invalidated":
      return "no longer valid";
    case "blocked":
      return "already used";
    case "deadline_missed":
      return "after the deadline";
    case "same_decision":
      return "same decision";
    case "unenforced_order":
      return "order not enforced";
    case "not_captured":
      return "content not captured";
    case "not_kept":
      return "content not kept";
    case "data_incomplete":
      return "data incomplete";
    case "clock_contradiction":
      return "clocks disagree";
    case "invalid_interval":
      return "ends before it starts";
    case "order_unknown":
    case "causal_cycle":
      return "order unknown";
    default:
      return statusWords(event.status);
  }
}

function statusWords(status: Status): string | null {
  switch (status) {
    case "refused":
      return "denied";
    case "error":
      return "failed";
    case "cancelled":
      return "cancelled";
    case "timeout":
      return "timed out";
    case "awaiting":
      return "still awaiting an answer";
    case "rejected_invalid":
      return "rejected before it ran";
    case "requested":
      return "asked for, never ran";
    case "running":
      return "still running";
    default:
      return null;
  }
}

/**
 * A result that the rule asks about, where it is one short word such as `denied`: the reader needs it, and it
 * is no more than the contract itself already names. Longer or other values are never shown.
 */
function resultWord(event: Event, link: TimelineLink): string | null {
  for (const path of link.witnessPaths) {
    if (path[0] !== "result") continue;
    const reading = readField(event, path);
    if (reading.is !== "value" || typeof reading.value !== "string") continue;
    const word = reading.value.replace(/^"(.*)"$/, "$1");
    if (/^[A-Za-z][A-Za-z_-]{0,23}$/.test(word)) return word;
  }
  return null;
}

/** `plan` for `args.plan_id` where the two sides differ; several are joined. */
function otherKeys(event: Event, link: TimelineLink, input: TimelineInput): string | null {
  const anchor = input.events.find((candidate) => candidate.id === input.instance.anchor);
  if (anchor === undefined) return null;
  const names = link.bind.flatMap((bind) =>
    keyText(anchor, bind.anchor) === keyText(event, bind.witness) ? [] : [keyName(bind.witness)],
  );
  return names.length === 0 ? null : names.join(" and ");
}

/** The keys that the rule binds by and this event lacks; null where it has them all, and the other side lacks one. */
function carriesNo(event: Event, link: TimelineLink, side: "anchor" | "witness"): string | null {
  const paths = link.bind.map((bind) => bind[side]);
  const names = paths.flatMap((path) => (readField(event, path).is === "value" ? [] : [path.at(-1) ?? ""]));
  return names.length === 0 ? null : `carries no ${names.join(" and no ")}`;
}

/** Bind compares scalars by value across text and number (docs/semantics.md 1). */
function keyText(event: Event, path: readonly string[]): string {
  const reading = readField(event, path);
  if (reading.is !== "value") return "";
  return typeof reading.value === "string" ? reading.value : canonicalText(reading.value);
}

function keyName(path: readonly string[]): string {
  return (path.at(-1) ?? "").replace(/_id$/, "").replaceAll("_", " ");
}
