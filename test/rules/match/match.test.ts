import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../../src/model/event.ts";
import { compilePattern } from "../../../src/rules/match.ts";
import type { PathTest, Pattern, ValueTest } from "../../../src/rules/pattern.ts";
import { compareValues, keyText, parseInstant, readInstant, sameValue } from "../../../src/rules/values.ts";
import { compared, everyEvent, named } from "../../support/programs.ts";
import fc from "../../support/properties.ts";
import { type EventSpec, event } from "../../support/scope.ts";

const eq = (path: string, value: string | number | boolean): PathTest => ({
  path: path.split("."),
  test: { op: "equals", value },
});
const test = (path: string, one: ValueTest): PathTest => ({ path: path.split("."), test: one });
const call = (spec: Partial<EventSpec> = {}): Event => event({ id: "e", name: "pay", ...spec });
const on = (...tests: readonly PathTest[]): Pattern => named("pay", { tests });
const glob = (text: string): Pattern => ({ ...named(text), name: { op: "glob", glob: text } });

describe("a pattern", () => {
  const statusOf = (...words: readonly string[]): Pattern =>
    on(test("status", { op: "one_of", tests: words.map((value) => ({ op: "equals", value })) }));
  const cases: readonly {
    name: string;
    pattern: Pattern;
    event: Event;
    want: string;
    code?: string | null;
  }[] = [
    { name: "matches its name", pattern: named("pay"), event: call(), want: "true" },
    { name: "is exact in case", pattern: named("Pay"), event: call(), want: "false", code: null },
    {
      name: "speaks of calls, not of a step of that name",
      pattern: named("pay"),
      event: call({ kind: "step" }),
      want: "false",
    },
    {
      name: "star matches every kind",
      pattern: everyEvent,
      event: call({ kind: "model_turn", name: null }),
      want: "true",
    },
    {
      name: "a glob runs over dots",
      pattern: glob("billing.*"),
      event: call({ name: "billing.refund.v2" }),
      want: "true",
    },
    {
      name: "a glob's dot is a dot",
      pattern: glob("billing.*"),
      event: call({ name: "billingXrefund" }),
      want: "false",
    },
    {
      name: "a glob runs over slashes",
      pattern: glob("fs*"),
      event: call({ name: "fs/read/all" }),
      want: "true",
    },
    {
      name: "a glob runs over line ends",
      pattern: glob("pay*"),
      event: call({ name: "pay\n\r\u2028now" }),
      want: "true",
    },
    {
      name: "a leading dot is nothing special",
      pattern: glob("*"),
      event: call({ name: ".hidden" }),
      want: "true",
    },
    {
      name: "an exclamation mark negates nothing",
      pattern: glob("!pay"),
      event: call({ name: "other" }),
      want: "false",
    },
    {
      name: "an event without a name has no name to match",
      pattern: glob("*"),
      event: call({ name: null }),
      want: "false",
    },
    {
      name: "a result as text",
      pattern: on(eq("result", "ok")),
      event: call({ result: "ok" }),
      want: "true",
    },
    {
      name: "a result as JSON text",
      pattern: on(eq("result", "ok")),
      event: call({ result: '"ok"' }),
      want: "true",
    },
    {
      name: "another result",
      pattern: on(eq("result", "ok")),
      event: call({ result: "no" }),
      want: "false",
      code: "wrong_status",
    },
    {
      name: "no result at all was not captured",
      pattern: on(eq("result", "ok")),
      event: call(),
      want: "unknown",
      code: "not_captured",
    },
    {
      name: "inside a result that is there, a missing path is missing",
      pattern: on(eq("result.status", "ok")),
      event: call({ result: { a: 1 } }),
      want: "false",
      code: "missing_attribute",
    },
    {
      name: "a status that is not known may be the one asked for",
      pattern: statusOf("success"),
      event: call({ status: "unknown", hidden: { result: "not_captured" } }),
      want: "unknown",
      code: "not_captured",
    },
    {
      name: "a status that is not known may be another one",
      pattern: on(test("status", { op: "ne", value: "success" })),
      event: call({ status: "unknown" }),
      want: "unknown",
      code: "data_incomplete",
    },
    {
      name: "that a status is not known can be asked for",
      pattern: statusOf("error", "unknown"),
      event: call({ status: "unknown" }),
      want: "true",
    },
    {
      name: "null is missing",
      pattern: on(eq("args.a", 1)),
      event: call({ args: { a: null } }),
      want: "false",
      code: "missing_attribute",
    },
    {
      name: "arguments compare strictly",
      pattern: on(eq("args.a", 1)),
      event: call({ args: { a: "1" } }),
      want: "false",
      code: null,
    },
    {
      name: "a big integer is the number it is",
      pattern: on(eq("args.a", 1)),
      event: call({ args: { a: 1n } }),
      want: "true",
    },
    {
      name: "hidden data is unknown, with its reason",
      pattern: on(eq("args.a", 1)),
      event: call({ args: {}, hidden: { "args.a": "data_incomplete" } }),
      want: "unknown",
      code: "data_incomplete",
    },
    {
      name: "inside a map, too",
      pattern: on(test("args", { op: "fields", fields: [eq("a", 1)] })),
      event: call({ args: {}, hidden: { "args.a": "data_incomplete" } }),
      want: "unknown",
      code: "data_incomplete",
    },
    {
      name: "a plain no hides the unknown",
      pattern: on(eq("args.a", 1), eq("args.b", 2)),
      event: call({ args: { b: 3 }, hidden: { "args.a": "data_incomplete" } }),
      want: "false",
      code: null,
    },
    {
      name: "greater",
      pattern: on(test("args.a", { op: "gt", value: 100 })),
      event: call({ args: { a: 100.5 } }),
      want: "true",
    },
    {
      name: "not greater than itself",
      pattern: on(test("args.a", { op: "gt", value: 100 })),
      event: call({ args: { a: 100 } }),
      want: "false",
    },
    {
      name: "text is not greater than a number",
      pattern: on(test("args.a", { op: "gt", value: 1 })),
      event: call({ args: { a: "5" } }),
      want: "false",
    },
    {
      name: "a missing value is not even unequal",
      pattern: on(test("args.a", { op: "ne", value: 1 })),
      event: call({ args: {} }),
      want: "false",
      code: "missing_attribute",
    },
    {
      name: "empty text does not exist",
      pattern: on(test("args.a", { op: "exists", wanted: true })),
      event: call({ args: { a: "" } }),
      want: "false",
      code: "missing_attribute",
    },
    {
      name: "absent holds for what is missing",
      pattern: named("pay", { absent: [["rejection_reason"]] }),
      event: call(),
      want: "true",
    },
    {
      name: "and not for what is there",
      pattern: named("pay", { absent: [["rejection_reason"]] }),
      event: call({ fields: { rejection_reason: "stale" } }),
      want: "false",
    },
    {
      name: "absent is unknown where nothing was captured",
      pattern: named("pay", { absent: [["args", "a"]] }),
      event: call(),
      want: "unknown",
      code: "not_captured",
    },
    {
      name: "a regular expression searches",
      pattern: on(test("args.a", { op: "matches", pattern: "^v[0-9]+$" })),
      event: call({ args: { a: "v42" } }),
      want: "true",
    },
    {
      name: "a failed attempt is an attempt",
      pattern: named("pay"),
      event: call({ status: "error" }),
      want: "true",
    },
    {
      name: "a wrong status is near",
      pattern: on(eq("status", "success")),
      event: call({ status: "error" }),
      want: "false",
      code: "wrong_status",
    },
    {
      name: "denied is refused",
      pattern: on(eq("status", "denied")),
      event: call({ status: "refused" }),
      want: "true",
    },
    {
      name: "what awaits has not run",
      pattern: named("pay"),
      event: call({ status: "awaiting" }),
      want: "false",
      code: "wrong_status",
    },
    {
      name: "what was rejected as invalid has not run",
      pattern: on(test("status", { op: "ne", value: "success" })),
      event: call({ status: "rejected_invalid" }),
      want: "false",
    },
    {
      name: "what was only asked for meets a pattern that says so",
      pattern: statusOf("requested", "error"),
      event: call({ status: "requested" }),
      want: "true",
    },
    {
      name: "an alternative names the status for itself",
      pattern: { ...everyEvent, anyOf: [named("other"), on(eq("status", "awaiting"))] },
      event: call({ status: "awaiting" }),
      want: "true",
    },
    {
      name: "and not for the others",
      pattern: { ...everyEvent, anyOf: [named("pay"), named("x", { tests: [eq("status", "awaiting")] })] },
      event: call({ status: "awaiting" }),
      want: "false",
    },
    {
      name: "not: what matches inside is out",
      pattern: { ...everyEvent, not: named("pay") },
      event: call(),
      want: "false",
    },
    {
      name: "not: what is unknown stays unknown",
      pattern: { ...everyEvent, not: on(eq("result", "ok")) },
      event: call(),
      want: "unknown",
    },
    {
      name: "an attempt that has not run is not the negation of another",
      pattern: { ...everyEvent, not: named("other") },
      event: call({ status: "requested" }),
      want: "false",
    },
    {
      name: "where over the event itself",
      pattern: named("pay", { where: [compared("e.key", "==", "e.effect_key")] }),
      event: call({ fields: { key: "K", effect_key: "K" } }),
      want: "true",
    },
    {
      name: "where over a missing field",
      pattern: named("pay", { where: [compared("e.key", "!=", "e.effect_key")] }),
      event: call({ fields: { key: "K" } }),
      want: "false",
      code: "missing_attribute",
    },
    {
      name: "what a span to come may change is unknown",
      pattern: on(eq("agent", "x")),
      event: call({ fields: { agent: "x" }, unsettled: ["agent"] }),
      want: "unknown",
      code: "scope_unknown",
    },
    {
      name: "what a running call will return is unknown",
      pattern: on(eq("status", "success")),
      event: call({ end: "open", status: "running" }),
      want: "unknown",
      code: "data_incomplete",
    },
  ];
  for (const { name, pattern, event: one, want, code } of cases) {
    it(name, () => {
      const match = compilePattern(pattern)(one);
      assert.equal(match.truth, want);
      if (code !== undefined) assert.equal(match.code, code);
    });
  }

  it("reads registers by name", () => {
    const pattern = named("pay", { where: [compared("e.args.plan", "==", "reg.plan")] });
    const match = compilePattern(pattern);
    const paid = call({ args: { plan: "gold" } });
    assert.equal(match(paid, new Map([["plan", "gold"]])).truth, "true");
    assert.equal(match(paid, new Map([["plan", "silver"]])).truth, "false");
    assert.equal(match(paid).code, "missing_attribute");
  });
});

describe("values", () => {
  it("keys compare by value across text and number, and null and empty text never bind", () => {
    assert.equal(keyText(5310), keyText("5310"));
    assert.equal(keyText(5310n), keyText("5310"));
    assert.equal(keyText(9007199254740993n), keyText("9007199254740993"));
    assert.notEqual(keyText(true), keyText("true"));
    assert.notEqual(keyText("05310"), keyText(5310));
    assert.deepEqual([keyText(null), keyText(""), keyText(undefined)], [null, null, null]);
  });

  it("equality elsewhere is strict by type", () => {
    assert.ok(sameValue({ a: [1, "x"] }, { a: [1n, "x"] }));
    assert.ok(!sameValue(1, "1"));
    assert.ok(!sameValue({ a: 1 }, { a: 1, b: 2 }));
    assert.ok(!sameValue(null, 0));
    assert.ok(!sameValue(9007199254740993n, 9007199254740992));
  });

  it("comparison is antisymmetric, and agrees with equality on numbers", () => {
    const numbers = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true }),
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    );
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const [ab, ba] = [compareValues(a, b), compareValues(b, a)];
        assert.equal(ab === null ? null : ab + 0, ba === null ? null : 0 - ba);
        assert.equal(ab === 0, sameValue(a, b));
      }),
    );
  });

  it("times with an offset compare as times", () => {
    assert.equal(compareValues("2026-01-01T10:00:00+02:00", "2026-01-01T09:00:00Z"), -1);
    assert.equal(compareValues("2026-01-01T08:00:00Z", "2026-01-01T10:00:00+02:00"), 0);
  });

  const instants: readonly { text: string; nanos: bigint | null }[] = [
    { text: "1970-01-01T00:00:01Z", nanos: 1_000_000_000n },
    { text: "1970-01-01T00:00:00.000000001Z", nanos: 1n },
    { text: "1970-01-01t02:00:00+02:00", nanos: 0n },
    { text: "1969-12-31T23:30:00-00:30", nanos: 0n },
    { text: "2024-02-29T00:00:00Z", nanos: 1_709_164_800_000_000_000n },
    { text: "2023-02-29T00:00:00Z", nanos: null },
    { text: "1970-01-01T00:00:01", nanos: null },
    { text: "1970-01-01", nanos: null },
    { text: "1970-01-01T24:00:00Z", nanos: null },
    { text: "60000", nanos: null },
  ];
  for (const { text, nanos } of instants) {
    it(`the instant ${text}`, () => assert.equal(parseInstant(text), nanos));
  }

  it("a number is a time only with its unit", () => {
    assert.equal(readInstant(60_000, null), null);
    assert.equal(readInstant(60_000, "ms"), 60_000_000_000n);
    assert.equal(readInstant(1.5, "s"), 1_500_000_000n);
    assert.equal(readInstant(-1.5, "s"), -1_500_000_000n);
    assert.equal(readInstant(1_700_000_000_000_000_001n, "ns"), 1_700_000_000_000_000_001n);
    assert.equal(readInstant(Number.NaN, "s"), null);
    assert.equal(readInstant("60000", "ms"), null);
  });
});
