/**
 * Plain events: what people write down by hand, in case files and in lists, and the same on the wire, one span
 * an event, its fields as `toolorder.event.<field>` attributes (docs/plain-events.md). Both ways give the same
 * fact, so that a verdict cannot depend on how an event was handed in.
 */
import { plainPrefix } from "../../../model/attribute-names.ts";
import type { SpanRef, Status } from "../../../model/event.ts";
import type { SpanFact } from "../../../model/span-fact.ts";
import type { UnixNano } from "../../../model/time.ts";
import { isArray, isObject, type Value } from "../../../model/value.ts";
import { decodeBounded, hashOf, textOf } from "../values.ts";
import type { View } from "../view.ts";

/** One plain event. `check` and `test` make these of lists and case files. */
export interface PlainEvent {
  readonly id: string;
  /** Any text; stands where a trace id stands elsewhere. */
  readonly run: string;
  /**
   * Every other field, under the names of docs/semantics.md 2: `kind`, `name`, `status`, `args`, `host`,
   * `seq`, `parents`, …
   */
  readonly fields: ReadonlyMap<string, Value>;
  readonly start: UnixNano | null;
  /** null: it has not ended. */
  readonly end: UnixNano | null;
}

const statuses: ReadonlyMap<string, Status> = new Map<string, Status>([
  ["success", "success"],
  ["ok", "success"],
  ["error", "error"],
  ["failed", "error"],
  ["refused", "refused"],
  ["denied", "refused"],
  ["cancelled", "cancelled"],
  ["canceled", "cancelled"],
  ["timeout", "timeout"],
  ["awaiting", "awaiting"],
  ["rejected_invalid", "rejected_invalid"],
  ["requested", "requested"],
  ["unknown", "unknown"],
  ["running", "running"],
]);

/** Every word that `statusNamed` knows, for suggestions. */
export const statusWords: readonly string[] = [...statuses.keys()];

/** The word of docs/semantics.md 2 for a status, or one that people use for it; null for anything else. */
export function statusNamed(value: Value | undefined): Status | null {
  return typeof value === "string" ? (statuses.get(value) ?? null) : null;
}

/** Fields that have a place of their own in a fact. */
const placed = new Set([
  "kind",
  "name",
  "tool",
  "status",
  "args",
  "result",
  "conversation",
  "agent",
  "host",
  "call_id",
  "attr",
  "span",
  "parent",
  "links",
  "dropped",
]);

export function plainFact(event: PlainEvent): SpanFact {
  const field = (name: string): Value | undefined => event.fields.get(name) ?? undefined;
  const text = (name: string): string | null => textOf(field(name));
  const fields = new Map<string, Value>();
  for (const [name, value] of event.fields) {
    if (!placed.has(name) && value !== null) fields.set(name, value);
  }
  const parent = text("parent");
  if (parent !== null) fields.set("parent", parent);
  const links = refs(field("links"), event.run);
  const args = field("args");
  const result = field("result");
  const attr = field("attr");
  const dropped = pathsOf(field("dropped"));
  const invalid = event.start !== null && event.end !== null && event.end < event.start;
  const name = text("name") ?? text("tool");
  return {
    traceId: event.run,
    spanId: text("span") ?? event.id,
    parentId: parent,
    parentRemote: null,
    links,
    spanName: name ?? event.id,
    spanKind: 0,
    scope: "",
    clock: text("host") ?? "",
    clockAssumed: false,
    start: event.start,
    end: invalid ? null : event.end,
    ended: event.end !== null,
    dialect: "plain",
    eventId: event.id,
    kind: text("kind") ?? "tool_call",
    name,
    callId: text("call_id"),
    args,
    argsHash: args === undefined ? null : hashOf(args),
    result,
    hasResult: result !== undefined,
    outcome: field("status") === undefined ? "success" : (statusNamed(field("status")) ?? "unknown"),
    errorClass: text("error_class"),
    conversation: text("conversation"),
    agent: text("agent"),
    attr: isObject(attr) ? new Map(Object.entries(attr)) : new Map(),
    fields,
    hidden: new Map(dropped.map((path) => [path, "data_incomplete"])),
    flaws: [
      ...(invalid ? ["end_before_start" as const] : []),
      ...(dropped.length > 0 ? ["dropped_attributes" as const] : []),
    ],
    asks: [],
    answers: [],
    finalAnswer: null,
    side: null,
    signals: [],
  };
}

/** What the sender says it lost: it is unknown, not absent. */
function pathsOf(value: Value | undefined): readonly string[] {
  const items = isArray(value) ? value : value === undefined ? [] : [value];
  return items.map(textOf).flatMap((path) => (path === null ? [] : [path]));
}

function refs(value: Value | undefined, run: string): readonly SpanRef[] {
  const items = isArray(value) ? value : value === undefined ? [] : [value];
  return items.map(textOf).flatMap((id) => (id === null ? [] : [{ traceId: run, spanId: id }]));
}

/** The plain event that a span encodes; null when it encodes none. */
export function plainEventOf(view: View, start: UnixNano | null, end: UnixNano | null): PlainEvent | null {
  const fields = new Map<string, Value>();
  for (const [key, value] of view.span.attributes) {
    if (key.startsWith(plainPrefix)) fields.set(key.slice(plainPrefix.length), decodeBounded(value).value);
  }
  if (fields.size === 0) return null;
  const id = textOf(fields.get("id")) ?? view.span.spanId;
  const run = textOf(fields.get("run")) ?? view.span.traceId;
  fields.delete("id");
  fields.delete("run");
  return { id, run, fields, start, end };
}
