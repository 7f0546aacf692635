import type { UnixNano } from "./time.ts";
import { readPath, type Value } from "./value.ts";
import type { Code } from "./verdict.ts";

/**
 * One tool call, retrieval, model turn, workflow step, agent run, final answer or signal, with a start and an
 * end: what contracts speak about. Made by `processor/assemble` from the span facts of a run or conversation,
 * and made anew whenever that set changes; never mutated.
 */
export interface Event {
  /**
   * Unique among the events seen together: `<trace id>:<span id>` of the event's anchor span (outermost,
   * then earliest, then smallest), with `#<n>` or `#<call id>` behind it for events that are not a whole span. In case files
   * and plain event lists, the event's own id; `<run>:<id>` where several runs that are seen together have it.
   */
  readonly id: string;
  /** A built-in kind (docs/semantics.md 2), or one that a contract or mapping declares. */
  readonly kind: string;
  /** Tool name, data source, agent, node, model or signal name; null when nothing says it. */
  readonly name: string | null;
  readonly status: Status;
  readonly start: Moment;
  readonly end: Moment;
  /** Trace id of the anchor span. */
  readonly run: string;
  /** Own or inherited conversation id; null when none is known. */
  readonly conversation: string | null;
  /** Clock domain: text that is equal for spans whose stamps one clock wrote (docs/semantics.md 10.2). */
  readonly clock: string;
  /** True when the domain is only an equal resource, without host or process identity. */
  readonly clockAssumed: boolean;
  /** Provider's or model's id of the call; not unique. */
  readonly callId: string | null;
  readonly args: Value | undefined;
  /** Hash of the whole arguments, before projection; absent where none were captured, and on what is no call. */
  readonly argsHash?: string;
  readonly result: Value | undefined;
  /** Span attributes that a rule names, merged over the event's spans, the outermost winning. */
  readonly attr: ReadonlyMap<string, Value>;
  /**
   * Every other field of docs/semantics.md 2 that has a value: service, agent, seq, parents, request_id,
   * outcome, …
   */
  readonly fields: ReadonlyMap<string, Value>;
  /** What hides data: root (`args`, `result`, `attr`) or a whole path → why it is unknown rather than absent. */
  readonly hidden: ReadonlyMap<string, Code>;
  /** Roots and fields that a span still to come may yet change: unknown until the run closes. */
  readonly unsettled: ReadonlySet<string>;
  readonly flaws: readonly Flaw[];
  /** Dialect that read the anchor span; null for derived events without a span. */
  readonly dialect: string | null;
  /** (trace id, span id) of every span of this event, anchor first. Empty where the event was only asked for. */
  readonly spans: readonly SpanRef[];
  /** Span that encloses the anchor; null for a root. */
  readonly parent: SpanRef | null;
  readonly links: readonly SpanRef[];
  /** The model turn that asked for this call, by event id; null when it is not known. */
  readonly decidedBy: string | null;
  /** Place among the calls that turn asked for; 0 elsewhere. */
  readonly decisionIndex: number;
  /** Model turns: ids of the calls whose results its input holds; absent where no input was recorded. */
  readonly told?: readonly string[];
  /** Span id of the nearest enclosing agent run, else of the local root, else null: orders decisions and model turns. */
  readonly invocation: string | null;
  /**
   * Span id of the nearest enclosing agent run, null where there is none: decision numbers count inside it, else
   * inside the run. Absent: the same as `invocation`.
   */
  readonly orchestrator?: string | null;
  /** When the first of its spans came; the base of `decision_wait`. */
  readonly arrivedAt: UnixNano;
  /** When its end came, where only its start had come before; the base of `decision_wait` for its finish. */
  readonly endArrivedAt?: UnixNano;
}

export interface SpanRef {
  readonly traceId: string;
  readonly spanId: string;
}

export type Status =
  | "success"
  | "error"
  | "refused"
  | "cancelled"
  | "timeout"
  | "awaiting"
  | "rejected_invalid"
  | "requested"
  | "unknown"
  | "running";

/**
 * A boundary of an event.
 *   at       one stamp; its width follows from the clock policy
 *   between  nowhere recorded, but certainly inside this interval (a call that only model turns show)
 *   open     has not ended as far as is known; never, once the run is closed
 *   unknown  a stamp that cannot be believed, or none where there must be one
 *   none     has no such point (a call that was only asked for)
 */
export type Moment =
  | { readonly at: UnixNano }
  | { readonly earliest: UnixNano; readonly latest: UnixNano }
  | "open"
  | "unknown"
  | "none";

/** Data-quality findings that travel with an event and are counted in `toolorder_data_quality_total`. */
export type Flaw =
  | "dropped_attributes"
  | "dropped_events"
  | "truncated"
  | "unparseable"
  | "redacted"
  | "end_before_start"
  | "time_out_of_range"
  | "no_end"
  | "sampled"
  | "not_kept"
  | "call_id_collision"
  | "conversation_disagrees"
  | "name_disagrees"
  | "inferred_session"
  | "unresolved_parent"
  | "beginning_not_seen"
  | "unrecognised_tool"
  | "snake_case_key"
  | "enum_name"
  /** The HTTP requests of the call were recorded without their headers. */
  | "headers_not_captured"
  | "strindex"
  | "invalid_utf8"
  | "duplicate_key";

/** What reading a path gave. */
export type Reading =
  | { readonly is: "value"; readonly value: Value }
  | { readonly is: "absent" }
  | { readonly is: "unknown"; readonly code: Code };

const absent: Reading = { is: "absent" };

/**
 * Reads a field path of docs/semantics.md 2 from an event: `name`, `args.plan_id`, `result.status`,
 * `attr.agent.state.version`, `seq`. Null and a missing value are absent; data that was dropped, truncated,
 * redacted or never captured is unknown.
 */
export function readField(event: Event, path: readonly string[]): Reading {
  const [root = "", ...rest] = path;
  const value = rootValue(event, root);
  const found = root === "attr" ? readAttribute(event, rest) : readPath(value, rest);
  if (found !== undefined && found !== null) return { is: "value", value: found };
  const code = hiddenBy(event, path);
  return code === undefined ? absent : { is: "unknown", code };
}

function rootValue(event: Event, root: string): Value | undefined {
  switch (root) {
    case "id":
      return event.id;
    case "kind":
      return event.kind;
    case "name":
    case "tool":
      return event.name;
    case "status":
      return event.status;
    case "run":
      return event.run;
    case "conversation":
      return event.conversation;
    case "host":
      return event.clock;
    case "call_id":
      return event.callId;
    case "args":
      return event.args;
    case "result":
      return event.result;
    case "told":
      return event.told ?? event.fields.get(root);
    case "start":
      return stampOf(event.start);
    case "end":
      return stampOf(event.end);
    default:
      return event.fields.get(root);
  }
}

/** Attribute keys hold dots themselves: the longest key that exists wins, the rest reaches inside its value. */
function readAttribute(event: Event, path: readonly string[]): Value | undefined {
  for (let take = path.length; take > 0; take -= 1) {
    const value = event.attr.get(path.slice(0, take).join("."));
    if (value === undefined) continue;
    const found = readPath(value, path.slice(take));
    if (found !== undefined) return found;
  }
  return undefined;
}

function hiddenBy(event: Event, path: readonly string[]): Code | undefined {
  for (let take = 1; take <= path.length; take += 1) {
    const code = event.hidden.get(path.slice(0, take).join("."));
    if (code !== undefined) return code;
  }
  return undefined;
}

function stampOf(moment: Moment): Value | undefined {
  return typeof moment === "object" && "at" in moment ? moment.at : undefined;
}
