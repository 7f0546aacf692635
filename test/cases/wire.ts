import { createHash } from "node:crypto";
import type { CaseInput } from "../../src/cli/case-input.ts";
import { plainPrefix } from "../../src/model/attribute-names.ts";
import type { Resource, Scope, Span } from "../../src/model/span.ts";
import { type UnixNano, unixNano } from "../../src/model/time.ts";
import type { Value } from "../../src/model/value.ts";
import type { PlainEvent } from "../../src/processor/normalize/dialects/plain.ts";

const resource: Resource = { attributes: new Map([["service.name", "cases"]]), droppedAttributes: 0 };
const scope: Scope = { name: "cases", version: "1", attributes: new Map() };

const hex = (text: string, digits: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, digits);

/** A case's events as spans: one span an event, its fields as `toolorder.event.<field>`, its times from `base` on. */
export function spansOf({ events, base: zero }: CaseInput, base: UnixNano): readonly Span[] {
  const stamp = (at: UnixNano | null): UnixNano => unixNano(at === null ? 0n : base + at - zero);
  return events.map((event) => ({
    traceId: hex(event.run, 32),
    spanId: hex(String(event.fields.get("span") ?? event.id), 16),
    parentSpanId: "",
    flags: 0,
    traceState: "",
    name: event.id,
    kind: 1,
    start: stamp(event.start),
    end: stamp(event.end),
    attributes: attributesOf(event),
    droppedAttributes: 0,
    events: [],
    droppedEvents: 0,
    links: [],
    droppedLinks: 0,
    statusCode: 0,
    statusMessage: "",
    resource,
    scope,
  }));
}

function attributesOf(event: PlainEvent): ReadonlyMap<string, Value> {
  const fields: readonly (readonly [string, Value])[] = [
    ["id", event.id],
    ["run", event.run],
    ...event.fields,
  ];
  return new Map(fields.map(([field, value]) => [`${plainPrefix}${field}`, value]));
}
