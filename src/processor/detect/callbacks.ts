/**
 * Callbacks that fit no request, and requests that no callback answered (docs/causality.md#callbacks).
 *
 *   unknown         a callback names a request that nobody is known to have made before it
 *   name_disagrees  its id belongs to a call of another tool
 *   duplicate       another callback to the same request, and the same attempt, came before
 *   missing         a request, or a call that a model asked for, had no answer when its conversation closed
 *
 * A request whose id is hidden may be any callback's, and the other way round: then nothing is certain.
 * Cost: linear in the events, plus the callbacks of one id squared.
 */
import { type Event, readField } from "../../model/event.ts";
import type { CallbackReason } from "../../model/output.ts";
import type { Code } from "../../model/verdict.ts";
import { certain, compareStarts, field, never, started, textOf } from "./currency.ts";
import type { DetectInput, Detector, Finding } from "./detector.ts";

export const callbacks: Detector = {
  name: "callback",
  field: "callback",
  settledAt: "finished_at",
  about: ({ kind }) => kind === "callback" || kind === "request" || kind === "tool_call",
  find(input) {
    if (!input.events.some(mayMatter)) return [];
    const ids = idsOf(input);
    const answers = input.events.filter(({ kind }) => kind === "callback");
    return [
      ...answers.flatMap((callback) => unasked(callback, ids, input)),
      ...input.events.flatMap((call) => otherName(call, ids)),
      ...duplicates(answers),
      ...input.events.flatMap((event) => unanswered(event, ids, input)),
    ];
  },
};

/** Ordinary calls, of which most conversations are made, are neither. */
function mayMatter({ kind, status, flaws }: Event): boolean {
  if (kind === "callback" || kind === "request") return true;
  return kind === "tool_call" && (status === "requested" || flaws.includes("name_disagrees"));
}

/** Who names which request. */
interface Ids {
  /** Requests and calls, by every id they have. */
  readonly asked: ReadonlyMap<string, readonly Event[]>;
  /** What tells of an answer, by request id. */
  readonly answered: ReadonlySet<string>;
  /** Names of tools that were called, or that a contract declares. */
  readonly tools: ReadonlySet<string>;
  /** Why there may be requests, or answers, that cannot be read; null: there are none. */
  readonly hiddenAsk: Code | null;
  readonly hiddenAnswer: Code | null;
}

const answering: ReadonlySet<string> = new Set(["callback", "completed", "admitted"]);

function idsOf({ events, tools: declared }: DetectInput): Ids {
  const asked = new Map<string, Event[]>();
  const answered = new Set<string>();
  const tools = new Set(declared.keys());
  let hiddenAsk: Code | null = null;
  let hiddenAnswer: Code | null = null;
  for (const event of events) {
    const call = event.kind === "tool_call";
    if (call && event.name !== null) tools.add(event.name);
    if (call || event.kind === "request") {
      for (const id of idsNamed(event)) {
        const known = asked.get(id);
        if (known === undefined) asked.set(id, [event]);
        else known.push(event);
      }
      hiddenAsk ??= hiddenId(event);
    }
    if (answering.has(event.kind)) {
      for (const id of idsNamed(event)) answered.add(id);
      hiddenAnswer ??= hiddenId(event);
    } else if (call && typeof event.end === "object") {
      const id = field(event, "request_id");
      if (id !== null) answered.add(id);
    }
  }
  return { asked, answered, tools, hiddenAsk, hiddenAnswer };
}

function idsNamed(event: Event): readonly string[] {
  return [field(event, "request_id"), event.callId].filter((id) => id !== null);
}

function hiddenId(event: Event): Code | null {
  if (idsNamed(event).length > 0) return null;
  for (const name of ["request_id", "call_id"]) {
    const reading = readField(event, [name]);
    if (reading.is === "unknown") return reading.code;
  }
  return null;
}

/** The id by which a callback is matched: the request's, else the call's. */
function idOf(callback: Event): string | null {
  return idsNamed(callback)[0] ?? null;
}

function unasked(callback: Event, ids: Ids, input: DetectInput): readonly Finding[] {
  const id = idOf(callback);
  if (id === null) return [];
  const named = ids.asked.get(id) ?? [];
  let open: Code | null = null;
  const before: Event[] = [];
  for (const request of named) {
    const { truth, code } = input.order.before(started(request), started(callback), "required");
    if (truth === "true") before.push(request);
    if (truth === "unknown") open ??= code ?? "order_unknown";
  }
  if (before.length > 0) return otherTool(callback, before, open, ids);
  const later = named.toSorted(compareStarts)[0] ?? null;
  const code = open ?? ids.hiddenAsk ?? (input.gap === true ? "data_incomplete" : null);
  const note =
    later === null
      ? "No request of this id is in the conversation. A request that still turns up releases it."
      : "Its request was made only afterwards: an id that is used again, or clocks that disagree.";
  return [finding("unknown", callback, later, code, note)];
}

/** A callback that names a tool, where whatever has its id is a call of another. */
function otherTool(
  callback: Event,
  named: readonly Event[],
  open: Code | null,
  { tools }: Ids,
): readonly Finding[] {
  const { name } = callback;
  if (name === null || !tools.has(name)) return [];
  const others = named.filter((one) => one.kind === "tool_call" && one.name !== null && one.name !== name);
  const first = others.toSorted(compareStarts)[0];
  if (first === undefined || others.length < named.length) return [];
  return [finding("name_disagrees", callback, first, open, "Its id belongs to a call of another tool.")];
}

/** A call that ran under the id of another tool's: seen when requests and executions were joined. */
function otherName(call: Event, { asked }: Ids): readonly Finding[] {
  if (call.kind !== "tool_call" || call.callId === null || !call.flaws.includes("name_disagrees")) return [];
  const other = (asked.get(call.callId) ?? [])
    .filter((one) => one !== call && one.kind === "tool_call" && one.name !== call.name)
    .toSorted(compareStarts)[0];
  return [
    finding(
      "name_disagrees",
      call,
      other ?? null,
      null,
      "A model asked for another tool under this id: the result is not that call's.",
    ),
  ];
}

/** Of several callbacks to one request the first, by stamp and then by id, is the answer. */
function duplicates(answers: readonly Event[]): readonly Finding[] {
  const byId = Map.groupBy(answers, idOf);
  const found: Finding[] = [];
  for (const [id, own] of byId) {
    if (id === null || own.length < 2) continue;
    const ordered = own.toSorted(compareStarts);
    ordered.forEach((callback, index) => {
      const first = ordered.slice(0, index).find((other) => sameAttempt(other, callback));
      if (first === undefined) return;
      found.push(finding("duplicate", callback, first, null, "Its request had been answered already."));
    });
  }
  return found;
}

/** A retry that is told apart has an answer of its own. */
function sameAttempt(a: Event, b: Event): boolean {
  const [x, y] = [textOf(a.fields.get("attempt")), textOf(b.fields.get("attempt"))];
  return x === null || y === null || x === y;
}

function unanswered(event: Event, ids: Ids, { closed }: DetectInput): readonly Finding[] {
  const asks = event.kind === "request" || (event.kind === "tool_call" && event.status === "requested");
  if (!asks || !closed(event.run)) return [];
  const named = idsNamed(event);
  if (event.kind === "request" && named.length === 0) return [];
  if (named.some((id) => ids.answered.has(id))) return [];
  const note =
    event.kind === "request"
      ? "No callback of this id came before its run was over."
      : "A model asked for this call; nobody ran it, and no later turn was told a result.";
  return [finding("missing", event, null, ids.hiddenAnswer, note)];
}

function finding(
  reason: CallbackReason,
  event: Event,
  by: Event | null,
  code: Code | null,
  note: string,
): Finding {
  const { order } = by === null ? never : certain("none");
  return {
    detector: "callback",
    reason,
    event,
    by,
    truth: code === null ? "true" : "unknown",
    code,
    identity: "attribute",
    order,
    note,
  };
}
