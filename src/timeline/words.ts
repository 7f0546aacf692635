import { readField } from "../model/event.ts";
import type { Category, Code } from "../model/verdict.ts";
import type { TimelineInput, TimelineRule } from "./view-model.ts";

const categoryWords: Readonly<Record<Category, string>> = {
  safety_gate: "safety gate",
  information_dependency: "information dependency",
  read_before_write: "read before write",
  evidence: "evidence rule",
  effect: "effect rule",
  causality: "causality rule",
  workflow: "workflow rule",
};

/** One sentence for rules that give no `why`. It says what such a rule protects, never what a tool contained. */
const categoryWhy: Readonly<Record<Category, (anchor: string, witness: string) => string>> = {
  safety_gate: (anchor, witness) =>
    `${anchor} is guarded by ${witness}: when the guard has not passed first, the run has crossed the safety boundary, even if its answer is right.`,
  information_dependency: (anchor, witness) =>
    `${anchor} needs what ${witness} finds out: without it the agent may have used stale context or guessed a value.`,
  read_before_write: (anchor, witness) =>
    `${anchor} changes state that ${witness} reads: written unread, it may overwrite something newer or repeat an action.`,
  evidence: (anchor, witness) =>
    `${anchor} rests on the evidence of ${witness}: evidence for something else, or for an earlier state, proves nothing here.`,
  effect: (anchor) =>
    `${anchor} has an effect outside the agent: done twice, or left without a known outcome, it cannot simply be forgotten.`,
  causality: (anchor) =>
    `${anchor} must come from the decision that was current: work of an older decision brings back a state that is gone.`,
  workflow: (anchor) => `${anchor} left the order that the workflow's contract describes.`,
};

/** The rule's title, else its category and the names in the order in which they were seen. */
export function failureOf(input: TimelineInput): string {
  const { rule, instance } = input;
  const undecided = instance.verdict === "inconclusive";
  if (rule.title !== null) return undecided ? `${rule.title} (not decided)` : rule.title;
  return `${categoryWords[rule.category]} ${undecided ? "not decided" : "violated"}: ${happened(input)}`;
}

function happened({ rule, instance, events }: TimelineInput): string {
  const { link } = rule;
  if (instance.verdict !== "violated") return rule.expected;
  if (link === null) {
    const { machine, involved } = instance;
    const step = events.find(({ id }) => id === (instance.witness ?? involved.at(-1)));
    const illegal = instance.code === "illegal_transition" || instance.code === "unlisted_event";
    return machine !== undefined && step !== undefined && illegal
      ? `${step.name ?? step.kind} in ${machine.state}`
      : `expected ${rule.expected}`;
  }
  const otherwise = `expected ${rule.expected}`;
  if (link.quant === "none") {
    return link.need === "future" ? `${link.witness} after ${link.anchor}` : otherwise;
  }
  if (instance.code === "anchor_missing") return `${link.anchor} never happened`;
  if (link.need === "future") {
    const late = instance.code === "deadline_missed" ? " in time" : "";
    return `${link.anchor} without ${link.witness}${late}`;
  }
  if (link.need !== "past") return otherwise;
  switch (instance.code) {
    case "witness_late":
      return `${link.anchor} before ${link.witness}`;
    case "overlap":
    case "witness_never_finished":
      return `${link.anchor} before the end of ${link.witness}`;
    case "witness_missing":
    case "wrong_entity":
    case "unbound_key":
    case "wrong_status":
    case "missing_attribute":
      return `${link.anchor} without ${link.witness}`;
    case "expired":
      return link.within
        ? `${link.anchor} too long after ${link.witness}`
        : `${link.anchor} after ${link.witness} had expired`;
    case "invalidated":
      return `${link.anchor} after ${link.witness} had become void`;
    case "blocked":
      return `${link.anchor} without its own ${link.witness}`;
    case "same_decision":
      return `${link.anchor} in the same decision as ${link.witness}`;
    case "unenforced_order":
      return `${link.anchor} after ${link.witness} only by luck`;
    default:
      return otherwise;
  }
}

export function whyOf(rule: TimelineRule): string {
  if (rule.why !== null) return rule.why.replace(/\s+/g, " ").trim();
  const anchor = rule.link?.anchor ?? "This run";
  const witness = rule.link?.witness ?? "an earlier step";
  return categoryWhy[rule.category](anchor, witness);
}

const fromHeaders: ReadonlySet<string> = new Set(["key", "if_match", "version"]);

/**
 * What would show a key or version that the rule asks for and the call has not, where its HTTP requests were
 * recorded without their headers; null where nothing like that is missing.
 */
export function headersCure({ events, instance, rule }: TimelineInput): string | null {
  const asked = (rule.link?.bind ?? []).flatMap((bind) => [bind.anchor, bind.witness]);
  const paths = asked.filter(([root = ""]) => fromHeaders.has(root));
  if (paths.length === 0) return null;
  const named = new Set([instance.anchor, ...instance.nearMisses.map(({ event }) => event)]);
  const lacks = events.some(
    (event) =>
      named.has(event.id) &&
      event.flaws.includes("headers_not_captured") &&
      paths.some((path) => readField(event, path).is !== "value"),
  );
  return lacks
    ? "Headers in the HTTP spans below the call: switch their capture on (docs/dialects.md, What to switch on)."
    : null;
}

/** What would make an undecided verdict a decided one; null where nothing but its reason can be said. */
export function cureOf(code: Code | null): string | null {
  switch (code) {
    case "order_unknown":
      return "One clock for both, a span link or parent between them, or decision numbers on the calls.";
    case "clock_contradiction":
      return "Clocks of these hosts that agree, or links and parents between their spans.";
    case "causal_cycle":
      return "Parents and links that do not contradict each other.";
    case "invalid_interval":
    case "time_out_of_range":
      return "A right clock where this span was written.";
    case "not_captured":
      return "Arguments and results in the spans: switch their capture on in the agent's instrumentation.";
    case "data_incomplete":
      return "Whole values in the spans: raise the attribute limits of the agent's SDK, and redact less.";
    case "not_kept":
      return "The run once more, with this contract loaded while it happens.";
    case "scope_unknown":
      return "The conversation's id, or the agent's name, on the tool spans themselves.";
    case "evicted":
      return "Room for the whole run: raise limits.open_runs, limits.events_per_run or limits.state.";
    case "monitor_failed":
      return "A repair: the rule could not be judged, and the log says why. Please report it.";
    default:
      return null;
  }
}
