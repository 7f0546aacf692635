/**
 * What the HTTP requests below a call say about it: key, versions, outcome, attempts
 * (docs/dialects.md#http-requests-below-a-call). Only what the call does not say itself, and only where the
 * requests agree; where they do not, the field is unknown.
 *
 * A child span ends, and is sent, no later than the span around it: of a call that has ended nothing is waited for.
 * Cost: nothing where no span was kept as a request; else one walk to the call above each.
 */
import type { Event, Flaw } from "../../model/event.ts";
import type { Header, HttpFact } from "../../model/http-fact.ts";
import type { Value } from "../../model/value.ts";
import type { Code } from "../../model/verdict.ts";
import type { Call } from "./call.ts";
import { compareStamps, type SpanNode } from "./graph.ts";

/** In order of start. */
export type RequestsOf = ReadonlyMap<Call, readonly HttpFact[]>;

const serverSpan = 2;

export function requestsBelow(nodes: readonly SpanNode[], calls: readonly Call[]): RequestsOf {
  const found = new Map<Call, SpanNode[]>();
  let owners: Map<SpanNode, Call> | null = null;
  let transports: ReadonlySet<SpanNode> | null = null;
  for (const node of nodes) {
    if (node.fact.http === undefined) continue;
    owners ??= new Map(calls.flatMap((call) => call.nodes.map((each) => [each, call])));
    transports ??= transportsOf(calls);
    const call = transports.has(node) ? null : callAbove(node, owners);
    if (call !== null) found.set(call, [...(found.get(call) ?? []), node]);
  }
  return new Map(
    [...found].map(([call, own]) => [
      call,
      own
        .toSorted((a, b) => compareStamps(a.fact.start, b.fact.start))
        .flatMap(({ fact }) => (fact.http === undefined ? [] : [fact.http])),
    ]),
  );
}

/** The call that sent it: not one of another agent or model between, and not what a server did for the request. */
function callAbove(node: SpanNode, owners: ReadonlyMap<SpanNode, Call>): Call | null {
  for (let at = node.parent; at !== null; at = at.parent) {
    const call = owners.get(at);
    if (call !== undefined) return call;
    const { kind, http, spanKind } = at.fact;
    if (kind === "agent_run" || kind === "model_turn" || http !== undefined || spanKind === serverSpan)
      return null;
  }
  return null;
}

/** Requests by which one span of a call reached another (MCP over HTTP) carry the call; they are not its effect. */
function transportsOf(calls: readonly Call[]): ReadonlySet<SpanNode> {
  const between = new Set<SpanNode>();
  for (const { nodes } of calls) {
    if (nodes.length < 2) continue;
    const own = new Set(nodes);
    for (const node of nodes) {
      const path: SpanNode[] = [];
      for (let at = node.parent; at !== null; at = at.parent) {
        if (own.has(at)) {
          for (const each of path) between.add(each);
          break;
        }
        path.push(at);
      }
    }
  }
  return between;
}

const reading: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);
const isWrite = ({ method }: HttpFact): boolean => method === null || !reading.has(method);

/** The call's event with what its requests lend it. Those that write speak before those that read. */
export function withRequests(event: Event, requests: readonly HttpFact[] | undefined): Event {
  if (requests === undefined || requests.length === 0) return event;
  const writes = requests.filter(isWrite);
  const speaking = writes.length > 0 ? writes : requests;
  const lent = new Map<string, Lent>([
    ["key", headerIn(speaking.map(({ key }) => key))],
    ["if_match", headerIn(speaking.map(({ ifMatch }) => ifMatch))],
    ["version", headerIn(speaking.map(({ etag }) => etag))],
    ...outcomeOf(writes),
    ["attempt", attemptOf(speaking)],
  ]);
  const fields = new Map(event.fields);
  const hidden = new Map(event.hidden);
  for (const [field, read] of lent) {
    if (fields.has(field)) continue;
    if (read.is === "value") {
      fields.set(field, read.value);
      hidden.delete(field);
    } else if (read.is === "unknown") hidden.set(field, read.code);
  }
  const flaws = missing(speaking, fields) ? [...event.flaws, headersMissing].sort() : event.flaws;
  return { ...event, fields, hidden, flaws };
}

type Lent =
  | { readonly is: "absent" }
  | { readonly is: "value"; readonly value: Value }
  | { readonly is: "unknown"; readonly code: Code };

const absent: Lent = { is: "absent" };
const disagree: Lent = { is: "unknown", code: "data_incomplete" };

function headerIn(headers: readonly Header[]): Lent {
  if (headers.some(({ is }) => is === "unclear")) return disagree;
  return agreed(headers.flatMap((header) => (header.is === "value" ? [header.value] : [])));
}

function agreed(values: readonly Value[]): Lent {
  const [only] = values;
  if (only === undefined) return absent;
  return values.every((value) => value === only) ? { is: "value", value: only } : disagree;
}

/** Requests that were sent again, together: of one key, else of one method and address. */
function tries(requests: readonly HttpFact[]): readonly (readonly HttpFact[])[] {
  const sameAs = ({ key, target }: HttpFact): string =>
    key.is === "value" ? `key ${String(key.value)}` : `to ${target}`;
  return [...Map.groupBy(requests, sameAs).values()];
}

/**
 * What became of the write, by the last try: a conflict of versions or keys, a refusal for good, or nobody knows.
 * A plain success or error is the call's own to say.
 */
function outcomeOf(writes: readonly HttpFact[]): readonly (readonly [string, Lent])[] {
  const last = tries(writes).flatMap((group) => group.slice(-1));
  const said = last.map(saidBy);
  const [only] = said;
  if (only === undefined || said.every((one) => one === plain)) return [];
  if (said.some((one) => one !== only)) return [["outcome", disagree]];
  return [
    ["outcome", { is: "value", value: only.outcome }],
    ...(only.retryable === null ? [] : [["retryable", { is: "value", value: only.retryable }] as const]),
  ];
}

interface Said {
  readonly outcome: string;
  /** null: it does not say. */
  readonly retryable: boolean | null;
}

const plain: Said = { outcome: "", retryable: null };
const conflict: Said = { outcome: "conflict", retryable: null };
/** The key was used with another payload (422), or the write depends on no version (428): as it is, never. */
const refused: Said = { outcome: "failed", retryable: false };
const lost: Said = { outcome: "unknown", retryable: null };

function saidBy({ status, noResponse }: HttpFact): Said {
  if (noResponse) return lost;
  if (status === 409 || status === 412) return conflict;
  return status === 422 || status === 428 ? refused : plain;
}

/** How often the one request was sent; absent where there are several requests, or nothing tells of a second try. */
function attemptOf(requests: readonly HttpFact[]): Lent {
  const groups = tries(requests);
  const [group] = groups;
  if (groups.length !== 1 || group === undefined) return absent;
  const counted = Math.max(group.length, ...group.map(({ resend }) => (resend ?? 0) + 1));
  const tells = group.length > 1 || group.some(({ resend }) => resend !== null);
  return tells ? { is: "value", value: counted } : absent;
}

/** The instrumentation can record headers, and was not told to. */
const headersMissing: Flaw = "headers_not_captured";

function missing(requests: readonly HttpFact[], fields: ReadonlyMap<string, Value>): boolean {
  const noRequest = requests.every(({ headers }) => !headers.request);
  const noResponse = requests.every(({ headers, status }) => !headers.response && status !== null);
  return (
    (noRequest && (!fields.has("key") || !fields.has("if_match"))) || (noResponse && !fields.has("version"))
  );
}
