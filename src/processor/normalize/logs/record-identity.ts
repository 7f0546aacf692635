/**
 * Who a log record is and where it belongs (docs/decisions/12-log-records.md). OTLP gives a record no id, and often no
 * trace: its id follows from what it says, so that a record that is sent twice is one event; its run is its trace, else
 * its session.
 */
import type { LogRecord } from "../../../model/log-record.ts";
import { type UnixNano, unixNano } from "../../../model/time.ts";
import { canonicalText } from "../../../model/value.ts";
import { parseInstant } from "../../../rules/values.ts";
import { hashOf, textOf } from "../values.ts";

/** Attributes that name a session, in the order in which they count; the same on the resource. */
export const sessionKeys = [
  "gen_ai.conversation.id",
  "session.id",
  "conversation.id",
  "sessionId",
  "thread.id",
];

/** What of a resource tells one sender from another. What a Collector may add on one way only is left out. */
const senderKeys = ["service.name", "service.instance.id", "process.pid", "host.id", "host.name"];

/** The session that the record names; null when it names none. */
export function sessionOf({ attributes, resource }: LogRecord): string | null {
  for (const source of [attributes, resource.attributes]) {
    for (const key of sessionKeys) {
      const id = textOf(source.get(key));
      if (id !== null) return id;
    }
  }
  return null;
}

/**
 * The attribute `event.name`, since some bridges put a place in the source into the field; else the field. Where the
 * body is that name with its family in front of it, the body.
 */
export function eventNameOf({ attributes, eventName, body }: LogRecord): string {
  const named = textOf(attributes.get("event.name")) ?? eventName;
  if (named === "" || typeof body !== "string" || body.length > longestName) return named;
  return body.endsWith(`.${named}`) && !body.includes(" ") ? body : named;
}

const longestName = 200;

/** Its own time; where it has none, the one in its attributes; else when the first collector saw it. */
export function timeOf({ time, attributes, observedTime }: LogRecord): UnixNano {
  if (time !== 0n) return time;
  const stated = textOf(attributes.get("event.timestamp"));
  const parsed = stated === null ? null : parseInstant(stated);
  return parsed !== null && parsed > 0n ? unixNano(parsed) : observedTime;
}

/** 16 hex digits that are the same for the same record, whichever way and in whichever encoding it came. */
export function recordId(record: LogRecord): string {
  const { body, attributes, traceId, spanId, scope, resource } = record;
  const sender = senderKeys.map((key) => resource.attributes.get(key) ?? null);
  const said = [...attributes].map(([key, value]) => [key, canonicalText(value)]);
  said.sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0));
  return hashOf([timeOf(record), eventNameOf(record), body, said, traceId, spanId, scope.name, sender]).slice(
    0,
    16,
  );
}
