/** Random trace messages for protobufjs, and what our decoder must make of them, said slowly and obviously. */

import type protobuf from "protobufjs";
import { type AttributePlan, type KeySelection, wants } from "../../src/model/attribute-plan.ts";
import type { Attributes, Span } from "../../src/model/span.ts";
import { unixNano } from "../../src/model/time.ts";
import type { Value } from "../../src/model/value.ts";
import fc from "../support/properties.ts";
import { requestType } from "./trace-schema.ts";

/** A message as protobufjs takes and gives it. */
export type Message = { readonly [key: string]: unknown };

export const somePlan: AttributePlan = {
  span: {
    exact: new Set(["gen_ai.tool.name", "gen_ai.tool.call.id", "tool.name", "__proto__", "größe", "a", ""]),
    prefixes: ["llm.output_messages."],
  },
  event: { exact: new Set(["exception.type", "content"]), prefixes: ["gen_ai."] },
};

const key = fc.oneof(
  fc.constantFrom(
    "gen_ai.tool.name",
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.ix",
    "tool.name",
    "__proto__",
    "constructor",
    "größe",
    "llm.output_messages.0.message.role",
    "llm.output_messages",
    "exception.type",
    "http.request.method",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ maxLength: 200 }));

const { anyValue } = fc.letrec<{ anyValue: Message }>((tie) => ({
  anyValue: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text.map((stringValue) => ({ stringValue })),
    fc.boolean().map((boolValue) => ({ boolValue })),
    fc.oneof(int64, fc.integer().map(BigInt)).map((value) => ({ intValue: longOf(value) })),
    fc.double().map((doubleValue) => ({ doubleValue })),
    fc.uint8Array({ maxLength: 20 }).map((bytesValue) => ({ bytesValue })),
    fc.constant({}),
    fc.constant({ stringValueStrindex: 7 }),
    fc.array(tie("anyValue"), { maxLength: 4 }).map((values) => ({ arrayValue: { values } })),
    fc
      .array(fc.record({ key, value: tie("anyValue") }), { maxLength: 4 })
      .map((values) => ({ kvlistValue: { values } })),
  ),
}));

/** 64-bit integers as protobufjs writes them without loss. */
function longOf(value: bigint): Message {
  const bits = BigInt.asUintN(64, value);
  return {
    low: Number(bits & 0xffff_ffffn) | 0,
    high: Number(bits >> 32n) | 0,
    unsigned: value >= 2n ** 63n,
  };
}

const attributes = fc.array(fc.record({ key, value: anyValue }, { requiredKeys: ["key"] }), { maxLength: 8 });

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });
const id = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 30, arbitrary: bytes(length) },
    { weight: 1, arbitrary: bytes(length * 2) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: length }) },
    { weight: 1, arbitrary: fc.constant(new Uint8Array(length)) },
  );
const time = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(longOf);
const count = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 2 ** 32 - 1 }));

const span = fc.record(
  {
    traceId: id(16),
    spanId: id(8),
    parentSpanId: id(8),
    traceState: text,
    name: text,
    kind: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer()),
    startTimeUnixNano: time,
    endTimeUnixNano: time,
    attributes,
    droppedAttributesCount: count,
    events: fc.array(
      fc.record(
        { timeUnixNano: time, name: text, attributes, droppedAttributesCount: count },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    droppedEventsCount: count,
    links: fc.array(fc.record({ traceId: id(16), spanId: id(8), traceState: text, attributes }), {
      maxLength: 2,
    }),
    droppedLinksCount: count,
    status: fc.record({ message: text, code: fc.integer({ min: -1, max: 4 }) }, { requiredKeys: [] }),
    flags: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  },
  { requiredKeys: ["traceId", "spanId"] },
);

const scopeSpans = fc.record(
  {
    scope: fc.record({ name: text, version: text, attributes }, { requiredKeys: [] }),
    spans: fc.array(span, { maxLength: 4 }),
    schemaUrl: text,
  },
  { requiredKeys: [] },
);

export const request: fc.Arbitrary<Message> = fc.record({
  resourceSpans: fc.array(
    fc.record(
      {
        resource: fc.record({ attributes, droppedAttributesCount: count }, { requiredKeys: [] }),
        scopeSpans: fc.array(scopeSpans, { maxLength: 3 }),
        schemaUrl: text,
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
});

export const encode = (message: Message): Uint8Array =>
  new Uint8Array(requestType.encode(requestType.fromObject(message)).finish());

export interface Expected {
  readonly spans: readonly Span[];
  /** Reason → spans. */
  readonly rejected: ReadonlyMap<string, number>;
}

/** What the decoder must answer for these bytes, by way of protobufjs. Throws where protobufjs does. */
export function project(body: Uint8Array, plan: AttributePlan): Expected {
  const message = asMessage(requestType.decode(body));
  const spans: Span[] = [];
  const rejected = new Map<string, number>();
  for (const resourceSpans of list(message, "resourceSpans")) {
    const resource = object(resourceSpans, "resource");
    const shared = {
      attributes: attributeMap(resource, everyKey),
      droppedAttributes: Number(resource.droppedAttributesCount ?? 0),
    };
    for (const scopes of list(resourceSpans, "scopeSpans")) {
      const scope = object(scopes, "scope");
      const sharedScope = {
        name: String(scope.name ?? ""),
        version: String(scope.version ?? ""),
        attributes: attributeMap(scope, everyKey),
      };
      for (const raw of list(scopes, "spans")) {
        const reason = whyRejected(raw);
        if (reason !== null) rejected.set(reason, (rejected.get(reason) ?? 0) + 1);
        else spans.push({ ...projectSpan(raw, plan), resource: shared, scope: sharedScope });
      }
    }
  }
  return { spans, rejected };
}

function whyRejected(span: Message): string | null {
  if (hex(span.traceId).length !== 32 || isZero(hex(span.traceId))) return "trace_id";
  if (hex(span.spanId).length !== 16 || isZero(hex(span.spanId))) return "span_id";
  if (![0, 16].includes(hex(span.parentSpanId).length)) return "parent_span_id";
  const broken = list(span, "links").some(
    (link) => ![0, 32].includes(hex(link.traceId).length) || ![0, 16].includes(hex(link.spanId).length),
  );
  return broken ? "link_id" : null;
}

function projectSpan(span: Message, plan: AttributePlan): Omit<Span, "resource" | "scope"> {
  const status = object(span, "status");
  const parent = hex(span.parentSpanId);
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: isZero(parent) ? "" : parent,
    flags: Number(span.flags ?? 0) % 1024,
    traceState: String(span.traceState ?? ""),
    name: String(span.name ?? ""),
    kind: Number(span.kind ?? 0),
    start: unixNano(unsigned(span.startTimeUnixNano)),
    end: unixNano(unsigned(span.endTimeUnixNano)),
    attributes: attributeMap(span, plan.span),
    droppedAttributes: Number(span.droppedAttributesCount ?? 0),
    events: list(span, "events").map((event) => ({
      name: String(event.name ?? ""),
      time: unixNano(unsigned(event.timeUnixNano)),
      attributes: attributeMap(event, plan.event),
      droppedAttributes: Number(event.droppedAttributesCount ?? 0),
    })),
    droppedEvents: Number(span.droppedEventsCount ?? 0),
    links: list(span, "links")
      .map((link) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) }))
      .filter((link) => !isZero(link.traceId) && !isZero(link.spanId)),
    droppedLinks: Number(span.droppedLinksCount ?? 0),
    statusCode: Number(status.code ?? 0),
    statusMessage: String(status.message ?? ""),
  };
}

const everyKey: KeySelection = { exact: new Set(), prefixes: [""] };

function attributeMap(owner: Message, selection: KeySelection): Attributes {
  const map = new Map<string, Value>();
  for (const pair of list(owner, "attributes")) {
    const name = String(pair.key ?? "");
    if (wants(selection, name)) map.set(name, value(object(pair, "value")));
  }
  return map;
}

function value(raw: Message): Value {
  if (Object.hasOwn(raw, "stringValue")) return String(raw.stringValue);
  if (Object.hasOwn(raw, "boolValue")) return Boolean(raw.boolValue);
  if (Object.hasOwn(raw, "doubleValue")) return Number(raw.doubleValue);
  if (Object.hasOwn(raw, "bytesValue")) return new Uint8Array(raw.bytesValue as Uint8Array);
  if (Object.hasOwn(raw, "arrayValue")) return list(object(raw, "arrayValue"), "values").map(value);
  if (Object.hasOwn(raw, "intValue")) {
    const exact = BigInt(String(raw.intValue));
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
  }
  if (Object.hasOwn(raw, "kvlistValue")) {
    const pairs = list(object(raw, "kvlistValue"), "values");
    const result = Object.create(null) as { [name: string]: Value };
    for (const pair of pairs) result[String(pair.key ?? "")] = value(object(pair, "value"));
    return result;
  }
  return null;
}

const asMessage = (message: protobuf.Message): Message => message as unknown as Message;
const object = (owner: Message, name: string): Message => (owner[name] ?? {}) as Message;
const list = (owner: Message, name: string): readonly Message[] => (owner[name] ?? []) as readonly Message[];
const hex = (raw: unknown): string => Buffer.from((raw ?? []) as Uint8Array).toString("hex");
const isZero = (id: string): boolean => /^0*$/.test(id);
const unsigned = (raw: unknown): bigint => BigInt.asUintN(64, BigInt(String(raw ?? 0)));
