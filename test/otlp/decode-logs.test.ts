/** Log requests in both encodings, against protobufjs: random messages, cut, bent and read by a plan. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AttributePlan, everything } from "../../src/model/attribute-plan.ts";
import type { DecodedLogs, LogRecord } from "../../src/model/log-record.ts";
import type { Value } from "../../src/model/value.ts";
import { DecodeError } from "../../src/otlp/decode-error.ts";
import { decodeLogsJson } from "../../src/otlp/decode-json.ts";
import { defaultDecodeLimits } from "../../src/otlp/decode-limits.ts";
import { decodeLogsProtobuf, decodeTracesProtobuf } from "../../src/otlp/decode-protobuf.ts";
import { signalInProtobuf } from "../../src/otlp/protobuf-signal.ts";
import fc from "../support/properties.ts";
import { field } from "./bytes.ts";
import { encodeLogs } from "./log-messages.ts";
import { encode, request as traceRequest } from "./messages.ts";
import { logsRequestType } from "./trace-schema.ts";
import { draws, rearrange, split } from "./wire-tree.ts";

/** A request as OTLP/JSON writes it; protobuf is made of it by protobufjs. */
type Json = { readonly [key: string]: unknown };

const text = fc.string({ maxLength: 30 });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const { anyValue } = fc.letrec<{ anyValue: Json }>((tie) => ({
  anyValue: fc.oneof(
    { depthSize: "small" },
    text.map((stringValue) => ({ stringValue })),
    fc.boolean().map((boolValue) => ({ boolValue })),
    int64.map((intValue) => ({ intValue })),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((doubleValue) => ({ doubleValue })),
    fc.constant({}),
    fc.array(tie("anyValue"), { maxLength: 3 }).map((values) => ({ arrayValue: { values } })),
    fc
      .uniqueArray(fc.record({ key: text, value: tie("anyValue") }), {
        maxLength: 3,
        selector: ({ key }) => key,
      })
      .map((values) => ({ kvlistValue: { values } })),
  ),
}));
const key = fc.oneof(fc.constantFrom("event.name", "session.id", "tool_name", "agent.event.kind"), text);
const attributes = fc.uniqueArray(fc.record({ key, value: anyValue }), {
  maxLength: 6,
  selector: (pair) => pair.key,
});
const time = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const hex = (digits: number): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc.string({
        unit: fc.constantFrom(..."0123456789abcdef"),
        minLength: digits,
        maxLength: digits,
      }),
    },
    { weight: 2, arbitrary: fc.constant("") },
    { weight: 1, arbitrary: fc.constant("0".repeat(digits)) },
    { weight: 1, arbitrary: fc.constant("ab") },
  );
const record = fc.record(
  {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: fc.integer({ min: 0, max: 24 }),
    severityText: text,
    body: anyValue,
    attributes,
    droppedAttributesCount: fc.nat(9),
    flags: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    traceId: hex(32),
    spanId: hex(16),
    eventName: text,
  },
  { requiredKeys: [] },
);
const request: fc.Arbitrary<Json> = fc.record({
  resourceLogs: fc.array(
    fc.record(
      {
        resource: fc.record({ attributes }, { requiredKeys: [] }),
        scopeLogs: fc.array(
          fc.record(
            {
              scope: fc.record({ name: text, version: text }),
              logRecords: fc.array(record, { maxLength: 4 }),
            },
            { requiredKeys: [] },
          ),
          { maxLength: 3 },
        ),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
});

const somePlan: AttributePlan = {
  ...everything,
  log: { exact: new Set(["event.name", "agent.event.kind"]), prefixes: ["toolorder.event."] },
};

const fromProtobuf = (body: Uint8Array, plan = everything): DecodedLogs =>
  decodeLogsProtobuf(body, plan, defaultDecodeLimits);
const fromJson = (message: Json, plan = everything): DecodedLogs =>
  decodeLogsJson(Buffer.from(JSON.stringify(message)), plan, defaultDecodeLimits);

const list = (owner: Json, name: string): readonly Json[] =>
  (owner[name] as readonly Json[] | undefined) ?? [];

/** What both decoders must answer, said slowly: from what protobufjs reads of the bytes. */
function project(
  body: Uint8Array,
  plan: AttributePlan,
): { records: LogRecord[]; rejected: number; passedOver: number } {
  const message = logsRequestType.toObject(logsRequestType.decode(body), {
    longs: String,
    bytes: String,
  }) as Json;
  const out = { records: [] as LogRecord[], rejected: 0, passedOver: 0 };
  for (const resourceLogs of list(message, "resourceLogs")) {
    const resource = { attributes: mapOf((resourceLogs.resource ?? {}) as Json), droppedAttributes: 0 };
    for (const scopeLogs of list(resourceLogs, "scopeLogs")) {
      const given = (scopeLogs.scope ?? {}) as Json;
      const scope = {
        name: String(given.name ?? ""),
        version: String(given.version ?? ""),
        attributes: new Map(),
      };
      for (const raw of list(scopeLogs, "logRecords")) {
        const ids = [hexOf(raw.traceId), hexOf(raw.spanId)] as const;
        if (![0, 32].includes(ids[0].length) || ![0, 16].includes(ids[1].length)) {
          out.rejected += 1;
          continue;
        }
        const found = mapOf(raw);
        const eventName = String(raw.eventName ?? "");
        const marked = [...found.keys()].some((name) => plan.log?.exact.has(name) ?? true);
        if (plan.log !== undefined && eventName === "" && !marked) {
          out.passedOver += 1;
          continue;
        }
        out.records.push({
          time: BigInt(String(raw.timeUnixNano ?? 0)) as LogRecord["time"],
          observedTime: BigInt(String(raw.observedTimeUnixNano ?? 0)) as LogRecord["time"],
          severity: Number(raw.severityNumber ?? 0),
          severityText: String(raw.severityText ?? ""),
          body: plainOf(raw.body as Json | undefined),
          attributes: found,
          droppedAttributes: Number(raw.droppedAttributesCount ?? 0),
          flags: Number(raw.flags ?? 0) % 256,
          traceId: /^0*$/.test(ids[0]) ? "" : ids[0],
          spanId: /^0*$/.test(ids[1]) ? "" : ids[1],
          eventName,
          resource,
          scope,
        });
      }
    }
  }
  return out;
}

const hexOf = (value: unknown): string => Buffer.from(String(value ?? ""), "base64").toString("hex");
const mapOf = (owner: Json): Map<string, Value> =>
  new Map(
    list(owner, "attributes").map((pair) => [
      String(pair.key ?? ""),
      plainOf(pair.value as Json | undefined),
    ]),
  );

function plainOf(value: Json | undefined): Value {
  const [kind, inner] = Object.entries(value ?? {})[0] ?? [];
  switch (kind) {
    case "intValue": {
      const exact = BigInt(String(inner));
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
    }
    case "arrayValue":
      return list(inner as Json, "values").map(plainOf);
    case "kvlistValue":
      return Object.assign(
        Object.create(null),
        Object.fromEntries(
          list(inner as Json, "values").map((pair) => [String(pair.key ?? ""), plainOf(pair.value as Json)]),
        ),
      );
    case undefined:
      return null;
    default:
      return inner as Value;
  }
}

const count = ({ rejections }: DecodedLogs): number => rejections.reduce((sum, one) => sum + one.count, 0);

function attempt(body: Uint8Array, plan: AttributePlan): DecodedLogs | null {
  try {
    return fromProtobuf(body, plan);
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error));
    assert.match(error.message, /ExportLogsServiceRequest/);
    return null;
  }
}

describe("log records, with protobufjs as the oracle", () => {
  it("both encodings give what protobufjs reads, whole or by a plan", () => {
    let kept = 0;
    let passed = 0;
    fc.assert(
      fc.property(request, fc.constantFrom(everything, somePlan), (message, plan) => {
        const body = encodeLogs(message);
        const expected = project(body, plan);
        for (const got of [fromProtobuf(body, plan), fromJson(message, plan)]) {
          assert.deepEqual(got.records, expected.records);
          assert.equal(count(got), expected.rejected);
          assert.equal(got.passedOver, expected.passedOver);
        }
        kept += expected.records.length;
        passed += expected.passedOver;
      }),
      { numRuns: 300 },
    );
    assert.ok(kept > 200 && passed > 50, `${kept} kept, ${passed} passed over`);
  });

  it("OTLP-49, OTLP-45: any order of fields, with unknown ones in between, gives the same result", () => {
    fc.assert(
      fc.property(request, fc.integer(), (message, seed) => {
        const body = encodeLogs(message);
        assert.deepEqual(
          fromProtobuf(rearrange(body, logsRequestType, draws(seed)), somePlan),
          fromProtobuf(body, somePlan),
        );
      }),
      { numRuns: 100 },
    );
  });

  it("OTLP-48: a message cut at any byte is refused, but for a cut between two top-level fields", () => {
    const corpus = fc.sample(request, { numRuns: 60, seed: 48 }).map(encodeLogs);
    let cuts = 0;
    let prefixes = 0;
    for (const body of corpus.filter((bytes) => bytes.length > 0 && bytes.length < 3_000)) {
      const borders = new Set([0]);
      for (const field of split(body)) borders.add(Math.max(...borders) + field.bytes.length);
      for (let length = 0; length < body.length; length += 1) {
        const part = body.subarray(0, length);
        const got = attempt(part, cuts % 2 === 0 ? everything : somePlan);
        cuts += 1;
        if (!borders.has(length)) assert.equal(got, null, `cut at ${length} of ${body.length}`);
        else {
          prefixes += 1;
          assert.deepEqual(fromProtobuf(part).records, project(part, everything).records);
        }
      }
    }
    assert.ok(cuts > 3_000 && prefixes > 30, `${cuts} cuts, ${prefixes} prefixes`);
  });

  it("OTLP-48: flipped bits and random bytes give an answer or a DecodeError", () => {
    const corpus = fc.sample(request, { numRuns: 40, seed: 7 }).map(encodeLogs);
    let refused = 0;
    let accepted = 0;
    for (const body of corpus.filter((bytes) => bytes.length > 0)) {
      const next = draws(body.length);
      for (let round = 0; round < 60; round += 1) {
        const bent = Uint8Array.from(body);
        const place = next(bent.length);
        bent[place] = (bent[place] ?? 0) ^ (1 << next(8));
        if (attempt(bent, somePlan) === null) refused += 1;
        else accepted += 1;
      }
    }
    assert.ok(refused > 50 && accepted > 50, `${refused} refused, ${accepted} accepted`);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void attempt(bytes, somePlan)));
  });

  it("tells its requests from those of spans, as far as they hold any", () => {
    let told = 0;
    fc.assert(
      fc.property(request, traceRequest, (message, spans) => {
        const [logs, traces] = [encodeLogs(message), encode(spans)];
        if (signalInProtobuf(logs) !== null) told += 1;
        assert.notEqual(signalInProtobuf(logs), "traces");
        assert.notEqual(signalInProtobuf(traces), "logs");
        if (decodeTracesProtobuf(traces, everything, defaultDecodeLimits).spans.length > 0) {
          assert.equal(signalInProtobuf(traces), "traces");
        }
      }),
    );
    assert.ok(told > 20, String(told));
  });
});

describe("one log record", () => {
  const one = (fields: Json): Json => ({ resourceLogs: [{ scopeLogs: [{ logRecords: [fields] }] }] });
  const stamp = "1544712660000000001";
  const name = [{ key: "event.name", value: { stringValue: "e" } }];

  it("OTLP-36: keeps its times to the last nanosecond, as text and as a number", () => {
    const asNumber = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":${stamp},"eventName":"e"}]}]}]}`;
    for (const { records } of [
      fromJson(one({ timeUnixNano: stamp, eventName: "e" })),
      fromProtobuf(encodeLogs(one({ timeUnixNano: stamp, eventName: "e" }))),
      decodeLogsJson(Buffer.from(asNumber), everything, defaultDecodeLimits),
    ]) {
      assert.equal(records[0]?.time, 1544712660000000001n);
    }
  });

  it("OTLP-39: is read with snake_case keys and names of enums, which are counted", () => {
    const { records, flaws } = fromJson({
      resource_logs: [
        {
          scope_logs: [
            {
              log_records: [
                {
                  time_unix_nano: stamp,
                  severity_number: "SEVERITY_NUMBER_WARN2",
                  event_name: "e",
                  trace_id: "AB".repeat(16),
                },
              ],
            },
          ],
        },
      ],
    });
    assert.equal(records[0]?.severity, 14);
    assert.equal(records[0]?.time, 1544712660000000001n);
    assert.equal(records[0]?.traceId, "ab".repeat(16));
    assert.ok((flaws.get("snake_case_key") ?? 0) >= 6 && flaws.get("enum_name") === 1);
  });

  it("needs no trace, and is refused for an id that is none, with place and cure", () => {
    for (const [fields, says] of [
      [{ attributes: name, traceId: "abcd" }, /logRecords\[0\]\.traceId is not 32 hex digits/],
      [
        { attributes: name, spanId: Buffer.alloc(8, 1).toString("base64") },
        /logRecords\[0\]\.spanId is base64, not hex/,
      ],
    ] as const) {
      const { records, rejections } = fromJson(one(fields));
      assert.deepEqual(records, []);
      assert.match(rejections[0]?.message ?? "", says);
    }
    const { rejections } = fromProtobuf(encodeLogs(one({ attributes: name, traceId: "abcd" })));
    assert.match(rejections[0]?.message ?? "", /log_records\[0\]\.trace_id must be 16 bytes long/);
    assert.equal(fromJson(one({ attributes: name })).records.length, 1);
  });

  it("OTLP-46: a body in two parts is the two merged, and of a repeated name the last counts", () => {
    const part = (element: string): Uint8Array => field(5, field(5, field(1, field(1, element))));
    const body = field(1, field(2, field(2, part("a"), field(12, "old"), part("b"), field(12, "new"))));
    const [read] = fromProtobuf(body).records;
    assert.deepEqual(read?.body, ["a", "b"]);
    assert.equal(read?.eventName, "new");
    assert.deepEqual(fromProtobuf(body).records, project(body, everything).records);
  });

  it("OTLP-42: a body or attribute nested too deep refuses it alone, whether anybody wants it or not", () => {
    let deep: Json = { stringValue: "x" };
    let deepBytes = field(1, "x");
    for (let level = 0; level < 65; level += 1) {
      deep = { arrayValue: { values: [deep] } };
      deepBytes = field(5, field(1, deepBytes));
    }
    const good = field(2, field(12, "good"));
    const rows = [
      { fields: { body: deep }, bytes: field(5, deepBytes) },
      {
        fields: { attributes: [{ key: "a", value: deep }] },
        bytes: field(6, field(1, "a"), field(2, deepBytes)),
      },
    ];
    for (const { fields, bytes } of rows) {
      for (const eventName of ["", "e"]) {
        const logRecords = [{ ...fields, eventName }, { eventName: "good" }];
        const body = field(1, field(2, field(2, bytes, field(12, eventName)), good));
        for (const got of [
          fromJson({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }, somePlan),
          fromProtobuf(body, somePlan),
        ]) {
          assert.deepEqual(
            got.records.map((one) => one.eventName),
            ["good"],
          );
          assert.deepEqual(
            got.rejections.map(({ reason, count: many }) => [reason, many]),
            [["nesting", 1]],
          );
        }
      }
    }
  });

  it("OTLP-4, OTLP-23: nothing at all is an empty request; what is no message is refused with its name", () => {
    assert.deepEqual(decodeLogsJson(Buffer.alloc(0), everything, defaultDecodeLimits).records, []);
    assert.deepEqual(fromProtobuf(new Uint8Array(0)).records, []);
    assert.throws(
      () => fromJson([] as unknown as Json),
      /the root is an array .*ExportLogsServiceRequest: \{"resourceLogs"/,
    );
    assert.throws(
      () => fromJson({ resourceLogs: [{ scopeLogs: 3 }] }),
      /resourceLogs\[0\]\.scopeLogs is not an array/,
    );
    assert.throws(
      () => fromProtobuf(Uint8Array.of(0x0a, 0x04, 0x12, 0x02, 0x12, 0x05)),
      /resource_logs\[0\]\.scope_logs\[0\]\.log_records\[0\].*ExportLogsServiceRequest/,
    );
  });
});
