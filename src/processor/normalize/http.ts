/**
 * HTTP client spans (docs/dialects.md#http-requests-below-a-call): headers, status and resends that a tool call
 * above can have. Headers are recorded only where the instrumentation was told to.
 */
import type { Header, HttpFact } from "../../model/http-fact.ts";
import { isArray, type Value } from "../../model/value.ts";
import { textOf } from "./values.ts";
import type { View } from "./view.ts";

const requestHeader = "http.request.header.";
const responseHeader = "http.response.header.";

/** The older conventions wrote `_` for every `-` of a header's name. */
const spelt = (prefix: string, ...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [`${prefix}${name}`, `${prefix}${name.replaceAll("-", "_")}`]);

const keyHeaders = spelt(requestHeader, "idempotency-key", "x-idempotency-key");
const ifMatchHeaders = spelt(requestHeader, "if-match");
const etagHeaders = spelt(responseHeader, "etag");
const methodKeys = ["http.request.method", "http.method"] as const;
const statusKeys = ["http.response.status_code", "http.status_code"] as const;
const resendKeys = ["http.request.resend_count", "http.resend_count"] as const;
const targetKeys = ["url.full", "http.url", "server.address", "net.peer.name"] as const;

/**
 * Attributes that decoders must materialise besides `error.type`. Of other headers it is enough to know that
 * there are some, so a few that nearly every request has stand for all.
 */
export const httpKeys: readonly string[] = [
  ...methodKeys,
  ...statusKeys,
  ...resendKeys,
  ...targetKeys,
  ...new Set([...keyHeaders, ...ifMatchHeaders, ...etagHeaders]),
  ...spelt(requestHeader, "content-type", "accept", "user-agent", "host"),
  ...spelt(responseHeader, "content-type", "content-length", "date"),
];

const clientSpan = 3;

export function httpFactOf(view: View): HttpFact | null {
  const { span } = view;
  if (span.kind !== clientSpan || !methodKeys.some((key) => view.has(key))) return null;
  const first = (keys: readonly string[]): string | null =>
    keys.map((key) => view.text(key)).find((text) => text !== null) ?? null;
  const method = first(methodKeys)?.toUpperCase() ?? null;
  const status = wholeOf(first(statusKeys));
  const ended = span.end !== 0n;
  const failed = view.text("error.type") !== null || span.statusCode === 2;
  return {
    method,
    target: `${method ?? ""} ${first(targetKeys) ?? ""}`,
    status,
    noResponse: ended && failed && status === null,
    resend: wholeOf(first(resendKeys)),
    key: headerOf(view, keyHeaders),
    ifMatch: headerOf(view, ifMatchHeaders),
    etag: headerOf(view, etagHeaders),
    headers: { request: hasAny(view, requestHeader), response: hasAny(view, responseHeader) },
  };
}

function hasAny(view: View, prefix: string): boolean {
  for (const key of view.span.attributes.keys()) if (key.startsWith(prefix)) return true;
  return false;
}

function wholeOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

const blotted = /^(?:\*+|x+|\[?(?:redacted|filtered|masked)\]?|<redacted>)$/i;

/** One value over all spellings; the conventions make a list of every header. */
function headerOf(view: View, keys: readonly string[]): Header {
  const values = new Set<string>();
  let unclear = false;
  for (const key of keys) {
    for (const item of itemsOf(view.raw(key))) {
      const text = textOf(item)?.trim();
      if (text === undefined || text === "") continue;
      if (text === "*" ? !key.endsWith("match") : blotted.test(text)) unclear = true;
      else if (text.includes('",') || text.includes("\n")) unclear = true;
      else values.add(bare(text));
    }
  }
  const [only] = values;
  if (unclear || values.size > 1) return { is: "unclear" };
  return only === undefined ? { is: "absent" } : { is: "value", value: only };
}

function itemsOf(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : isArray(value) ? value : [value];
}

/** An entity tag without its quotes, so that it equals the version that a tool names: `"5"` → `5`, `W/"5"` → `W/5`. */
function bare(text: string): string {
  const [, weak = "", tag] = /^(W\/)?"([^"]*)"$/.exec(text) ?? [];
  return tag === undefined ? text : `${weak}${tag}`;
}
